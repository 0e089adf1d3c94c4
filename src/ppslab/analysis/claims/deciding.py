"""From a quantity, measured and published, to how they compare: pure, and for any factor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from math import inf, isinf, log

from ppslab.analysis.claims import agreement
from ppslab.analysis.claims.verdicts import Comparison, Evidence, Finding, Verdict, verdict_of
from ppslab.lab.published_value import Value
from ppslab.theory.statistics import Interval


class Width(Enum):
    """The reason for an interval's width, in the words for one that decides nothing."""

    NOISE = "no more than the noise"
    ROUTERS = "the routers' tables disagree"


@dataclass(frozen=True)
class Size:
    """A ratio that a source gives a size to."""

    published: Value
    found: Interval
    width: Width = Width.NOISE


@dataclass(frozen=True)
class Band:
    """A quantity, a ratio or a share, that must lie between two bounds of the claim's own."""

    found: Interval
    low: float
    high: float
    said: str
    of_ratio: bool = False
    width: Width = Width.NOISE


@dataclass(frozen=True)
class Steps:
    """Ratios with their words, each of which must be above 1 (below, where not `rising`)."""

    steps: Sequence[tuple[Interval, str]]
    rising: bool
    width: Width = Width.NOISE


@dataclass(frozen=True)
class Difference:
    """A difference that must be above 0."""

    found: Interval
    said: str


Question = Size | Band | Steps | Difference


def decide(question: Question, factor: float | None = None) -> Finding:
    """How what was measured compares; `factor`: another one than that of agreement.yml.

    The whole interval decides.  It is at least as wide as the A/A interval of its run already, so
    a difference that is smaller than the run's noise is none in every judgement.
    """
    if isinstance(question, Size):
        return _size(question, factor or agreement.load().factor)
    if isinstance(question, Band):
        return _band(question)
    if isinstance(question, Steps):
        return _steps(question)
    return _difference(question)


def by_factor(question: Question, evidence: Evidence) -> tuple[tuple[float, Verdict], ...]:
    """From which factor on which verdict holds, over the scoreboard's slider.

    Empty where the factor decides nothing: of an order, of a bound, of a share.
    """
    if not isinstance(question, Size):
        return ()
    slider, value, measured = agreement.load().slider, question.published, question.found
    ends = [
        above / below
        for above, below in (
            (value.low, measured.low),
            (value.low, measured.high),
            (measured.low, value.high),
            (measured.high, value.high),
        )
        if below > 0
    ]
    inner = sorted({end for end in ends if slider.least < end < slider.most})
    edges = [slider.least, *inner, slider.most]
    steps: list[tuple[float, Verdict]] = []
    for low, high in pairwise(edges):
        verdict = verdict_of(evidence, decide(question, (low + high) / 2).comparison)
        if not steps or steps[-1][1] != verdict:
            steps.append((low, verdict))
    return tuple(steps) if len(steps) > 1 else ()


def times_more(question: Question, repeats: float = 1.0) -> float:
    """How many times as many rounds would decide, if they say what these say; may be infinite.

    An interval shrinks with the root of the rounds.  It must shrink until no bound is in it; an
    estimate that lies on a bound will never leave it, nor will the ratio of runs that differ by a
    factor of `repeats`, where that is as far as the bound.
    """
    least = log(repeats)
    if isinstance(question, Steps):
        return max(_shrinking(found, (1.0,), log, least) for found, _ in question.steps)
    if isinstance(question, Difference):
        return _shrinking(question.found, (0.0,), float)
    if isinstance(question, Size):
        bounds = agreement.around(question.published, agreement.load().factor)
        return _shrinking(question.found, (*bounds, 1.0), log, least)
    bounds = (question.low, question.high)
    if question.of_ratio:
        return _shrinking(question.found, bounds, log, least)
    return _shrinking(question.found, bounds, float)


def _shrinking(
    found: Interval, bounds: Sequence[float], scale: Callable[[float], float], least: float = 0.0
) -> float:
    inside = [bound for bound in bounds if found.low < bound < found.high]
    needed = 1.0
    for bound in inside:
        end = found.low if bound < found.estimate else found.high
        if scale is log and (end <= 0 or isinf(end)):
            return inf
        apart = abs(scale(found.estimate) - scale(bound))
        if apart <= least:
            return inf
        needed = max(needed, (abs(scale(found.estimate) - scale(end)) / apart) ** 2)
    return needed


def _size(question: Size, factor: float) -> Finding:
    published, measured = question.published, question.found
    low, high = agreement.around(published, factor)
    sentence = f"published {published}, agrees {_between(low, high)}"
    if measured.within(low, high):
        bound = published.at_least or published.at_most
        return Finding(Comparison.ORDER if bound else Comparison.SIZE, sentence, measured)
    rising = agreement.rises(published)
    if measured.outside(low, high):
        if rising is None or _is_none(published, measured, rising):
            return Finding(Comparison.AGAINST, sentence, measured)
        if _goes(measured, rising):
            return Finding(
                Comparison.DIRECTION, f"{_by_how_much(published, measured)}; {sentence}", measured
            )
        return Finding(
            Comparison.OPEN, f"{sentence}: the size differs, the direction is open", measured
        )
    holds = "; the direction holds" if rising is not None and _goes(measured, rising) else ""
    return Finding(Comparison.OPEN, f"{sentence}: {_crossing(question)}{holds}", measured)


def _goes(interval: Interval, rising: bool) -> bool:
    return interval.low > 1 if rising else interval.high < 1


def _is_none(published: Value, interval: Interval, rising: bool) -> bool:
    """Whether there is no difference, or one the other way, where a clear one is claimed."""
    same = agreement.load().same
    claimed = published.low if rising else 1 / published.high
    most = same if claimed >= same**2 else 1.0
    return interval.high < most if rising else interval.low > 1 / most


def _by_how_much(published: Value, interval: Interval) -> str:
    near = published.low if interval.estimate < published.low else published.high
    times = interval.estimate / near
    more = times > 1
    return f"{times if more else 1 / times:.3g} times {'above' if more else 'below'} the published"


def _between(low: float, high: float) -> str:
    if high == float("inf"):
        return f"from {low:.3g} up"
    return f"up to {high:.3g}" if low == 0 else f"from {low:.3g} to {high:.3g}"


def _band(question: Band) -> Finding:
    interval, sentence = question.found, question.said
    if interval.within(question.low, question.high):
        return Finding(Comparison.SIZE, sentence, interval)
    if interval.outside(question.low, question.high):
        return Finding(Comparison.AGAINST, sentence, interval)
    return Finding(Comparison.OPEN, f"{sentence}: {_crossing(question)}", interval)


def _crossing(question: Size | Band) -> str:
    """Why a bound lies inside the interval: of several routers' tables, they are on both sides."""
    of_routers = question.width is Width.ROUTERS
    return Width.ROUTERS.value if of_routers else "the interval crosses the bound"


def _steps(question: Steps) -> Finding:
    sign = 1.0 if question.rising else -1.0
    for interval, sentence in question.steps:
        if interval.excludes(1.0) and sign * (interval.estimate - 1) < 0:
            return Finding(Comparison.AGAINST, sentence, interval)
    for interval, sentence in question.steps:
        if not interval.excludes(1.0):
            why = question.width.value if interval.low < interval.high else "no difference"
            return Finding(Comparison.OPEN, f"{sentence}, {why}", interval)
    weakest, sentence = min(question.steps, key=lambda step: sign * step[0].estimate)
    return Finding(Comparison.ORDER, f"smallest step: {sentence}", weakest)


def _difference(question: Difference) -> Finding:
    interval, sentence = question.found, question.said
    if not interval.excludes(0.0):
        return Finding(Comparison.OPEN, f"{sentence}: the interval holds 0", interval)
    held = interval.estimate > 0
    return Finding(Comparison.ORDER if held else Comparison.AGAINST, sentence, interval)
