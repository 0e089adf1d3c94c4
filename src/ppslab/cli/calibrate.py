"""`ppslab calibrate`: what the tester, its receiver and its clocks can do on this machine."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table as Shown

from ppslab import calibration, results
from ppslab.calibration import views
from ppslab.calibration.measuring import SIZES, Options, calibrate
from ppslab.cli.bar import Bar
from ppslab.cli.options import CONFIG
from ppslab.session import Silent
from ppslab.tables import Table

console = Console(highlight=False)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("calibrate")(calibrate_tester)


def calibrate_tester(
    backend: str = typer.Option("auto", help="auto, namespaces or vm."),
    tester: str = typer.Option("ppstraffic", help="ppstraffic, pktgen, routeros or otg."),
    tester_config: Path | None = CONFIG,
    size: list[int] = typer.Option([], help="Only this frame size in bytes; may be repeated."),
    as_json: bool = typer.Option(
        False, "--json", help="Print one JSON object: the record without its trials."
    ),
    out: Path | None = typer.Option(None, help="Write the record here."),
) -> None:
    """Measure the tester back to back, its jitter, its receiver and its clocks."""
    options = Options(
        backend=backend,
        tester=tester,
        tester_config=tester_config,
        sizes=tuple(size) or SIZES,
        out=out,
    )
    if as_json:
        record, path = calibrate(options, Silent())
        typer.echo(json.dumps(plain(record, path), indent=1))
        return
    with Bar() as bar:
        record, path = calibrate(options, bar)
    for table in views.tables(record):
        _show(table)
    for warning in calibration.warnings(record):
        console.print(warning, style="yellow", markup=False)
    console.print(record.provenance(), style="dim", markup=False)
    console.print(f"record: {path}")


def plain(record: results.CalibrationRecord, path: Path) -> dict[str, object]:
    """The record without its trials, with what is concluded from it."""
    said: dict[str, object] = record.model_dump(mode="json", by_alias=True, exclude={"trials"})
    said["delay_resolution_ns"] = calibration.delay_resolution(record)
    said["warnings"] = list(calibration.warnings(record))
    said["file"] = str(path)
    return said


def _show(table: Table) -> None:
    shown = Shown(title=table.title)
    for name in table.header:
        shown.add_column(name)
    for row in table.rows:
        shown.add_row(*(cell.text.replace("[", "\\[") for cell in row))
    console.print(shown)
