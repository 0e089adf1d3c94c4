"""The Content-Security-Policy of every page: what a browser may load for it, run in it and ask for.

In a `<meta>`, so that it goes wherever the site goes: a plain web server under any sub-path, a LAN,
a folder opened by a double click.  There are three limits to that.  A worker that comes from an
address has the policy of its own response, not its page's, so the Python of a page (worker.mjs,
Pyodide) is not held by it.  `frame-ancestors` and reports work in a header only.  And from file:,
`'self'` is every file of the disk.  Source: https://www.w3.org/TR/CSP3/.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping
from html.parser import HTMLParser
from pathlib import Path

SELF, NONE = "'self'", "'none'"

PAGES: Mapping[str, tuple[str, ...]] = {
    # Not 'none': Firefox fetches the next page ahead (rel="next"), which no other directive allows.
    "default-src": (SELF,),
    # 'wasm-unsafe-eval': MicroPython, in models.js.  blob: anywidget imports the code of a widget
    # from one; a page's own script alone can make it.  No 'unsafe-eval': nothing of ours needs it.
    "script-src": (SELF, "blob:", "'wasm-unsafe-eval'"),
    # Drawings, tables and figures carry style attributes, of which a page has up to thousands, and
    # widgets.js puts the styles of its widgets into the head: hashes know neither.
    "style-src": (SELF, "'unsafe-inline'"),
    # blob: the pictures of an ipywidgets Image, when a reader's own Python makes one.
    "img-src": (SELF, "data:", "blob:"),
    "font-src": (SELF, "data:"),
    # blob: MicroPython fetches its program from one, since file: allows no fetch.
    "connect-src": (SELF, "blob:"),
    "worker-src": (SELF, "blob:"),
    "frame-src": (NONE,),
    "object-src": (NONE,),
    "base-uri": (SELF,),
    # The search goes to search.html.
    "form-action": (SELF,),
}
"""Directive to sources, for the pages of the course."""

SEALED: Mapping[str, tuple[str, ...]] = {**PAGES, "connect-src": ("blob:",)}
"""For pages that take a reader's configuration, a router's output, or commands for one.

They may fetch nothing, not even from their own site; pictures, scripts and styles come from it.
"""

SEALED_PAGES = ("book/explain.html", "book/paste.html", "book/slow.html", "book/cases.html")

LITE: Mapping[str, tuple[str, ...]] = {
    **PAGES,
    # JupyterLab compiles the schemas of its settings (ajv), and runs a cell's JavaScript, by eval.
    "script-src": (SELF, "blob:", "'wasm-unsafe-eval'", "'unsafe-eval'"),
    # data: files that a reader opens or saves.
    "connect-src": (SELF, "blob:", "data:"),
    # Documents that JupyterLab shows beside a notebook.
    "frame-src": (SELF, "blob:"),
    "manifest-src": (SELF,),
}
"""For JupyterLite's own pages."""

HANDLERS = ("window.print()", "toggleFullScreen()", "return false")
"""The theme's buttons to print and to fill the screen, and a form of guesses that goes nowhere."""

SEARCH_BOX = "document.getElementById('searchbox').style.display = \"block\""
"""The script of Sphinx's basic theme that shows the search box, on every page but the search's."""

_META = re.compile(r'\s*<meta http-equiv="Content-Security-Policy"[^>]*>')
_HEAD = re.compile(
    r"<head\b[^>]*>(?:\s*<title>[^<]*</title>)?(?:\s*<meta charset=[^>]*>)?", re.IGNORECASE
)
_RUN = ("", "text/javascript", "application/javascript", "module", "importmap", "speculationrules")
"""Types of scripts that a browser runs, or obeys; any other is data."""


class Inline(HTMLParser):
    """The scripts and handlers in the page itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.handlers: list[str] = []
        self._inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take the handlers of any tag; begin a script that has no address."""
        self.handlers += [value or "" for name, value in attrs if name.startswith("on")]
        said = dict(attrs)
        if tag == "script" and "src" not in said and (said.get("type") or "").lower() in _RUN:
            self._inside = True
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.scripts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = False


def policy(
    rules: Mapping[str, tuple[str, ...]], scripts: Iterable[str], handlers: Iterable[str] = ()
) -> str:
    """The rules as a browser reads them, with the hashes of inline scripts and handlers."""
    more = _hashes(scripts)
    if hashed := _hashes(handlers):
        more += ["'unsafe-hashes'", *hashed]
    said = {**rules, "script-src": (*rules["script-src"], *more)}
    return "; ".join(f"{name} {' '.join(sources)}" for name, sources in said.items())


def _hashes(bodies: Iterable[str]) -> list[str]:
    """The hash of each, once, in a stable order."""
    digests = {hashlib.sha256(body.encode("utf-8")).digest() for body in bodies}
    return sorted(f"'sha256-{base64.b64encode(each).decode()}'" for each in digests)


def with_policy(text: str, said: str) -> str:
    """A page with this policy, in place of the one that it may have.

    Before all that it rules; only the encoding stands earlier, for it must be within 1024 bytes.
    """
    text = _META.sub("", text)
    head = _HEAD.search(text)
    if head is None:
        raise ValueError("a page without <head> has no place for its policy")
    tag = f'\n    <meta http-equiv="Content-Security-Policy" content="{said}">'
    return text[: head.end()] + tag + text[head.end() :]


def put(page: Path, said: str) -> None:
    """Give a page its policy; a page that has it already is not written."""
    text = page.read_bytes().decode("utf-8")
    made = with_policy(text, said)
    if made != text:
        page.write_bytes(made.encode("utf-8"))


def put_lite(folder: Path) -> None:
    """Give JupyterLite's pages theirs; its builder made them, and not from what records hold."""
    for page in sorted(folder.rglob("*.html")):
        found = Inline(page.read_text(encoding="utf-8"))
        put(page, policy(LITE, found.scripts, found.handlers))
