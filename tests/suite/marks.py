"""What a file of tests needs, by its marks: who runs it, when, and what it may start.

A file says it in its first lines, `pytestmark = pytest.mark.live`; none: it needs nothing but
Python, and `make check` runs it, but for single tests that are marked `long`.  The marks stand in
pyproject.toml with their meaning.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

NEEDS = ("notebook", "guest", "browser", "live")
"""What begins first in a part: no CPU waits at the end for the longest."""

PARTS = ("check", "together", "quiet", "alone", "timed")

KNOWN = frozenset({*NEEDS, "alone", "frames", "long", "timed"})

STARTS: tuple[tuple[str, str], ...] = (
    (r"qemu-system-\w+$", "guest"),
    (r"(chromium(-headless-shell)?|firefox(-esr)?)$", "browser"),
    (r"playwright/driver/node$", "browser"),
    (r"(unshare|nsenter)$", "live"),
    (r"ppslab\.backends\.(agent\.agent|nodes\.node_namespaces|factory)$", "live"),
)
"""What a word of a command needs.  A guest, a browser and a notebook have namespaces too."""


TIMED = frozenset({"hundred", "numa"})
"""Notebooks that take time: of TCP, and of a machine with cards.  The others count packets or
instructions, of which a condition needs few rounds (`measure` in src/ppslab/lab/lab.py)."""


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def of_file(path: Path) -> frozenset[str]:
    """The marks that a file of tests gives all its tests.

    A notebook that runs live is timed; in the gate its cells are read from kept records.
    """
    if path.suffix == ".ipynb":
        return frozenset({"notebook", "timed"})
    if "pytestmark" not in path.read_text(encoding="utf-8"):
        return frozenset()  # most files: what parses all of them took each worker most of a second
    tree = _tree(path)
    found: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "pytestmark":
            found |= set(re.findall(r"pytest\.mark\.(\w+)", ast.unparse(statement.value)))
    return frozenset(found & KNOWN)


@dataclass(frozen=True)
class Given:
    """A mark as a file of tests gives it; `test`: to which of them, "" for all of the file."""

    path: Path
    line: int
    test: str
    words: Mapping[str, str]
    """what it says, by name; what stands there without a name is the reason, `why`"""


def given(path: Path, name: str) -> list[Given]:
    """Each time that a file of tests gives this mark."""
    if f"mark.{name}" not in path.read_text(encoding="utf-8"):
        return []

    def within(node: ast.AST, test: str, words: Mapping[str, str]) -> Iterator[Given]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            test = node.name
        if isinstance(node, ast.Attribute) and ast.unparse(node) == f"pytest.mark.{name}":
            yield Given(path, node.lineno, test, words)
        called = node if isinstance(node, ast.Call) else None
        for child in ast.iter_child_nodes(node):
            yield from within(
                child, test, _words(called) if called and child is called.func else {}
            )

    return [*within(_tree(path), "", {})]


def _words(call: ast.Call) -> dict[str, str]:
    said = [
        *(("why", each) for each in call.args),
        *((each.arg, each.value) for each in call.keywords),
    ]
    return {
        name: value.value
        for name, value in said
        if name and isinstance(value, ast.Constant) and isinstance(value.value, str)
    }


def without_reason(path: Path) -> list[str]:
    """For each `timed` mark of a file that does not say why its test cannot be counted: where."""
    return [
        f"{each.path}:{each.line}: pytest.mark.timed says no reason: why can this not be counted? "
        'Write timed(why="...")'
        for each in given(path, "timed")
        if not each.words.get("why")
    ]


def is_in(part: str, marks: frozenset[str]) -> bool:
    """Whether tests with these marks are of a part."""
    if not marks:
        return part == "check"
    for name in ("timed", "alone"):
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
    named = frozenset(re.findall(r"pytest\.mark\.(\w+)", path.read_text(encoding="utf-8"))) & KNOWN
    return any(is_in(part, of_file(path) | {name}) for name in named)


FIRST = frozenset({"test_proofs.py"})
"""The file that takes a third of a worker's whole time: begun late, it would end last, alone."""


def order(marks: frozenset[str], last: str = "") -> int:
    """The place in a part of what has these marks: small is early."""
    if last in marks:
        return len(NEEDS) + 1
    places = [place for place, name in enumerate(NEEDS) if name in marks]
    return min(places, default=len(NEEDS))


STANDS = frozenset({"break", "calibrate", "profile", "rfc2544", "run", "tcp", "up"})
"""The commands of ppslab that stand a lab up."""


def lacking(command: Sequence[str], marks: frozenset[str]) -> tuple[str, str] | None:
    """The word of a command for which a test lacks a mark, and the mark; None: it lacks none."""
    program = next((n for n, word in enumerate(command) if word.endswith("/ppslab")), None)
    if program is not None and STANDS & set(command[program + 1 : program + 2]):
        return None if marks & set(NEEDS) else (f"ppslab {command[program + 1]}", "live")
    # Asked whether it is here, or what Debian has by that name.
    if command[-1] == "--version" or Path(command[0]).name == "apt-cache":
        return None
    for word in command:
        for pattern, mark in STARTS:
            if not re.search(pattern, word):
                continue
            if mark not in marks and not (mark == "live" and marks & set(NEEDS)):
                return word, mark
    return None


@contextmanager
def watched(marks_now: Callable[[], frozenset[str] | None]) -> Iterator[None]:
    """While this is open, a test that starts what its marks do not tell fails, with the mark."""
    original = subprocess.Popen.__init__

    def started(self: Any, args: Any, *more: Any, **named: Any) -> None:
        marks = marks_now()
        if marks is not None:
            words = args.split() if isinstance(args, str) else [str(each) for each in args]
            found = lacking(words, marks)
            if found:
                self.returncode = None  # what Popen.__del__ asks for
                self._child_created = False
                word, mark = found
                raise AssertionError(
                    f"this starts {word}: its file wants pytestmark = pytest.mark.{mark}"
                )
        original(self, args, *more, **named)

    subprocess.Popen.__init__ = started  # type: ignore[method-assign]
    try:
        yield
    finally:
        subprocess.Popen.__init__ = original  # type: ignore[method-assign]
