"""Every statistic recovers what a real kernel's netem and policer do to the frames.

The truth lab (labs/truth) where a kernel has netem: in namespaces, else in the guest, where
emulation makes timers late and a trial is run again while the machine's other work disturbs it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext, suppress

import pytest

from ppslab.core.errors import CannotHereError
from ppslab.measure.calibration import spread
from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.model.results import Delays, EveryFrame
from ppslab.model.validity import Cause
from ppslab.testbed.backends import Backend, capabilities
from ppslab.testbed.testers import ppstraffic
from tests.conftest import Opened
from tests.system.measurement.known_truth import BUCKET, TRUTH

MS = 1e6
ATTEMPTS = 5


def every(testbed: FrameTestbed, condition: str, seconds: float, rate: float) -> EveryFrame:
    """A trial of the condition, from every frame."""
    wanted = TrialSpec(
        "search", testbed.lab.condition(condition), 64, seconds, rate, keep_frames=True
    )
    trial = testbed.trial(wanted)
    assert Cause.ROUTER_STATE not in trial.causes, trial.invalid_because
    assert trial.every_frame is not None and trial.counts is not None
    counts = ppstraffic.TrialCounts.of(trial.counts)
    found = trial.every_frame
    assert (found.received, found.duplicates) == (counts.received, counts.duplicates)
    assert found.reordering.reordered == counts.reordered
    return found


def quiet(
    testbed: FrameTestbed,
    condition: str,
    seconds: float,
    rate: float,
    calm: Callable[[EveryFrame], bool],
) -> EveryFrame:
    """A trial that the machine's other work left alone: by `calm`, and every frame was sent.

    Skips where there is none in a few attempts: a guest that stands still for a tenth of a second
    delays and drops frames in truth.
    """
    for _ in range(ATTEMPTS):
        found = every(testbed, condition, seconds, rate)
        if found.offered == found.intended and calm(found):
            return found
    late = (spread(found.from_intended) or math.inf) / MS
    pytest.skip(
        f"the machine's other work disturbs every trial of {condition}: of the last one "
        f"{found.intended - found.offered} frames were not sent, delays spread over {late:.1f} ms, "
        f"and nothing came for {found.longest_gap_seconds} s"
    )


def percentile(found: Delays, share: float) -> int:
    return next(one.ns for one in found.percentiles if one.share == share)


def steady(found: EveryFrame) -> bool:
    """Whether the bucket, 25 frames at 2 000/s, neither filled in a pause nor ran over in a burst.

    A tester that begins late sends what was due meanwhile at once: nothing pauses at the receiver,
    and of 36 frames the bucket takes 25.
    """
    pause, late = found.longest_gap_seconds, found.from_intended.max
    return pause is not None and late is not None and pause < 0.008 and late < 8 * MS


# Emulation disturbs many of its trials, which then run again: 42 s and more of every run.
pytestmark = [pytest.mark.guest, pytest.mark.alone, pytest.mark.weekly]


@pytest.fixture(scope="module")
def backend(opened: Opened) -> Backend:
    natively = "netem" in capabilities.features_of("namespaces")
    try:
        return opened("namespaces" if natively else "vm")
    except CannotHereError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def testbed(backend: Backend) -> Iterator[FrameTestbed]:
    with ExitStack() as stack:
        found = stand(stack, backend, lab.load(TRUTH), profiles.load("quick"))
        found.bearable_burst = BUCKET
        yield found


@pytest.mark.parametrize(("condition", "truth"), [("delay-2ms", 2 * MS), ("delay-5ms", 5 * MS)])
def test_no_frame_is_earlier_than_a_known_delay(
    testbed: FrameTestbed, condition: str, truth: float
) -> None:
    """Whatever the machine does: it makes frames late.  So the quickest one is near the truth."""
    quickest = math.inf
    for _ in range(ATTEMPTS):
        trials = [every(testbed, name, 0.25, 500.0) for name in ("plain", condition)]
        plain, found = (trial.from_actual for trial in trials)
        assert plain.min is not None and found.min is not None
        assert found.min >= truth
        quickest = min(quickest, found.min - plain.min)
        if quickest < 2 * truth:
            break
    assert quickest < 2 * truth, "another delay than netem's"


def test_the_delay_that_a_late_tester_adds_is_seen_and_told_apart(testbed: FrameTestbed) -> None:
    """From the intended time a frame is never faster than from the actual one."""
    found = every(testbed, "delay-2ms", 0.5, 1000.0)
    assert found.from_actual.min is not None and found.from_actual.min >= 2 * MS
    for intended, actual in zip(
        found.from_intended.percentiles, found.from_actual.percentiles, strict=True
    ):
        assert intended.ns >= actual.ns


def test_a_known_loss_and_when_it_was(testbed: FrameTestbed) -> None:
    found = every(testbed, "netem-loss", 1.0, 2000.0)
    # Binomial: four standard deviations.
    spare = 4 * math.sqrt(0.02 * 0.98 * found.offered)
    assert abs(found.offered - found.received - 0.02 * found.offered) < spare
    assert found.reordering.reordered == found.duplicates == 0
    assert found.first_lost_seconds is not None and found.last_lost_seconds is not None
    # The first of losses one in fifty is not later than the 500th frame, but once in 24 000 times.
    assert 0 <= found.first_lost_seconds < 0.25
    assert 0.75 < found.last_lost_seconds < 1.0


def test_a_known_share_of_duplicates(testbed: FrameTestbed) -> None:
    found = every(testbed, "netem-duplicate", 1.0, 2000.0)
    assert abs(found.duplicates - 0.1 * found.received) < 4 * math.sqrt(0.09 * found.received)
    assert found.reordering.reordered == 0
    assert found.from_actual.count == found.received <= found.offered


def test_reordering_with_a_known_extent(testbed: FrameTestbed) -> None:
    """Every tenth frame overtakes four: those have the extents 1 to 4, and it comes 4 early.

    A frame that is a millisecond late is overtaken by another one, or no longer overtakes: one
    attempt in which few were late is enough.
    """
    for left in reversed(range(ATTEMPTS)):
        found = quiet(
            testbed,
            "netem-reorder",
            1.5,
            500.0,
            lambda each: percentile(each.from_actual, 0.99) < 10 * MS,
        ).reordering
        print(found)
        with suppress(AssertionError) if left else nullcontext():
            assert found.reordered == pytest.approx(300, abs=22)
            assert 4 <= found.max_extent < 10, "the next frame that overtakes is ten behind"
            return


def test_a_policer_passes_its_rate_and_its_bucket(testbed: FrameTestbed) -> None:
    """2 000 a second and 25 on top, of 4 000 a second; nothing is lost below its rate."""
    above = quiet(testbed, "police-2k", 1.0, 4000.0, steady)
    assert above.received == pytest.approx(2025, rel=0.02)
    below = quiet(testbed, "police-2k", 0.5, 1800.0, steady)
    assert below.lost == 0
    assert below.first_lost_seconds is None
