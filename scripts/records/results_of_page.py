#!/usr/bin/env python3
"""Add the test results of a device, as pasted from its product page, to the devices' rows.

    .venv/bin/python scripts/records/results_of_page.py --code RB750Gr3 --date 2026-11-27 hEX.txt
    .venv/bin/python scripts/records/results_of_page.py --issue EVENT.json

hEX.txt: the table as it was copied.  --date: the day on which it was copied.  --code: the device's
product code in devices.csv.  --address: the product page's address, if devices.csv
lacks it.
--dry-run: print the rows and write nothing.

Each pair of kpps and Mbps must fit its frame size within 1 %.  It writes results.csv and
sources.csv in src/ppslab/model/devices (--folder: elsewhere).
--issue: read the table of GitHub's event instead, write nothing, and print the answer.  Nothing of
the issue is run, and what it quotes is in a block in which GitHub gives nothing a meaning.
Exit codes: 0 done; 2 the table is refused, with file, line and what to do; 10 the issue is refused.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import sys
import tempfile
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError, PpslabError, UsageError
from ppslab.model import devices
from ppslab.model.devices import Device, pasted

MOST = 20_000
"""Characters of an issue's table."""
REFUSED = 10
"""The exit code of a refused issue; 1 is a traceback's."""


def main() -> int:
    """Read the page, and add its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path, metavar="TABLE.txt", nargs="?")
    parser.add_argument("--date", help="the day on which it was copied: 2026-11-27")
    parser.add_argument("--issue", type=Path, help="GitHub's event of an issue with a table")
    parser.add_argument("--code", help="the product code, as in devices.csv")
    parser.add_argument("--address", help="the product page's address")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--folder", type=Path, default=devices.FOLDER)
    options = parser.parse_args()
    if options.issue:
        return _answer(options.issue)
    if not (options.table and options.date and options.code):
        parser.error("give TABLE.txt, --code and --date, or --issue")
    try:
        device, day = _device(options.code), _day(options.date)
        rows, source = read(options.table, device, day, options.address or device.product_page)
        if not options.dry_run:
            _append(options.folder / "sources.csv", source)
            _append(options.folder / "results.csv", rows)
    except PpslabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(rows, end="")
    if not options.dry_run:
        print(f"added; look: .venv/bin/ppslab fast '{options.code}'", file=sys.stderr)
    return 0


def read(path: Path, device: Device, day: date, address: str) -> tuple[str, str]:
    """A pasted table as lines of results.csv, and the line of sources.csv that they name."""
    source = f"page-{re.sub(r'[^a-z0-9]+', '-', device.code.casefold()).strip('-')}-{day}"
    title = f"MikroTik, product page of the {device.name}, copied on {day}"
    lines = [
        (device.code, row.mode, row.configuration, row.frame_bytes, f"{row.kpps:.9g}",
         f"{row.mbps:.9g}", "table", source, "")
        for row in pasted.read(device.code, path)
    ]  # fmt: skip
    return _csv(lines), _csv([(source, title, address, str(day), day.year, "")])


def _device(code: str) -> Device:
    for device in devices.load():
        if device.code == code:
            return device
    raise UsageError(f"No device of ours has the product code {code!r}: devices.csv has none.")


def _answer(event: Path) -> int:
    """Print what the table of an issue holds, or why it is refused; return the exit code."""
    body = documents.load_json(event).data["issue"].get("body") or ""
    parts = (part.partition("\n") for part in re.split(r"^### ", body, flags=re.MULTILINE)[1:])
    fields = {title.strip(): text.strip() for title, _, text in parts}
    lines = fields.get("Test results", "").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("```"))[:MOST]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.txt")
        documents.write_atomic(path, text)
        try:
            device = _device(fields.get("Product code", ""))
            address = device.product_page
            rows, _ = read(path, device, _day(fields.get("Day", "")), address)
        except PpslabError as error:
            why = str(error)
            if isinstance(error, FileError):
                why = f"{f'Line {error.line} of the table: ' if error.line else ''}{error.message}"
            print(f"The table cannot be taken yet. Edit the issue.\n\n{_fenced(why)}")
            return REFUSED
    print("Thank you. Each kpps fits its Mbit/s.")
    print(f"Whoever adds it compares it with <{address}>.\n\n{_fenced(rows)}")
    return 0


def _fenced(text: str) -> str:
    lines = [line[:300] for line in text.replace("`", "'").splitlines()[:100]]
    shown = "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return f"```text\n{shown}\n```"


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"--date {text}: a day as 2026-11-27") from None


def _csv(rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _append(path: Path, text: str) -> None:
    before = documents.read_text(path)
    if text in before:
        raise UsageError(f"{path.name} has these rows already")
    documents.write_atomic(path, before + ("" if before.endswith("\n") else "\n") + text)


if __name__ == "__main__":
    sys.exit(main())
