"""A learner's way through the tasks of a lab: what is done to the lab when one is begun.

Requests that are yielded, each with a task's name, and what is to be sent back:

    (SAVE,)           None, when the progress is kept
    (RESTORE, name)   what the learner is told, when the lab is in the condition of this task's
                      stage, as if untouched
    (BEGIN, name)     None, when the task is set up
    (SOLVE, name)     None, when the learner's part of the task is done
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ppslab.course.tasks.engine.judging import Steps

SAVE, RESTORE, BEGIN, SOLVE = "save", "restore", "begin", "solve"


class Way:
    """The tasks `names` in their order, and how far the learner is.

    `before`: of each the tasks that are done before it begins, back to the last that begins on a
    condition of its own.  `state`: anything with the fields of `state.State`.
    """

    def __init__(
        self, names: Sequence[str], before: Mapping[str, Sequence[str]], state: Any
    ) -> None:
        self.names = names
        self.before = before
        self.state = state

    @property
    def next(self) -> str | None:
        """The first that is not done; None if all are done."""
        for name in self.names:
            if name not in self.state.done:
                return name
        return None

    def start(self, name: str, run: str, anew: bool) -> Steps:
        """Begin a task on the deployment `run`; what the learner is told of it.

        The next one begins on what the learner made of the one before; any other (and with `anew`
        every one) on the known state: the lab as it was, and the solutions of all before it.
        """
        told: list[str] = []
        if anew or not self.goes_on(name, run):
            yield from self._note("", run)
            told = yield (RESTORE, name)
            for each in self.before[name]:
                yield (BEGIN, each)
                yield (SOLVE, each)
        yield (BEGIN, name)
        yield from self._note(name, run)
        return told

    def goes_on(self, name: str, run: str) -> bool:
        """True if the lab is as the task before left it, whoever solved that."""
        before = self.before[name]
        if not before or self.state.run != run:
            return False
        at = self.state.at
        return bool(at == before[-1] and at in self.state.done)

    def passed(self, name: str, result: str, when: str) -> bool:
        """Note what its check came to; whether it is the first time that it did not fail."""
        if result == "fail" or name in self.state.done:
            return False
        self.state.done[name] = when
        return True

    def failing(self, name: str, hint: str) -> None:
        """Note the hint of the check that failed; empty: none failed, or it has no hint."""
        self.state.failed.pop(name, "")
        if hint:
            self.state.failed[name] = hint

    def solved(self, name: str) -> None:
        """Note that it was done for the learner."""
        if name not in self.state.solved:
            self.state.solved.append(name)

    def hint(self, name: str, hints: Sequence[str]) -> tuple[int, str]:
        """The number of the next hint, and the hint; after the last, the last again.

        Number 0 is the hint of the check that failed last, which comes first, and once.
        """
        own = self.state.failed.pop(name, "")
        if own:
            return 0, own
        number = min(self.state.hints.get(name, 0), len(hints) - 1)
        self.state.hints[name] = number + 1
        return number + 1, hints[number]

    def _note(self, at: str, run: str) -> Steps:
        self.state.at, self.state.run = at, run
        yield (SAVE,)
