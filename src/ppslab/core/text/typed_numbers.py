"""Large numbers that somebody typed, or a source printed, written as every other number is."""

from __future__ import annotations

import re

from ppslab.core.text.grouping import grouped

_TYPED = re.compile(r"(?<![\w.,:/-])\d{1,3}([ ,\u00a0])\d{3}(?:\1\d{3})*(?!\w|,\d)")


def regrouped(text: str) -> str:
    """Text whose numbers have their thousands apart in the one way there is.

    >>> regrouped("with 1 000 routes, 942,326 of them").split(chr(0x202F))
    ['with 1000 routes, 942', '326 of them']
    """
    return _TYPED.sub(lambda found: grouped(re.sub(r"[ ,\u00a0]", "", found[0])), text)
