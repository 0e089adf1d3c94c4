"""The minutes that a page takes to read, from the words that it shows.

Words count that a reader meets: not code, tables, and what is folded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ppslab.core import documents
from ppslab.model import manual

WORDS_A_MINUTE = 200

FOLDED = frozenset({"dropdown", "ppslab-goals"})
"""The directives whose body the reader has to open."""
TEXT = frozenset({"admonition", "note", "warning", "tip", "important", "caution"})
"""The directives with Markdown inside although backticks begin them."""
FACTS = "ppslab-manual"
"""The directive that shows the sentence of each fact that it names."""

_FENCE = re.compile(r"(?P<marks>`{3,}|:{3,})(?:\{(?P<name>[\w-]+)\})?")
_HEADING = re.compile(r"(#+) ")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_NO_WORDS = re.compile(r"\||%|\([\w-]+\)=$|:[\w-]+:(?: |$)|\{\.[\w.-]+\}$")
"""Rows of tables, comments, labels, options of directives, and attributes of what follows."""
_ADDRESS = re.compile(r"\]\([^)]*\)")
_WORD = re.compile(r"\S*\w\S*")
_GOALS = "{ppslab-goals}"


@dataclass(frozen=True)
class _Fence:
    """What an opened fence holds, up to as many of its marks."""

    marks: str
    name: str
    hidden: bool

    def closes(self, line: str) -> bool:
        marks = self.marks
        return bool(marks) and len(line) >= len(marks) and set(line) == {marks[0]}


def minutes(page: Path) -> int:
    """Return the minutes for a page and for those that are read with it, at least one."""
    words = sum(count(documents.read_text(each)) for each in together(page))
    return max(1, round(words / WORDS_A_MINUTE))


def together(page: Path) -> list[Path]:
    """Return a page and what is read with it: a folder's first page has those without goals."""
    if page.name != "index.md" or not page.is_file():
        return [page]
    others = (each for each in sorted(page.parent.glob("*.md")) if each != page)
    return [page, *(each for each in others if _GOALS not in documents.read_text(each))]


def count(text: str) -> int:
    """Count the words that a page shows.

    >>> count("# Two words\\n```sh\\nls -l\\n```\\n:::{dropdown} More\\nNone\\n:::\\nA third")
    4
    """
    return sum(len(_WORD.findall(_ADDRESS.sub("]", line))) for line in _visible(text))


def _visible(text: str) -> Iterator[str]:
    """The lines that a reader meets; of a list of facts their sentences."""
    fences = [_Fence("", "", hidden=False)]
    fold = 0
    """The level of the heading that folds its section; 0: none does."""
    before = ""
    for line in map(str.strip, _FRONT_MATTER.sub("", text).splitlines()):
        inside, opens, heading = fences[-1], _FENCE.match(line), _HEADING.match(line)
        if inside.closes(line):
            fences.pop()
        elif opens:
            name = opens["name"] or ""
            code = opens["marks"].startswith("`") and name not in TEXT
            hidden = inside.hidden or name in FOLDED or (code and name != FACTS)
            fences.append(_Fence(opens["marks"], name, hidden=hidden))
        elif heading and not inside.hidden:
            level = len(heading[1])
            if not fold or level <= fold:
                fold = level if before.startswith("{.dropdown") else 0
                yield line
        elif not (inside.hidden or fold or _NO_WORDS.match(line)):
            facts = manual.load().facts if inside.name == FACTS else {}
            yield facts[line].says if line in facts else line
        before = line or before
