"""Numbers that are not written in the one form (base.text.grouping)."""

from __future__ import annotations

import re

from ppslab.core.text.typed_numbers import regrouped

_LONG = re.compile(r"(?<![\w.,:;/#=&-])\d{5,}(?![\w:/-])")
"""Digits without their thousands apart; not those of an address, a hash, a port or a path."""

NAMES = re.compile(r"\b(?:topics?|article|and|port|ports|seed|AS) $")
"""What stands before a number that is a name."""


def odd(text: str) -> list[str]:
    """The numbers of a text that have another form, as `1,260` and `1260000`."""
    long = [found[0] for found in _LONG.finditer(text) if not NAMES.search(text[: found.start()])]
    return long + ([text.strip()] if regrouped(text) != text else [])
