"""`ppslab run`: measure a lab, show progress, print the table, write the record."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from ppslab import analysis, frmol, lab, results, sending
from ppslab.cli import before
from ppslab.cli.bar import Bar
from ppslab.cli.options import CONFIG, DRY_RUN, DUT, ISOLATED, ROUTER
from ppslab.counted import counters_table
from ppslab.profiles import Profile
from ppslab.run import SEARCH_TRIALS, Options, run, sizes_of, with_streams
from ppslab.units import human_rate

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("run")(run_lab)


def run_lab(
    name: str = typer.Argument(metavar="LAB", help="The lab, as `ppslab labs` lists it."),
    condition: list[str] = typer.Option([], help="Only this condition; may be repeated."),
    size: list[int] = typer.Option([], help="Only this frame size in bytes; may be repeated."),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
    router: str = ROUTER,
    dut: Path | None = DUT,
    isolated: bool = ISOLATED,
    tester: str = typer.Option("ppstraffic", help="ppstraffic, pktgen, routeros or otg."),
    tester_config: Path | None = CONFIG,
    profile: str = typer.Option("quick", help="quick, standard or rfc2544."),
    seed: int | None = typer.Option(None, help="Order of the trials; random without it."),
    search: bool = typer.Option(True, help="Search the throughput after the cost rounds."),
    out: Path | None = typer.Option(None, help="Write the record here."),
    dry_run: bool = DRY_RUN,
) -> None:
    """Measure every condition of a lab, interleaved, and write the record."""
    options = Options(
        conditions=tuple(condition),
        sizes=tuple(size),
        backend=backend,
        router=router,
        tester=tester,
        tester_config=tester_config,
        profile=profile,
        seed=seed,
        out=out,
        dut=dut,
        isolated=isolated,
        search=search,
    )
    found = lab.find(name)
    names, sizes = with_streams(found, options), sizes_of(found, options)
    if not before.show(
        found, options, names, sizes, partial(_trials, found, sizes, options), dry=dry_run
    ):
        return
    with Bar() as bar:
        record, path = run(found, options, bar)
    if found.words.machine:  # cards: nobody's time has the router's work in it
        console.print(frmol.table(record).plain(), markup=False)
        console.print(counters_table(record).plain(), markup=False)
    else:
        console.print(table(record))
    for skipped in record.skipped:
        console.print(f"not measured: {skipped.condition}: {skipped.reason}", style="yellow")
    console.print(record.provenance(), style="dim")
    console.print(f"record: {path}")


def _trials(
    found: lab.Lab,
    sizes: Sequence[int],
    options: Options,
    profile: Profile,
    conditions: Sequence[lab.Condition],
) -> Sequence[sending.Trials]:
    searched = [c for c in conditions if options.search and found.searched(c)]
    return sending.of_a_run(profile, conditions, sizes, searched, SEARCH_TRIALS)


def table(record: results.Record) -> Table:
    """Cost, ratio and throughput of every condition, with intervals."""
    smallest = min(record.frame_sizes)
    shown = Table(title=f"{record.title}: {record.profile['name']} profile")
    shown.add_column("condition")
    for size in record.frame_sizes:
        shown.add_column(f"router ns/packet, {size} B", justify="right")
    shown.add_column(f"times {record.reference}, {smallest} B", justify="right")
    shown.add_column(f"throughput, {smallest} B (0.1 % loss)", justify="right")
    searches = {(s.condition, s.frame_size): s for s in record.searches}
    for name in analysis.measured_conditions(record):
        costs = [_cost(record, name, size) for size in record.frame_sizes]
        found = searches.get((name, smallest))
        shown.add_row(name, *costs, _ratio(record, name, smallest), _throughput(found))
    shown.caption = _caption(record, smallest)
    return shown


def _cost(record: results.Record, name: str, size: int) -> str:
    try:
        return str(analysis.cost(record, name, size))
    except analysis.NoDataError:
        return "-"


def _ratio(record: results.Record, name: str, size: int) -> str:
    try:
        return str(analysis.ratio(record, name, record.reference, size))
    except analysis.NoDataError:
        return "-"


def _throughput(found: results.Search | None) -> str:
    if found is None or not found.goals:
        return "-"
    goal = next((g for g in found.goals if g.loss_ratio == 0.001), found.goals[0])
    if goal.throughput is None:
        return "none"
    limited = " (tester-limited)" if goal.tester_limited else ""
    return human_rate(goal.throughput) + limited


def _caption(record: results.Record, size: int) -> str:
    try:
        null = analysis.null_interval(record, size)
        said = f"A/A: the reference against itself {null}. "
    except analysis.NoDataError:
        said = ""
    spoiled = sum(1 for _ in analysis.invalid_trials(record))
    limit = record.tester.limit(size)
    tester = f"The tester alone: {human_rate(limit)}. " if limit else ""
    return f"{said}{tester}{len(record.trials)} trials, {spoiled} invalid."
