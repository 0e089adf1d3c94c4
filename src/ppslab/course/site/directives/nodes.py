"""Our tables as docutils nodes: searchable, with anchors on rows and links to them."""

from __future__ import annotations

from collections.abc import Iterable

from docutils import nodes

from ppslab.core import provenance as origin
from ppslab.core.provenance import Provenance
from ppslab.core.text.quantities import for_pages
from ppslab.core.text.tables import Cell, Table


def table_nodes(table: Table) -> list[nodes.Node]:
    """The table in a frame that scrolls by itself, its notes below, and what made its numbers."""
    group = nodes.tgroup(cols=len(table.header))
    group += [nodes.colspec(colwidth=1) for _ in table.header]
    head = nodes.thead()
    head += _row([nodes.inline(text=column.words) for column in table.columns])
    body = nodes.tbody()
    for row in table.rows:
        made = _row([_content(cell, table.words(place, cell)) for place, cell in enumerate(row)])
        made["ids"] += [cell.target for cell in row if cell.target]
        for entry, cell in zip(made.children, row, strict=True):
            assert isinstance(entry, nodes.entry)
            entry["classes"] += cell.classes.split()
            if cell.under:
                entry.append(nodes.paragraph(text=cell.under, classes=["ppslab-under"]))
        body += made
    group += [head, body]
    shown = nodes.table(classes=["ppslab-table"])
    shown += [nodes.title(text=for_pages(table.title)), group]
    frame = nodes.container(classes=["ppslab", "ppslab-scroll"])
    frame += shown
    below: list[nodes.Node] = [
        nodes.paragraph(text=for_pages(note), classes=["ppslab-note"]) for note in table.notes
    ]
    if table.provenance:
        below.append(nodes.raw("", table.sign(), format="html"))
    return [frame, *below]


def late_table_nodes(table: Table) -> list[nodes.Node]:
    """The same for a page that is being written: Sphinx has given its tables their ids before."""
    made = table_nodes(table)
    for shown in made[0].findall(nodes.table):
        shown["ids"].append(nodes.make_id(f"table-{table.title}"))
    return made


def made_by(provenance: Provenance, *, more: Iterable[tuple[str, str]] = ()) -> nodes.raw:
    """What made numbers, where no table or figure says it; `more`: what else is to be said."""
    return nodes.raw("", origin.html(provenance.sign(more=more)), format="html")


def _row(contents: list[nodes.Node]) -> nodes.row:
    row = nodes.row()
    for content in contents:
        entry = nodes.entry()
        paragraph = nodes.paragraph()
        paragraph += content
        entry += paragraph
        row += entry
    return row


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
