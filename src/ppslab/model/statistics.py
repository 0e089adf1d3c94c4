"""Estimates with intervals: medians, paired ratios, differences, and several runs as one.

The unit is one trial.  Values are paired by the round in which they were measured, since absolute
rates on a shared machine drift threefold within minutes and ratios within a round do not.

Estimates and intervals are by bootstrap.  Whether an unpaired difference is one is decided by a
test whose error is known for few values too, since the bootstrap of six values is too narrow.

Several runs of one thing are taken together as a meta-analysis takes studies: random effects.  A
run's own interval says how well that run knows its number; another run, of another day, may know
another number as well.  The spread between the runs is estimated beside the spread within them
(DerSimonian and Laird, Controlled Clinical Trials 7, 1986), and the interval is
Hartung and Knapp's (Statistics in Medicine 20, 2001), by Student's t, never narrower than the first
method's.  Two runs are few values: t has one degree of freedom then, and says so.  `pooled` says
where the middle of all such runs is; `predicted_ratio` what one more would show, which does not
narrow to nothing as runs are added: a prediction interval (Higgins, Thompson and Spiegelhalter,
Journal of the Royal Statistical Society A 172, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb, exp, hypot, inf, isfinite, lgamma, log, sqrt
from statistics import median

import numpy as np
import numpy.typing as npt

from ppslab.core.text.numbers import short

CONFIDENCE = 0.95
RESAMPLES = 4000
_TAIL = (1 - CONFIDENCE) / 2
# Resampling two values shows no more than the two, and their median lies outside of them every
# second time: of one notebook's two runs in a row, the intervals did not meet.  So fewer than six
# values (the fewest whose range holds the median 95 times in 100) get Student's t beside it.
_ENOUGH = 6

_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
STUDENT_T = dict(enumerate(_T, start=1))
"""Student's 97.5 % quantiles by degrees of freedom: a value fewer than there are."""


@dataclass(frozen=True)
class Interval:
    """An estimate with its 95 % interval and the number of observations behind it."""

    estimate: float
    low: float
    high: float
    count: int

    def excludes(self, value: float) -> bool:
        """True if the interval lies wholly above or wholly below `value`."""
        return not self.low <= value <= self.high

    def within(self, low: float, high: float) -> bool:
        """True if the whole interval lies between `low` and `high`."""
        return low <= self.low and self.high <= high

    def outside(self, low: float, high: float) -> bool:
        """True if the whole interval lies below `low` or above `high`."""
        return self.high < low or self.low > high

    def as_wide_as(self, factor: float) -> Interval:
        """The interval, of a ratio, at least from estimate / factor to estimate * factor."""
        return replace(
            self,
            low=min(self.low, self.estimate / factor),
            high=max(self.high, self.estimate * factor),
        )

    @property
    def noise(self) -> float:
        """The distance from 1 to the farther end; of the reference against itself, the noise."""
        return max(abs(self.low - 1), abs(self.high - 1))

    @property
    def noise_factor(self) -> float:
        """The factor from 1 to the farther end, infinite where the ratio may be 0."""
        return max(self.high, 1 / self.low if self.low > 0 else inf, 1.0)

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
    """Half width of Student's interval of the mean of few values; 0 where there are enough."""
    if data.size >= _ENOUGH:
        return 0.0
    return STUDENT_T[data.size - 1] * float(np.std(data, ddof=1)) / float(np.sqrt(data.size))


def _resampled(data: npt.NDArray[np.float64], seed: int) -> npt.NDArray[np.float64]:
    generator = np.random.default_rng(seed)
    return data[generator.integers(0, data.size, size=(RESAMPLES, data.size))]


def row_medians(rows: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The median of each row, as np.median has it, which takes four times as long for short rows.

    No row has a nan: np.median would return nan, and this another number.

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
    ratios = [ratio(a, b) for a, b in zip(numerators, denominators, strict=True)]
    known = _known(ratios)
    middle = middle_ratio(ratios)
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


def rate_interval(values: Sequence[float], *, seed: int = 0) -> Interval:
    """As `median_interval`, of values that are never below 0: nor is the interval, of logarithms.

    Where a value is 0 it has no logarithm, and the interval is `median_interval`'s.
    """
    if min(values, default=0.0) <= 0:
        return median_interval(values, seed=seed)
    return ratio_interval(values, [1.0] * len(values), seed=seed)


def ratio(above: float, below: float) -> float:
    """The ratio of two costs: 0 or infinite where noise made one of them less than nothing."""
    if below > 0:
        return max(above, 0.0) / below
    return inf if above > below else 0.0


def _known(ratios: Sequence[float]) -> list[float]:
    """Those that are neither 0 nor infinite."""
    return [each for each in ratios if 0 < each < inf]


def middle_ratio(ratios: Sequence[float]) -> float | None:
    """The ratio in the middle; None where no round has a positive one.

    Where some are 0 or infinite it is one that was seen: half-way to infinity is no number.
    """
    known = _known(ratios)
    if not known:
        return None
    if len(known) == len(ratios):
        return median(ratios)
    seen = sorted(ratios)[len(ratios) // 2]
    return seen if seen in known else median(known)


def coefficient_of_variation(values: Sequence[float]) -> float:
    """Standard deviation over the mean (sample, n - 1); 0 for fewer than two values."""
    data = np.asarray(values, dtype=float)
    if data.size < 2:
        return 0.0
    return float(np.std(data, ddof=1) / np.mean(data))


def _quantiles(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    low, high = np.quantile(values, [_TAIL, 1 - _TAIL])
    return float(low), float(high)


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
    return _of_resampled(float(np.median(above) / np.median(below)), ratios, len(above), len(below))


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
    """Distance of two values in logarithms; infinite where the lower is not positive."""
    return log(above / below) if below > 0 else inf


def _medians(values: Sequence[float], seed: int) -> npt.NDArray[np.float64]:
    data = np.asarray(values, dtype=float)
    if data.size == 0:
        raise ValueError("no values to take a median of")
    picks = np.random.default_rng(seed).integers(0, data.size, size=(RESAMPLES, data.size))
    return row_medians(data[picks])


def _of_resampled(
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
    """Draw permutations: indices of the values in the first places, [permutation, `first`]."""
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


NORMAL = 1.959964
"""A normal distribution's 97.5 % quantile."""

MOST_RUNS = 1 + max(STUDENT_T)
"""More runs than this are not pooled: their t is not in the table."""

SURE = 1e-9
"""The least standard error: of runs that counted the same every time it is nothing."""


def pooled_ratio(found: Sequence[Interval]) -> Interval:
    """Ratios of several runs as one; pooled as logarithms, so nothing below 0 is in it."""
    known = [each for each in found if each.low > 0 and isfinite(each.high)]
    if not known or len(found) == 1:
        return _widest(found)
    logs = [Interval(log(e.estimate), log(e.low), log(e.high), e.count) for e in known]
    of_logs = pooled(logs)
    return Interval(exp(of_logs.estimate), exp(of_logs.low), exp(of_logs.high), of_logs.count)


def pooled(found: Sequence[Interval]) -> Interval:
    """Shares or differences of several runs as one.

    A run whose interval has no end knows nothing, and weighs nothing where another knows more.
    """
    known = [each for each in found if isfinite(each.low) and isfinite(each.high)]
    if not known or len(known) == 1:
        return known[0] if known else _widest(found)
    known = known[:MOST_RUNS]
    values = [each.estimate for each in known]
    count = sum(each.count for each in known)
    if len(set(values)) == 1 and all(each.low == each.high for each in known):
        # No error whatever: a bound that they meet exactly ("at most 0") is not crossed.
        return Interval(values[0], values[0], values[0], count)
    errors = [max((each.high - each.low) / (2 * NORMAL), SURE) for each in known]
    weights = [1 / (error**2 + _between(values, errors)) for error in errors]
    total = sum(weights)
    middle = _mean(values, weights)
    reach = NORMAL / sqrt(total)
    degrees = len(known) - 1
    spread = sum(w * (v - middle) ** 2 for w, v in zip(weights, values, strict=True)) / degrees
    reach = max(reach, STUDENT_T[degrees] * sqrt(spread / total))
    low, high = middle - reach, middle + reach
    if degrees == 1:  # A run that counted the same every time would hide the other.
        low, high = min(low, *values), max(high, *values)
    return Interval(middle, low, high, count)


def predicted_ratio(found: Sequence[Interval]) -> Interval | None:
    """Predict a further ratio by three or more; `count`: their number.

    In logarithms, mean +- t * s * sqrt(1 + 1/k), with Student's t of k - 1 degrees of freedom:
    exact where the ratios are known far better than they differ, and so weigh the same.  (Higgins
    and others take k - 2, as their studies' own errors are of the size of the spread.)  What error
    they have is in s.  None of fewer than three, as two tell nothing of their spread, or where one
    is not above 0.
    """
    if not 3 <= len(found) <= MOST_RUNS or min(each.estimate for each in found) <= 0:
        return None
    logs = [log(each.estimate) for each in found]
    degrees = len(logs) - 1
    middle = sum(logs) / len(logs)
    spread = sqrt(sum((value - middle) ** 2 for value in logs) / degrees)
    reach = STUDENT_T[degrees] * spread * sqrt(1 + 1 / len(logs))
    return Interval(exp(middle), exp(middle - reach), exp(middle + reach), len(found))


def _between(values: Sequence[float], errors: Sequence[float]) -> float:
    """The variance between runs beyond what their own intervals explain, never below 0."""
    weights = [1 / error**2 for error in errors]
    total = sum(weights)
    middle = _mean(values, weights)
    excess = sum(w * (v - middle) ** 2 for w, v in zip(weights, values, strict=True))
    # total - sum(w * w) / total, without the difference: beside a run that counted the same every
    # time the others' weights are lost in it.
    scale = 2 * sum(one * other for one, other in combinations(weights, 2)) / total
    return max(0.0, (excess - (len(values) - 1)) / scale)


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)


def _widest(found: Sequence[Interval]) -> Interval:
    """The interval of the only run, or of those of which none knows both ends."""
    if not found:
        raise ValueError("no runs to pool")
    first = found[0]
    low = min((each.low for each in found), default=-inf)
    high = max((each.high for each in found), default=inf)
    return Interval(first.estimate, low, high, sum(each.count for each in found))


def busiest_share(streams: int, cores: int) -> float:
    """Return the mean share of the streams that the busiest core gets, 0.75 for 2 streams on 2.

    A hash deals the streams as dice would.  Given their total, such counts are distributed as
    independent Poisson counts are; the mean is the sum of the chances that the busiest exceeds
    0, 1, 2, ... streams.
    """
    counts = range(streams + 1)
    of_one = np.array([_poisson(count, streams / cores) for count in counts])
    within = [_convolved(of_one[: most + 1], cores, streams) for most in counts]
    return sum(1 - chance / _poisson(streams, streams) for chance in within) / streams


def _poisson(count: int, mean: float) -> float:
    return exp(count * log(mean) - mean - lgamma(count + 1))


def _convolved(chances: npt.NDArray[np.float64], times: int, total: int) -> float:
    """Return the chance that so many counts add up to the total."""
    sums = np.array([1.0])
    for _ in range(times):
        sums = np.convolve(sums, chances)[: total + 1]
    return float(sums[total]) if len(sums) > total else 0.0
