#!/usr/bin/env python3
"""Add the test results of a saved product page of MikroTik's to the devices.

    .venv/bin/python scripts/records/results_of_page.py --date 2026-11-27 [--code CODE] PAGE.html
    .venv/bin/python scripts/records/results_of_page.py --date 2026-11-27 --name "hEX" PAGE.html

    .venv/bin/python scripts/records/results_of_page.py --issue EVENT.json

PAGE.html: the product page, saved by hand from a browser ("Web page, HTML only"), or a text file
with the table as it was pasted.
--date: the day on which it was saved.  --code: the product code, where the page's tables do not
begin with one that devices.csv has.  --name: the name of a device that devices.csv does not have,
which is added by the specifications of the page.  --address: the page's address, where it does not
say it.
--dry-run: print the rows and write nothing.

Each pair of kpps and Mbps must fit its frame size within 1 %.  It writes results.csv,
sources.csv and, with --name, devices.csv in src/ppslab/model/devices (--folder: elsewhere).
--issue: read the table of GitHub's event instead, write nothing, and print the answer.  Nothing of
the issue is run, and what it quotes is in a block in which GitHub gives nothing a meaning.
Exit codes: 0 done; 2 the page is refused, with file, line and what to do; 10 the issue is refused.
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
from ppslab.model.devices import product_page
from ppslab.model.devices.product_page import Page

MOST = 20_000
"""Characters of an issue's table."""
REFUSED = 10
"""The exit code of a refused issue; 1 is a traceback's."""


def main() -> int:
    """Read the page, and add its rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path, metavar="PAGE.html", nargs="?")
    parser.add_argument("--date", help="the day on which it was saved: 2026-11-27")
    parser.add_argument("--issue", type=Path, help="GitHub's event of an issue with a table")
    parser.add_argument("--code", help="the product code, as in devices.csv")
    parser.add_argument("--name", help="the name of a device to add, as hEX")
    parser.add_argument("--address", help="the page's address")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--folder", type=Path, default=devices.FOLDER)
    options = parser.parse_args()
    if options.issue:
        return _answer(options.issue)
    if not options.page or not options.date:
        parser.error("give PAGE.html and --date, or --issue")
    try:
        added = add(
            options.page,
            _day(options.date),
            folder=options.folder,
            code=options.code,
            name=options.name,
            address=options.address,
            dry_run=options.dry_run,
        )
    except PpslabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(added, end="")
    if not options.dry_run:
        code = next(csv.reader([added.splitlines()[-1]]))[0]
        print(f"added; look: .venv/bin/ppslab fast '{code}'", file=sys.stderr)
    return 0


def add(
    path: Path,
    day: date,
    *,
    folder: Path,
    code: str | None,
    name: str | None,
    address: str | None,
    dry_run: bool,
) -> str:
    """Add a page's rows to the files of `folder`; the rows as CSV."""
    page = product_page.read(path)
    product = _code(path, page, code)
    known = {row["code"]: row["name"] for row in _rows(folder / "devices.csv")}
    source = f"page-{re.sub(r'[^a-z0-9]+', '-', product.casefold()).strip('-')}-{day}"
    new = []
    if product not in known and name:
        new = [product_page.specified(path, page, name, source)]
        if new[0][1] != product:
            raise FileError(path, None, f"the specifications are those of {new[0][1]}")
    elif product not in known:
        raise FileError(
            path,
            page.rows[0].line,
            f"devices.csv has no product code {product!r}: give the device's name as --name to "
            "add it, or the code that it has there as --code",
        )
    printed = page.rows[0].code
    if printed in known and printed != product:
        raise FileError(
            path, page.rows[0].line, f"the tables are those of {printed}, not of {product}"
        )
    address = address or page.address
    if not address.startswith("https://"):
        raise FileError(path, None, "the page does not say its address; give it as --address")
    if any(row["id"] == source for row in _rows(folder / "sources.csv")):
        raise UsageError(f"sources.csv has {source!r} already: the page of that day is in it")
    rows = [
        (product, row.mode, row.configuration, row.frame_bytes, f"{row.kpps:.9g}",
         f"{row.mbps:.9g}", "table", source, "")
        for row in page.rows
    ]  # fmt: skip
    title = f"MikroTik, product page of the {known.get(product, name)}, saved on {day}"
    text = _csv(rows)
    if not dry_run:
        _append(folder / "sources.csv", _csv([(source, title, address, str(day), day.year, "")]))
        if new:
            _append(folder / "devices.csv", _csv(new))
        _append(folder / "results.csv", text)
    return _csv(new) + text


def _answer(event: Path) -> int:
    """Print what the table of an issue holds, or why it is refused; return the exit code."""
    body = documents.load_json(event).data["issue"].get("body") or ""
    parts = (part.partition("\n") for part in re.split(r"^### ", body, flags=re.MULTILINE)[1:])
    fields = {title.strip(): text.strip() for title, _, text in parts}
    lines = fields.get("Test results", "").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("```"))[:MOST]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "results.txt")
        documents.write_atomic(path, text.replace("<", ""))
        try:
            code, day = fields.get("Product code", ""), _day(fields.get("Day", ""))
            device = next((each for each in devices.load() if each.code == code), None)
            if device is None:
                raise UsageError(f"No device of ours has the product code {code!r}.")
            rows = add(
                path,
                day,
                folder=devices.FOLDER,
                code=code,
                name=None,
                address=device.product_page,
                dry_run=True,
            )
        except PpslabError as error:
            why = str(error)
            if isinstance(error, FileError):
                why = f"{f'Line {error.line} of the table: ' if error.line else ''}{error.message}"
            print(f"The table cannot be taken yet. Edit the issue.\n\n{_fenced(why)}")
            return REFUSED
    print("Thank you. Each kpps fits its Mbit/s.")
    print(f"Whoever adds it compares it with <{device.product_page}>.\n\n{_fenced(rows)}")
    return 0


def _fenced(text: str) -> str:
    lines = [line[:300] for line in text.replace("`", "'").splitlines()[:100]]
    shown = "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return f"```text\n{shown}\n```"


def _code(path: Path, page: Page, given: str | None) -> str:
    """The product code: that of --code, or the one at the head of the page's tables."""
    printed = next((row.code for row in page.rows if row.code), "")
    code = given or printed or page.specifications.get("Product code", "")
    if not code:
        raise FileError(path, None, "the page does not say its product code; give it as --code")
    return code


def _rows(path: Path) -> list[documents.Row]:
    return documents.read_csv(path)


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
    documents.write_atomic(path, before + ("" if before.endswith("\n") else "\n") + text)


if __name__ == "__main__":
    sys.exit(main())
