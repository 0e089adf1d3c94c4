"""Tables for reading: one content, shown as plain text, as HTML, or by Sphinx."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import Any, TypeVar

from ppslab.core.provenance import INTERVAL, Provenance
from ppslab.core.text.display import Shown, origin_html
from ppslab.core.text.quantities import (
    NOTHING,
    PPS,
    Content,
    Quantity,
    all_as_data,
    for_pages,
    has_interval,
)

__all__ = ["NOTHING", "Cell", "Column", "Table", "cells"]

Item = TypeVar("Item")


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
        return str(self.content)

    @property
    def classes(self) -> str:
        """Its CSS classes; a number stays in one line with its interval."""
        number = isinstance(self.content, Quantity) and self.content.interval
        return f"{self.kind} ppslab-interval".strip() if number else self.kind


@dataclass(frozen=True)
class Column:
    """A column's title, and the unit that all of its numbers have."""

    title: Content
    unit: str = ""

    @property
    def words(self) -> str:
        """Its header on a page, e.g. `cost, ns`."""
        title = for_pages(self.title)
        return f"{title}, {self.unit}" if self.unit else title


@dataclass(frozen=True, repr=False)
class Table(Shown):
    """Rows under a header; `notes` stand below, one sentence each.

    `provenance` says what made the numbers.  `asides` are columns of words that differ between two
    runs without a meaning, as a reason that quotes numbers: pages show them, plain text does not.
    `ends` says what the ends of its numbers are.
    """

    title: Content
    header: tuple[Content, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[Content, ...] = ()
    provenance: Provenance | None = None
    asides: frozenset[Content] = frozenset()
    ends: str = INTERVAL

    @classmethod
    def of(
        cls,
        title: Content,
        items: Iterable[Item],
        columns: Mapping[Content, Callable[[Item], Content | Cell]],
        *notes: Content,
        **more: Any,
    ) -> Table:
        """A table with a row for each item; `columns`: by title, what writes an item's cell."""
        rows = (cells(*(write(item) for write in columns.values())) for item in items)
        return cls(title, tuple(columns), tuple(rows), notes, **more)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The header for pages: with the unit, where all numbers of a column have the same."""
        return tuple(
            Column(title, _common_unit([row[n].content for row in self.rows]))
            for n, title in enumerate(self.header)
        )

    def words(self, column: int, cell: Cell) -> str:
        """A cell for pages, without the unit that its column has."""
        content = cell.content
        if isinstance(content, Quantity) and self.columns[column].unit:
            content = replace(content, unit="")
        return for_pages(content)

    def plain(self) -> str:
        """The table as text, columns aligned, without its aside columns."""
        kept = [i for i, name in enumerate(self.header) if name not in self.asides]
        lines = [[str(self.header[i]) for i in kept]]
        lines += [[row[i].text for i in kept] for row in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(kept))]
        shown = [
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True))
            for line in lines
        ]
        shown.insert(1, "  ".join("-" * width for width in widths))
        body = [str(self.title), *(line.rstrip() for line in shown), *map(str, self.notes)]
        if self.provenance:
            body.append(f"provenance: {self.provenance.sentence}")
        return "\n".join(body)

    def html(self) -> str:
        """The table as HTML; wide ones scroll in a frame of their own."""
        title = for_pages(self.title)
        head = "".join(f'<th scope="col">{escape(c.words)}</th>' for c in self.columns)
        body = "".join(f"<tr>{self._row(row)}</tr>" for row in self.rows)
        lines = [escape(for_pages(note)) for note in self.notes]
        notes = "".join(f'<p class="ppslab-note">{line}</p>' for line in lines)
        return (
            '<div class="ppslab"><div class="ppslab-scroll" tabindex="0" role="region" '
            f'aria-label="{escape(title, quote=True)}"><table class="ppslab-table">'
            f"<caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table></div>{notes}{self.sign()}</div>"
        )

    @property
    def interval(self) -> str:
        """The meaning of its numbers' intervals; empty where none has one."""
        some = any(has_interval(cell.content) for row in self.rows for cell in row)
        return self.ends if some else ""

    def sign(self) -> str:
        """The provenance of its numbers as HTML; empty for words."""
        return origin_html(self.provenance, interval=self.interval)

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
        return self.provenance is not None

    def data(self) -> dict[str, Any]:
        """Its words and numbers; all of its columns, with the names of the asides."""
        return {
            "kind": "table",
            "title": str(self.title),
            "header": [str(name) for name in self.header],
            "rows": [all_as_data([cell.content for cell in row]) for row in self.rows],
            "lines": all_as_data(self.notes),
            "asides": sorted(map(str, self.asides)),
            "provenance": self.provenance.data() if self.provenance else None,
        }


def _common_unit(contents: Sequence[Content]) -> str:
    """The unit of all numbers of a column; empty where they differ, or have a size of their own."""
    units = {content.unit for content in contents if isinstance(content, Quantity)}
    return units.pop() if len(units) == 1 and PPS not in units else ""


def cells(*contents: Content | Cell) -> tuple[Cell, ...]:
    """A row of a table."""
    return tuple(each if isinstance(each, Cell) else Cell(each) for each in contents)
