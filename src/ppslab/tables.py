"""Tables for reading: one content, shown as plain text, as HTML, or by Sphinx.

A number with its interval always has the form `estimate [low, high]`, with a unit behind it where
it has one: `213 [205, 222] ns`.  So a stored table and a new one can be compared by interval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ppslab import origin

NOTHING = "-"
"""What stands where there is no number."""


@dataclass(frozen=True)
class Cell:
    """One cell.

    `kind` is a CSS class (`verdict-reproduced`).  For pages only: `under` stands below the text in
    small type, `target` is an anchor, `links` are anchors that the cell points to.
    """

    text: str
    kind: str = ""
    under: str = ""
    target: str = ""
    links: tuple[str, ...] = ()

    @property
    def classes(self) -> str:
        """Its CSS classes; a number stays in one line with its interval."""
        number = re.match(r"[-+\d.e]+ \[", self.text)
        return f"{self.kind} ppslab-interval".strip() if number else self.kind


@dataclass(frozen=True)
class Table:
    """Rows under a header; `notes` stand below, one sentence each.

    `provenance` says what made the numbers.  `asides` are columns of words that differ between two
    runs without a meaning, as a reason that quotes numbers: pages show them, plain text does not.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    provenance: str = ""
    asides: frozenset[str] = frozenset()

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
        body = [self.title, *(line.rstrip() for line in shown), *self.notes]
        if self.provenance:
            body.append(f"provenance: {self.provenance}")
        return "\n".join(body)

    def html(self) -> str:
        """The table as HTML; wide ones scroll in a frame of their own."""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.header)
        body = "".join(f"<tr>{self._row(row)}</tr>" for row in self.rows)
        notes = "".join(f'<p class="ppslab-note">{escape(note)}</p>' for note in self.notes)
        if self.provenance:
            notes += f'<p class="ppslab-provenance" data-aside>{escape(self.provenance)}</p>'
        return (
            '<div class="ppslab"><div class="ppslab-scroll" tabindex="0" role="region" '
            f'aria-label="{escape(self.title, quote=True)}"><table class="ppslab-table">'
            f"<caption>{escape(self.title)}{origin.html(self.provenance)}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{notes}</div>"
        )

    def _row(self, row: Sequence[Cell]) -> str:
        shown = []
        for number, cell in enumerate(row):
            aside = " data-aside" if self.header[number] in self.asides else ""
            kind = f' class="{escape(cell.classes, quote=True)}"' if cell.classes else ""
            tag, scope = ("th", ' scope="row"') if number == 0 else ("td", "")
            shown.append(f"<{tag}{scope}{kind}{aside}>{escape(cell.text)}</{tag}>")
        return "".join(shown)

    def __repr__(self) -> str:
        return self.plain()

    def _repr_html_(self) -> str:
        return self.html()


def cells(*texts: str) -> tuple[Cell, ...]:
    """A row of plain cells."""
    return tuple(Cell(text) for text in texts)
