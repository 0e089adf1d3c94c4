"""What a page marks as a slide: `{ppslab-slide}` around text that readers of the site see as well.

    ::::{ppslab-slide} What a packet costs
    :minutes: 5
    :ask: Which bar did you not expect?
    :wrong: Somebody reads the bars as rates.

    ...
    ::::

The options are the speaker's notes, which the site does not show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError, did_you_mean

NAME = "ppslab-slide"
OPTIONS = ("minutes", "ask", "wrong", "guess")
"""Minutes; what to ask the class; what goes wrong here; whether the class's guesses come next."""

_OPEN = re.compile(r"^(:{3,})\{ppslab-slide\} *(.*)$")
_CODE = re.compile(r"^(`{3,}|~{3,})")
_OPTION = re.compile(r"^:(\w+): *(.*)$")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:)[^)\s]*\)")


@dataclass(frozen=True)
class Slide:
    """A slide: `body` is Markdown; `minutes` 0 where none are named."""

    title: str
    body: str
    minutes: int = 0
    ask: str = ""
    wrong: str = ""
    guess: bool = False

    @property
    def notes(self) -> str:
        """What the speaker reads, in Markdown; empty where there is nothing to say."""
        lines = [
            f"{self.minutes} minutes." if self.minutes else "",
            f"Ask: {self.ask}" if self.ask else "",
            f"What goes wrong: {self.wrong}" if self.wrong else "",
        ]
        return "\n\n".join(line for line in lines if line)


def of_page(page: Path) -> list[Slide]:
    """The slides that a page marks, in its order; FileError with the line for a bad mark."""
    return list(_slides(page, documents.read_text(page).splitlines()))


def _slides(page: Path, lines: list[str]) -> Iterator[Slide]:
    number = 0
    while number < len(lines):
        opened, code = _OPEN.match(lines[number]), _CODE.match(lines[number])
        number += 1
        if code is not None:  # an example of a mark is none
            while number < len(lines) and lines[number].rstrip() != code[1]:
                number += 1
            number += 1
        if opened is None:
            continue
        begins, fence = number, opened[1]
        while number < len(lines) and lines[number].rstrip() != fence:
            number += 1
        if number == len(lines):
            raise FileError(page, begins, f"this slide has no end: a line {fence!r}")
        yield _slide(page, begins, opened[2].strip(), lines[begins:number])
        number += 1


def _slide(page: Path, line: int, title: str, inside: list[str]) -> Slide:
    options: dict[str, str] = {}
    while inside and (option := _OPTION.match(inside[0])):
        name = option[1]
        if name not in OPTIONS:
            raise FileError(page, line, f"no option {name!r}{did_you_mean(name, OPTIONS)}")
        options[name] = option[2].strip()
        inside = inside[1:]
    body = without_links("\n".join(inside)).strip()
    minutes = options.get("minutes", "0")
    if not title or not body:
        raise FileError(page, line, "a slide has a title behind its name, and text below")
    if not minutes.isdigit():
        raise FileError(page, line, f"minutes are a whole number, not {minutes!r}")
    if any(text.startswith("#") for text in body.splitlines()):
        raise FileError(page, line, "a slide holds no heading: its title is behind its name")
    return Slide(
        title,
        body,
        int(minutes),
        options.get("ask", ""),
        options.get("wrong", ""),
        guess="guess" in options,
    )


def without_links(text: str) -> str:
    """Markdown whose links to other pages of the site are only their words.

    >>> without_links("see [the method](../method.md) and [MikroTik](https://mikrotik.com)")
    'see the method and [MikroTik](https://mikrotik.com)'
    """
    return _LINK.sub(r"\1", text)
