"""What the signs of a page say of the runs behind its numbers."""

from __future__ import annotations

import re
from html import unescape

_SIGN = re.compile(r'<details [^>]*class="ppslab-made".*?</details>', re.DOTALL)
_PAIR = re.compile(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", re.DOTALL)


def said(page: str) -> list[str]:
    """Each sign as `Provenance.sentence` would say it, with what it says besides behind it."""
    return [
        "; ".join(f"{unescape(term)}: {unescape(words)}" for term, words in _PAIR.findall(sign))
        for sign in _SIGN.findall(page)
    ]


def says(page: str, sentence: str) -> bool:
    """Whether a sign of the page says this line."""
    return any(sentence in each for each in said(page))
