"""A site in another language: what directives wrote is translated, and what lacks is English's.

The prose of a page Sphinx translates by the page's own catalogue.  What directives write besides is
translated here, text by text, when the page is ready; the same walk hands these texts to the
gettext builder, with {0}, {1} for their numbers, so that no number of a record is in a message.

The site of a language lies in a folder of the English one.  It holds only the pages that are
translated; links to others, scripts, styles and pictures lead to the English site.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import escape, unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.builders.gettext import MsgOrigin
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.inventory import InventoryFile
from sphinx.util.nodes import is_translatable
from sphinx.util.osutil import relative_uri

from ppslab.core import documents
from ppslab.core.text import language
from ppslab.core.text.language import gettext
from ppslab.course import messages
from ppslab.course.messages import ENGLISH
from ppslab.course.site.directives.env_store import Noted
from ppslab.course.site.directives.nodes import above

GENERATED = "generated"
"""The catalogue of what directives write."""
SCRIPT, FILE, STYLE = "gettext.js", "messages.js", "languages.css"
FIRST = 100
"""Before every other script of the site (`Sphinx.add_js_file`)."""

# --- a text, and the numbers in it ---------------------------------------------------------------

_NUMBER = re.compile(r"(?<![\w{`])\d+(?:[\u202f\u2009\u00a0 ]\d{3})*(?:[.,:-]\d+)*(?![\w`])")
_WORD = re.compile(r"[A-Za-z]{3}")
_TYPED = str.maketrans("\u2019\u2018\u201c\u201d", "''\"\"", "")


def numbered(text: str) -> tuple[str, list[str]]:
    """A text with {0}, {1} for its numbers, and the numbers.

    >>> numbered("11 tasks, 35 minutes, RFC 2544")
    ('{0} tasks, {1} minutes, RFC {2}', ['11', '35', '2544'])
    """
    numbers: list[str] = []

    def place(match: re.Match[str]) -> str:
        numbers.append(match[0])
        return f"{{{len(numbers) - 1}}}"

    return _NUMBER.sub(place, text), numbers


def translated(text: str) -> str:
    """The translation of a text that a directive wrote; the white space around it stays."""
    written = text.strip()
    if not _WORD.search(written):
        return text
    for core in dict.fromkeys((written, straight(written))):
        pattern, numbers = numbered(core)
        for message in dict.fromkeys((core, pattern)):
            found = gettext(message)
            if found != message:
                for place, number in enumerate(numbers if message == pattern else ()):
                    found = found.replace(f"{{{place}}}", number)
                return text.replace(written, found)
    return text


def straight(text: str) -> str:
    """A text as it was typed, before Sphinx made its quotes and dashes those of a book."""
    return text.translate(_TYPED)


# --- what a directive wrote ----------------------------------------------------------------------

_PIECE = re.compile(
    r"<(script|style|pre|code|textarea|dt)\b.*?</\1>|<!--.*?-->|<[^>]*>|([^<]+)", re.DOTALL
)
"""Code with its tags, a comment, a tag, or text."""
_SAYS = re.compile(r'\b(aria-label|placeholder|title|alt)="([^"]+)"')
_SKIPPED = (nodes.literal, nodes.literal_block, nodes.abbreviation, nodes.comment, nodes.raw)
_DONE = {"ppslab-under", "ppslab-widget-still"}
"""Classes of sources, which are quoted as they are, and of what a model has translated already."""


def _texts(doctree: nodes.document) -> Iterator[nodes.Text]:
    """The texts that directives wrote, outside of code."""
    for text in doctree.findall(nodes.Text):
        if not any(
            isinstance(each, _SKIPPED) or is_translatable(each)
            or each.get("said") or _DONE & set(each.get("classes", ()))
            for each in above(text)
        ):  # fmt: skip
            yield text


def html(text: str, word: Callable[[str], str]) -> str:
    """HTML with every text, and every attribute that is read aloud, put through `word`."""

    def attribute(match: re.Match[str]) -> str:
        return f'{match[1]}="{escape(word(unescape(match[2])))}"'

    def piece(match: re.Match[str]) -> str:
        if match[2]:
            return escape(word(unescape(match[2])), quote=False)
        data = match[1] in ("script", "style") or match[0].startswith("<!--")
        return match[0] if data else _SAYS.sub(attribute, match[0])

    return _PIECE.sub(piece, text)


def resolved(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Translate what directives wrote, or hand it to the builder of catalogues."""
    if app.builder.name == "gettext":
        note(app, doctree, docname)
    elif app.config.language != ENGLISH:
        # The page's table of contents has been made from the headings before.
        for text in [*_texts(doctree), *app.env.tocs[docname].findall(nodes.Text)]:
            shown = translated(text.astext())
            if shown != text.astext() and text.parent is not None:
                text.parent.replace(text, nodes.Text(shown))
        for raw in doctree.findall(nodes.raw):
            if "html" in raw.get("format", ""):
                raw.children = [nodes.Text(html(raw.astext(), translated))]
                raw.rawsource = raw.astext()


def note(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Add what directives wrote to the catalogue of such texts."""
    catalog = app.builder.catalogs[GENERATED]  # type: ignore[attr-defined]

    def add(text: str) -> str:
        pattern, _ = numbered(straight(text.strip()))
        words = _WORD.search(pattern) and (" " in pattern or pattern.rstrip(":").isalpha())
        if words and f"{{{MOST_NUMBERS}}}" not in pattern:
            catalog.add(pattern, MsgOrigin(app.env.doc2path(docname), 0))
        return text

    for text in _texts(doctree):
        if not _is_data(text):
            add(text.astext())
    for raw in doctree.findall(nodes.raw):
        # A mark that names the source of one fact is quoted as it is.
        if "html" in raw.get("format", "") and _SOURCE not in raw.astext():
            html(_DATA.sub("", raw.astext()), add)
    for line in SAID.of(app.env).get(docname, []):
        if _WORD.search(line):
            catalog.add(numbered(straight(line))[0], MsgOrigin(app.env.doc2path(docname), 0))


_DATA = re.compile(r"<(option|desc)\b[^>]*>.*?</\1>", re.DOTALL)
"""Names in a list, and numbers of a figure in words."""
_SOURCE = '<details class="ppslab-source"'
MOST_NUMBERS = 16
"""From this many numbers on, a text is a row of data."""


def _is_data(text: nodes.Text) -> bool:
    """True for a cell with a name or a number: it has a capital letter or a digit."""
    words = text.astext()
    in_body = any(isinstance(each, nodes.tbody) for each in above(text))
    return in_body and (words != words.lower() or re.search(r"\d", words) is not None)


SAID: Noted[list[str]] = Noted("said")
"""For each page the lines of Markdown that directives parse, of YAML or of the page itself."""


def said(env: BuildEnvironment, text: str) -> str:
    """The translation of a line of Markdown, which the catalogue learns of."""
    SAID.of(env).setdefault(env.docname, []).append(text)
    return translated(text)


# --- around the page -----------------------------------------------------------------------------


def begin(app: Sphinx, config: Config) -> None:
    """Take the language's catalogues; for English there are none."""
    code = str(config.language or ENGLISH)
    root = Path(app.srcdir)
    if code != ENGLISH:
        # The language's own quotation marks would hide a text from its catalogue.
        config.smartquotes = False
    language.use({} if code == ENGLISH else messages.catalogue(code, root=root))


def give(app: Sphinx) -> None:
    """Give pages the texts of their scripts, ahead of every script that shows one."""
    code = str(app.config.language or ENGLISH)
    if app.builder.name != "html":
        return  # a deck of slides has no script of the site
    app.add_js_file(SCRIPT, priority=FIRST, loading_method="defer")
    if code == ENGLISH:
        return
    known = messages.catalogue(code, messages.IN_PAGES, Path(app.srcdir))
    text = json.dumps(known, ensure_ascii=False, sort_keys=True, indent=0)
    path = Path(app.outdir) / "_static" / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    documents.write_atomic(path, f"(globalThis.ppslab ??= {{}}).messages = {text};\n")
    app.add_js_file(FILE, priority=FIRST, loading_method="defer")


def links(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    """Name a page's other languages, in its head and below it; above a translation, say so."""
    del templatename
    if app.builder.format != "html" or doctree is None:
        return
    here = str(app.config.language or ENGLISH)
    known = messages.languages(Path(app.srcdir))
    others = [code for code, each in known.items() if each.has(pagename)]
    if not others:
        return
    app.add_css_file(STYLE)
    own = app.builder.get_target_uri(pagename)
    root = "/".join([".."] * (own.count("/") + (here != ENGLISH))) or "."
    base = str(app.config.html_baseurl or "")
    at = {ENGLISH: own, **{code: f"{code}/{own}" for code in others}}
    names = {ENGLISH: "English", **{code: known[code].name for code in others}}
    context["metatags"] = str(context.get("metatags") or "") + "".join(
        f'\n    <link rel="alternate" hreflang="{code}" href="{base or root + "/"}{address}" />'
        for code, address in (*at.items(), ("x-default", own))
    )
    listed = "".join(
        f'<li><span aria-current="true" lang="{code}">{escape(names[code])}</span></li>'
        if code == here
        else f'<li><a href="{root}/{address}" hreflang="{code}" lang="{code}">'
        f"{escape(names[code])}</a></li>"
        for code, address in at.items()
    )
    label = escape(gettext("Languages"))
    switch = f'<nav class="ppslab-languages" aria-label="{label}"><ul>{listed}</ul></nav>'
    context["theme_extra_footer"] = switch + str(context.get("theme_extra_footer") or "")
    if here != ENGLISH:
        context["body"] = _mark(f"{root}/{own}") + context["body"]


def _mark(original: str) -> str:
    """The note above a translation: it wants a reader, who can report mistakes."""
    text = gettext(
        "This page is a translation, and no native speaker has checked it yet. "
        "If a sentence is unclear, read the {link}English page{end}. To report a mistake, open "
        "an issue with the page's address, the sentence and your suggestion."
    )
    link = f'<a href="{original}" hreflang="{ENGLISH}" lang="{ENGLISH}">'
    note = escape(text, quote=False).format(link=link, end="</a>")
    return f'<p class="ppslab-translation" role="note">{note}</p>'


# --- what a language lacks -----------------------------------------------------------------------


def english(app: Sphinx) -> Path | None:
    """The English site that this one lies in; None where there is none."""
    site = Path(app.outdir).parent
    return site if (site / "objects.inv").is_file() else None


class Elsewhere(SphinxPostTransform):
    """Links to pages that the language lacks: as if they were there; `borrow` leads them out."""

    # Ahead of MyST's own, which takes each of them for a mistake.
    default_priority = 5

    def run(self, **kwargs: object) -> None:
        """Resolve them by the English site's inventory."""
        del kwargs
        if self.app.builder.format != "html" or self.config.language == ENGLISH:
            return
        site = english(self.app)
        known = _inventory(site / "objects.inv") if site else {}
        for link in list(self.document.findall(addnodes.pending_xref)):
            target = link["reftarget"]
            if link.get("refdomain") == "doc" and target not in self.env.all_docs:
                address = self.app.builder.get_target_uri(target)
                if link.get("reftargetid"):
                    address += f"#{link['reftargetid']}"
                self._refer(link, address, known.get(("std:doc", target), ("", target))[1])
            elif link.get("refdomain") in ("std", "", None) and self._lacks(target):
                found = known.get(("std:label", target)) or known.get(("std:doc", target))
                if found:
                    self._refer(link, *found)

    def _lacks(self, label: str) -> bool:
        domain = self.env.domaindata["std"]
        return label not in domain["labels"] and label not in domain["anonlabels"]

    def _refer(self, link: addnodes.pending_xref, address: str, title: str) -> None:
        here = self.app.builder.get_target_uri(self.env.docname)
        # Which drops the anchor.
        page, mark, anchor = address.partition("#")
        made = nodes.reference(
            "", "", internal=True, refuri=f"{relative_uri(here, page)}{mark}{anchor}"
        )
        if link.get("refexplicit") and link.astext().strip():
            made += link[0].children if isinstance(link[0], nodes.inline) else link.children
        else:
            made += nodes.Text(title)
        link.replace_self(made)


@lru_cache(maxsize=1)
def _inventory(inventory: Path) -> dict[tuple[str, str], tuple[str, str]]:
    """The English site's pages and labels: address and title."""
    with inventory.open("rb") as file:
        read = InventoryFile.load(file, "", lambda _, address: address)
    return {
        (kind, name): (address, name if title == "-" else title)
        for kind in ("std:doc", "std:label")
        for name, (_, _, address, title) in read.get(kind, {}).items()
    }


def _plain(script: Path) -> None:
    """Add Sphinx's own texts without its `new Function`, which the site's policy forbids.

    The words for one and for several, which doctools.js chooses itself, stay.
    """
    call = "Documentation.addTranslations("
    text = script.read_text(encoding="utf-8") if script.is_file() else ""
    if text.startswith(call):
        catalog = json.loads(text.removeprefix(call).rstrip().removesuffix(");"))
        messages, locale = (json.dumps(catalog[key]) for key in ("messages", "locale"))
        script.write_text(
            f"Object.assign(Documentation.TRANSLATIONS, {messages});\n"
            f"Documentation.LOCALE = {locale};\n",
            encoding="utf-8",
        )


_ADDRESS = re.compile(r'(\s(?:href|src)=")([^"#?:]+)(?=[#?"])')


def borrow(app: Sphinx, error: Exception | None) -> None:
    """Let pages use what the English site has: its pages, and files that are the same here."""
    site = english(app)
    if error or app.builder.name != "html" or app.config.language == ENGLISH or site is None:
        return
    out = Path(app.outdir)
    _plain(out / "_static/translations.js")
    for path in sorted(out.rglob("*"), reverse=True):
        same = site / path.relative_to(out)
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.suffix != ".inv" and same.is_file() and filecmp.cmp(path, same):
            path.unlink()
    for page in out.rglob("*.html"):

        def address(match: re.Match[str], page: Path = page) -> str:
            wanted = Path(os.path.normpath(page.parent / match[2]))
            if not wanted.is_relative_to(out) or wanted.exists():
                return match[0]
            there = site / wanted.relative_to(out)
            return match[1] + os.path.relpath(there, page.parent) if there.exists() else match[0]

        text = page.read_text(encoding="utf-8")
        page.write_text(_ADDRESS.sub(address, text), encoding="utf-8")
