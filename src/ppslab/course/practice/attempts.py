"""A learner's attempt at a case: what was asked and tried, one JSON file a case, kept over reboots.

Once a case is solved nothing more is counted, until it is begun anew; its first solution stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ppslab.core import documents
from ppslab.course import practice
from ppslab.course.models import cases as model
from ppslab.course.tasks import state
from rosexplain.base import base

FORM = 1


@dataclass
class Solution:
    """The first solution of a case: its time, its moves, and if it was unaided."""

    when: str
    moves: int
    unaided: bool


@dataclass
class Attempt:
    """An attempt at a case.

    `asked`: the commands that the router answered; `hints`: how many were read; `wrong`: causes
    that are none and remedies that were not yet one; `cause`: the right one, once it was named;
    `solved`: when; `read`: whether the solution was read before, or a hint in an earlier attempt.
    `earlier`: the first solution, where the case was begun anew after it.
    """

    case: str
    asked: list[str] = field(default_factory=list)
    hints: int = 0
    wrong: int = 0
    cause: str = ""
    solved: str = ""
    read: bool = False
    earlier: Solution | None = None

    @property
    def begun(self) -> bool:
        """True if anything was done."""
        return bool(self.asked or self.hints or self.wrong or self.cause or self.solved)

    @property
    def path(self) -> Path:
        """The file that keeps it."""
        return folder() / f"{self.case}.json"

    @property
    def plain(self) -> dict[str, Any]:
        """The case, for the model."""
        return practice.plain(practice.case(self.case))

    @property
    def score(self) -> dict[str, Any]:
        """Moves, par, and sentences about them (models.cases.score)."""
        return model.score(self.plain, len(self.asked), self.hints, self.wrong, self.read)

    @property
    def first(self) -> Solution | None:
        """The first solution; None where there is none yet."""
        if self.earlier or not self.solved:
            return self.earlier
        return Solution(self.solved, self.score["moves"], not self.hints and not self.read)

    def ask(self, command: str) -> dict[str, Any]:
        """The router's answer (models.cases.ask); a new answer is a move."""
        answer = model.ask(self.plain, command)
        if answer["command"] and answer["command"] not in self.asked and not self.solved:
            self.asked.append(answer["command"])
            self.save()
        return answer

    def name_cause(self, word: str) -> dict[str, Any]:
        """Judge a cause by number or name (models.cases.cause); ValueError: none."""
        answer = model.cause(self.plain, word)
        if answer["right"]:
            self.cause = answer["name"]
        elif not self.solved:
            self.wrong += 1
        self.save()
        return answer

    def judge(self, typed: str) -> dict[str, Any]:
        """The router after the commands that were typed (models.cases.judge)."""
        from ppslab.course.practice import properties  # noqa: PLC0415  (a second, for who types)

        result = model.judge(self.plain, typed, base(), properties.properties())
        if not self.solved:
            if result["solved"]:
                self.solved = datetime.now(UTC).isoformat(timespec="seconds")
            elif result["counts"]:
                self.wrong += 1
            self.save()
        return result

    def hint(self) -> tuple[int, str]:
        """The number of the next hint, and the hint; the last one again where no other is left."""
        hints = practice.case(self.case).hints
        number = min(self.hints + 1, len(hints))
        if not self.solved:
            self.hints = number
            self.save()
        return number, hints[number - 1]

    def read_solution(self) -> None:
        """Note that the solution was read, if it is not solved yet."""
        if not self.solved:
            self.read = True
            self.save()

    def save(self) -> None:
        """Write it, whole or not at all."""
        documents.write_json(self.path, {"ppslab-case": FORM, **asdict(self)})


_KEPT = TypeAdapter(Attempt)


def folder() -> Path:
    """The folder of the files, among those that ppslab keeps for this user."""
    return state.folder().parent / "cases"


def load(name: str) -> Attempt:
    """The attempt so far, possibly none.  FileError for a file that is not ours."""
    attempt = Attempt(name)
    kept = state.kept(attempt.path, "ppslab-case", FORM, _KEPT, "attempt at a case")
    return kept or attempt


def begin_anew(name: str) -> Attempt:
    """Forget an attempt, but not its first solution, nor that somebody has seen a hint or one."""
    old = load(name)
    attempt = Attempt(name, read=old.read or bool(old.hints), earlier=old.first)
    attempt.save()
    return attempt


def solved() -> Iterator[Attempt]:
    """The attempts at cases that were solved, in the cases' order."""
    for name in practice.names():
        attempt = load(name)
        if attempt.first:
            yield attempt
