"""The documents that travel with the browser's package, and the things that they hold.

A thing is a table, a figure, sentences or files, as a JSON object with one key that says which.
`as_thing` writes what `from_thing` reads, so that both stand in one place.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ppslab.errors import PpslabError, UsageError
from ppslab.figures.figure import Figure
from ppslab.shown import Files, Words
from ppslab.tables import Cell, Table

Shown = Table | Figure | Words | Files


class Written:
    """Something that was shown when the site was built, as its text and its HTML."""

    def __init__(self, text: str, html: str) -> None:
        self.text = text
        self.html = html

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def folder() -> Path:
    """Where the documents lie: beside this file, or in `$PPSLAB_RECORDED`."""
    return Path(os.environ.get("PPSLAB_RECORDED") or Path(__file__).with_name("recorded"))


def names() -> list[str]:
    """The labs that there are documents of."""
    return sorted(path.stem for path in (folder() / "labs").glob("*.json"))


def read(name: str) -> dict[str, Any]:
    """The document `labs/NAME` or `measuring`."""
    text = (folder() / f"{name}.json").read_text(encoding="utf-8")
    made: dict[str, Any] = json.loads(text)
    return made


def as_thing(shown: Shown) -> dict[str, Any]:
    """What is shown, as plain data."""
    if isinstance(shown, Table):
        made = asdict(shown)
        made["rows"] = [[_short(cell) for cell in row] for row in shown.rows]
        return {"table": {**made, "asides": sorted(shown.asides)}}
    if isinstance(shown, Figure):
        return {"figure": asdict(shown)}
    if isinstance(shown, Words):
        return {"words": {"title": shown.title, "lines": shown.lines, "aside": shown.aside}}
    return {"files": {"title": shown.title, "note": shown.note, "files": shown.files}}


def _short(cell: Cell) -> dict[str, Any]:
    return {key: value for key, value in asdict(cell).items() if value}


def from_thing(thing: dict[str, Any]) -> Any:
    """What `as_thing` wrote; UsageError where showing it was refused when the site was built."""
    ((kind, said),) = thing.items()
    if kind == "refused":
        raise UsageError(said)
    if kind == "written":
        return Written(**said)
    if kind == "table":
        rows = tuple(tuple(_cell(cell) for cell in row) for row in said["rows"])
        return Table(
            said["title"],
            tuple(said["header"]),
            rows,
            tuple(said["notes"]),
            said["provenance"],
            frozenset(said["asides"]),
        )
    if kind == "figure":
        return Figure(**{**said, "lines": tuple(said["lines"])})
    if kind == "words":
        return Words(said["title"], said["lines"], aside=said["aside"])
    return Files(said["title"], said["note"], said["files"])


def _cell(said: dict[str, Any]) -> Cell:
    return Cell(**{"text": "", **said, "links": tuple(said.get("links", ()))})


def chosen(things: dict[str, Any], kind: str, what: str) -> Any:
    """The thing called `kind`; UsageError names those that there are."""
    if kind not in things:
        raise UsageError(f"no {what} {kind!r}: there are {', '.join(things)}")
    return from_thing(things[kind])


class CannotInBrowserError(PpslabError):
    """What takes a machine: says what this page has instead, and what to type elsewhere."""

    exit_code = 3
