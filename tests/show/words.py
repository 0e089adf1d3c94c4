"""The ids of the labs, which commands and files take and no reader should meet in a sentence."""

from __future__ import annotations

import re

from ppslab.model.lab import lab, published

_WORD = re.compile(r"(?<![\w/.#-])[a-z0-9]+(?:-[a-z0-9]+)+(?![\w/-])")


def ids_in(text: str) -> list[str]:
    """The ids of conditions and of published rows in a text: those that are no English word."""
    known = set()
    for found in map(lab.find, lab.names()):
        known |= {*found.conditions, *published.load(found)}
    return sorted(known.intersection(_WORD.findall(text)))
