"""Which tests are red: after a second look at those that other work on the machine can disturb.

A test that needs only Python has no excuse.  One that makes namespaces, guests or pages runs once
more after all others, with its whole file and nothing beside it, and is red where it is red again;
CPython's `regrtest --rerun` does the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.suite import marks

FILES = 30
"""More than these were not disturbed: something is broken."""
LATEST = 65 * 60
"""Seconds after the start from which on there is no time for a second look."""


@dataclass(frozen=True)
class Test:
    """What became of a test in one run of it."""

    __test__ = False  # pytest: this is none

    id: str
    outcome: str
    """passed, failed, skipped or unsteady (red, but it does not decide)"""
    marks: frozenset[str] = frozenset()
    why: str = ""
    seconds: float = 0.0
    stolen: float = 0.0
    """share of the CPUs' time that the hypervisor took while it ran"""
    speed: float = 0.0
    """millions of turns of an empty loop a second when it was over"""
    folders: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """The file it is in, from the project's root."""
        return self.id.split("::")[0]

    @property
    def disturbed(self) -> bool:
        """Whether other work can make it red: it needs more than Python."""
        path = Path(self.file)
        found = self.marks | (marks.of_file(path) if path.is_file() else frozenset())
        return bool(found & set(marks.NEEDS))


WORSE = ("passed", "skipped", "unsteady", "failed")
"""Of a test's set-up, its call and its end the worst counts."""


def read(path: Path) -> tuple[list[Test], list[str]]:
    """The tests of a file of outcomes, and the ids of those that began and did not end."""
    found: dict[str, Test] = {}
    running: dict[str, None] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            words = json.loads(line)
        except ValueError:  # the last line of a run that was killed while it wrote
            continue
        if words["event"] == "start":
            running[words["test"]] = None
            continue
        if words["when"] == "teardown":
            running.pop(words["test"], None)
        _add(found, words)
    return list(found.values()), list(running)


def _add(found: dict[str, Test], words: Mapping[str, Any]) -> None:
    names = ("outcome", "why", "seconds", "stolen", "speed")
    test = Test(
        id=words["test"],
        marks=frozenset(words["marks"]),
        folders=tuple(words.get("folders", ())),
        **{name: words[name] for name in names if name in words},
    )
    before = found.get(test.id)
    if before is None or WORSE.index(test.outcome) > WORSE.index(before.outcome):
        found[test.id] = test


def files_again(tests: Iterable[Test]) -> list[str]:
    """The files that get a second look, each once."""
    red = (test for test in tests if test.outcome == "failed" and test.disturbed)
    return list(dict.fromkeys(test.file for test in red))


def too_many(files: Sequence[str], seconds: float) -> str:
    """Why there is no second look at these files, `seconds` after the start; empty: there is."""
    if len(files) > FILES:
        return f"{len(files)} files are red, and more than {FILES} are no accident"
    if seconds > LATEST:
        return f"{seconds / 60:.0f} minutes are over"
    return ""


@dataclass(frozen=True)
class Judgement:
    """The tests' last outcomes, and which needed more than one try."""

    tests: tuple[Test, ...]
    again: tuple[Test, ...]
    """as they were when they were red; each was green another time"""

    def of(self, outcome: str) -> list[Test]:
        """The tests that came out like this in the end."""
        return [test for test in self.tests if test.outcome == outcome]


def judge(tries: Sequence[Sequence[Test]]) -> Judgement:
    """One judgement of all tries: green once is green, and told.

    A test that was red and is skipped in the second try stays red: nobody saw it work.
    """
    last: dict[str, Test] = {}
    again: dict[str, Test] = {}
    for tests in tries:
        for test in tests:
            before = last.get(test.id)
            if before is None:
                last[test.id] = test
            elif {before.outcome, test.outcome} == {"failed", "passed"}:
                red, green = (before, test) if before.outcome == "failed" else (test, before)
                again[test.id], last[test.id] = red, green
    return Judgement(tuple(last.values()), tuple(again.values()))
