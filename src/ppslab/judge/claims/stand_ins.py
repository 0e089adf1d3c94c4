"""The interval of a stand-in's ratio: what another stand-in would say, not the same one again.

Two things are added to how well a run repeats.  Another kernel: a prediction interval over counts
of several kernels (`analysis.kernels`).  And the bias of counting against a real CPU, which goes
one way: a count exaggerates what a step adds, so its interval reaches towards 1, and never past it.
How far is known of a pair that is kept by both measures; of any other it is the most that we saw
(agreement.yml).
"""

from __future__ import annotations

from dataclasses import replace

from ppslab.judge import kernels
from ppslab.judge.claims import agreement
from ppslab.judge.claims.deciding import Question, Steps
from ppslab.judge.claims.judges import Judge
from ppslab.judge.claims.verdicts import COUNTED, TIMED, Evidence
from ppslab.model.lab.lab import Lab
from ppslab.model.statistics import Interval

Pair = tuple[str, str, int]
"""Numerator, denominator, frame size."""


def another_says(lab: Lab, judge: Judge, evidence: Evidence, question: Question) -> Question:
    """The question with each ratio's interval as another stand-in could say it.

    Only of what a packet costs, or of a rate: a share of events is no ratio of two costs.
    """
    if evidence not in (COUNTED, TIMED) or not question.ratios:
        return question
    pairs = judge.pairs or (() if isinstance(question, Steps) else (None,))
    if len(pairs) != len(question.intervals):
        return question
    return question.with_intervals(
        [
            _reaching(lab, ratio, pair, evidence)
            for ratio, pair in zip(question.intervals, pairs, strict=True)
        ]
    )


def farthest(before: Question, after: Question) -> float:
    """The greatest factor between an end of `before` and that of `after`, 1 where they are alike.

    No number of rounds brings an interval nearer to its ratio than that.
    """
    return max(map(_apart, before.intervals, after.intervals), default=1.0)


def _apart(before: Interval, after: Interval) -> float:
    low = before.low / after.low if after.low > 0 else 1.0
    high = after.high / before.high if before.high > 0 else 1.0
    return max(1.0, low, high)


def _reaching(lab: Lab, ratio: Interval, pair: Pair | None, evidence: Evidence) -> Interval:
    otherwise = agreement.load().kernels
    if pair and evidence == COUNTED:
        wide = kernels.across_kernels(lab.name, *pair, ratio, otherwise)
    else:
        spread = kernels.spread(lab.name, *pair) if pair else None
        wide = ratio.as_wide_as(spread or otherwise)
    if evidence != COUNTED:
        return wide
    rising = wide.low > 1
    if not rising and wide.high >= 1:
        return wide
    own = kernels.bias(lab.name, *pair) if pair else None
    exaggerates = agreement.load().exaggerates
    if own:
        exaggerates = max(1.0, own.high if rising else 1 / own.low)
    if rising:
        return replace(wide, low=max(1.0, wide.low / exaggerates))
    return replace(wide, high=min(1.0, wide.high * exaggerates))
