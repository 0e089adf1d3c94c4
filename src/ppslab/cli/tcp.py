"""`ppslab tcp`: TCP through a lab's router, as the CHR article measured it."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.table import Table

from ppslab import analysis, goodput, lab, results
from ppslab.cli.bar import Bar, console
from ppslab.cli.options import ROUTER
from ppslab.statistics import Interval, short
from ppslab.tcp import DIRECTIONS, Options, run
from ppslab.units import human_rate

_NAMES = {"there": "one way", "back": "the other way", "both": "both ways at once"}


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("tcp")(tcp)


def tcp(
    name: str = typer.Argument(metavar="LAB", help="The lab, as `ppslab labs` lists it."),
    condition: list[str] = typer.Option([], help="Only this condition; may be repeated."),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
    router: str = ROUTER,
    profile: str = typer.Option("quick", help="quick, standard or rfc2544."),
    seed: int | None = typer.Option(None, help="Order of the transfers; random without it."),
    offloads: bool = typer.Option(
        False, help="Leave GSO, GRO and TSO on: the router then forwards bundles of segments."
    ),
    out: Path | None = typer.Option(None, help="Write the record here."),
) -> None:
    """Measure a lab with TCP (iperf3): goodput, retransmits, round-trip time, fairness."""
    options = Options(
        conditions=tuple(condition),
        backend=backend,
        router=router,
        profile=profile,
        seed=seed,
        offloads=offloads,
        out=out,
    )
    with Bar() as bar:
        record, path = run(lab.find(name), options, bar)
    for direction in DIRECTIONS:
        console.print(table(record, direction))
    for sentence in record.explanations:
        console.print(sentence)
    for why, count in _invalid(record).items():
        console.print(f"not valid, {count} times: {why}", style="yellow", markup=False)
    for skipped in record.skipped:
        console.print(f"not measured: {skipped.condition}: {skipped.reason}", style="yellow")
    console.print(record.provenance(), style="dim")
    console.print(f"record: {path}")


def table(record: results.TcpRecord, direction: results.TcpDirection) -> Table:
    """One row a condition."""
    offloads = "offloads on" if record.offloads else "offloads off"
    title = f"{record.title}, TCP {_NAMES[direction]}: {record.profile['name']} profile"
    shown = Table(title=title)
    shown.add_column("condition", no_wrap=True)
    for column in (
        "goodput, Gbit/s",
        f"times {record.reference}",
        "sent again",
        "round trip, µs",
        "fairness",
        "packets",
    ):
        shown.add_column(column, justify="right")
    for row in goodput.rows(record, direction):
        shown.add_row(
            row.condition,
            str(_scaled(row.goodput, 1e-9)),
            _ratio(record, row),
            f"{row.retransmitted.estimate:.2%}",
            short(row.round_trip_us.estimate),
            f"{row.fairness.estimate:.3f}",
            human_rate(row.packets.estimate),
        )
    try:
        null = f"A/A: the reference against itself {goodput.null_interval(record, direction)}. "
    except analysis.NoDataError:
        null = ""
    shown.caption = (
        f"{null}{record.instances} instances of {record.streams} streams each way, "
        f"{record.seconds} s, {offloads}, {record.arrangement}."
    )
    return shown


def _ratio(record: results.TcpRecord, row: goodput.Row) -> str:
    if row.condition == record.reference:
        return "1"
    return str(row.ratio) if row.ratio else "-"


def _scaled(interval: Interval, factor: float) -> Interval:
    return Interval(
        interval.estimate * factor, interval.low * factor, interval.high * factor, interval.count
    )


def _invalid(record: results.TcpRecord) -> dict[str, int]:
    found: dict[str, int] = {}
    for transfer in record.transfers:
        for why in transfer.invalid_because:
            found[why] = found.get(why, 0) + 1
    return found
