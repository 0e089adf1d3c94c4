"""A learner's attempt at a case: what was asked and tried, one JSON file a case, kept over reboots.

Once a case is solved nothing more is counted, until it is begun anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ppslab.core import documents
from ppslab.course import cases
from ppslab.course.models import cases as model
from ppslab.course.tasks import state
from rosexplain.base import base

FORM = 1


@dataclass
class Attempt:
    """An attempt at a case.

    `asked`: the commands that the router answered; `hints`: how many were read; `wrong`: causes
    that are none and remedies that were not yet one; `cause`: the right one, once it was named;
    `solved`: when; `read`: whether the solution was read before, or a hint in an earlier attempt.
    """

    case: str
    asked: list[str] = field(default_factory=list)
    hints: int = 0
    wrong: int = 0
    cause: str = ""
    solved: str = ""
    read: bool = False

    @property
    def begun(self) -> bool:
        """Whether anything was done."""
        return bool(self.asked or self.hints or self.wrong or self.cause or self.solved)

    @property
    def path(self) -> Path:
        """The file that keeps it."""
        return folder() / f"{self.case}.json"

    @property
    def plain(self) -> dict[str, Any]:
        """The case, for the model."""
        return cases.plain(cases.load(self.case))

    @property
    def score(self) -> dict[str, Any]:
        """Moves, par, and what is to say of them (models.cases.score)."""
        return model.score(self.plain, len(self.asked), self.hints, self.wrong, self.read)

    @property
    def unaided(self) -> bool:
        """Whether it was solved without a hint, and without a look at the solution."""
        return bool(self.solved) and not self.hints and not self.read

    def ask(self, command: str) -> dict[str, Any]:
        """What the router answers (models.cases.ask); a new answer is a move."""
        answer = model.ask(self.plain, command)
        if answer["command"] and answer["command"] not in self.asked and not self.solved:
            self.asked.append(answer["command"])
            self.save()
        return answer

    def name_cause(self, name: str) -> dict[str, Any]:
        """Whether a cause is the one (models.cases.cause); ValueError where there is none such."""
        answer = model.cause(self.plain, name)
        if answer["right"]:
            self.cause = name
        elif not self.solved:
            self.wrong += 1
        self.save()
        return answer

    def judge(self, typed: str) -> dict[str, Any]:
        """The router after what was typed (models.cases.judge)."""
        from ppslab.course.cases import properties  # noqa: PLC0415  (a second, for who types)

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
        hints = cases.load(self.case).hints
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
    """Forget an attempt, but not that somebody has seen a hint or the solution."""
    old = load(name)
    attempt = Attempt(name, read=old.read or bool(old.hints))
    attempt.save()
    return attempt


def solved() -> Iterator[Attempt]:
    """The attempts that solved their case, in the cases' order."""
    for name in cases.names():
        attempt = load(name)
        if attempt.solved:
            yield attempt
