"""Tables for reading: one content, shown as plain text, as HTML, or by Sphinx."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from typing import Any

from ppslab.core import provenance as origin
from ppslab.core.provenance import Provenance
from ppslab.core.text.quantities import (
    NOTHING,
    PPS,
    Content,
    Quantity,
    all_as_data,
    has_interval,
)
from ppslab.core.text.shown import Shown
from ppslab.core.text.typed_numbers import regrouped

__all__ = ["NOTHING", "Cell", "Table", "cells", "for_readers"]


_BEFORE = ("times ", "as much as ", "under ", "share of ", "less that of ", "trials of ")
_BEHIND = (" against itself", " costs ", " carries ")
_ID = re.compile(
    r"(?<![\w-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w-])"
    + "".join(rf"|(?<={words})[a-z0-9]+(?![\w-])" for words in _BEFORE)
    + "".join(rf"|(?<![\w-])[a-z0-9]+(?={words})" for words in _BEHIND)
)
"""What can be an id in running text: words with hyphens, or one where only an id stands."""


def for_readers(text: str, titles: Mapping[str, str]) -> str:
    """The text with titles for ids, one by itself as it is, one among other words in quotes; and
    with numbers that somebody typed written as all others are.
    """

    def titled(found: re.Match[str]) -> str:
        return f"\u201c{titles[found[0]]}\u201d" if found[0] in titles else found[0]

    return regrouped(titles[text] if text in titles else _ID.sub(titled, text))


@dataclass(frozen=True)
class Cell:
    """One cell.

    `kind` is a CSS class (`verdict-confirmed`).  For pages only: `under` stands below the content
    in small type (an id that a command takes), `target` is an anchor, `links` are anchors that the
    cell points to.
    """

    content: Content
    kind: str = ""
    under: str = ""
    target: str = ""
    links: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The content as it is read."""
        return str(self.content)

    @property
    def classes(self) -> str:
        """Its CSS classes; a number stays in one line with its interval."""
        number = isinstance(self.content, Quantity) and self.content.interval
        return f"{self.kind} ppslab-interval".strip() if number else self.kind


@dataclass(frozen=True, repr=False)
class Table(Shown):
    """Rows under a header; `notes` stand below, one sentence each.

    `titles` are the readers' names of ids that commands take: pages show them, plain text and
    commands show the ids.  `provenance` says what made the numbers.  `asides` are columns of words
    that differ between two runs without a meaning, as a reason that quotes numbers: pages show
    them, plain text does not.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Content, ...] = ()
    provenance: Provenance | None = None
    asides: frozenset[str] = frozenset()
    titles: Mapping[str, str] = field(default_factory=dict)

    def for_readers(self, text: str) -> str:
        """The text with this table's titles for ids."""
        return for_readers(text, self.titles)

    @property
    def columns(self) -> list[str]:
        """The header for readers: with the unit, where all numbers of a column have the same."""
        named = zip(map(self.for_readers, self.header), self._units, strict=True)
        return [f"{name}, {unit}" if unit else name for name, unit in named]

    def words(self, column: int, cell: Cell) -> str:
        """A cell for readers, without the unit that its column has."""
        content = cell.content
        if isinstance(content, Quantity) and self._units[column]:
            content = replace(content, unit="")
        return self.for_readers(str(content))

    @cached_property
    def _units(self) -> list[str]:
        return [
            _common_unit([row[n].content for row in self.rows]) for n in range(len(self.header))
        ]

    def plain(self) -> str:
        """The table as text, columns aligned, without its aside columns."""
        kept = [i for i, name in enumerate(self.header) if name not in self.asides]
        lines = [[self.header[i] for i in kept]]
        lines += [[row[i].text for i in kept] for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(kept))]
        shown = [
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
            for line in lines
        ]
        shown.insert(1, "  ".join("-" * width for width in widths))
        body = [self.title, *(line.rstrip() for line in shown), *map(str, self.notes)]
        if self.provenance:
            body.append(f"provenance: {self.provenance.sentence}")
        return "\n".join(body)

    def html(self) -> str:
        """The table as HTML; wide ones scroll in a frame of their own."""
        title = self.for_readers(self.title)
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.columns)
        body = "".join(f"<tr>{self._row(row)}</tr>" for row in self.rows)
        lines = [escape(self.for_readers(str(note))) for note in self.notes]
        notes = "".join(f'<p class="ppslab-note">{line}</p>' for line in lines)
        return (
            '<div class="ppslab"><div class="ppslab-scroll" tabindex="0" role="region" '
            f'aria-label="{escape(title, quote=True)}"><table class="ppslab-table">'
            f"<caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></div>{notes}{self.sign()}</div>"
        )

    def sign(self) -> str:
        """What made the numbers, as HTML; empty for words."""
        contents = [cell.content for row in self.rows for cell in row]
        return origin.of(self.provenance, interval=any(map(has_interval, contents)))

    def _row(self, row: Sequence[Cell]) -> str:
        shown = []
        for number, cell in enumerate(row):
            aside = " data-aside" if self.header[number] in self.asides else ""
            kind = f' class="{escape(cell.classes, quote=True)}"' if cell.classes else ""
            tag, scope = ("th", ' scope="row"') if number == 0 else ("td", "")
            under = f'<p class="ppslab-under">{escape(cell.under)}</p>' if cell.under else ""
            words = escape(self.words(number, cell))
            shown.append(f"<{tag}{scope}{kind}{aside}>{words}{under}</{tag}>")
        return "".join(shown)

    @property
    def of_a_run(self) -> bool:
        """Whether it has a provenance."""
        return self.provenance is not None

    def data(self) -> dict[str, Any]:
        """Its words and numbers; all of its columns, with the names of the asides."""
        return {
            "kind": "table",
            "title": self.title,
            "header": list(self.header),
            "rows": [all_as_data([cell.content for cell in row]) for row in self.rows],
            "lines": all_as_data(self.notes),
            "asides": sorted(self.asides),
            "provenance": self.provenance.data() if self.provenance else None,
        }


def _common_unit(contents: Sequence[Content]) -> str:
    """The unit of all numbers of a column; empty where they differ, or have a size of their own."""
    units = {content.unit for content in contents if isinstance(content, Quantity)}
    return units.pop() if len(units) == 1 and PPS not in units else ""


def cells(*contents: Content) -> tuple[Cell, ...]:
    """A row of plain cells."""
    return tuple(Cell(content) for content in contents)
