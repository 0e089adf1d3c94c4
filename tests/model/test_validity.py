"""When the hypervisor has taken too much of a CPU for a trial to count."""

from __future__ import annotations

import pytest

from ppslab.model.validity import Cause, steal_of

VERDICTS = [
    # ticks by CPU, seconds, CPUs that matter, whether it is too much
    ({}, 0.1, None, False),
    # The run that ended a book: two ticks of one CPU in 0.35 s, which may be 10 ms or 30.
    ({0: 2}, 0.35, None, False),
    ({0: 2}, 0.1, None, False),
    ({0: 1, 1: 1, 2: 1, 3: 1}, 0.1, None, False),
    # Each CPU alone: 3 % each are not 6 %.
    ({0: 3, 1: 3}, 1.0, None, False),
    ({0: 3}, 0.1, None, True),
    ({0: 3}, 0.35, None, True),
    # 5 % of 0.5 s are 25 ms: three ticks may be 20.
    ({0: 3}, 0.5, None, False),
    ({0: 4}, 0.5, None, True),
    ({0: 6}, 1.0, None, False),
    ({0: 7}, 1.0, None, True),
    ({0: 300}, 60.0, None, False),
    ({0: 302}, 60.0, None, True),
    # A CPU on which nothing of the trial works.
    ({7: 90}, 1.0, {0, 1}, False),
    ({1: 90}, 1.0, {0, 1}, True),
    (None, 1.0, None, False),
    ({0: 5}, 0.0, None, False),
]


@pytest.mark.parametrize(("ticks", "seconds", "cpus", "too_much"), VERDICTS)
def test_a_cpu_is_judged_by_what_it_certainly_lost(
    ticks: dict[int, int] | None, seconds: float, cpus: set[int] | None, too_much: bool
) -> None:
    found = steal_of(ticks, seconds, cpus)
    assert (found is not None) == too_much
    if found:
        assert found.cause == Cause.STEAL
