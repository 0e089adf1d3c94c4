"""`ppslab rfc2544`: the suite of RFC 2544 on a lab, a table a test, and the record."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console

from ppslab import lab, sending
from ppslab.cli import before
from ppslab.cli.bar import Bar
from ppslab.cli.options import CONFIG, DRY_RUN, DUT, ISOLATED, ROUTER
from ppslab.cli.suite_tables import tables
from ppslab.profiles import Profile
from ppslab.suite import Options, run_suite
from ppslab.suite.subjects import conditions_of

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("rfc2544")(rfc2544)


def rfc2544(
    name: str = typer.Argument(metavar="LAB", help="The lab, as `ppslab labs` lists it."),
    condition: list[str] = typer.Option(
        [], help="This condition; may be repeated. Without it: those that the lab names."
    ),
    size: list[int] = typer.Option([], help="Only this frame size in bytes; may be repeated."),
    backend: str = typer.Option("auto", help="auto, namespaces, vm or containerlab."),
    router: str = ROUTER,
    dut: Path | None = DUT,
    isolated: bool = ISOLATED,
    tester: str = typer.Option("ppstraffic", help="ppstraffic, pktgen, routeros or otg."),
    tester_config: Path | None = CONFIG,
    profile: str = typer.Option("quick", help="quick, standard or rfc2544."),
    seed: int | None = typer.Option(None, help="Order of the trials; random without it."),
    out: Path | None = typer.Option(None, help="Write the record here."),
    dry_run: bool = DRY_RUN,
) -> None:
    """Run the tests of RFC 2544: throughput, latency, loss, bursts, recovery, reset."""
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
    )
    found = lab.find(name)
    names = [each.name for each in conditions_of(found, options.conditions)]
    shown = options.sizes or found.words.frame_sizes

    def trials(profile: Profile, conditions: Sequence[lab.Condition]) -> Sequence[sending.Trials]:
        return sending.of_the_suite(profile, len(conditions), options.sizes)

    if not before.show(found, options, names, shown, trials, dry=dry_run):
        return
    with Bar() as bar:
        record, path = run_suite(found, options, bar)
    for table in tables(record):
        console.print(table)
    for warning in record.warnings:
        console.print(warning, style="yellow")
    console.print(record.provenance(), style="dim")
    console.print(f"record: {path}")
    console.print(f"a report of it: ppslab report {path} --html")
