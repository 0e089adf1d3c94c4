"""The interval of a stand-in's ratio: what another stand-in would say, not the same one again.

Two things are added to how well a run repeats.  Another kernel: a prediction interval over counts
of several kernels (`analysis.kernels`).  And the bias of counting against a real CPU, which goes
one way: a count exaggerates what a step adds, so its interval reaches towards 1, and never past it.
How far is known of a pair that is kept by both measures; of any other it is the most that we saw
(agreement.yml).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from ppslab.analysis import kernels
from ppslab.analysis.claims import agreement
from ppslab.analysis.claims.deciding import Band, Question, Size, Steps
from ppslab.analysis.claims.schema import Costs, Order, RateRatio
from ppslab.analysis.claims.verdicts import COUNTED, TIMED, Evidence
from ppslab.lab.lab import Lab
from ppslab.theory.statistics import Interval

Pair = tuple[str, str, int]
"""Numerator, denominator, frame size."""


def another_says(lab: Lab, word: Any, evidence: Evidence, question: Question) -> Question:
    """The question with each ratio's interval as another stand-in could say it.

    Only of what a packet costs, or of a rate: a share of events is no ratio of two costs.
    """
    if evidence not in (COUNTED, TIMED):
        return question
    pairs = _pairs(word)
    if isinstance(question, Steps):
        if len(pairs) != len(question.steps):
            return question
        steps = [
            (_reaching(lab, ratio, pair, evidence), text)
            for (ratio, text), pair in zip(question.steps, pairs, strict=True)
        ]
        return replace(question, steps=tuple(steps))
    if isinstance(question, Size) or (isinstance(question, Band) and question.of_ratio):
        pair = pairs[0] if pairs else None
        return replace(question, found=_reaching(lab, question.found, pair, evidence))
    return question


def farthest(before: Question, after: Question) -> float:
    """The greatest factor between an end of `before` and that of `after`, 1 where they are alike.

    No number of rounds brings an interval nearer to its ratio than that.
    """
    if isinstance(before, Steps) and isinstance(after, Steps):
        pairs = zip(before.steps, after.steps, strict=True)
        return max((_apart(old, new) for (old, _), (new, _) in pairs), default=1.0)
    if isinstance(before, Size | Band) and isinstance(after, Size | Band):
        return _apart(before.found, after.found)
    return 1.0


def _apart(before: Interval, after: Interval) -> float:
    low = before.low / after.low if after.low > 0 else 1.0
    high = after.high / before.high if before.high > 0 else 1.0
    return max(1.0, low, high)


def _pairs(word: Any) -> Sequence[Pair]:
    """The pairs of conditions that a word compares, one a ratio; none for two sizes of one."""
    if isinstance(word, Order):
        return [(dear, cheap, word.size) for cheap, dear in pairwise(word.conditions)]
    if isinstance(word, Costs | RateRatio):
        return [(word.numerator, word.denominator, word.size)]
    return []


def _reaching(lab: Lab, ratio: Interval, pair: Pair | None, evidence: Evidence) -> Interval:
    otherwise = agreement.load().kernels
    if pair and evidence == COUNTED:
        wide = kernels.across_kernels(lab.name, *pair, ratio, otherwise)
    else:
        spread = kernels.spread(lab.name, *pair) if pair else None
        wide = ratio.as_wide_as(spread or otherwise)
    if evidence != COUNTED:
        return wide
    own = kernels.bias(lab.name, *pair) if pair else None
    if wide.low > 1:
        exaggerates = max(1.0, own.high) if own else agreement.load().exaggerates
        return replace(wide, low=max(1.0, wide.low / exaggerates))
    if wide.high < 1:
        exaggerates = max(1.0, 1 / own.low) if own else agreement.load().exaggerates
        return replace(wide, high=min(1.0, wide.high * exaggerates))
    return wide
