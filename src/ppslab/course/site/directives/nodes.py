"""Our tables as docutils nodes: searchable, with anchors on rows and links to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from docutils import nodes

from ppslab.core import provenance as origin
from ppslab.core.provenance import Provenance
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Cell, Table
from ppslab.show.figures import Figure

Shown = Table | Figure | nodes.Node


def shown(*things: Shown) -> list[nodes.Node]:
    """The nodes of tables, figures and nodes, in their order."""
    made: list[nodes.Node] = []
    for each in things:
        if isinstance(each, Table):
            made += table_nodes(each)
        else:
            made.append(raw(each.html()) if isinstance(each, Figure) else each)
    return made


def raw(html: str) -> nodes.raw:
    """HTML as it is."""
    return nodes.raw("", html, format="html")


def note(text: str) -> nodes.note:
    """A box with one sentence, in place of what is not there."""
    return nodes.note("", nodes.paragraph(text=text))


def closed(summary: str, *below: nodes.Node) -> list[nodes.Node]:
    """Nodes that a reader opens."""
    opening = f'<div class="ppslab"><details><summary>{escape(summary)}</summary>'
    return [raw(opening), *below, raw("</details></div>")]


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
    head += row(*(nodes.paragraph(text=name) for name in header))
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
    below: list[nodes.Node] = [
        nodes.paragraph(text=for_pages(note), classes=["ppslab-note"]) for note in table.notes
    ]
    if table.provenance:
        below.append(raw(table.sign()))
    return [frame, *below]


def late_table_nodes(table: Table) -> list[nodes.Node]:
    """The same for a page that is being written: Sphinx has given its tables their ids before."""
    frame, *below = table_nodes(table)
    for drawn in frame.findall(nodes.table):
        drawn["ids"].append(nodes.make_id(f"table-{table.title}"))
    return [frame, *below]


def made_by(provenance: Provenance, *, more: Iterable[tuple[str, str]] = ()) -> nodes.raw:
    """What made numbers, where no table or figure says it; `more`: what else is to be said."""
    return raw(origin.html(provenance.sign(more=more)))


def _row(table: Table, cells: Sequence[Cell]) -> nodes.row:
    made = nodes.row(ids=[cell.target for cell in cells if cell.target])
    for place, cell in enumerate(cells):
        text = nodes.paragraph("", "", _content(cell, table.words(place, cell)))
        under = [nodes.paragraph(text=cell.under, classes=["ppslab-under"])] if cell.under else []
        made += nodes.entry("", text, *under, classes=cell.classes.split())
    return made


def _content(cell: Cell, text: str) -> nodes.Node:
    """The cell's text for readers.

    Its links lead from the whole, from its parts, or from numbers behind it.  A link is an anchor
    of the page, or an address with `#`.
    """
    whole = nodes.inline()
    parts = [text] if len(cell.links) == 1 else text.split("; ")
    if len(parts) == len(cell.links):
        for number, (part, anchor) in enumerate(zip(parts, cell.links, strict=True)):
            whole += nodes.Text("; " if number else "")
            whole += _link(part, anchor)
        return whole
    whole += nodes.Text(text)
    for number, anchor in enumerate(cell.links, start=1):
        whole += nodes.Text(" ")
        whole += _link(f"[{number}]", anchor)
    return whole


def _link(text: str, anchor: str) -> nodes.reference:
    if "#" in anchor:
        return nodes.reference("", text, internal=True, refuri=anchor)
    return nodes.reference("", text, internal=True, refid=anchor)
