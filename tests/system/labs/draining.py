"""Trials that are asked again, each time with longer for the last frames to come."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.results import Trial
from ppslab.model.results.shapes import Counts
from ppslab.model.validity import Cause

LONGER = (0.2, 1.0, 3.0, 5.0, 5.0, 5.0, 5.0)
"""Seconds; the machine's other work takes the CPUs for moments, and not for ever."""


def until(testbed: FrameTestbed, spec: TrialSpec, enough: Callable[[Counts], bool]) -> Trial:
    """The first trial with enough counts, or else the last: what its counts come to, the test says.

    In each the router's state agreed: that is no matter of time.
    """
    for _ in _attempts(testbed):
        trial = testbed.trial(spec)
        assert Cause.ROUTER_STATE not in trial.causes, trial.invalid_because
        assert trial.counts
        if enough(trial.counts):
            break
    return trial


def _attempts(testbed: FrameTestbed) -> Iterator[int]:
    """The numbers of some attempts at a trial; before each but the first, a longer drain.

    A frame that waits for its CPU longer than the tester drains is rightly a lost one.  The
    profile `quick` drains for 50 ms, which is enough on a quiet machine and costs it no more; with
    a second suite beside it an emulated router was later than that, five times in a row.
    """
    usual = testbed.profile
    try:
        yield 0
        for number, seconds in enumerate(LONGER, start=1):
            waits = usual.waits.model_copy(update={"drain_seconds": seconds})
            testbed.profile = usual.model_copy(update={"waits": waits})
            yield number
    finally:
        testbed.profile = usual
