"""`ppslab profile`: where a condition's nanoseconds go."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from ppslab import documents, lab, results
from ppslab.cli.bar import Bar, console
from ppslab.errors import UsageError
from ppslab.figures.stations import stations_figure
from ppslab.profiling.graphs import graphs
from ppslab.profiling.running import Options, run
from ppslab.profiling.views import estimate, stations_in, unknown

_SHOWN_SOFTIRQS = ("NET_RX", "NET_TX", "TIMER", "SCHED")
RECORD = "profile.json"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("profile")(profile)


def profile(
    name: str = typer.Argument(metavar="LAB", help="The lab, as `ppslab labs` lists it."),
    condition: list[str] = typer.Option([], help="This condition; with two, their difference too."),
    size: int | None = typer.Option(None, help="Frame size in bytes; the lab's smallest if none."),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
    profile: str = typer.Option("quick", help="quick, standard or rfc2544."),
    sampler: str = typer.Option("auto", help="auto, perf, or counters (never samples)."),
    seed: int | None = typer.Option(None, help="Order of the trials; random without it."),
    out: Path | None = typer.Option(None, help="Folder for the record and the graphs."),
) -> None:
    """Say where a packet's nanoseconds go: by station of its way, and as a flame graph."""
    if out and out.exists() and not out.is_dir():
        raise UsageError(f"--out {out}: this is a file, a folder is wanted")
    options = Options(
        conditions=tuple(dict.fromkeys(condition)),
        size=size,
        backend=backend,
        profile=profile,
        sampler=sampler,  # type: ignore[arg-type]  # run() says what there is
        seed=seed,
        out=out / RECORD if out else None,
    )
    with Bar() as bar:
        record, path = run(lab.find(name), options, bar)
    folder = out or path.with_suffix("")
    drawn = graphs(record)
    if drawn:
        drawn["stations.svg"] = stations_figure(record).accessible() + "\n"
    for file, svg in drawn.items():
        documents.write_atomic(folder / file, svg)
    show(record)
    for skipped in record.skipped:
        console.print(f"not measured: {skipped.condition}: {skipped.reason}", style="yellow")
    console.print(record.provenance(), style="dim")
    console.print(f"record: {path}")
    for file in drawn:
        console.print(f"graph: {folder / file}")


def show(record: results.ProfileRecord) -> None:
    """Print the tables."""
    if record.why_not_perf:
        console.print(f"Not sampled: {record.why_not_perf}. What the CPUs counted:", markup=False)
        for one in record.profiles:
            console.print(_counters(record, one))
        return
    console.print(_stations(record))
    for one in record.profiles:
        said = unknown(one)
        if said:
            console.print(f"{one.condition}, of no station: {said}", style="dim", markup=False)


def _stations(record: results.ProfileRecord) -> Table:
    """Nanoseconds by station, a column a condition, and the difference of two."""
    profiles = record.profiles
    shown = Table(title=f"Where the nanoseconds of a packet of {record.frame_size} bytes go")
    shown.add_column("station", no_wrap=True)
    for one in profiles:
        shown.add_column(f"{one.condition}, ns", justify="right")
    two = len(profiles) == 2
    if two:
        shown.add_column("difference, ns", justify="right")
    for name, title in stations_in(record).items():
        found = [next((s for s in one.stations if s.name == name), None) for one in profiles]
        cells = [f"{s.nanoseconds:.0f} ±{2 * s.error:.0f}" if s else "-" for s in found]
        if two:
            before, now = (s.nanoseconds if s else 0.0 for s in found)
            cells.append(f"{now - before:+.0f}")
        shown.add_row(title, *cells)
    shown.add_section()
    totals = [one.total for one in profiles]
    last = [f"{totals[1].estimate - totals[0].estimate:+.0f}"] if two else []
    shown.add_row("together", *(estimate(total) for total in totals), *last)
    shown.add_row("the router's part", *(estimate(one.router) for one in profiles))
    shown.add_row(f"times {record.reference}", *(estimate(one.ratio) for one in profiles))
    shown.add_row("while sampled", *(_number(one.sampled_total) for one in profiles))
    shown.add_row("samples", *(str(one.samples) for one in profiles))
    shown.caption = (
        f"The sender's thread, which routes too (coupled); {record.frequency} samples a second, "
        "± two standard errors. Interrupts off is counted where they come on again."
    )
    return shown


def _counters(record: results.ProfileRecord, one: results.ConditionProfile) -> Table:
    title = (
        f"{one.condition}: {estimate(one.total)} ns per packet, router {estimate(one.router)} ns"
    )
    shown = Table(title=f"{title}, {estimate(one.ratio)} times {record.reference}")
    for column in ("CPU", "system, s", "softirq, s", "steal, s", "backlog", "dropped"):
        shown.add_column(column, justify="right")
    for column in _SHOWN_SOFTIRQS:
        shown.add_column(column, justify="right")
    for cpu in one.counters:
        shown.add_row(
            str(cpu.cpu),
            *(f"{cpu.seconds.get(word, 0.0):.2f}" for word in ("system", "softirq", "steal")),
            str(cpu.processed),
            str(cpu.dropped),
            *(str(cpu.softirqs.get(word, 0)) for word in _SHOWN_SOFTIRQS),
        )
    return shown


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
