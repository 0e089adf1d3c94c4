"""`ppslab rfc2544`: the suite of RFC 2544 on a lab, a table a test, and the record."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console

from ppslab import lab
from ppslab.cli.bar import Bar
from ppslab.cli.options import CONFIG
from ppslab.cli.suite_tables import tables
from ppslab.suite import Options, run_suite

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
    router: str = typer.Option("linux", help="What stands as the router under test."),
    tester: str = typer.Option("ppstraffic", help="ppstraffic, pktgen, routeros or otg."),
    tester_config: Path | None = CONFIG,
    profile: str = typer.Option("quick", help="quick, standard or rfc2544."),
    seed: int | None = typer.Option(None, help="Order of the trials; random without it."),
    out: Path | None = typer.Option(None, help="Write the record here."),
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
    )
    found = lab.find(name)
    with Bar() as bar:
        record, path = run_suite(found, options, bar)
    for table in tables(record):
        console.print(table)
    for warning in record.warnings:
        console.print(warning, style="yellow")
    console.print(record.provenance(), style="dim")
    console.print(f"record: {path}")
    console.print(f"a report of it: ppslab report {path} --html")
