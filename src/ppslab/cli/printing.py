"""Tables for people: a word is never broken inside of a cell, and nothing is cut off.

On a terminal a table is made as narrow as its words allow; where that is not enough its rows are
printed one below the other.  Where the output is no terminal it is as wide as it must be.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import ConsoleDimensions, RenderableType
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from ppslab.core.errors import PpslabError
from ppslab.core.text import tables
from ppslab.core.text.terminal import Console, echo

WIDE = 10_000
"""Columns of what is no terminal: more than any table needs."""

PROSE = 100
"""Columns of running text where nobody says how wide the window is."""


class Printer(Console):
    """rich's console, with this module's tables."""

    @property
    def size(self) -> ConsoleDimensions:
        """The window's size; without a window, as wide as needed."""
        found = super().size
        return found if self.is_terminal else ConsoleDimensions(WIDE, found.height)

    @size.setter
    def size(self, new_size: tuple[int, int]) -> None:
        self._width, self._height = new_size

    @property
    def prose_width(self) -> int:
        """The width of running text."""
        return self.width if self.is_terminal else PROSE

    def print(self, *objects: Any, **how: Any) -> None:
        """Like rich's; a table that does not fit is made narrower, or printed row by row.

        Tables of pages and reports are printed too, without their provenance: a command says that
        once, below all of its tables.
        """
        if len(objects) == 1 and isinstance(objects[0], tables.Table):
            objects = (_of_a_page(objects[0]),)
        if len(objects) == 1 and isinstance(objects[0], Table) and not self._fit(objects[0]):
            self._rows(objects[0])
        else:
            super().print(*objects, **how)

    def _fit(self, table: Table) -> bool:
        """Give the columns widths at which no word breaks; False where no such widths exist."""
        wide = self.options.update(max_width=WIDE)
        needs = [
            _of([Measurement.get(self, wide, cell) for cell in _cells(column)])
            for column in table.columns
        ]
        left, right = table.padding[3], table.padding[1]
        around = len(needs) * (left + right) + (len(needs) - 1 + 2 * table.show_edge) * bool(
            table.box
        )
        room = self.width - around
        if sum(need.maximum for need in needs) <= room:
            return True
        if sum(need.minimum for need in needs) > room:
            return False
        for column, width in zip(table.columns, _shared(needs, room), strict=True):
            column.width = width
        return True

    def _rows(self, table: Table) -> None:
        """Each row as lines, `column: cell`; the window wraps what is wider than itself."""
        if table.title:
            super().print(table.title, style="bold", soft_wrap=True)
        names = [_text(column.header) for column in table.columns]
        for row in zip(*(list(column.cells) for column in table.columns), strict=True):
            super().print()
            for name, cell in zip(names, row, strict=True):
                said = _text(cell)
                if said.plain:
                    line = Text("; ").join(said.split("\n"))
                    super().print(
                        Text.assemble((f"{name.plain}: " if name.plain else "", "dim"), line),
                        soft_wrap=True,
                    )
        if table.caption:
            super().print()
            super().print(table.caption, style="dim", soft_wrap=True)


STYLES = {
    "verdict-confirmed": "bold green",
    "verdict-refuted": "bold red",
    "verdict-consistent": "green",
    "verdict-inconsistent": "red",
    "verdict-agrees-in-size": "green",
    "verdict-agrees-in-direction": "cyan",
    "verdict-differs": "magenta",
    "verdict-cannot-tell": "yellow",
    "verdict-no-verdict": "dim",
    "verdict-not-testable-here": "dim",
    "real": "bold",
}
"""Terminal style of a cell, by the CSS class that it has on a page."""


def _of_a_page(table: tables.Table) -> Table:
    """A page's table for a terminal; numbers are right-aligned."""
    shown = Table(title=escape(str(table.title)) or None)
    for number, name in enumerate(table.header):
        numbers = all(_NUMBER.match(row[number].text) for row in table.rows)
        shown.add_column(escape(str(name)), justify="right" if number and numbers else "left")
    for row in table.rows:
        shown.add_row(*map(_styled, row))
    if table.notes:
        shown.caption = escape("\n".join(map(str, table.notes)))
        shown.caption_justify = "left"
    return shown


def _styled(cell: tables.Cell) -> Text:
    styles = (STYLES[kind] for kind in cell.kind.split() if kind in STYLES)
    return Text(cell.text, next(styles, ""))


def left_out(faults: Mapping[str, PpslabError]) -> int:
    """Warn of the labs left out for a mistake in a file; the command's exit code."""
    for name, fault in faults.items():
        echo(f"{name} skipped: {fault}", err=True)
    return max((fault.exit_code for fault in faults.values()), default=0)


_NUMBER = re.compile(r"[-+]?\d|-?$")


def _cells(column: Any) -> list[RenderableType]:
    return [column.header, *column.cells, column.footer]


def _text(cell: RenderableType) -> Text:
    return cell if isinstance(cell, Text) else Text.from_markup(str(cell))


def _of(measurements: Sequence[Measurement]) -> Measurement:
    return Measurement(max(m.minimum for m in measurements), max(m.maximum for m in measurements))


def _shared(needs: Sequence[Measurement], room: int) -> list[int]:
    """Widths of `room` together: a column gets its longest word, the rest goes to the neediest."""
    widths = [need.minimum for need in needs]
    for _ in range(room - sum(widths)):
        lacks = [need.maximum - width for need, width in zip(needs, widths, strict=True)]
        widths[lacks.index(max(lacks))] += 1
    return widths


console = Printer()
