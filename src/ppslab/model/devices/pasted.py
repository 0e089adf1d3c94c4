"""The test results of a product page of MikroTik's, pasted into a file."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.model import devices, results_table
from ppslab.model.devices import Device, Result, Source
from ppslab.model.results_table import Row, TableError


def read(code: str, path: Path) -> list[Row]:
    """The figures of a device's table; FileError with the line, or where it is another device's."""
    try:
        rows = results_table.pasted(documents.read_text(path))
    except TableError as error:
        raise FileError(path, error.line, error.message) from None
    printed = rows[0].code
    names = {device.code: device.name for device in devices.load()}
    if printed in names and printed != code:
        text = f"these are the results of the {names[printed]} ({printed}), not of {code}"
        raise FileError(path, rows[0].line, text)
    return rows


def with_results(device: Device, path: Path) -> Device:
    """The device with the results of a file."""
    rows = read(device.code, path)
    date = datetime.fromtimestamp(path.stat().st_mtime, UTC).date()
    source = Source("given", f"{path.name}, read by you", "", str(date), date.year)
    given = tuple(
        Result(device.name, device.code, row.mode, row.configuration, row.frame_bytes,
               row.kpps, row.mbps, "", source, "table")
        for row in rows
    )  # fmt: skip
    return replace(device, given=given)
