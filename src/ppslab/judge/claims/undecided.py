"""What a lab's runs leave open, and what another run would have to measure to decide it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ppslab.core.measures import Measure
from ppslab.judge.claims.claim import load
from ppslab.judge.claims.judging import MOST_ROUNDS, judge_all, measures_of
from ppslab.judge.claims.runs import Runs
from ppslab.judge.claims.verdicts import CANNOT_TELL, DOCUMENTED, EMULATED, PUBLISHED, Judged
from ppslab.model.lab.lab import Lab


@dataclass(frozen=True)
class Undecided:
    """A claim that `ppslab run` can decide and has not: its conditions, sizes, and why.

    `measures`: those that can judge it.  `times_more`: how many times as many rounds would decide
    it, infinite where none would, None where no round has spoken of it.
    """

    claim: str
    conditions: tuple[str, ...]
    sizes: tuple[int, ...]
    searched: bool
    reason: str
    measures: tuple[str, ...]
    times_more: float | None

    def decided_by(self, measure: Measure) -> bool:
        """Whether more rounds of this measure, in reason, would decide it."""
        return measure in self.measures and (self.times_more or 0.0) <= MOST_ROUNDS


def undecided(lab: Lab, runs: Runs) -> list[Undecided]:
    """The claims of `lab` that more runs of `ppslab run` could decide, in the file's order."""
    open_ones = {each.id: each for each in judge_all(lab, runs) if _rounds_could_tell(each)}
    newest = runs.packets[0] if runs.packets else None
    found = []
    for claim in load(lab):
        judge = claim.word(newest)
        if claim.id in open_ones and judge.command == "run":
            judged = open_ones[claim.id]
            found.append(
                Undecided(
                    claim.id,
                    judge.conditions,
                    judge.frame_sizes,
                    judge.searched,
                    judged.reason,
                    measures_of(claim, judge),
                    judged.times_more,
                )
            )
    return found


def _rounds_could_tell(judged: Judged) -> bool:
    """Whether it is open, and not for a reason that no round of a stand-in takes away."""
    elsewhere = judged.evidence in (PUBLISHED, DOCUMENTED, EMULATED)
    return judged.verdict == CANNOT_TELL and not elsewhere


def to_measure(lab: Lab, left: Iterable[Undecided]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The conditions and frame sizes that decide them, with the reference for the noise."""
    left = list(left)
    named = {lab.spec.reference, *(name for each in left for name in each.conditions)}
    sizes = sorted({size for each in left for size in each.sizes})
    return tuple(name for name in lab.conditions if name in named), tuple(sizes)
