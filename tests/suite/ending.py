"""The last lines of a run: all that somebody who sees only them must know."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.suite.opinion import Judgement, Test
from tests.suite.parts import Ended

LINES = 60
NAMED = 30
"""Red tests that are named; the report names all."""


@dataclass(frozen=True)
class Row:
    """A part in the table: its end and its tests."""

    ended: Ended
    tests: Sequence[Test] = ()

    def __str__(self) -> str:
        counts = [sum(test.outcome == each for test in self.tests)
                  for each in ("passed", "failed", "skipped", "unsteady")]  # fmt: skip
        shown = [f"{count:>8}" for count in counts] if self.tests else [" " * 8] * 4
        return (
            f"{self.ended.name:<16}{''.join(shown)}{clock(self.ended.seconds):>9}"
            f"{self.ended.stolen:>9.1%}"
        )


HEAD = f"{'part':<16}{'passed':>8}{'failed':>8}{'skipped':>8}{'unsteady':>9}{'min':>8}{'stolen':>9}"


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


@dataclass(frozen=True)
class Ending:
    """What there is to say of a run."""

    rows: Sequence[Row]
    judgement: Judgement
    tries: int
    broken: Sequence[str]
    """why a part, or the run, did not come to its end"""
    machine: str
    where: Path
    seconds: float
    budget: float = math.inf

    @property
    def green(self) -> bool:
        """Whether nothing is red."""
        return not self.broken and not self.judgement.of("failed")

    def lines(self, named: int = NAMED) -> list[str]:
        """The report; `named`: how many red tests it names at most."""
        judged = self.judgement
        red, unsteady = judged.of("failed"), judged.of("unsteady")
        total = sum(row.ended.seconds for row in self.rows)
        found = [HEAD, *(str(row) for row in self.rows)]
        whole = max(total, self.seconds)
        over = whole - self.budget
        late = f", {clock(over)} over the budget" if over > 0 else ""
        found.append(f"in all: {clock(whole)}{late}")
        found += [f"FAILED {why}" for why in self.broken]
        found += _few([f"FAILED {_told(test, self.tries)}" for test in red], named)
        if judged.again:
            found.append(f"{len(judged.again)} needed another try:")
            found += _few([f"  {_measured(test)}" for test in judged.again], 8)
        if unsteady:
            found.append(f"{len(unsteady)} unsteady and red, which decides nothing:")
            found += _few([f"  {test.id} - {test.why}" for test in unsteady], 8)
        passed, skipped = len(judged.of("passed")), len(judged.of("skipped"))
        return [
            *found,
            self.machine,
            f"kept: {self.where}",
            # Alone on its line, for whoever counts.
            f"{passed} passed, {len(red) + len(self.broken)} failed, {skipped} skipped",
        ]


def _told(test: Test, tries: int) -> str:
    how = f" [red in each of {tries} tries]" if test.disturbed and tries > 1 else ""
    return f"{test.id} - {test.why}{how}"


def _measured(test: Test) -> str:
    return f"{test.id} - {test.why} [stolen {test.stolen:.1%}, speed {test.speed:.1f}]"


def _few(lines: list[str], most: int) -> list[str]:
    if len(lines) <= most:
        return lines
    return [*lines[:most], f"  and {len(lines) - most} more: report.txt"]
