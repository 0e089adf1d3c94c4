"""The documents that travel with the browser's package, and the things that they hold.

A thing is a table, a figure, sentences or files, as a JSON object with one key that says which.
`as_thing` writes what `from_thing` reads, so that both stand in one place.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar, overload

from ppslab.core.errors import PpslabError, UsageError
from ppslab.core.provenance import Provenance
from ppslab.core.text.display import Files, TextBlock
from ppslab.core.text.quantities import Content, all_as_data, as_data, from_data
from ppslab.core.text.tables import Cell, Table
from ppslab.show.figures.figure import Figure

Shown = Table | Figure | TextBlock | Files

Kind = TypeVar("Kind")
Other = TypeVar("Other")


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
    """The folder of the documents: beside this file, or `$PPSLAB_RECORDED`."""
    return Path(os.environ.get("PPSLAB_RECORDED") or Path(__file__).with_name("recorded"))


def names() -> list[str]:
    """The labs that have a document."""
    return sorted(path.stem for path in (folder() / "labs").glob("*.json"))


def read(name: str) -> dict[str, Any]:
    """The document `labs/NAME` or `measuring`."""
    text = (folder() / f"{name}.json").read_text(encoding="utf-8")
    made: dict[str, Any] = json.loads(text)
    return made


def as_thing(shown: Shown) -> dict[str, Any]:
    """A thing that is shown, as plain data."""
    if isinstance(shown, Table):
        own = {
            "title": as_data(shown.title, titled=True),
            "header": all_as_data(shown.header, titled=True),
            "rows": [[_short(cell) for cell in row] for row in shown.rows],
            "lines": all_as_data(shown.notes, titled=True),
            "asides": all_as_data(shown.asides, titled=True),
            "ends": shown.ends,
        }
        return {"table": {**shown.data(), **own}}
    if isinstance(shown, Figure):
        made_by = shown.provenance.data() if shown.provenance else None
        own = {"lines": all_as_data(shown.lines, titled=True), "provenance": made_by}
        return {"figure": {**asdict(shown), **own}}
    if isinstance(shown, TextBlock):
        return {"words": {"title": shown.title, "lines": shown.lines, "aside": shown.aside}}
    return {"files": {"title": shown.title, "note": shown.note, "files": shown.files}}


def _short(cell: Cell) -> dict[str, Any]:
    more = {key: value for key, value in asdict(cell).items() if value and key != "content"}
    return {"content": as_data(cell.content, titled=True), **more}


@overload
def from_thing(thing: dict[str, Any], kind: type[Kind], /) -> Kind: ...
@overload
def from_thing(thing: dict[str, Any], kind: type[Kind], other: type[Other], /) -> Kind | Other: ...
def from_thing(thing: dict[str, Any], *kinds: type) -> object:
    """Make again what `as_thing` wrote, one of these kinds.

    UsageError where showing it was refused when the site was built, TypeError where it is of
    another kind.
    """
    made = _made(thing)
    if not isinstance(made, kinds):
        raise TypeError(f"a document holds a {type(made).__name__} where another kind belongs")
    return made


def _made(thing: dict[str, Any]) -> Shown | Written:
    ((kind, said),) = thing.items()
    if kind == "refused":
        raise UsageError(said)
    if kind == "written":
        return Written(**said)
    if kind == "words":
        return TextBlock(said["title"], said["lines"], aside=said["aside"])
    if kind == "files":
        return Files(said["title"], said["note"], said["files"])
    lines = _contents(said["lines"])
    made_by = Provenance.of(said["provenance"]) if said["provenance"] else None
    if kind == "figure":
        return Figure(**{**said, "lines": lines, "provenance": made_by})
    rows = tuple(tuple(_cell(cell) for cell in row) for row in said["rows"])
    header, asides = _contents(said["header"]), frozenset(_contents(said["asides"]))
    return Table(from_data(said["title"]), header, rows, lines, made_by, asides, said["ends"])


def _cell(said: dict[str, Any]) -> Cell:
    content = from_data(said["content"])
    return Cell(**{**said, "content": content, "links": tuple(said.get("links", ()))})


def _contents(said: list[Any]) -> tuple[Content, ...]:
    return tuple(from_data(each) for each in said)


@overload
def chosen(things: dict[str, Any], name: str, what: str, kind: type[Kind], /) -> Kind: ...
@overload
def chosen(
    things: dict[str, Any], name: str, what: str, kind: type[Kind], other: type[Other], /
) -> Kind | Other: ...
def chosen(things: dict[str, Any], name: str, what: str, *kinds: Any) -> Any:
    """The thing called `name`; UsageError names those that there are."""
    if name not in things:
        raise UsageError(f"no {what} {name!r}: there are {', '.join(things)}")
    return from_thing(things[name], *kinds)


class CannotInBrowserError(PpslabError):
    """A request that takes a machine; the message says what the page has instead."""

    exit_code = 3
