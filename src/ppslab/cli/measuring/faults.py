"""`ppslab break`: break the instrument on purpose and see whether it notices."""

from __future__ import annotations

from typing import Annotated

import typer

from ppslab.cli.measuring.bar import Bar
from ppslab.cli.options import measuring
from ppslab.cli.printing import console
from ppslab.measure.faults import fault_table
from ppslab.measure.faults.breaking import Options, run
from ppslab.model.lab import lab


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("break")(break_instrument)


@measuring(
    Options,
    without=("router", "tester", "tester_config", "dut", "isolated", "seed"),
    backend="auto, namespaces or vm.",
)
def break_instrument(
    options: Options,
    name: Annotated[str, typer.Argument(metavar="LAB", help="The lab to measure on.")] = "fastpath",
) -> None:
    """Break the instrument in every known way, one at a time; exit 1 if it misses one."""
    with Bar() as bar:
        record, path = run(lab.find(name), options, bar)
    console.print(fault_table(record))
    console.print(record.provenance().sentence, style="dim")
    console.print(f"record: {path}")
    missed = [each.name for each in record.faults if each.outcome == "missed"]
    if missed:
        console.print(f"missed: {', '.join(missed)}", style="red")
        raise typer.Exit(1)
