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
_TAIL = (1 - CONFIDENCE) / 2
# Resampling two values shows no more than the two, and their median lies outside of them every
# second time: of one notebook's two runs in a row, the intervals did not meet.  So fewer than six
# values (the fewest whose range holds the median 95 times in 100) get Student's t beside it.
_STUDENT_T = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}


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

    @property
    def finite(self) -> tuple[float | None, float | None]:
        """Both ends for JSON, which has no infinity: None for an end that is infinite."""
        return finite(self.low), finite(self.high)

    def __str__(self) -> str:
        return f"{short(self.estimate)} [{short(self.low)}, {short(self.high)}]"


def finite(value: float) -> float | None:
    """A number for JSON, which has no infinity: None for what is infinite."""
    return value if np.isfinite(value) else None


def short(value: float) -> str:
    """A number for reading: three digits that matter, never an exponent for what is in thousands.

    >>> short(2.2664), short(1347.2), short(0.0512)
    ('2.27', '1347', '0.0512')
    """
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


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
    medians = np.median(_resampled(data, seed), axis=1)
    low, high = _quantiles(medians)
    reach = _few(data)
    return Interval(middle, min(low, middle - reach), max(high, middle + reach), int(data.size))


def _few(data: npt.NDArray[np.float64]) -> float:
    """How far Student's interval of the mean of so few values reaches; 0 where there are enough."""
    if data.size not in _STUDENT_T:
        return 0.0
    return _STUDENT_T[data.size] * float(np.std(data, ddof=1)) / float(np.sqrt(data.size))


def _resampled(data: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    return data[generator.integers(0, data.size, size=(RESAMPLES, data.size))]


def ratio_interval(
    numerators: Sequence[float], denominators: Sequence[float], *, seed: int = 0
) -> Interval:
    """Median of the paired ratios `numerators[i] / denominators[i]`, with its interval.

    Both hold one value a round, in the same order.  Where a round's denominator is not positive
    (the baseline cost as much as the condition: noise), the two still tell which was larger: such
    a round's ratio counts as larger than all others, or as 0.  So an end of the interval may be
    infinite; the median is of the other rounds.  (Once such rounds were left out: of ten rounds
    one was left, and its ratio stood there with an interval of no width.)
    Raises ValueError where no denominator is positive.
    """
    if len(numerators) != len(denominators):
        raise ValueError("paired values need the same rounds")
    pairs = list(zip(numerators, denominators, strict=True))
    known = [a / b for a, b in pairs if b > 0]
    if not known or len(known) == len(pairs):
        return median_interval(known, seed=seed)
    noisy = [np.inf if a > b else 0.0 for a, b in pairs if b <= 0]
    middle = float(np.median(known))
    medians = np.median(_resampled(np.asarray(known + noisy), seed), axis=1)
    # Values that were seen, not some between two of them: half-way to infinity is no number.
    low = float(np.quantile(medians, _TAIL, method="lower"))
    high = float(np.quantile(medians, 1 - _TAIL, method="higher"))
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
