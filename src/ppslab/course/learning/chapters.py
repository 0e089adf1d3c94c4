"""The chapters of the book, and a chapter's pages, in the order of `_toc.yml`."""

from __future__ import annotations

import re

from ppslab.core import documents, paths
from ppslab.core.text.language import N_

_FILE = re.compile(r"file: book/(\S+)")

PAGES = {
    "index": N_("Try"),
    "why": N_("Why"),
    "router": N_("On your router"),
    "tasks": N_("Tasks"),
    "measured": N_("Measured"),
}
"""Titles of a chapter's pages in the row of pages and the table of contents, by file."""


def files() -> list[str]:
    """Every page of the book that the table of contents lists, without `book/` and `.md`."""
    return _FILE.findall(documents.read_text(paths.project_root() / "_toc.yml"))


def listed() -> list[str]:
    """The chapters of the table of contents: a folder by its first page."""
    return list(dict.fromkeys(name.removesuffix("/index") for name in files()))
