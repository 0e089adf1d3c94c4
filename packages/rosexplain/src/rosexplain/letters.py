"""The letters of a drawing: how wide they are, where a text is cut, and how it is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

LONGEST = 400
"""Letters of a text that are looked at: more than have room anywhere."""

INK, MUTED = "#1b2430", "#515c6b"
SANS = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
MONO = "ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


class Look(NamedTuple):
    """Letters: their size in units, bold or not, of one width or not, and their colour."""

    size: float
    bold: bool
    mono: bool
    colour: str


LOOKS = {
    "title": Look(16, True, False, INK),
    "text": Look(13, False, False, INK),
    "small": Look(12, False, False, MUTED),
    "lane": Look(12, True, False, INK),
    "name": Look(13, True, False, INK),
    "away": Look(13, False, False, MUTED),
    "rule": Look(12, False, True, INK),
    "why": Look(12, False, False, INK),
    "on-amber": Look(13, True, False, INK),
}


SLIM = "iljtfrI.,:;'|!()[]/ -"
BROAD = "mwMW@%"
SLENDER = "EFJLPSTXYZ"
SIGNS = "=+<>~#&_$?^"


def _units(letter: str) -> float:
    if letter in SLIM:
        return 0.45
    if letter in BROAD:
        return 1.03
    if letter in SLENDER:
        return 0.7
    return 0.85 if letter in SIGNS or letter != letter.lower() else 0.64


ASCII = [_units(chr(code)) for code in range(0x80)]
"""The units that each of these letters takes."""


def _codes(text: str) -> Iterable[int]:
    """Its letters as numbers: MicroPython looks for each letter of a text among all its names."""
    data = text.encode("utf-8", "surrogatepass")
    return data if len(data) == len(text) else [ord(letter) for letter in text]


def width_of(text: str, look: str) -> float:
    """The most units that a text takes in the broadest of the usual fonts."""
    of = LOOKS[look]
    total = 0.0
    for code in _codes(text):
        if code >= 0x1100:
            total += 1.4 if code >= 0x2E80 or code < 0x1200 else 1.05
        elif of.mono:
            total += 0.62
        elif code >= 0x80:
            total += 1.07 if code < 0x180 else 1.26 if 0x370 <= code < 0x530 else 1.45
        else:
            total += ASCII[code]
    return total * of.size * (1.12 if of.bold else 1)


def plain(text: str) -> str:
    """A text without control characters, marks of direction, and what XML does not take."""
    if not [code for code in _codes(text) if not 0x20 <= code < 0x7F]:
        return " ".join(text.split())
    kept = []
    for letter in text:
        code = ord(letter)
        unseen = 0x200B <= code <= 0x200F or 0x202A <= code <= 0x202E or 0x2060 <= code <= 0x206F
        if code < 32 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029):
            kept.append(" ")
        elif 0xD800 <= code < 0xE000 or code in (0xFFFE, 0xFFFF):
            kept.append("\ufffd")
        elif not unseen and code not in (0xFEFF, 0x61C):
            kept.append(letter)
    return " ".join("".join(kept).split())


def wrapped(text: str, look: str, room: float, most: int) -> list[str]:
    """At most so many lines that fit; the last ends in … where there is more."""
    lines: list[str] = []
    line = ""
    words = plain(text[:LONGEST]).split(" ")
    while words and len(lines) < most:
        word = words.pop(0)
        longer = line + " " + word if line else word
        if width_of(longer, look) <= room:
            line = longer
            continue
        if not line:  # longer than a line by itself
            # No letter is slimmer than an i: what follows so many fits in no font.
            cut = min(len(word) - 1, int(room / width_of("i", look)) + 1)
            while cut > 1 and width_of(word[:cut], look) > room:
                cut -= 1
            for at in range(cut, max(cut - 14, 0), -1):
                if word[at - 1] in ",=/:":
                    cut = at
                    break
            line, word = word[:cut], word[cut:]
        words.insert(0, word)
        lines.append(line)
        line = ""
    if line and len(lines) < most:
        lines.append(line)
    elif words or line:
        last = lines[-1]
        while last and width_of(last + "…", look) > room:
            last = last[:-1]
        lines[-1] = last + "…"
    return [line for line in lines if line]


def escape(text: str) -> str:
    """Text for SVG and HTML, in content and in attributes.

    >>> escape('r1 > "r2" & <r3>')
    'r1 &gt; &quot;r2&quot; &amp; &lt;r3&gt;'
    """
    plain = text.replace("&", "&amp;").replace("<", "&lt;")
    return plain.replace(">", "&gt;").replace('"', "&quot;")
