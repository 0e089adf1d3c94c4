"""What a file of tests needs, by its marks: in which part it runs.

A file gives its marks in its first lines, `pytestmark = pytest.mark.live`; a file without one needs
nothing but Python.  pyproject.toml says what each means.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

NEEDS = ("notebook", "guest", "browser", "live")
"""What begins first in a part: no CPU waits at the end for the longest."""

PARTS = ("check", "together", "quiet", "alone", "weekly", "timed")

KNOWN = frozenset({*NEEDS, "alone", "frames", "long", "timed", "weekly"})

TIMED = frozenset({"hundred", "numa"})
"""Notebooks that take time: of TCP, and of a machine with cards.  The others count packets or
instructions, of which a condition needs few rounds (`measure` in src/ppslab/model/lab/lab.py)."""

FIRST_HALF = ("tests/course/learning", "tests/course/practice")
"""What the first of two runs of the quick tests takes, beside those of the packages; the second
takes the rest, as long.  Workers of one run would each collect all of them, and tell of each in
five messages."""

FIRST = frozenset({"test_proofs.py"})
"""The file that takes a third of a worker's whole time: begun late, it would end last, alone."""


@cache
def of_file(path: Path) -> frozenset[str]:
    """The marks that a file gives all its tests; a notebook that runs live is timed."""
    if path.suffix == ".ipynb":
        return frozenset({"notebook", "timed"})
    text = path.read_text(encoding="utf-8")
    if "pytestmark" not in text:
        return frozenset()  # most files: parsing all of them takes each worker most of a second
    assigned = (each for each in ast.parse(text).body if isinstance(each, ast.Assign))
    return _named(" ".join(text for each in assigned
                           if (text := ast.unparse(each)).startswith("pytestmark = ")))  # fmt: skip


def _named(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"pytest\.mark\.(\w+)", text)) & KNOWN


def is_in(part: str, marks: frozenset[str]) -> bool:
    """Whether tests with these marks belong to a part."""
    if not marks:
        return part == "check"
    if {"alone", "weekly"} <= marks:  # the weekly part shares the CPUs
        return part == "timed"
    for name in ("timed", "weekly", "alone"):
        if name in marks:
            return part == name
    # What needs only Python sends no frame, and works while others wait for theirs.
    silent = "frames" in marks or not marks & set(NEEDS)
    return part == ("quiet" if silent else "together")


def has_some(part: str, path: Path) -> bool:
    """Whether a file has tests of a part, as far as its marks tell: all of them, or single ones."""
    if is_in(part, of_file(path)):
        return True
    if part == "check" or path.suffix != ".py":
        return False
    named = _named(path.read_text(encoding="utf-8"))
    return any(is_in(part, of_file(path) | {name}) for name in named)


def in_half(half: int, path: str) -> bool:
    """Whether a file, or some file of a folder, is of a half; `path`: from the project's root."""
    first = any(f"{path}/".startswith(f"{folder}/") for folder in FIRST_HALF)
    if half == 2:
        return not first
    return first or any(folder.startswith(f"{path}/") for folder in FIRST_HALF)


def order(marks: frozenset[str]) -> int:
    """The place in a part of what has these marks: small is early."""
    places = [place for place, name in enumerate(NEEDS) if name in marks]
    return min(places, default=len(NEEDS))
