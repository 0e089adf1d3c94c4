#!/usr/bin/env python3
"""Take the record that somebody attached to an issue, and refuse what is none.

    .venv/bin/python scripts/records/record_of_issue.py link EVENT.json
    .venv/bin/python scripts/records/record_of_issue.py take FILE ISSUE FOLDER

link prints the address of the one file that the issue of GitHub's event carries.
take reads that file, a record or a zip with one in it, and checks it as `ppslab validate` does.
What it accepts it writes anew: FOLDER/NAME.json, NAME made here from the lab, the time and the
backend, and FOLDER/said.md, what the record says of itself, for the pull request.
Nothing of the issue is run, and of its text nothing but the address leaves this program.
Exit codes: 0 accepted; 10 refused, and stdout says why; 2 wrong usage.  1 is what Python ends with
where this program is broken: it is no refusal, and nobody is told that his record is at fault.
"""

from __future__ import annotations

import io
import lzma
import re
import struct
import sys
import tempfile
import zipfile
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError, PpslabError
from ppslab.model import results
from ppslab.model.lab import lab

# As GitHub writes an attachment into an issue's text; the name at its end is of no account.
ATTACHED = re.compile(r"https://github\.com/user-attachments/files/[0-9]+/[\w.%+-]+")

FIRST_YEAR, LAST_YEAR = 2025, 2200
"""ppslab is not older, and no clock is so far ahead."""

MOST = 10_000_000
"""Bytes of a record: over three times those of the largest that is kept here."""

PLAIN = re.compile(r"[^\w .,:;+()-]", re.ASCII)
"""What no table of a pull request needs: marks that GitHub gives a meaning, such as @ or #."""


REFUSED = 10
"""The exit code of a refusal; 1 is a traceback's."""


DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError,
    ValueError, struct.error, OverflowError,
)  # fmt: skip
"""What reading a member of a damaged zip raises."""


class RefusedError(Exception):
    """Why the record is not taken."""


def wrong(document: str, error: FileError) -> RefusedError:
    """The refusal that a wrong file is."""
    line = f"Line {error.line}: " if error.line else ""
    return RefusedError(f"{document} {line}{error.message}")


def link(event: Path) -> str:
    """The address of the record; RefusedError where there is none, or more than one."""
    try:
        said = documents.load_json(event).data
    except FileError as error:
        raise wrong("The issue cannot be read.", error) from None
    body = said.get("issue", {}).get("body") if isinstance(said, dict) else None
    found: list[str] = ATTACHED.findall(body if isinstance(body, str) else "")
    found = list(dict.fromkeys(found))
    if not found:
        raise RefusedError("The issue carries no file. Drag the record into the field Record.")
    if len(found) > 1:
        raise RefusedError(f"The issue carries {len(found)} files. One record an issue, please.")
    return found[0]


def take(file: Path, issue: int, folder: Path) -> Path:
    """Check the record and write it anew; RefusedError says why it is not taken."""
    with tempfile.TemporaryDirectory() as work:
        whole = Path(work) / "record.json"
        whole.write_bytes(unpacked(file.read_bytes()))
        try:
            record = results.load_any(whole)
        except FileError as error:
            raise wrong("This is no record.", error) from None
    if not isinstance(record, results.Run):
        raise RefusedError("This record is of no run of a lab.")
    check(record)
    kept = results.sent_path(record.lab, record.started, record.backend, type(record))
    name = kept.name
    if kept.exists():
        raise RefusedError("This record was sent before.")
    folder.mkdir(parents=True, exist_ok=True)
    results.save(record, folder / name)
    (folder / "said.md").write_text(said_of(record, issue), encoding="utf-8")
    return folder / name


def unpacked(packed: bytes) -> bytes:
    """The record's text, out of its zip where it came in one."""
    text = packed
    if zipfile.is_zipfile(io.BytesIO(packed)):
        try:
            with zipfile.ZipFile(io.BytesIO(packed)) as archive:
                names = [each for each in archive.namelist() if each.endswith(".json")]
                if len(names) != 1:
                    raise RefusedError(f"The zip holds {len(names)} files *.json, not one.")
                # Not by the size that the zip claims: a few kilobytes can unpack to gigabytes.
                with archive.open(names[0]) as member:
                    text = member.read(MOST + 1)
        except RefusedError:
            raise
        # Whatever is wrong inside of it: zlib, LZMA and zipfile each have errors of their own, and
        # a name or a size that is none ends in others still.
        except (*DAMAGED, OSError):
            raise RefusedError("The zip is damaged, or locked with a password.") from None
    if len(text) > MOST:
        raise RefusedError(f"The record has more than {MOST // 1_000_000} million bytes.")
    return text


def check(record: results.Run) -> None:
    """Whether such a run may stand beside the others."""
    if record.lab not in lab.names():
        raise RefusedError(f"There is no lab {plain(record.lab)} here.")
    if not re.fullmatch(r"[a-z]{1,20}", record.backend):
        raise RefusedError(f"There is no backend {plain(record.backend)}.")
    if record.state != "completed":
        raise RefusedError("The run was stopped before its end.")
    if record.router.get("name") != "routeros":
        raise RefusedError(
            "The router of this record is not RouterOS. A run of the Linux router on another "
            "machine is welcome in the issue 'I measured this on my router'."
        )
    for when in (record.started, record.finished):
        # Also before it is compared: year 1 in a zone ahead of UTC is before all time.
        if when.tzinfo is None or not FIRST_YEAR <= when.year < LAST_YEAR:
            raise RefusedError("The record's time has no zone, or is of no year that can be.")
    if record.started > datetime.now(UTC) + timedelta(days=1):
        raise RefusedError("The record is from the future.")
    if record.finished < record.started:
        raise RefusedError("The run ended before it began.")


def said_of(record: results.Run, issue: int) -> str:
    """The record in a table, of plain characters only."""
    valid = sum(bool(getattr(each, "valid", True)) for each in record.trials)
    rows = {
        "lab": record.lab,
        "kind": results.name_of(type(record)).split("/")[1],
        "profile": str(record.profile.get("name", "")),
        "backend": record.backend,
        "tester": f"{record.tester.name} {record.tester.version}",
        "kernel": str(record.environment.get("kernel", "")),
        "CPU": str(record.environment.get("cpu", "")),
        "started": f"{record.started.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        "conditions": f"{len(record.conditions)}, and {len(record.skipped)} left out",
        "trials": f"{len(record.trials)}, of which {valid} valid",
        "ppslab": " ".join(record.ppslab.values()),
        "what it cannot show": record.router.get("cannot_show", ""),
    }
    table = [f"| {name} | {plain(text)} |" for name, text in rows.items()]
    return "\n".join(
        [
            f"The record that #{issue} carries. `ppslab validate` accepts it; "
            "whether its numbers can be right is for a reader to say.",
            "",
            "| what | as recorded |",
            "|---|---|",
            *table,
            "",
            "GitHub starts no checks for a pull request that a workflow opened: "
            "close it and open it again, and they start.",
            "",
        ]
    )


def plain(text: str) -> str:
    """A text of strangers, made fit for a table: one line, no marks, not long."""
    made = PLAIN.sub(" ", text)
    return " ".join(made.split())[:300]


def fenced(text: str) -> str:
    """A message that may quote strangers, as a block in which GitHub gives nothing a meaning."""
    lines = [line[:300] for line in text.replace("`", "'").splitlines()[:20]]
    shown = "\n".join("".join(c if c.isprintable() else " " for c in line) for line in lines)
    return f"```text\n{shown}\n```"


def main(arguments: list[str]) -> int:
    """Do one of both; see the top of the file for the exit codes."""
    try:
        match arguments:
            case ["link", event]:
                print(link(Path(event)))
            case ["take", file, issue, folder] if issue.isascii() and issue.isdigit():
                print(take(Path(file), int(issue), Path(folder)).name)
            case _:
                print("\n".join(str(__doc__).splitlines()[2:4]), file=sys.stderr)
                return 2
    except RefusedError as error:
        print(fenced(str(error) or "No reason was found."))
        return REFUSED
    except (PpslabError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
