"""A report as one HTML file: its style and its drawings inside, nothing fetched from anywhere."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from pathlib import Path

from ppslab.base.text.grouping import count_text
from ppslab.base.text.tables import Table
from ppslab.presentation.figures import Figure
from ppslab.presentation.paper import picture
from ppslab.presentation.report.document import Block, Document, Files, Items, Notice, Section, Text

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'"
"""A report runs nothing, whatever came with its record; its style is one tag, and attributes."""

WIDE = 8
"""From this many columns on a table is set in smaller type."""

LONG = 25
"""From this many rows on a table may be cut across pages: it would not fit on one."""


class Page:
    """Writes documents as HTML; `paper` for WeasyPrint: nothing folded, drawings as images."""

    def __init__(self, *, paper: bool = False) -> None:
        self.paper = paper
        self._used: dict[str, int] = {}
        self._contents: list[tuple[int, str, str]] = []

    def write(self, document: Document) -> str:
        """The whole page."""
        self._used, self._contents = {}, []
        lead = "".join(self._block(block) for block in document.lead)
        body = "".join(self._section(section, 2) for section in document.sections)
        style = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
        return (
            '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="color-scheme" content="light dark">\n'
            f"<title>{escape(document.title)}</title>\n<style>\n{style}</style>\n</head>\n"
            f"<body{_class('paper') if self.paper else ''}>\n"
            '<a class="skip" href="#content">To the content</a>\n'
            f"<header><h1>{escape(document.title)}</h1></header>\n"
            f'<main id="content">\n{lead}{self._table_of_contents()}{body}</main>\n'
            "</body>\n</html>\n"
        )

    def _table_of_contents(self) -> str:
        entries = "".join(
            f'<li class="level-{level}"><a href="#{anchor}">{escape(title)}</a></li>'
            for level, title, anchor in self._contents
            if level <= 3
        )
        title = '<h2 id="contents">Contents</h2>'
        return f'<nav aria-labelledby="contents">{title}<ul>{entries}</ul></nav>\n'

    def _section(self, section: Section, level: int) -> str:
        anchor = self._anchor(section.title)
        self._contents.append((level, section.title, anchor))
        heading = f"h{min(level, 6)}"
        blocks = "".join(self._block(block) for block in section.blocks)
        below = "".join(self._section(each, level + 1) for each in section.sections)
        return (
            f'<section aria-labelledby="{anchor}">'
            f'<{heading} id="{anchor}">{escape(section.title)}</{heading}>\n'
            f"{blocks}{below}</section>\n"
        )

    def _anchor(self, title: str) -> str:
        """An id made from a title, with a number where the page has it already."""
        word = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"
        self._used[word] = self._used.get(word, 0) + 1
        return word if self._used[word] == 1 else f"{word}--{self._used[word]}"

    def _block(self, block: Block) -> str:
        if isinstance(block, Text):
            return f"<p>{escape(block.text)}</p>\n"
        if isinstance(block, Items):
            return _list(block.lines) if block.lines else ""
        if isinstance(block, Notice):
            title = f"<p><strong>{escape(block.title)}</strong></p>"
            return f'<div class="notice" role="note">{title}{_list(block.lines)}</div>\n'
        if isinstance(block, Files):
            show = self._file if block.printed or not self.paper else _left_out
            return "".join(show(name, text) for name, text in block.files.items())
        if isinstance(block, Table):
            return self._table(block)
        return self._figure(block)

    def _table(self, table: Table) -> str:
        columns = len(table.header)
        kind = " wide" if columns >= WIDE else " pairs" if columns == 2 else ""
        shown = table.html().replace('class="ppslab-table"', f'class="ppslab-table{kind}"', 1)
        if len(table.rows) >= LONG:
            shown = shown.replace('class="ppslab"', 'class="ppslab long"', 1)
        # In print a scrolling frame would only be a box that does not break across pages.
        return (re.sub(r' tabindex="0"', "", _unfolded(shown)) if self.paper else shown) + "\n"

    def _figure(self, figure: Figure) -> str:
        figure = replace(figure, name=self._anchor(f"figure {figure.name}"))
        if not self.paper:
            return figure.html() + "\n"
        return _printed(figure)

    def _file(self, name: str, text: str) -> str:
        state = " open" if self.paper else ""
        return (
            f"<details{state}><summary><code>{escape(name)}</code></summary>"
            f"<pre><code>{escape(text.rstrip())}</code></pre></details>\n"
        )


def _unfolded(sign: str) -> str:
    return sign.replace("<details ", "<details open ")


def _left_out(name: str, text: str) -> str:
    length = count_text(len(text.splitlines()))
    return f"<p>Not printed: {escape(name)} ({length} lines); it is in the record.</p>\n"


def _list(lines: tuple[str, ...]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>\n"


def _class(name: str) -> str:
    return f' class="{name}"'


def _printed(figure: Figure) -> str:
    """The figure for paper: an image with its words, since a PDF's drawing has no description."""
    below = f'<p class="ppslab-note">{escape(figure.cannot_show)}</p>' if figure.cannot_show else ""
    return (
        f'<figure class="ppslab-figure">{picture(figure.svg, figure.alt)}'
        f"<figcaption><strong>{escape(figure.title)}</strong>{below}"
        f"{_unfolded(figure.sign())}</figcaption></figure>\n"
    )
