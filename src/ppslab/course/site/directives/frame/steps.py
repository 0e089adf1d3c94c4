"""The row of a chapter's pages under their title.

A chapter is a folder of the book whose `index` has its further pages below it in `_toc.yml`.
"""

from __future__ import annotations

from html import escape
from pathlib import PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.course.learning.chapters import PAGES


def pages_of(env: BuildEnvironment, docname: str) -> list[tuple[str, str]]:
    """What the row of a page has: each document and what it is called; empty for a page without.

    The chapter's notebook stands at its end.
    """
    for first, below in env.toctree_includes.items():
        chapter = PurePosixPath(first)
        if chapter.name != "index" or docname not in (first, *below):
            continue
        own = [each for each in (first, *below) if PurePosixPath(each).parent == chapter.parent]
        steps = [
            (each, PAGES[PurePosixPath(each).name])
            for each in own
            if PurePosixPath(each).name in PAGES
        ]
        if len(steps) > 1:
            notebooks = [each for each in below if each.startswith("notebooks/")]
            return [*steps, *((each, "Notebook") for each in notebooks)]
    return []


def show(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the row under the page's title."""
    if app.builder.format != "html":
        return
    pages = pages_of(app.env, docname)
    section = next(iter(doctree.findall(nodes.section)), None)
    if not pages or section is None:
        return
    links = "".join(
        f'<li><span aria-current="page">{escape(name)}</span></li>'
        if each == docname
        else f'<li><a href="{app.builder.get_relative_uri(docname, each)}">{escape(name)}</a></li>'
        for each, name in pages
    )
    row = f'<nav class="ppslab-steps" aria-label="Pages of this chapter"><ol>{links}</ol></nav>'
    section.insert(1, nodes.raw("", row, format="html"))


def setup(app: Sphinx) -> None:
    """Register the event; called by the extension."""
    app.connect("doctree-resolved", show)
