"""The words of configuration that the search page looks up first: RouterOS menus and properties.

Sphinx's own search cuts `fasttrack-connection` in two and finds every page with both halves.
Here a word stays whole, with the section of the page that it stands in.  The index is a script,
as a page that is opened as a file may read no other.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from ppslab import documents
from ppslab.directives.noted import Noted
from ppslab.rsc import lint

FILE = "words.js"
SCRIPTS = (FILE, "search.js")
MOST_PLACES = 12
"""Sections that are named for one word."""

WORDS: Noted[list[tuple[str, str, str]]] = Noted("search_words")
"""For each page: a word, the anchor of its section, and the section's title."""

_HYPHENATED = re.compile(r"(?<![\w/.@-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w/.@-])")
_PROPERTY = re.compile(r"(?<![\w-])([a-z][a-z0-9-]*)=")
_MENU = re.compile(r"^/[a-z][a-z0-9-]*(?:[ /][a-z][a-z0-9-]*)*$")


def words(text: str, language: str) -> Iterator[str]:
    """The words of a piece of code that somebody may look for, menus without their slashes."""
    if language == "routeros":
        for command in lint.commands(f"{text}\n"):
            menu, verb, *_ = f"{command.text} ".split(" ")
            yield menu_words(menu)
            if verb:
                yield f"{menu_words(menu)} {verb}"
        yield from _PROPERTY.findall(text)
    elif _MENU.match(text.strip()):
        yield menu_words(text)
    yield from _HYPHENATED.findall(text)


def menu_words(menu: str) -> str:
    """A menu as it is looked up, however it is written: `/ip/firewall`, `/ip firewall`."""
    return " ".join(menu.replace("/", " ").split())


def read(app: Sphinx, doctree: nodes.document) -> None:
    """Note the words of a page that has just been read."""
    found = dict.fromkeys(
        (word, *_section(node))
        for node in doctree.findall(nodes.Element)
        if isinstance(node, nodes.literal | nodes.literal_block)
        for word in words(node.astext(), node.get("language", ""))
    )
    WORDS.of(app.env)[app.env.docname] = list(found)


def _section(node: nodes.Node) -> tuple[str, str]:
    """The anchor and the title of the section that a node stands in; the page's own has none."""
    above = node.parent
    while above is not None and not isinstance(above, nodes.section):
        above = above.parent
    if above is None or isinstance(above.parent, nodes.document):
        return "", ""
    title = above.next_node(nodes.title)
    return str((above["ids"] or [""])[0]), title.astext() if title is not None else ""


def index(app: Sphinx) -> dict[str, list[tuple[str, str]]]:
    """For each word where it stands: an address and what is there."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for page, noted in sorted(WORDS.of(app.env).items()):
        if page not in app.env.all_docs:
            continue
        address = app.builder.get_target_uri(page)
        title = app.env.titles[page].astext()
        for word, anchor, section in noted:
            place = (f"{address}#{anchor}", f"{title}: {section}") if anchor else (address, title)
            found[word].append(place)
    return {word: places[:MOST_PLACES] for word, places in sorted(found.items())}


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the index beside the scripts."""
    if error is not None or app.builder.name != "html":
        return
    made = json.dumps(index(app), ensure_ascii=False, separators=(",", ":"))
    documents.write_atomic(Path(app.outdir) / "_static" / FILE, f"const ppslabWords={made};\n")


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """The search page's two scripts, on that page only."""
    del app, templatename, doctree
    if pagename == "search":
        to = context["pathto"]
        tags = "".join(f'<script defer src="{to(f"_static/{s}", 1)}"></script>' for s in SCRIPTS)
        context["metatags"] = str(context.get("metatags") or "") + tags


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    WORDS.setup(app)
    app.connect("doctree-read", read)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write)
