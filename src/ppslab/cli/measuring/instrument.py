"""`ppslab calibrate` and `ppslab break`: what the instrument can do here, and what it notices."""

from __future__ import annotations

from typing import Annotated

import typer

from ppslab.cli.measuring.terminal import close, measured
from ppslab.cli.options import measuring
from ppslab.cli.printing import console
from ppslab.measure import calibration, faults
from ppslab.measure.calibration import experiment
from ppslab.model.lab import lab
from ppslab.show.record_tables.calibration import tables
from ppslab.show.record_tables.faults import fault_table


@measuring(
    experiment.Options,
    without=("shares", "tester", "tester_config"),
    backend="auto, namespaces or vm.",
)
def calibrate_tester(options: experiment.Options) -> None:
    """Measure the tester: back-to-back rate, jitter, receiver and clocks."""
    record, path = measured(experiment.calibrate, options)
    for table in tables(record):
        console.print(table)
    for warning in calibration.warnings(record):
        console.print(warning, style="yellow", markup=False)
    close(record, path)


@measuring(
    faults.Options,
    without=("router", "tester", "tester_config", "dut", "isolated", "seed"),
    backend="auto, namespaces or vm.",
)
def break_instrument(
    options: faults.Options,
    name: Annotated[str, typer.Argument(metavar="LAB", help="The lab to measure on.")] = "fastpath",
) -> None:
    """Break the instrument in each known way, in turn; the exit code is 1 if a fault is missed."""
    record, path = measured(faults.run, lab.find(name), options)
    console.print(fault_table(record))
    close(record, path)
    missed = [fault.name for fault in record.faults if fault.outcome == "missed"]
    if missed:
        console.print(f"missed: {', '.join(missed)}", style="red")
        raise typer.Exit(1)
