"""How many more rounds a claim that is left open would take."""

from __future__ import annotations

import math

from ppslab.judge import claims
from ppslab.judge.claims.deciding import Band, Size, Steps, as_it_repeats, decide, times_more
from ppslab.judge.claims.verdicts import Finding
from ppslab.model.lab import lab
from ppslab.model.lab.published import Value
from ppslab.model.statistics import Interval

FASTPATH = lab.find("fastpath")
NOISY = {"routing-3-rules": 402.0}
"""Costs hardly more than connection tracking: a step within the noise."""


def stand_in(finding: Finding) -> str:
    return claims.verdict_of(claims.COUNTED, finding.comparison)


def test_so_many_times_the_rounds_would_decide() -> None:
    question = Size(Interval(1.7, 1.4, 2.06, 5), Value(2.27, 2.27))
    more = times_more(question)
    reach = math.log(1.7 / 1.4) / math.sqrt(more)
    shrunk = Interval(1.7, 1.7 * math.exp(-reach * 0.99), 1.7 * math.exp(reach * 0.99), 5)
    assert stand_in(decide(question)) == claims.CANNOT_TELL
    assert stand_in(decide(Size(shrunk, Value(2.27, 2.27)))) == claims.IN_SIZE
    on_the_bound = Band(Interval(1.0, 0.9, 1.1, 5), 1.0, 2.0, "share")
    assert math.isinf(times_more(on_the_bound))
    assert math.isinf(times_more(Size(Interval(1.9, 0.0, math.inf, 3), Value(2, 2))))


def test_a_count_that_is_as_near_to_a_bound_as_runs_to_one_another_decides_nothing() -> None:
    """Two runs of a day fell on either side of it, each of them with an interval of 0.1 %."""
    published, repeats = Value(4.11, 4.11), 1.003
    for estimate in (6.1595, 6.1705):
        narrow = Size(Interval(estimate, estimate * 0.9995, estimate * 1.0005, 3), published)
        assert stand_in(decide(narrow)) != claims.CANNOT_TELL
        wide = as_it_repeats(narrow, repeats)
        assert stand_in(decide(wide)) == claims.CANNOT_TELL
        assert math.isinf(times_more(wide, repeats))
    steps = as_it_repeats(Steps([(Interval(1.002, 1.0019, 1.0021, 3), "a step")], True), repeats)
    assert stand_in(decide(steps)) == claims.CANNOT_TELL
    far = Size(Interval(5.0, 4.0, 6.2, 3), published)
    assert as_it_repeats(far, repeats) == far
    assert times_more(far, repeats) == times_more(far) < 2
