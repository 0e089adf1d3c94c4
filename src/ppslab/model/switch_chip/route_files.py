"""Files of routes: how much they may hold, and what `ip -batch` takes of one.

routes.py says what a line looks like, and makes routes of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ppslab.core import documents
from ppslab.core.documents import bounded
from ppslab.core.errors import FileError
from ppslab.model.switch_chip import route_lines

MOST = 500_000
"""Thirty times the table of the largest chip; eight times as many fill a gigabyte of memory."""

MOST_LINES = 100_000
"""Of a file: two chips' tables; a line takes tens of microseconds."""


def commands(path: Path, protocol: int) -> Iterator[str]:
    """The file's lines as `ip -batch` takes them, each prefix on its own, marked with `protocol`.

    FileError with the line where one cannot be read.
    """
    for number, line in enumerate(lines_of(path, text_of(path)), start=1):
        try:
            run = route_lines.run_of(line, MOST)
        except ValueError as error:
            raise FileError(path, number, str(error)) from None
        if run is None:
            continue
        words = line.partition("#")[0].split()
        place = route_lines.place_of(words) or 0
        before = words[:place]
        after = [word for word in words[place + 1 :] if not route_lines.times(word)]
        for prefix in run.prefixes():
            shown = route_lines.prefix_text(*prefix)
            yield " ".join(["route add", *before, shown, "proto", str(protocol), *after])


def text_of(path: Path) -> str:
    """What is in the file; FileError where it cannot be read or is too large."""
    return documents.read_text(path, bounded.ROUTES)


def lines_of(path: Path, text: str) -> list[str]:
    """The lines of the file's text; FileError where there are too many."""
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise FileError(
            path,
            MOST_LINES + 1,
            f"more than {MOST_LINES} lines; write routes in a row as one: 198.19.0.0/30 x8192",
        )
    return lines
