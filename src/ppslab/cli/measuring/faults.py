"""`ppslab break`: break the instrument on purpose and see whether it notices."""

from __future__ import annotations

from typing import Annotated

import typer

from ppslab.cli.measuring.terminal import close, measured
from ppslab.cli.options import measuring
from ppslab.cli.printing import console
from ppslab.measure.faults import Options, run
from ppslab.model.lab import lab
from ppslab.show.record_tables.faults import fault_table


@measuring(
    Options,
    without=("router", "tester", "tester_config", "dut", "isolated", "seed"),
    backend="auto, namespaces or vm.",
)
def break_instrument(
    options: Options,
    name: Annotated[str, typer.Argument(metavar="LAB", help="The lab to measure on.")] = "fastpath",
) -> None:
    """Break the instrument in each known way, in turn; the exit code is 1 if a fault is missed."""
    record, path = measured(run, lab.find(name), options)
    console.print(fault_table(record))
    close(record, path)
    missed = [fault.name for fault in record.faults if fault.outcome == "missed"]
    if missed:
        console.print(f"missed: {', '.join(missed)}", style="red")
        raise typer.Exit(1)
