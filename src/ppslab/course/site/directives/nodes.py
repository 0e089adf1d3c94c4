"""Our tables as docutils nodes: searchable, with anchors on rows and links to them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from html import escape

from docutils import nodes
from markupsafe import Markup

from ppslab.core.provenance import Provenance
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Cell, Table
from ppslab.show.figures import Figure

Shown = Table | Figure | nodes.Node


class made(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """The sign of a run: `provenance`, `interval` and `more` of `Provenance.sign`.

    When the page is ready, `frame/once.py` writes the first of the same runs, and makes the others
    marks that lead to it.
    """


class made_at(nodes.Inline, nodes.Element):  # noqa: N801
    """In a caption the place of the mark that leads to the next `made`."""


def shown(*things: Shown) -> list[nodes.Node]:
    """The nodes of tables, figures and nodes, in their order."""
    listed: list[nodes.Node] = []
    for each in things:
        if isinstance(each, Table):
            listed += table_nodes(each)
        elif isinstance(each, Figure):
            listed += figure_nodes(each)
        else:
            listed.append(each)
    return listed


def raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def above(node: nodes.Node) -> Iterator[nodes.Element]:
    """The elements that a node lies in, the innermost first."""
    while node.parent is not None:
        node = node.parent
        yield node


def embedded(data: object) -> Markup:
    """Data as JSON for a script element, which ends at the first "</" that its text has."""
    text = json.dumps(data, ensure_ascii=False, sort_keys=True)
    return Markup(text.replace("<", "\\u003c"))


def note(text: str) -> nodes.note:
    """A box with one sentence, in place of what is not there."""
    return nodes.note("", nodes.paragraph(text=text))


def closed(summary: str, *below: nodes.Node) -> list[nodes.Node]:
    """Nodes that a reader opens."""
    opening = f'<div class="ppslab"><details><summary>{escape(summary)}</summary>'
    return [raw(opening), *below, raw("</details></div>")]


def under(text: str = "") -> nodes.paragraph:
    """A small line below what it is about."""
    return nodes.paragraph(text=text, classes=["ppslab-under"])


def paragraphs(*texts: str) -> list[nodes.Node]:
    return [nodes.paragraph(text=text) for text in texts]


def bullets(texts: Iterable[str]) -> nodes.bullet_list:
    """A list with a paragraph for each text."""
    items = [nodes.list_item("", nodes.paragraph(text=text)) for text in texts]
    return nodes.bullet_list("", *items)


def grid(
    header: Sequence[str], rows: Iterable[nodes.row], title: str = "", kind: str = ""
) -> nodes.container:
    """A table of rows that are nodes already, in a frame that scrolls by itself."""
    group = nodes.tgroup(cols=len(header))
    group += [nodes.colspec(colwidth=1) for _ in header]
    head, body = nodes.thead(), nodes.tbody()
    head += row(*paragraphs(*header))
    body += rows
    group += [head, body]
    titles = [nodes.title(text=title)] if title else []
    frame = nodes.container(classes=["ppslab", "ppslab-scroll"])
    frame += nodes.table("", *titles, group, classes=["ppslab-table"])
    return nodes.container("", frame, classes=kind.split()) if kind else frame


def row(*cells: nodes.Node | list[nodes.Node]) -> nodes.row:
    """A row; each cell is a node or several."""
    entries = []
    for cell in cells:
        entry = nodes.entry()
        entry += cell
        entries.append(entry)
    return nodes.row("", *entries)


def table_nodes(table: Table) -> list[nodes.Node]:
    """The table in a frame that scrolls by itself, its notes below, and what made its numbers."""
    rows = [_row(table, cells) for cells in table.rows]
    frame = grid([column.words for column in table.columns], rows, for_pages(table.title))
    below: list[nodes.Node] = [note_below(for_pages(note)) for note in table.notes]
    if table.provenance:
        for title in frame.findall(nodes.title):
            title.append(made_at())
        below.append(made_by(table.provenance, interval=table.interval))
    return [frame, *below]


def figure_nodes(figure: Figure) -> list[nodes.Node]:
    """The drawing, its title, what it leaves out, and what made its numbers."""
    below = [note_below(figure.cannot_show)] if figure.cannot_show else []
    if figure.provenance is None:
        return [raw(f"{figure.opening()}</strong>"), *below, raw(figure.END)]
    sign = made_by(figure.provenance, interval=figure.interval)
    return [raw(figure.opening()), made_at(), raw("</strong>"), *below, sign, raw(figure.END)]


def note_below(text: str) -> nodes.paragraph:
    """A sentence below a table or a figure."""
    return nodes.paragraph(text=text, classes=["ppslab-note"])


def late_table_nodes(table: Table) -> list[nodes.Node]:
    """The same for a page that is being written: Sphinx has given its tables their ids before."""
    frame, *below = table_nodes(table)
    for drawn in frame.findall(nodes.table):
        drawn["ids"].append(nodes.make_id(f"table-{table.title}"))
    return [frame, *below]


def made_by(
    provenance: Provenance, *, interval: str = "", more: Iterable[tuple[str, str]] = ()
) -> made:
    """The sign of a run; `interval`: the kind of its intervals; `more`: further rows."""
    return made(provenance=provenance, interval=interval, more=tuple(more))


def _row(table: Table, cells: Sequence[Cell]) -> nodes.row:
    shown = nodes.row(ids=[cell.target for cell in cells if cell.target])
    for place, cell in enumerate(cells):
        text = nodes.paragraph("", "", _content(cell, table.words(place, cell)))
        below = [under(cell.under)] if cell.under else []
        shown += nodes.entry("", text, *below, classes=cell.classes.split())
    return shown


def _content(cell: Cell, text: str) -> nodes.Node:
    """The cell's text for readers.

    Its links lead from the whole, from its parts, or from numbers behind it.  A link is an anchor
    of the page, or an address with `#`.
    """
    whole = nodes.inline()
    parts = [text] if len(cell.links) == 1 else text.split("; ")
    between = "; "
    if len(parts) != len(cell.links):
        whole += nodes.Text(text)
        parts, between = [f"[{number}]" for number, _ in enumerate(cell.links, start=1)], " "
    for part, anchor in zip(parts, cell.links, strict=True):
        if whole.children:
            whole += nodes.Text(between)
        lead = {"refuri" if "#" in anchor else "refid": anchor}
        whole += nodes.reference("", part, internal=True, **lead)
    return whole
