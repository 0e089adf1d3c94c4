"""Estimates with intervals: the median, its bootstrap interval, and paired ratios.

The unit is one trial.  Values are paired by the round in which they were measured, since absolute
rates on a shared machine drift threefold within minutes and ratios within a round do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
RESAMPLES = 4000


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % interval and the number of observations behind it."""

    estimate: float
    low: float
    high: float
    count: int

    def excludes(self, value: float) -> bool:
        """Whether the interval lies wholly above or wholly below `value`."""
        return not self.low <= value <= self.high

    def within(self, low: float, high: float) -> bool:
        """Whether the whole interval lies between `low` and `high`."""
        return low <= self.low and self.high <= high

    def outside(self, low: float, high: float) -> bool:
        """Whether the whole interval lies below `low` or above `high`."""
        return self.high < low or self.low > high

    def overlaps(self, other: Interval) -> bool:
        """Whether the two intervals have a value in common."""
        return self.low <= other.high and other.low <= self.high

    def __str__(self) -> str:
        return f"{short(self.estimate)} [{short(self.low)}, {short(self.high)}]"


def short(value: float) -> str:
    """A number for reading: three digits that matter, never an exponent for what is in thousands.

    >>> short(2.2664), short(1347.2), short(0.0512)
    ('2.27', '1347', '0.0512')
    """
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def median_interval(values: Sequence[float], *, seed: int = 0) -> Interval:
    """Median of `values` with its percentile bootstrap interval (Efron 1979), 4000 resamples.

    `seed` fixes the resampling, so that the same record always gives the same interval.
    Raises ValueError without values.
    """
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("no values to take a median of")
    middle = float(np.median(data))
    if data.size == 1:
        return Interval(middle, middle, middle, 1)
    generator = np.random.default_rng(seed)
    picks = generator.integers(0, data.size, size=(RESAMPLES, data.size))
    medians = np.median(data[picks], axis=1)
    low, high = _quantiles(medians)
    return Interval(middle, low, high, int(data.size))


def ratio_interval(
    numerators: Sequence[float], denominators: Sequence[float], *, seed: int = 0
) -> Interval:
    """Median of the paired ratios `numerators[i] / denominators[i]`, with its interval.

    Both hold one value a round, in the same order.  A round whose denominator is not positive
    (the baseline cost as much as the condition: noise) says nothing and is left out.
    Raises ValueError where no round is left.
    """
    if len(numerators) != len(denominators):
        raise ValueError("paired values need the same rounds")
    ratios = [a / b for a, b in zip(numerators, denominators, strict=True) if b > 0]
    return median_interval(ratios, seed=seed)


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Standard deviation over the mean (sample, n - 1); 0 for fewer than two values."""
    data = np.asarray(values, dtype=float)
    if data.size < 2:
        return 0.0
    return float(np.std(data, ddof=1) / np.mean(data))


def _quantiles(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(values, [tail, 1 - tail])
    return float(low), float(high)
