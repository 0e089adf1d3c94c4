"""Estimates with intervals: the median, its bootstrap interval, and paired ratios.

The unit is one trial.  Values are paired by the round in which they were measured, since absolute
rates on a shared machine drift threefold within minutes and ratios within a round do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ppslab.core.text.numbers import short
from ppslab.model import rounds

CONFIDENCE = 0.95
RESAMPLES = 4000
_TAIL = (1 - CONFIDENCE) / 2
# Resampling two values shows no more than the two, and their median lies outside of them every
# second time: of one notebook's two runs in a row, the intervals did not meet.  So fewer than six
# values (the fewest whose range holds the median 95 times in 100) get Student's t beside it.
_ENOUGH = 6

STUDENT_T = {
    1: 12.706,
    2: 4.303,
    3: 3.182,
    4: 2.776,
    5: 2.571,
    6: 2.447,
    7: 2.365,
    8: 2.306,
    9: 2.262,
}
"""Student's 97.5 % quantiles by degrees of freedom: a value fewer than there are."""


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

    def as_wide_as(self, factor: float) -> Interval:
        """The interval, of a ratio, at least from estimate / factor to estimate * factor."""
        return replace(
            self,
            low=min(self.low, self.estimate / factor),
            high=max(self.high, self.estimate * factor),
        )

    def as_far_as(self, difference: float) -> Interval:
        """The interval, of a difference, at least `difference` to both sides of the estimate."""
        return replace(
            self,
            low=min(self.low, self.estimate - difference),
            high=max(self.high, self.estimate + difference),
        )

    @property
    def finite(self) -> tuple[float | None, float | None]:
        """Both ends for JSON, which has no infinity: None for an end that is infinite."""
        return finite(self.low), finite(self.high)

    def __str__(self) -> str:
        return f"{short(self.estimate)} [{short(self.low)}, {short(self.high)}]"


def finite(value: float) -> float | None:
    """A number for JSON, which has no infinity: None for what is infinite."""
    return value if np.isfinite(value) else None


def median_interval(values: Sequence[float], *, seed: int = 0) -> Interval:
    """Median of `values` with its percentile bootstrap interval (Efron 1979), 4000 resamples.

    Of two to five values the interval is at least Student's (1908): the median -+ t s / sqrt(n).
    `seed` fixes the resampling, so that the same record always gives the same interval.
    Raises ValueError without values.
    """
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("no values to take a median of")
    middle = float(np.median(data))
    if data.size == 1:
        return Interval(middle, middle, middle, 1)
    low, high = _quantiles(row_medians(_resampled(data, seed)))
    reach = _few(data)
    return Interval(middle, min(low, middle - reach), max(high, middle + reach), int(data.size))


def _few(data: npt.NDArray[np.float64]) -> float:
    """How far Student's interval of the mean of so few values reaches; 0 where there are enough."""
    if data.size >= _ENOUGH:
        return 0.0
    return STUDENT_T[data.size - 1] * float(np.std(data, ddof=1)) / float(np.sqrt(data.size))


def _resampled(data: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    return data[generator.integers(0, data.size, size=(RESAMPLES, data.size))]


def row_medians(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The median of each row, as np.median has it, which takes four times as long for short rows.

    >>> row_medians(np.array([[3.0, 1.0, 2.0, 10.0], [1.0, 1.0, 5.0, np.inf]])).tolist()
    [2.5, 3.0]
    """
    ordered = np.sort(rows, axis=1)
    half, odd = divmod(rows.shape[1], 2)
    medians: npt.NDArray[np.float64] = (
        ordered[:, half] if odd else (ordered[:, half - 1] + ordered[:, half]) / 2
    )
    return medians


def ratio_interval(
    numerators: Sequence[float], denominators: Sequence[float], *, seed: int = 0
) -> Interval:
    """Median of the paired ratios `numerators[i] / denominators[i]`, with its interval.

    Both hold one value a round, in the same order.  A ratio of costs is never below 0, so its
    interval is made of logarithms, and nothing below 0 is ever in it.  Where a value is not
    positive (the baseline cost as much as the condition: noise), the two still tell which was
    larger: such a round's ratio counts as infinite, or as 0, and is counted like any other.
    Of two to five rounds Student's interval then knows nothing: it is 0 to infinity.
    Raises ValueError where no round has a positive ratio.
    """
    if len(numerators) != len(denominators):
        raise ValueError("paired values need the same rounds")
    ratios = [rounds.ratio(a, b) for a, b in zip(numerators, denominators, strict=True)]
    known = [ratio for ratio in ratios if 0 < ratio < np.inf]
    middle = rounds.middle(ratios)
    if middle is None:
        raise ValueError("no round has a positive ratio")
    if len(ratios) == 1:
        return Interval(known[0], known[0], known[0], 1)
    data = np.asarray(ratios)
    picked = _resampled(data, seed)
    if len(known) == len(ratios):
        low, high = _quantiles(row_medians(picked))
    else:
        # Values that were seen, not some between two of them: half-way to infinity is no number.
        # The middle of an even number of rounds lies between two: each end takes the outer one.
        lower = np.quantile(picked, 0.5, axis=1, method="lower")
        higher = np.quantile(picked, 0.5, axis=1, method="higher")
        low = float(np.quantile(lower, _TAIL, method="lower"))
        high = float(np.quantile(higher, 1 - _TAIL, method="higher"))
    if data.size < _ENOUGH:
        if len(known) < len(ratios):
            return Interval(middle, 0.0, np.inf, len(known))
        reach = float(np.exp(_few(np.log(data))))
        low, high = min(low, middle / reach), max(high, middle * reach)
    return Interval(middle, min(low, middle), max(high, middle), len(known))


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Standard deviation over the mean (sample, n - 1); 0 for fewer than two values."""
    data = np.asarray(values, dtype=float)
    if data.size < 2:
        return 0.0
    return float(np.std(data, ddof=1) / np.mean(data))


def _quantiles(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL])
    return float(low), float(high)
