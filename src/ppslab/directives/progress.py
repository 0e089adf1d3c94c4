"""The pages of a reader's progress and certificate: what can be done, for their script to compare.

Without a script the first is the list of what there is to do.
"""

from __future__ import annotations

import json

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.directives import items
from ppslab.directives.glossary import plain
from ppslab.directives.nodes import late_table_nodes
from ppslab.directives.noted import Late
from ppslab.directives.sources import LabDirective
from ppslab.tables import Cell, Table

SCRIPT = "progress-page.js"
SHOWN = Late("progress", items.ITEMS, items.GOALS)
KINDS = {
    "read": ("page", "pages"),
    "prediction": ("prediction", "predictions"),
    "quiz": ("question", "questions"),
    "widget": ("widget", "widgets"),
    "task": ("task", "tasks"),
}


class list_of_items(nodes.General, nodes.Element):  # noqa: N801  (docutils names nodes so)
    """Where the list of all that can be done will stand; `certificate` says on which page."""


class Progress(LabDirective):
    """`{ppslab-progress}`: what is done of each chapter, with export and import."""

    required_arguments = 0
    optional_arguments = 0
    certificate = False

    def make(self) -> list[nodes.Node]:
        """A placeholder: the items are known when every page has been read."""
        SHOWN.note(self.env)
        return [list_of_items("", certificate=self.certificate)]


class Certificate(Progress):
    """`{ppslab-certificate}`: what was done, for printing."""

    certificate = True


def chapters(env: BuildEnvironment, docname: str) -> list[dict[str, object]]:
    """What each chapter has to do, in the book's order.

    A chapter: its name, title, address and minutes, and its items as kind, id, title and address.
    """
    made: dict[str, dict[str, object]] = {}
    relative = env.app.builder.get_relative_uri
    for page in _in_order(env):
        if not items.is_work(env, page):
            continue
        name = items.chapter_of(page)
        address = relative(docname, page)
        title = env.titles[page].astext()
        chapter = made.setdefault(
            name, {"chapter": name, "title": title, "page": address, "minutes": 0, "items": []}
        )
        minutes, found = chapter["minutes"], chapter["items"]
        assert isinstance(minutes, int) and isinstance(found, list)
        chapter["minutes"] = minutes + items.GOALS.of(env).get(page, 0)
        found.append(["read", items.page_of(page), title, address])
        for kind, each, said in items.ITEMS.of(env).get(page, []):
            if all(each != other[1] or kind != other[0] for other in found):
                found.append([kind, each, plain(said), address])
    return list(made.values())


def _in_order(env: BuildEnvironment) -> list[str]:
    """The pages as the table of contents has them."""
    order: list[str] = []

    def walk(page: str) -> None:
        if page not in order:
            order.append(page)
            for below in env.toctree_includes.get(page, []):
                walk(below)

    walk(env.config.root_doc)
    return order


def fill(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put list and form where their placeholder stands."""
    for placed in list(doctree.findall(list_of_items)):
        found = chapters(app.env, docname)
        data = json.dumps(found, ensure_ascii=False).replace("<", "\\u003c")
        script = f'<script type="application/json" id="ppslab-items">{data}</script>'
        kind = "certificate" if placed["certificate"] else "progress"
        frame = f'<div id="ppslab-{kind}" hidden></div>{script}'
        made: list[nodes.Node] = [nodes.raw("", frame, format="html")]
        if not placed["certificate"]:
            made += _table(found)
        placed.replace_self(made)


def _table(found: list[dict[str, object]]) -> list[nodes.Node]:
    rows = []
    for chapter in found:
        each = chapter["items"]
        assert isinstance(each, list)
        counts = [sum(item[0] == kind for item in each) for kind in KINDS]
        title = Cell(str(chapter["title"]), links=(f"{chapter['page']}#",))
        rows.append((title, Cell(str(chapter["minutes"])), *(Cell(str(n)) for n in counts)))
    header = ("chapter", "minutes", *(many for _, many in KINDS.values()))
    frame, *rest = late_table_nodes(Table("What there is to do", header, tuple(rows)))
    assert isinstance(frame, nodes.Element)
    frame["ids"].append("ppslab-all-items")
    return [frame, *rest]


def add_script(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, object], doctree: object
) -> None:
    """The script comes to the two pages only."""
    del templatename, context, doctree
    if pagename in SHOWN.pages.of(app.env):
        app.add_js_file(SCRIPT, loading_method="defer")


def setup(app: Sphinx) -> None:
    """Register the directives; called by the extension."""
    app.add_node(list_of_items)
    app.add_directive("ppslab-progress", Progress)
    app.add_directive("ppslab-certificate", Certificate)
    SHOWN.setup(app)
    app.connect("doctree-resolved", fill)
    app.connect("html-page-context", add_script)
