"""Reports as one HTML file, by the templates beside this module."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from markupsafe import Markup

from ppslab.core.text.tables import Table
from ppslab.show import paper, templates
from ppslab.show.figures import Figure

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
"""A report runs nothing, whatever came with its record; its style is one tag, and attributes."""

WIDE = 8
"""From this many columns on a table is set in smaller type."""

LONG = 25
"""From this many rows on a table may be cut across pages: it would not fit on one."""

LISTED = 3
"""The deepest level of headings in the contents."""


def html(title: str, *, printed: bool = False, **content: Any) -> str:
    """Return the whole page; `printed` for WeasyPrint: nothing folded, drawings as images."""
    contents = Contents()

    def figure(drawing: Figure) -> Markup:
        return Markup(replace(drawing, name=contents.id_of(f"figure {drawing.name}")).html())

    return templates.page(
        "report/record.html.j2",
        title=title,
        paper=printed,
        policy=POLICY,
        style=Markup(Path(__file__).with_name("style.css").read_text(encoding="utf-8")),
        table=lambda table: Markup(_table(table, printed)),
        figure=figure,
        # A PDF's drawing has no description of its own.
        picture=lambda drawing: Markup(paper.picture(drawing.wide or drawing.svg, drawing.alt)),
        sign=lambda drawing: Markup(_unfolded(drawing.sign())),
        contents=contents,
        **content,
    )


class Contents:
    """The headings of a page as its sections are rendered, and the ids that are taken.

    `listed`: the level, the id and the title of each heading.
    """

    def __init__(self) -> None:
        self.listed: list[tuple[int, str, str]] = []
        self._taken: Counter[str] = Counter()

    def add(self, title: str, level: int) -> str:
        """Return the id of a section; list it unless it is too deep."""
        anchor = self.id_of(title)
        if level <= LISTED:
            self.listed.append((level, anchor, title))
        return anchor

    def id_of(self, title: str) -> str:
        """Return an id made from a title, with a number where the page has it already."""
        word = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"
        self._taken[word] += 1
        return word if self._taken[word] == 1 else f"{word}--{self._taken[word]}"


def _table(table: Table, printed: bool) -> str:
    columns = len(table.header)
    kind = " wide" if columns >= WIDE else " pairs" if columns == 2 else ""
    shown = table.html().replace('class="ppslab-table"', f'class="ppslab-table{kind}"', 1)
    if len(table.rows) >= LONG:
        shown = shown.replace('class="ppslab"', 'class="ppslab long"', 1)
    # In print a scrolling frame would only be a box that does not break across pages.
    return re.sub(r' tabindex="0"', "", _unfolded(shown)) if printed else shown


def _unfolded(sign: str) -> str:
    return sign.replace("<details ", "<details open ")
