"""When a measured ratio has the size of a published one; book/method.md argues the numbers."""

from __future__ import annotations

from math import inf, sqrt
from typing import Final

from ppslab.model.lab.published import Value

FACTOR: Final = 1.5
"""A ratio agrees that is up to so many times larger than the published one, or as many smaller.

Near 1 this would let "no difference" agree.  There half of the difference is asked for: the factor
is the square root of the published ratio where that is smaller.
"""

SAME: Final = 1.15
"""Two costs nearer to each other than this are the same."""

REPEATS: Final = 1.003
"""What is counted is the same from run to run within this: no repeatability is narrower."""

COUNTING: Final = 1.57
"""A counted ratio may be so many times the timed one, or as many times smaller.

It goes both ways: counting exaggerates a firewall rule, and hides what the bridge's fast path
saves.  From all ratios that were both counted and timed, which a test works out anew.
"""

KERNELS: Final = 1.39
"""A ratio that only one kernel has counted may be so many times another on the next one.

From the spread over the kernels of results/kernels/, which a test works out anew.
"""


def rises(published: Value) -> bool | None:
    """Return True for a published ratio above 1, False below, None where it may be either."""
    if published.low > 1:
        return True
    return False if published.high < 1 else None


def around(published: Value, factor: float) -> tuple[float, float]:
    """The lowest and the highest measured ratio that has the published one's size.

    A published bound is a bound: nothing is taken off it.  Around a number or a range lies the
    factor, but never so much of it that more than half of the difference from 1 is lost.
    """
    if published.at_least:
        return published.low, inf
    if published.at_most:
        return 0.0, published.high
    rising = rises(published)
    if rising is None:
        return published.low / factor, published.high * factor
    near = min(factor, sqrt(published.low if rising else 1 / published.high))
    return published.low / near, published.high * near
