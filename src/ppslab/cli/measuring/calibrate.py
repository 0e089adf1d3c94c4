"""`ppslab calibrate`: what the tester, its receiver and its clocks can do on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ppslab.cli.measuring.bar import Bar
from ppslab.cli.options import measuring
from ppslab.cli.printing import console
from ppslab.core.text.terminal import echo
from ppslab.measure import calibration
from ppslab.measure.calibration import views
from ppslab.measure.calibration.experiment import Options, calibrate
from ppslab.measure.experiment import Silent
from ppslab.model import results


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("calibrate")(calibrate_tester)


@measuring(
    Options,
    without=("shares",),
    backend="auto, namespaces or vm.",
)
def calibrate_tester(
    options: Options,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object: the record without its trials.")
    ] = False,
) -> None:
    """Measure the tester back to back, its jitter, its receiver and its clocks."""
    if as_json:
        record, path = calibrate(options, Silent())
        echo(json.dumps(plain(record, path), indent=1))
        return
    with Bar() as bar:
        record, path = calibrate(options, bar)
    for table in views.tables(record):
        console.print(table)
    for warning in calibration.warnings(record):
        console.print(warning, style="yellow", markup=False)
    console.print(record.provenance().sentence, style="dim", markup=False)
    console.print(f"record: {path}")


def plain(record: results.CalibrationRecord, path: Path) -> dict[str, object]:
    """The record without its trials, with the conclusions drawn from it."""
    said: dict[str, object] = record.model_dump(mode="json", by_alias=True, exclude={"trials"})
    said["delay_resolution_ns"] = calibration.delay_resolution(record)
    said["warnings"] = list(calibration.warnings(record))
    said["file"] = str(path)
    return said
