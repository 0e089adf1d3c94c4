"""Text for a terminal: of whatever origin, with nothing in it that a terminal obeys.

File names, cells of a table, a router's words, a record's title: all of it was written by others,
and an escape sequence in it could move the cursor, rewrite what was shown or set the title.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import typer
from rich.console import Console as RichConsole
from rich.console import ConsoleOptions, RenderableType
from rich.segment import Segment

_KEPT = "\n\t"
_PICTURES = 0x2400
"""U+2400 and on are pictures of the control characters: ESC becomes one character too, `␛`."""

_SHOWN: dict[int, str] = {code: chr(_PICTURES + code) for code in range(0x20)}
_SHOWN[0x7F] = "\u2421"
# C1 controls do what ESC does; half a surrogate pair cannot be written at all.
_SHOWN |= dict.fromkeys(range(128, 160), "�")
_SHOWN |= dict.fromkeys(range(55296, 57344), "�")
# What turns the direction of writing: text could be read as what it is not.
_SHOWN |= dict.fromkeys((*range(8234, 8239), *range(8294, 8298)), "�")
for _kept in _KEPT:
    del _SHOWN[ord(_kept)]


def printable(text: str) -> str:
    """The text with pictures for control characters; line ends and tabs stay.

    >>> printable("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return text if text.isascii() and text.isprintable() else text.translate(_SHOWN)


def one_line(text: str) -> str:
    """The text made printable, on one line.

    >>> one_line(" a\\x1b[2Jb\\n  c")
    'a␛[2Jb c'
    """
    return " ".join(printable(text).split())


def echo(text: object, *, nl: bool = True, err: bool = False) -> None:
    """Print a text to standard output, or to standard error, made printable."""
    typer.echo(printable(str(text)), nl=nl, err=err)


class Console(RichConsole):
    """rich's console, which makes every text that it renders printable."""

    def __init__(self, **words: Any) -> None:
        super().__init__(highlight=False, emoji=False, **words)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with its own control sequences and no others."""
        for segment in super().render(renderable, options):
            text = segment.text if segment.control else printable(segment.text)
            yield segment if text is segment.text else Segment(text, segment.style, None)


def prepare() -> None:
    """Have characters that the terminal's encoding lacks written as escapes, not refused."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
