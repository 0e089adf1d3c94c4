"""The frame of every page: its head, the row of its chapter's pages, its numbers.

Title and description are the page's row of book/pages.yml; without one, the title is the page's
own, and the description its first paragraph or its goals.
The card that a social network shows needs whole addresses, so `og:image` and the canonical address
stand only where `html_baseurl` says where the site lies; the rest stands always.
"""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import PurePosixPath
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from ppslab.core.text.language import gettext
from ppslab.core.text.numbers import regrouped
from ppslab.course.learning.chapters import PAGES
from ppslab.course.site.directives.frame import pages

CARD = "_static/card.png"
CARD_SIZE = (1200, 630)


def describe(
    app: Sphinx,
    pagename: str,
    _templatename: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Give a page's head its title, its description and its card."""
    row = pages.of(app).get(pagename)
    title = gettext(row.title) if row else _title(context, str(app.config.html_title))
    description = gettext(row.description) if row else _description(context, doctree)
    # The theme adds the site's name to every title that it is given.
    context["title"], context["docstitle"] = escape(title, quote=False), ""
    # Its logo says that name by itself.
    context["theme_logo"] = {**context.get("theme_logo", {}), "text": app.config.html_title}
    front = pagename == app.config.root_doc
    if front and app.builder.name == "html":  # a deck's first page takes no export
        app.add_js_file("drop.js", loading_method="defer")
    tags = {
        ("name", "description"): description,
        ("property", "og:title"): title,
        ("property", "og:description"): description,
        ("property", "og:type"): "website" if front else "article",
        ("property", "og:site_name"): app.config.html_title,
        ("name", "twitter:card"): "summary_large_image" if app.config.html_baseurl else "summary",
    }
    base = str(app.config.html_baseurl or "")
    if base:
        image = {"": base.rstrip("/") + "/" + CARD, ":alt": _DEFAULT}
        image |= {":width": str(CARD_SIZE[0]), ":height": str(CARD_SIZE[1])}
        tags |= {("property", f"og:image{part}"): text for part, text in image.items()}
        if context.get("pageurl"):
            # Sphinx's own is where the front page's source lies, and that address only sends on.
            context["pageurl"] = base + app.builder.get_target_uri(pagename)
            tags["property", "og:url"] = context["pageurl"]
    if _is_wide(context, doctree):
        tags["name", "ppslab-wide"] = "yes"
    if pagename in ("search", "genindex"):
        tags["name", "robots"] = "noindex"
    context["metatags"] = str(context.get("metatags") or "") + "".join(
        f'\n    <meta {kind}="{name}" content="{escape(text)}" />'
        for (kind, name), text in tags.items()
    )


def _is_wide(context: dict[str, Any], doctree: nodes.document | None) -> bool:
    """Return True if no list of its sections stands beside the page, or it is a table of claims."""
    if not context.get("display_toc") or doctree is None:
        return True
    return any("ppslab-claims" in one["classes"] for one in doctree.findall(nodes.container))


def load_late(
    _app: Sphinx, pagename: str, _templatename: str, context: dict[str, Any], _doctree: object
) -> None:
    """Let no script hold up the page: each is fetched beside it and run after it, in their order.

    The search page has scripts of its own that are not told so, and need these before them.
    """
    # Only a switch between versions of a site reads this one, which this has not.
    switch = "DOCUMENTATION_OPTIONS.pagename"
    scripts = [
        each for each in context.get("script_files", [])
        if switch not in str(getattr(each, "attributes", {}).get("body", ""))
    ]  # fmt: skip
    context["script_files"] = scripts
    for script in scripts:
        if getattr(script, "filename", None):
            script.attributes.pop("defer", None)
            if pagename != "search":
                script.attributes["defer"] = "defer"


_DEFAULT = (
    "How fast does a MikroTik RouterOS router forward packets, and why? "
    "A course whose numbers anyone can measure again."
)


def _title(context: dict[str, Any], site: str) -> str:
    """The page's own title, with the site's name where there is room for it."""
    own = unescape(re.sub(r"<[^>]+>", "", str(context.get("title") or ""))) or site
    both = f"{own} - {site}"
    return pages.shortened(both if len(both) <= pages.MOST_TITLE else own, pages.MOST_TITLE)


def _description(context: dict[str, Any], doctree: nodes.document | None) -> str:
    """The page's own description, or its beginning, cut at a sentence where it is long."""
    if "page_description" in context:
        return str(context["page_description"])
    return pages.shortened(_first_paragraph(doctree) or _DEFAULT, pages.MOST_DESCRIPTION)


def _first_paragraph(doctree: nodes.document | None) -> str:
    """The first paragraph below the page's own title; a page without one says its goals."""
    if doctree is None:
        return ""
    for paragraph in doctree.findall(nodes.paragraph):
        above = paragraph.parent
        if isinstance(above, nodes.section) and isinstance(above.parent, nodes.document):
            return str(paragraph.astext())
    for block in doctree.findall(nodes.Element):
        if "ppslab-goals" in block.get("classes", ()):
            goals = [item.astext().rstrip(".,") for item in block.findall(nodes.list_item)]
            return f"You will know {', '.join(goals)}." if goals else ""
    return ""


def pages_of(env: BuildEnvironment, docname: str) -> list[tuple[str, str]]:
    """The row of a chapter's pages: document and title; empty for a page without.

    The chapter's notebook stands at its end.
    """
    for first, below in env.toctree_includes.items():
        chapter = PurePosixPath(first)
        # A chapter that is below another one has its own row.
        mine = docname.startswith((f"{chapter.parent}/", "notebooks/"))
        if chapter.name != "index" or docname not in (first, *below) or not mine:
            continue
        places = ((each, PurePosixPath(each)) for each in (first, *below))
        steps = [
            (each, PAGES[place.name])
            for each, place in places
            if place.parent == chapter.parent and place.name in PAGES
        ]
        if len(steps) > 1:
            notebooks = [(each, "Notebook") for each in below if each.startswith("notebooks/")]
            return [*steps, *notebooks]
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


_PIECE = re.compile(
    r"<(script|style|pre|code|textarea|option)\b.*?</\1>|<!--.*?-->|<[^>]*>|([^<]+)", re.DOTALL
)
"""Code with its tags, a comment, a tag, or text."""


def respaced(html: str) -> str:
    """HTML whose texts have their numbers in the one form; what is code stays as it is typed.

    >>> respaced("<p>1 170 641 <code>1 170 641</code></p>").count(chr(0x202F))
    2
    """
    return _PIECE.sub(lambda piece: regrouped(piece[2]) if piece[2] else piece[0], html)


def respace(
    _app: Sphinx, _pagename: str, _templatename: str, context: dict[str, Any], _doctree: object
) -> None:
    if "body" in context:
        context["body"] = respaced(context["body"])
