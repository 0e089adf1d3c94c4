"""A chapter's key figures: the sentences of its slides that quote what was measured."""

from __future__ import annotations

import re

from ppslab import results
from ppslab.course.site.directives import numbers
from ppslab.course.site.directives.sources import Source
from ppslab.course.workshop.slides import decks
from ppslab.lab import lab as labs

_NUMBER = re.compile(r"\{ppslab-number\}`([^`]+)`")
_MEASURED = re.compile(r"\{ppslab-number\}`[a-z0-9-]+ (?:cost|ratio|share) ")


def of(name: str) -> list[str]:
    """Sentences in Markdown, with the numbers of the newest record; none without a record."""
    lines = [
        line.strip()
        for slide in decks.of(name)
        for line in slide.body.splitlines()
        if _MEASURED.search(line)
    ]
    return [said for line in lines if numbers.NO_RUN not in (said := _NUMBER.sub(_shown, line))]


def _shown(found: re.Match[str]) -> str:
    lab, *words = found[1].split()
    return numbers.number(Source(labs.find(lab), results.newest(lab)), words)[0]
