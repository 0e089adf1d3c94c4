"""`ppslab break`: break the instrument on purpose and see whether it notices."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table

from ppslab import lab
from ppslab.cli.bar import Bar
from ppslab.faults.breaking import Options, run
from ppslab.results.faults import FaultsRecord

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("break")(break_instrument)


def break_instrument(
    name: str = typer.Argument("fastpath", metavar="LAB", help="The lab to measure on."),
    fault: list[str] = typer.Option([], help="Only this fault; may be repeated."),
    backend: str = typer.Option("auto", help="auto, namespaces or vm."),
    profile: str = typer.Option("quick", help="quick, standard or rfc2544."),
    out: Path | None = typer.Option(None, help="Write the record here."),
) -> None:
    """Break the instrument in every known way, one at a time; exit 1 if it misses one."""
    options = Options(backend=backend, profile=profile, out=out, faults=tuple(fault))
    with Bar() as bar:
        record, path = run(lab.find(name), options, bar)
    console.print(table(record))
    for skipped in record.skipped:
        console.print(f"not tried: {skipped.condition}: {skipped.reason}", style="yellow")
    console.print(record.provenance(), style="dim")
    console.print(f"record: {path}")
    missed = [each.name for each in record.faults if each.outcome == "missed"]
    if missed:
        console.print(f"missed: {', '.join(missed)}", style="red")
        raise typer.Exit(1)


def table(record: FaultsRecord) -> Table:
    """Fault, outcome, and what the instrument said."""
    shown = Table(title=f"{record.title}: the instrument, broken on purpose")
    for column in ("fault", "what was broken", "outcome", "what it said"):
        shown.add_column(column)
    for each in record.faults:
        shown.add_row(each.name, each.broken, each.outcome, "; ".join(each.said) or "nothing")
    return shown
