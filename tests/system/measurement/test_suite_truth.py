"""The suite on routers whose truth was put in: a token bucket has a limit and a depth."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from ppslab.measure.rfc2544 import section26
from ppslab.measure.rfc2544.stage import Stage, UnderTest
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import profiles
from ppslab.testbed.backends import capabilities
from tests.system.measurement.known_truth import standing

pytestmark = [
    pytest.mark.live,
    pytest.mark.timed(why="a bucket fills by the clock, and a reset lasts for a time"),
]

LIMIT = 50_000.0
DEPTH = 50
MAXIMUM = 200_000.0
WORDS = profiles.load("quick").suite


@pytest.fixture(scope="module")
def testbed() -> Iterator[FrameTestbed]:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with standing("namespaces") as found:
        yield found


@pytest.fixture
def subject(testbed: FrameTestbed) -> UnderTest:
    return UnderTest(testbed.lab.condition("limit-50k"), 64, "ipv4", "lab", True)


@pytest.fixture
def stage(testbed: FrameTestbed, subject: UnderTest) -> Stage:
    # Sender and router share a CPU: then only the bucket can lose a frame.
    made = Stage(testbed, random.Random(1), arrangement="coupled")
    made.maximum, made.lossless = {64: MAXIMUM}, {subject: LIMIT}
    return made


def test_the_loss_curve_is_that_of_the_limit(stage: Stage, subject: UnderTest) -> None:
    curve = section26.frame_loss(stage, [subject], WORDS.frame_loss)
    valid = [point for point in curve if point.loss_ratio is not None]
    assert len(valid) >= len(curve) - 2
    for point in valid:
        # The bucket lets its depth through on top.
        sent = point.rate * WORDS.frame_loss.seconds
        truth = max(0.0, 1 - LIMIT / point.rate)
        assert point.loss_ratio == pytest.approx(truth, abs=0.01 + DEPTH / sent)
    assert valid[-1].loss_ratio == 0


def test_the_burst_is_what_the_bucket_holds(stage: Stage, subject: UnderTest) -> None:
    (found,) = section26.back_to_back(stage, [subject], WORDS.back_to_back)
    frames = found.corrected_buffer_seconds
    assert frames is not None, found.why_none
    # A late tester makes a burst look longer: the best of the repeats is nearest to the truth.
    best = min(found.bursts) * (1 - LIMIT / MAXIMUM)
    assert best == pytest.approx(DEPTH, rel=0.15)


def test_a_reset_in_mid_stream_is_seen_by_loss_and_by_time(
    stage: Stage, subject: UnderTest
) -> None:
    stage.lossless[subject] = 0.5 * LIMIT
    (found,) = section26.reset(stage, [subject], WORDS.reset)
    assert found.by_loss_seconds, found.why_none
    pairs = list(zip(found.by_loss_seconds, found.by_time_seconds, strict=True))
    for by_loss, by_time in pairs:
        assert 0.001 < by_loss < WORDS.reset.seconds
        # Frames that a busy machine lost elsewhere in the trial count as loss, and are no gap.
        assert by_time <= 1.5 * by_loss + 0.02
    assert any(by_time == pytest.approx(by_loss, rel=0.5, abs=0.02) for by_loss, by_time in pairs)
