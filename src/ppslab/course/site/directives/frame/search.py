"""The search's own index: pages that answer a question, sections, words of configuration.

A page's row of book/pages.yml names the words and phrases of those who look for it.

Sphinx's own search cuts `fasttrack-connection` in two and finds every page with both halves.
Here a word stays whole, with the section of the page that it stands in.  The index is a script,
as a page that is opened as a file may read no other.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from ppslab.core import documents
from ppslab.core.text.numbers import regrouped
from ppslab.course.site.directives import device_pages
from ppslab.course.site.directives.env_store import Noted
from ppslab.course.site.directives.frame import pages
from ppslab.course.site.directives.nodes import above
from ppslab.testbed.routers.routeros.rsc import lint

FILE = "words.js"
SCRIPT = "search.js"
KNOWN = "book/search.yml"
"""Synonyms that readers use, and what the course does not cover."""

MOST_PLACES = 12
"""Sections that are named for one word."""

WORDS: Noted[list[tuple[str, str, str]]] = Noted("search_words")
"""For each page: a word, the anchor of its section, and the section's title."""

SECTIONS: Noted[list[tuple[str, str, str]]] = Noted("search_sections")
"""For each page: the anchor of a section, its title and how its text begins; a folded question has
its section's anchor."""

MOST_EXCERPT = 140
"""Letters of the text that a result shows."""

_HYPHENATED = re.compile(r"(?<![\w/.@-])[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?![\w/.@-])")
_PROPERTY = re.compile(r"(?<![\w-])([a-z][a-z0-9-]*)=")
_TAGS = re.compile(r"<[^>]+>")
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
        # A notebook's code names claims and conditions by their ids, which nobody looks for.
        and not str(node.get("language", "")).startswith(("ipython", "python"))
        for word in words(node.astext(), node.get("language", ""))
    )
    WORDS.of(app.env)[app.env.docname] = list(found)
    SECTIONS.of(app.env)[app.env.docname] = list(_sections(doctree))
    if (Path(app.srcdir) / pages.FILE).is_file():
        app.env.note_dependency(str(Path(app.srcdir) / pages.FILE))


def _sections(doctree: nodes.document) -> Iterator[tuple[str, str, str]]:
    for title in doctree.findall(nodes.title):
        section = title.parent
        if isinstance(section, nodes.section):
            whole = isinstance(section.parent, nodes.document)
            yield "" if whole else str(section["ids"][0]), title.astext(), excerpt(section)
    for folded in doctree.findall(nodes.container):
        if folded.get("design_component") == "dropdown" and isinstance(folded[0], nodes.rubric):
            yield _section(folded)[0], folded[0].astext(), excerpt(folded)


def excerpt(part: nodes.Element) -> str:
    """First text of a section or a folded answer; empty where it begins with a section."""
    for child in part.children:
        if isinstance(child, nodes.section):
            break
        for paragraph in child.findall(nodes.paragraph):
            # Another page's title stands for such a reference, and is not known yet.
            if any(not link.astext() for link in paragraph.findall(addnodes.pending_xref)):
                continue
            if text := _TAGS.sub("", paragraph.astext()).strip():
                return pages.shortened(regrouped(unescape(text)), MOST_EXCERPT)
    return ""


def sections(app: Sphinx) -> list[tuple[str, str, str, str]]:
    """Every section: its address, its page's title, its own, and how its text begins."""
    rows = pages.of(app)
    return [
        (
            f"{app.builder.get_target_uri(page)}#{anchor}".rstrip("#"),
            app.env.titles[page].astext(),
            title,
            text if anchor or page not in rows else rows[page].description,
        )
        for page, noted in sorted(SECTIONS.of(app.env).items())
        if page in app.env.all_docs
        for anchor, title, text in noted
    ]


def _section(node: nodes.Node) -> tuple[str, str]:
    """The anchor and the title of the section that a node stands in; the page's own has none."""
    section = next((each for each in above(node) if isinstance(each, nodes.section)), None)
    if section is None or isinstance(section.parent, nodes.document):
        return "", ""
    title = section.next_node(nodes.title)
    return str((section["ids"] or [""])[0]), title.astext() if title is not None else ""


def answers(app: Sphinx) -> list[dict[str, Any]]:
    """The pages that name the words of those who look for them, with these words, in their order.

    A page that is no part of this site is left out.
    """
    rows = [
        {
            "address": app.builder.get_target_uri(page),
            "title": app.env.titles[page].astext(),
            "words": [word.lower() for word in row.search],
            "text": row.description,
        }
        for page, row in pages.of(app).items()
        if row.search and page in app.env.all_docs
    ]
    return [*rows, *device_pages.answers(app)]


def index(app: Sphinx) -> tuple[list[tuple[str, str]], dict[str, list[int]]]:
    """The places that have a word, an address and a title; for each word the places' numbers."""
    places: dict[tuple[str, str], int] = {}
    places_of: dict[str, list[int]] = defaultdict(list)
    for page, noted in sorted(WORDS.of(app.env).items()):
        if page not in app.env.all_docs:
            continue
        address = app.builder.get_target_uri(page)
        title = app.env.titles[page].astext()
        for word, anchor, section in noted:
            place = (f"{address}#{anchor}", f"{title}: {section}") if anchor else (address, title)
            if word and len(places_of[word]) < MOST_PLACES:
                places_of[word].append(places.setdefault(place, len(places)))
    return list(places), dict(sorted(places_of.items()))


def write(app: Sphinx, error: Exception | None) -> None:
    """Write the index beside the scripts."""
    if error is not None or app.builder.name != "html":
        return
    places, word_places = index(app)
    known = Path(app.srcdir) / KNOWN
    data = {
        "Places": places,
        "Words": word_places,
        "Answers": answers(app),
        "Sections": sections(app),
        "Known": documents.load_yaml(known).data if known.is_file() else {},
    }
    text = "".join(
        f"const ppslab{name}={json.dumps(each, ensure_ascii=False, separators=(',', ':'))};\n"
        for name, each in data.items()
    )
    documents.write_atomic(Path(app.outdir) / "_static" / FILE, text)


def add_scripts(
    app: Sphinx, pagename: str, _templatename: str, context: dict[str, Any], _doctree: object
) -> None:
    """The script on every page; the index on the search page, elsewhere when somebody types."""
    if app.builder.name != "html":
        return  # a deck of slides is not searched
    to = context["pathto"]
    scripts = (FILE, SCRIPT) if pagename == "search" else (SCRIPT,)
    tags = "".join(f'<script defer src="{to(f"_static/{s}", 1)}"></script>' for s in scripts)
    context["metatags"] = str(context.get("metatags") or "") + tags
