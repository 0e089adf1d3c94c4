"""The pages of a reader's progress and certificate: their items, for the script to compare.

Without a script the first is the list of what there is to do.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.core.text.tables import Cell, Table, cells
from ppslab.course.site.directives.env_store import later, placeholder
from ppslab.course.site.directives.learning import items
from ppslab.course.site.directives.learning.glossary import plain
from ppslab.course.site.directives.nodes import embedded, late_table_nodes, raw
from ppslab.course.site.directives.sources import LabDirective
from ppslab.course.site.directives.views import listing

KINDS = {
    "read": "pages",
    "prediction": "predictions",
    "quiz": "questions",
    "widget": "widgets",
    "task": "tasks",
    "drill": "drills",
    "case": "cases",
}

ANCHORED = ("drill", "case")
"""Items that a page opens by the name of theirs."""


@listing("progress")
def progress(page: LabDirective) -> nodes.Node:
    """The place of what is done of each chapter, with export and import."""
    return later(page.env, _shown, kind="progress")


@listing("certificate")
def certificate(page: LabDirective) -> nodes.Node:
    """The place of what was done, for printing."""
    return later(page.env, _shown, kind="certificate")


def chapters(env: BuildEnvironment, docname: str) -> list[dict[str, Any]]:
    """Items of each chapter, in the book's order.

    A chapter: its name, title, address and minutes, and its items as kind, id, title and address.
    """
    by_name: dict[str, dict[str, Any]] = {}
    for page in _in_order(env, env.config.root_doc, []):
        if not items.is_work(env, page):
            continue
        name, title = items.chapter_of(page), env.titles[page].astext()
        address = env.app.builder.get_relative_uri(docname, page)
        first = {"chapter": name, "title": title, "page": address, "minutes": 0, "items": []}
        chapter = by_name.setdefault(name, first)
        chapter["minutes"] += items.GOALS.of(env).get(page, 0)
        chapter["items"].append(["read", items.page_of(page), title, address])
        for kind, each, called in items.ITEMS.of(env).get(page, []):
            if [kind, each] not in (other[:2] for other in chapter["items"]):
                at = f"#{each}" if kind in ANCHORED else ""
                chapter["items"].append([kind, each, plain(called), f"{address}{at}"])
    return list(by_name.values())


def _in_order(env: BuildEnvironment, page: str, order: list[str]) -> list[str]:
    """Append the page and those below it, as the table of contents has them."""
    if page not in order:
        order.append(page)
        for below in env.toctree_includes.get(page, []):
            _in_order(env, below, order)
    return order


def _shown(app: Sphinx, docname: str, place: placeholder) -> list[nodes.Node]:
    todo = chapters(app.env, docname)
    script = f'<script type="application/json" id="ppslab-items">{embedded(todo)}</script>'
    frame = raw(f'<div id="ppslab-{place["kind"]}" hidden></div>{script}')
    return [frame, *(_table(todo) if place["kind"] == "progress" else ())]


def _table(todo: list[dict[str, Any]]) -> list[nodes.Node]:
    rows = []
    for chapter in todo:
        kinds = [item[0] for item in chapter["items"]]
        title = Cell(chapter["title"], links=(f"{chapter['page']}#",))
        rows.append((title, *cells(str(chapter["minutes"]), *(str(kinds.count(k)) for k in KINDS))))
    header = ("chapter", "minutes", *KINDS.values())
    frame, *rest = late_table_nodes(Table("What there is to do", header, tuple(rows)))
    assert isinstance(frame, nodes.Element)
    frame["ids"].append("ppslab-all-items")
    return [frame, *rest]
