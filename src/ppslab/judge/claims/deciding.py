"""From a quantity, measured and published, to how they compare: pure, and for any factor.

A question is one of four: a size, a band, steps, a difference.  Each holds the intervals of one
record; those of several runs make one (`together`), and another stand-in widens it (`judging`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from enum import Enum
from math import inf, isinf, log
from typing import Self

from ppslab.judge import agreement
from ppslab.judge.claims.verdicts import Comparison, Finding
from ppslab.model.lab.published import Value
from ppslab.model.statistics import Interval, pooled, pooled_ratio

FULL = 3
"""So many runs a verdict rests on, the newest ones; where there are fewer, it says so."""

IN_WORDS = "the claim's own bound:"
"""The origin of a bound that no source printed, where a claim says "at least twice"."""


class Width(Enum):
    """The reason for an interval's width, in the words for a step and for a bound left open."""

    NOISE = ("which may be noise", "the interval crosses the bound")
    ROUTERS = ("the measurements disagree", "the measurements disagree")
    LOWER_BOUNDS = ("lower bounds, which leave it open", "lower bounds, which leave it open")

    def __init__(self, of_step: str, of_bound: str) -> None:
        self.of_step, self.of_bound = of_step, of_bound


class Question(ABC):
    """Intervals, and what decides them."""

    @property
    @abstractmethod
    def intervals(self) -> tuple[Interval, ...]: ...

    @abstractmethod
    def with_intervals(self, intervals: Sequence[Interval]) -> Self: ...

    @property
    def ratios(self) -> bool:
        return True

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, ...]:
        """The values of which none may lie inside an interval, or the claim is open."""

    @abstractmethod
    def finding(self, factor: float) -> Finding:
        """Compare the measured quantity with the source; `factor`: as agreement.FACTOR."""

    def pooled(self, intervals: Sequence[Interval]) -> Interval:
        """The interval of several runs, newest first."""
        return pooled_ratio(intervals) if self.ratios else pooled(intervals)


@dataclass(frozen=True)
class _OfOne(Question):
    measured: Interval

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return (self.measured,)

    def with_intervals(self, intervals: Sequence[Interval]) -> Self:
        return replace(self, measured=intervals[0])


@dataclass(frozen=True)
class Size(_OfOne):
    """A ratio that a source gives a size to, or a claim a bound."""

    published: Value
    width: Width = Width.NOISE
    origin: str = "published"

    @property
    def bounds(self) -> tuple[float, ...]:
        """The ends of the size, and the end of the direction."""
        return (*agreement.around(self.published, agreement.FACTOR), 1.0)

    def finding(self, factor: float) -> Finding:
        """The size, the direction alone, or neither."""
        measured = self.measured
        low, high = agreement.around(self.published, factor)
        sentence = f"{self.origin} {self.published}, agrees {_between(low, high)}"
        if measured.within(low, high):
            return self._within(sentence)
        rising = agreement.rises(self.published)
        goes = rising is not None and (measured.low > 1 if rising else measured.high < 1)
        if not measured.outside(low, high):
            holds = "; the direction holds" if goes else ""
            reason = f"{sentence}: {self.width.of_bound}{holds}"
            return Finding(Comparison.OPEN, reason, measured)
        if rising is None or self._is_none(rising):
            return Finding(Comparison.AGAINST, sentence, measured)
        differs = f"the size differs: {self._nearest}"
        if goes:
            reason = f"{differs}; {self._how_far_off}; {sentence}"
            return Finding(Comparison.DIRECTION, reason, measured)
        reason = f"{differs}; {sentence}; the direction is open"
        return Finding(Comparison.OTHER_SIZE, reason, measured)

    def _within(self, sentence: str) -> Finding:
        """The size, or about that where the interval does not reach it; of a bound the order."""
        published, measured = self.published, self.measured
        if published.at_least or published.at_most:
            return Finding(Comparison.ORDER, sentence, measured)
        if measured.outside(published.low, published.high):
            reason = f"{sentence}; the interval does not reach {published}"
            return Finding(Comparison.NEAR, reason, measured)
        return Finding(Comparison.SIZE, sentence, measured)

    def _is_none(self, rising: bool) -> bool:
        """True for no difference, or one the other way, where a clear one is claimed."""
        same = agreement.SAME
        claimed = self.published.low if rising else 1 / self.published.high
        most = same if claimed >= same**2 else 1.0
        return self.measured.high < most if rising else self.measured.low > 1 / most

    @property
    def _nearest(self) -> str:
        """The interval's end that comes nearest to the published size, e.g. "at most 3.15"."""
        if self.measured.estimate < self.published.low:
            return f"at most {_bound(self.measured.high, ROUND_CEILING)}"
        return f"at least {_bound(self.measured.low, ROUND_FLOOR)}"

    @property
    def _how_far_off(self) -> str:
        """The factor between the estimate and the published size, in words."""
        estimate = self.measured.estimate
        near = self.published.low if estimate < self.published.low else self.published.high
        times = estimate / near
        more = times > 1
        side = "above" if more else "below"
        factor = f"{times if more else 1 / times:.3g}"
        return f"the estimate, {estimate:.3g}, is a factor of {factor} {side} the published ratio"


@dataclass(frozen=True)
class Band(_OfOne):
    """A quantity, a ratio or a share, that must lie between two bounds of the claim's own.

    `most`: what the quantity cannot exceed, however far the runs differ.
    """

    low: float
    high: float
    sentence: str
    of_ratio: bool = False
    width: Width = Width.NOISE
    most: float = inf

    @property
    def ratios(self) -> bool:
        return self.of_ratio

    @property
    def bounds(self) -> tuple[float, ...]:
        return (self.low, self.high)

    def finding(self, factor: float) -> Finding:
        """Inside, outside, or across a bound; two equal costs are a size, a share has none."""
        del factor
        inside = Comparison.SIZE if self.of_ratio else Comparison.WITHIN
        outside = Comparison.AGAINST if self.of_ratio else Comparison.BEYOND
        if self.measured.within(self.low, self.high):
            return Finding(inside, self.sentence, self.measured)
        if self.measured.outside(self.low, self.high):
            return Finding(outside, self.sentence, self.measured)
        reason = f"{self.sentence}: {self.width.of_bound}"
        return Finding(Comparison.OPEN, reason, self.measured)

    def pooled(self, intervals: Sequence[Interval]) -> Interval:
        """The interval of several runs: a share is never below nothing, nor above its `most`."""
        one = super().pooled(intervals)
        if self.of_ratio:
            return one
        return replace(one, low=max(0.0, one.low), high=min(self.most, one.high))


@dataclass(frozen=True)
class Steps(Question):
    """Ratios with their words, each of which must be above 1 (below, where not `rising`).

    `{}` in the words is the ratio, as it is when it decides: several runs may have widened it.
    """

    steps: Sequence[tuple[Interval, str]]
    rising: bool
    width: Width = Width.NOISE

    @property
    def intervals(self) -> tuple[Interval, ...]:
        return tuple(interval for interval, _ in self.steps)

    def with_intervals(self, intervals: Sequence[Interval]) -> Self:
        words = [sentence for _, sentence in self.steps]
        return replace(self, steps=tuple(zip(intervals, words, strict=True)))

    @property
    def bounds(self) -> tuple[float, ...]:
        return (1.0,)

    def finding(self, factor: float) -> Finding:
        """All of them, one against it, or one that is open."""
        del factor
        sign = 1.0 if self.rising else -1.0
        for interval, words in self.steps:
            if interval.excludes(1.0) and sign * (interval.estimate - 1) < 0:
                return Finding(Comparison.AGAINST, _with(interval, words), interval)
        for interval, words in self.steps:
            if not interval.excludes(1.0):
                why = self.width.of_step if interval.low < interval.high else "no difference"
                return Finding(Comparison.OPEN, f"{_with(interval, words)}, {why}", interval)
        weakest, words = min(self.steps, key=lambda step: sign * step[0].estimate)
        return Finding(Comparison.ORDER, f"smallest step: {_with(weakest, words)}", weakest)


def decide(question: Question) -> Finding:
    """Compare the measured quantity with the source.

    The whole interval decides.  It is at least as wide as the A/A interval of its run already, so
    a difference that is smaller than the run's noise is none in every judgement.
    """
    return question.finding(agreement.FACTOR)


def together(asked: Sequence[Question]) -> Question:
    """The same question of several runs, newest first, with their pooled intervals."""
    newest = asked[0]
    if len(asked) == 1:
        return newest
    runs = zip(*(question.intervals for question in asked), strict=True)
    return newest.with_intervals([newest.pooled(intervals) for intervals in runs])


def as_it_repeats(question: Question, repeats: float) -> Question:
    """The question, no ratio of which is nearer to a bound than runs are to one another.

    `repeats`: the factor that they differ by; the interval of many rounds shrinks to less.
    """
    if not question.ratios:
        return question
    return question.with_intervals([one.as_wide_as(repeats) for one in question.intervals])


def times_more(question: Question, floor: Question | None = None) -> float:
    """Factor on the rounds that would decide, if further ones are like these; may be infinite.

    An interval shrinks with the root of the rounds.  It must shrink until no bound is in it; an
    estimate that lies on a bound will never leave it.  `floor`: the question as endless rounds
    would ask it, whose intervals hold what rounds do not narrow, such as how far kernels spread; a
    bound in them stays in.
    """
    scale: Callable[[float], float] = log if question.ratios else float
    floors = floor.intervals if floor else [None] * len(question.intervals)
    return max(
        _shrinking(one, question.bounds, scale, kept)
        for one, kept in zip(question.intervals, floors, strict=True)
    )


def _shrinking(
    measured: Interval,
    bounds: Sequence[float],
    scale: Callable[[float], float],
    floor: Interval | None,
) -> float:
    inside = [bound for bound in bounds if measured.low <= bound <= measured.high]
    needed = 1.0
    for bound in inside:
        end = measured.low if bound < measured.estimate else measured.high
        if scale is log and (end <= 0 or isinf(end)):
            return inf
        if bound == measured.estimate or (floor and not floor.excludes(bound)):
            return inf
        apart = abs(scale(measured.estimate) - scale(bound))
        needed = max(needed, (abs(scale(measured.estimate) - scale(end)) / apart) ** 2)
    return needed


def _with(ratio: Interval, words: str) -> str:
    least = f"at least {_bound(ratio.low, ROUND_FLOOR)}"
    return words.format(ratio if ratio.high < inf else least)


def _bound(value: float, rounding: str) -> str:
    """A bound in three digits that still holds: 2.166 is at least `2.16`, and at most `2.17`."""
    return f"{float(Context(prec=3, rounding=rounding).create_decimal(repr(value))):.3g}"


def _between(low: float, high: float) -> str:
    if high == inf:
        return f"from {low:.3g} up"
    return f"up to {high:.3g}" if low == 0 else f"from {low:.3g} to {high:.3g}"
