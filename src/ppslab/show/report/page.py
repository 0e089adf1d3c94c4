"""A report as one HTML file, by the template `page.html.j2` beside this module."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from ppslab.core.text.tables import Table
from ppslab.show import paper, templates
from ppslab.show.report.document import Document, Section

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
"""A report runs nothing, whatever came with its record; its style is one tag, and attributes."""

WIDE = 8
"""From this many columns on a table is set in smaller type."""

LONG = 25
"""From this many rows on a table may be cut across pages: it would not fit on one."""

LISTED = 3
"""The deepest level of headings in the contents."""


def html(document: Document, *, printed: bool = False) -> str:
    """The whole page; `printed` for WeasyPrint: nothing folded, drawings as images."""
    ids = _Ids()
    sections = [each for top in document.sections for each in _levels(top, 2)]
    return templates.page(
        "report/page.html.j2",
        document=document,
        paper=printed,
        policy=POLICY,
        style=Markup(Path(__file__).with_name("style.css").read_text(encoding="utf-8")),
        anchors=_ByIdentity({id(section): ids.new(section.title) for _, section in sections}),
        contents=[(level, section) for level, section in sections if level <= LISTED],
        table=lambda table: Markup(_table(table, printed)),
        figure=lambda figure: Markup(replace(figure, name=ids.new(f"figure {figure.name}")).html()),
        # A PDF's drawing has no description of its own.
        picture=lambda figure: Markup(paper.picture(figure.wide or figure.svg, figure.alt)),
        sign=lambda figure: Markup(_unfolded(figure.sign())),
    )


class _Ids:
    """Ids made from titles, with a number where the page has one already."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()

    def new(self, title: str) -> str:
        word = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"
        self.used[word] += 1
        return word if self.used[word] == 1 else f"{word}--{self.used[word]}"


class _ByIdentity:
    """Values of sections, of which two may be equal."""

    def __init__(self, values: dict[int, str]) -> None:
        self.values = values

    def __getitem__(self, section: Section) -> str:
        return self.values[id(section)]


def _levels(section: Section, level: int) -> Iterator[tuple[int, Section]]:
    """The section and all below it, in reading order, each with the level of its heading."""
    yield level, section
    for below in section.sections:
        yield from _levels(below, level + 1)


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
