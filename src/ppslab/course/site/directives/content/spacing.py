"""Groups the digits of large numbers that somebody typed, or that a record prints."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

from ppslab.core.text.numbers import regrouped

_APART = re.compile(
    r"(<(script|style|pre|code|textarea|option)\b.*?</\2>|<!--.*?-->|<[^>]*>)", re.DOTALL
)


def respaced(html: str) -> str:
    """HTML whose texts have their numbers in the one form; what is code stays as it is typed.

    >>> respaced("<p>1 170 641 <code>1 170 641</code></p>").count(chr(0x202F))
    2
    """
    parts: list[str] = []
    last = 0
    for tag in _APART.finditer(html):
        parts += [regrouped(html[last : tag.start()]), tag[0]]
        last = tag.end()
    return "".join([*parts, regrouped(html[last:])])


def _page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    del app, pagename, templatename, doctree
    if "body" in context:
        context["body"] = respaced(context["body"])


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("html-page-context", _page)
