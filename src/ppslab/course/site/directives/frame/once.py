"""What a page shows once: where the numbers of a run come from, those in its text, and a long note.

Each table and figure brings the whole sign of its runs (`ppslab.core.provenance`), since it cannot
know what else is on its page.  Here the first sign of the same runs stays, and the others become a
mark in the caption that leads into it: a browser opens it there, without a script.
A number in a sentence leads to the page's last fold, which has each source and interval once.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from sphinx.application import Sphinx

from ppslab.core.text.language import N_, gettext

LONG = 15
"""Words of a note that a page shows once; a shorter one explains its own table."""

Part = tuple[tuple[str, str], ...]
"""A list of a sign: its terms and words, as HTML."""

_SIGN = re.compile(
    r'<details class="ppslab-made"[^>]*><summary>(.*?)</summary>(.*?)</details>', re.DOTALL
)
_PART = re.compile(r"<dl>(.*?)</dl>", re.DOTALL)
_PAIR = re.compile(r"<dt>(.*?)</dt><dd>(.*?)</dd>", re.DOTALL)
_NOTE = re.compile(r'<p class="ppslab-note">(.*?)</p>\s*', re.DOTALL)
_NOTES = r'(?:\s|</div>|<p class="ppslab-note">(?:(?!</p>).)*</p>)*\Z'
_CAPTION = re.compile(
    r'(?:<a class="headerlink"[^>]*>[^<]*</a>)?</caption>(?:(?!<caption\b).)*</table>' + _NOTES
    + r"|(?<=</strong>)" + _NOTES,
    re.DOTALL,
)  # fmt: skip
"""The end of a caption, of a table or a figure that ends where a sign begins."""

WORDS = N_("How these numbers were measured")
OF_TEXT = N_("Where the numbers in the text come from")

_NO_LINK = "a|label|legend|summary|caption|h[1-6]"
"""Elements in which a number leads nowhere: their own click is another."""

_NUMBER = re.compile(
    rf"<(/?)(?:{_NO_LINK})\b|<abbr class=\"ppslab-number\" title=\"([^\"]*)\">(.*?)</abbr>",
    re.DOTALL,
)
_INTERVAL = re.compile(r"(95 % interval: [^;]*); ")
_LONG_NUMBER = 40
"""Letters from which on it is a sentence, which its source need not repeat."""


def signs(body: str) -> str:
    """The page with one sign for the same runs, and marks for the others."""
    every = [(sign, _parts(sign[2])) for sign in _SIGN.finditer(body)]
    merged: dict[tuple[Part, ...], list[Part]] = {}
    for _, parts in every:
        known = merged.setdefault(_runs(parts), parts)
        merged[_runs(parts)] = [_joined(*both) for both in zip(known, parts, strict=True)]
    shown = ""
    last = 0
    placed: list[tuple[Part, ...]] = []
    for sign, parts in every:
        key = _runs(parts)
        shown += body[last : sign.start()]
        last = sign.end()
        if key in placed:
            shown = _marked(shown, placed.index(key) + 1)
            continue
        placed.append(key)
        lists = "".join(map(_list, merged[key]))
        lists = lists.replace("<dl>", f'<dl id="ppslab-made-{len(placed)}">', 1)
        shown += sign[0].replace(sign[2], lists)
    return shown + body[last:]


def numbers(body: str) -> str:
    """The page whose numbers in sentences lead to their sources, in a fold at its end."""
    sources: dict[str, dict[str, None]] = {}
    inside = 0

    def linked(found: re.Match[str]) -> str:
        nonlocal inside
        if found[2] is None:
            inside += -1 if found[1] else 1
            return found[0]
        if inside:
            return found[0]
        interval = _INTERVAL.match(found[2])
        source = found[2][interval.end() :] if interval else found[2]
        said = f"{found[3]} ({interval[1]})" if interval else found[3]
        known = sources.setdefault(source, {})
        if len(found[3]) < _LONG_NUMBER:
            known[said] = None
        number = list(sources).index(source) + 1
        link = f'<a class="ppslab-number" href="#ppslab-number-{number}" title="{found[2]}">'
        return f"{link}{found[3]}</a>"

    shown = _NUMBER.sub(linked, body)
    if not sources:
        return shown
    rows = "".join(
        f'<li id="ppslab-number-{number}">{"; ".join(of)}{": " if of else ""}{source}</li>'
        for number, (source, of) in enumerate(sources.items(), start=1)
    )
    opening = f'<div class="ppslab"><details><summary>{gettext(OF_TEXT)}</summary>'
    return f"{shown}{opening}<ol>{rows}</ol></details></div>"


def notes(body: str) -> str:
    """The page without long notes that it has shown before."""
    known: set[str] = set()

    def once(note: re.Match[str]) -> str:
        text = " ".join(unescape(re.sub(r"<[^>]+>", "", note[1])).split())
        if len(text.split()) < LONG or text not in known:
            known.add(text)
            return note[0]
        return ""

    return _NOTE.sub(once, body)


def _parts(lists: str) -> list[Part]:
    """The lists of a sign: one for each run, and one of what holds for all, which may be empty."""
    parts = [tuple(_PAIR.findall(each)) for each in _PART.findall(lists)]
    return parts if parts and not _is_run(parts[-1]) else [*parts, ()]


def _is_run(part: Part) -> bool:
    return any(term == "backend" for term, _ in part)


def _runs(parts: list[Part]) -> tuple[Part, ...]:
    """What two signs of the same runs share: only some tables have times, and so a clock."""
    return tuple(tuple(pair for pair in part if pair[0] != "clock") for part in parts[:-1])


def _joined(one: Part, other: Part) -> Part:
    return (*one, *(pair for pair in other if pair not in one))


def _list(part: Part) -> str:
    rows = "".join(f"<div><dt>{term}</dt><dd>{words}</dd></div>" for term, words in part)
    return f"<dl>{rows}</dl>" if rows else ""


def _marked(before: str, number: int) -> str:
    """The page up to a sign, with a mark in the caption of what the sign is of."""
    words = gettext(WORDS)
    link = f'<a class="ppslab-made-at" href="#ppslab-made-{number}" title="{words}"'
    link = f'{link} aria-label="{words}">\u24d8</a>'
    # No caption begins before this; a page is long.
    caption = _CAPTION.search(before, max(0, before.rfind("<caption"), before.rfind("<strong>")))
    if caption is None:
        return f"{before}<p>{link}</p>"
    return f"{before[: caption.start()]} {link}{before[caption.start() :]}"


def _page(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: object
) -> None:
    del pagename, templatename, doctree
    if app.builder.name == "html" and "body" in context:
        context["body"] = numbers(notes(signs(context["body"])))


def setup(app: Sphinx) -> None:
    """Called by the extension."""
    app.connect("html-page-context", _page)
