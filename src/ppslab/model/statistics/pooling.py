"""Several runs of one thing taken together, as a meta-analysis takes studies: random effects.

A run's own interval says how well that run knows its number; another run, of another day, may know
another number as well.  The spread between the runs is estimated beside the spread within them
(DerSimonian and Laird, Controlled Clinical Trials 7, 1986), and the interval is
Hartung and Knapp's (Statistics in Medicine 20, 2001), by Student's t, never narrower than the first
method's.  Two runs are few values: t has one degree of freedom then, and says so.

`pooled` says where the middle of all such runs is.  `predicted_ratio` says what one more would
show, which does not narrow to nothing as runs are added: a prediction interval (Higgins, Thompson
and Spiegelhalter, Journal of the Royal Statistical Society A 172, 2009).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import exp, inf, isfinite, log, sqrt

from ppslab.model.statistics import STUDENT_T, Interval

NORMAL = 1.959964
"""A normal distribution's 97.5 % quantile."""

MOST = 1 + max(STUDENT_T)
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
    known = known[:MOST]
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
    """What a further one would say, by the ratios of three or more; `count`: how many they are.

    In logarithms, mean +- t * s * sqrt(1 + 1/k), with Student's t of k - 1 degrees of freedom:
    exact where the ratios are known far better than they differ, and so weigh the same.  (Higgins
    and others take k - 2, as their studies' own errors are of the size of the spread.)  What error
    they have is in s.  None of fewer than three, as two tell nothing of their spread, or where one
    is not above 0.
    """
    if not 3 <= len(found) <= MOST or min(each.estimate for each in found) <= 0:
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
