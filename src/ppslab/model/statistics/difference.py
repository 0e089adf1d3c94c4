"""Whether two sets of values differ, and by how much: unpaired intervals and exact tests.

Estimates and intervals are by bootstrap (`statistics`); whether a difference is one is decided by a
test whose error is known for few values too, since the bootstrap of six values is too narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, exp, hypot, inf, log

import numpy as np
import numpy.typing as npt

from ppslab.model.statistics import CONFIDENCE, RESAMPLES, Interval, row_medians

FEWEST = 5
"""Values a side below which nothing is judged: four against four cannot reach 1 in 100."""

PERMUTATIONS = 20_000


def ratio_of_medians(above: Sequence[float], below: Sequence[float], *, seed: int = 0) -> Interval:
    """Median of `above` over that of `below`, each resampled by itself: nothing is paired.

    ValueError without values, or where the median of `below` is not positive.
    """
    top, bottom = _medians(above, seed), _medians(below, seed + 1)
    if np.median(below) <= 0:
        raise ValueError("a ratio to what is not positive")
    # A resample may hit zero where the median does not.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(bottom > 0, top / bottom, np.inf)
    return _interval(float(np.median(above) / np.median(below)), ratios, len(above), len(below))


def ratio_of_estimates(above: Interval, below: Interval) -> Interval:
    """`above` over `below`, two independent estimates above 0, by their intervals alone.

    Donner and Zou's method of variance estimates recovery (Statistical Methods in Medical Research
    21, 2012), in logarithms: never below 0.
    """
    down = hypot(_apart(above.estimate, above.low), _apart(below.high, below.estimate))
    up = hypot(_apart(above.high, above.estimate), _apart(below.estimate, below.low))
    estimate = above.estimate / below.estimate
    return Interval(
        estimate, estimate * exp(-down), estimate * exp(up), min(above.count, below.count)
    )


def _apart(above: float, below: float) -> float:
    """How far two values are apart in logarithms; infinitely where the lower is not positive."""
    return log(above / below) if below > 0 else inf


def difference_of_medians(
    above: Sequence[float], below: Sequence[float], *, seed: int = 0
) -> Interval:
    """Median of `above` less that of `below`, unpaired; ValueError without values."""
    differences = _medians(above, seed) - _medians(below, seed + 1)
    return _interval(
        float(np.median(above) - np.median(below)), differences, len(above), len(below)
    )


def _medians(values: Sequence[float], seed: int) -> npt.NDArray[np.float64]:
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("no values to take a median of")
    picks = np.random.default_rng(seed).integers(0, data.size, size=(RESAMPLES, data.size))
    return row_medians(data[picks])


def _interval(
    estimate: float, resampled: npt.NDArray[np.float64], first: int, second: int
) -> Interval:
    tail = (1 - CONFIDENCE) / 2
    # Not interpolated: between a number and infinity there is nothing.
    low, high = np.quantile(resampled, [tail, 1 - tail], method="nearest")
    return Interval(estimate, float(low), float(high), min(first, second))


def permutation_p(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> float:
    """Chance of ranks so far apart if both are of one kind (Wilcoxon's rank sum, by permutation).

    Two-sided; ties share their ranks.  At least 1 / (PERMUTATIONS + 1).
    """
    pooled = np.asarray([*first, *second], dtype=float)
    ranks = _ranks(pooled)
    expected = ranks.mean() * len(first)
    seen = abs(ranks[: len(first)].sum() - expected)
    drawn = np.abs(ranks[_shuffled(pooled.size, len(first), seed)].sum(axis=1) - expected)
    return float((1 + np.count_nonzero(drawn >= seen - 1e-9)) / (PERMUTATIONS + 1))


# A comparison of two records asks the same of hundreds of pairs, each of as many values.
@lru_cache(maxsize=4)
def _shuffled(values: int, first: int, seed: int) -> npt.NDArray[np.intp]:
    """Which of so many values come first in each permutation: [permutation, `first` places]."""
    order = np.random.default_rng(seed).random((PERMUTATIONS, values)).argsort(axis=1)
    taken: npt.NDArray[np.intp] = order[:, :first].copy()  # the rest of the array may go
    taken.flags.writeable = False
    return taken


def _ranks(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Ranks from 1, equal values sharing the mean of theirs."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks: npt.NDArray[np.float64] = (last - (counts - 1) / 2)[where]
    return ranks


def sign_p(values: Sequence[float], middle: float = 1.0) -> float:
    """Chance of so uneven a split around `middle` for paired values (sign test, two-sided)."""
    above = sum(value > middle for value in values)
    below = sum(value < middle for value in values)
    count = above + below
    if count == 0:
        return 1.0
    tail = sum(comb(count, k) for k in range(min(above, below) + 1)) / 2.0**count
    return min(1.0, 2 * tail)


def fisher_p(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Fisher's exact test of two counts of (passed, failed) trials, two-sided.

    The chance, at one and the same rate of passing, of a split at most as likely as the one seen.
    """
    rows = sum(first), sum(second)
    passed = first[0] + second[0]
    ways = comb(sum(rows), passed)

    def chance(here: int) -> float:
        return comb(rows[0], here) * comb(rows[1], passed - here) / ways

    seen = chance(first[0])
    lowest, highest = max(0, passed - rows[1]), min(rows[0], passed)
    total = sum(p for k in range(lowest, highest + 1) if (p := chance(k)) <= seen * (1 + 1e-9))
    return min(1.0, total)
