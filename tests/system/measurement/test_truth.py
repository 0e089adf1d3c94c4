"""A router whose truth is known: a limit and its loss come back as they were put in.

The router under test is the Linux router with a token bucket in its way (the lab in `truth`),
measured by the same testbed and search as every lab.  Sender and router share a CPU here: then only
the truth that was put in can lose a frame, not the burst of another program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from ppslab.measure import rounds
from ppslab.measure.search import search
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import profiles
from ppslab.model.statistics import coefficient_of_variation
from ppslab.model.validity import Cause
from ppslab.testbed.backends import capabilities
from ppslab.testbed.testers import ppstraffic
from tests.system.measurement.known_truth import BUCKET, DEPTH, standing

pytestmark = [pytest.mark.live, pytest.mark.alone]

LIMITS = {"limit-20k": 20_000, "limit-50k": 50_000, "limit-100k": 100_000}
HIGHEST = 250_000.0

# The goal is finer than the quick profile's: the bounds must lie within 1 % of the truth.
GOAL = profiles.Search(
    sizes="smallest",
    loss_ratios=(0.0,),
    initial_trial_duration=0.25,
    final_trial_duration=0.5,
    duration_sum=2.5,
    exceed_ratio=0.5,
    relative_width=0.005,
)


@pytest.fixture(scope="module")
def testbed() -> Iterator[FrameTestbed]:
    missing = {"nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with standing("namespaces") as found:
        yield found


def throughput(testbed: FrameTestbed, condition: str) -> float:
    """The zero-loss throughput of a condition by MLRsearch."""

    def measure(seconds: float, load: float):
        wanted = TrialSpec("search", testbed.lab.condition(condition), 64, seconds, load)
        return rounds.as_counted(testbed.trial(wanted))

    (bounds,) = search(measure, GOAL, 1_000.0, HIGHEST)
    assert bounds.conditional_throughput is not None
    return bounds.conditional_throughput


# A search is the sum of its trials, and one that was late moves it.  These are the two ends of what
# is asked of it; a limit between them takes as long again.
@pytest.mark.timed(why="a throughput is a rate; what the limit drops is counted too")
@pytest.mark.parametrize(("condition", "limit"), [("limit-20k", 20_000), ("limit-100k", 100_000)])
def test_the_throughput_of_a_router_with_a_limit_is_its_limit(
    testbed: FrameTestbed, condition: str, limit: int
) -> None:
    found = [throughput(testbed, condition) for _ in range(3)]
    print(f"{condition}: " + ", ".join(f"{value:.0f}" for value in found))
    median = sorted(found)[len(found) // 2]
    assert median == pytest.approx(limit, rel=0.01)
    assert coefficient_of_variation(found) < 0.03


def one(
    testbed: FrameTestbed, condition: str, seconds: float, rate: float
) -> ppstraffic.TrialCounts:
    trial = testbed.trial(TrialSpec("search", testbed.lab.condition(condition), 64, seconds, rate))
    assert Cause.ROUTER_STATE not in trial.causes, trial.invalid_because
    assert trial.counts is not None
    return ppstraffic.TrialCounts.of(trial.counts)


def dropped(testbed: FrameTestbed) -> int:
    """The frames that the token bucket of the present rule set has dropped, by nft's counter."""
    listed = testbed.router.node.run(["nft", "-j", "list", "table", "inet", "truth"]).stdout
    words = [word for each in json.loads(listed)["nftables"] if "rule" in each
             for word in each["rule"]["expr"]]  # fmt: skip
    (counter,) = (word["counter"] for word in words if "counter" in word)
    return int(counter["packets"])


@pytest.mark.parametrize("condition", ["limit-20k", "limit-50k", "limit-100k"])
def test_what_the_instrument_finds_lost_is_what_the_limit_dropped(
    testbed: FrameTestbed, condition: str
) -> None:
    """Frame by frame, by the kernel's own counter, whatever else the machine does meanwhile."""
    limit = LIMITS[condition]
    one(testbed, condition, 0.05, 0.1 * limit)
    for share in (0.5, 2.0):
        before = dropped(testbed)
        counts = one(testbed, condition, 0.3, share * limit)
        assert counts.offered - counts.received == dropped(testbed) - before
        # Tokens come with time: what passes is at most what the bucket held and what came since.
        assert counts.received <= DEPTH + limit * counts.elapsed_seconds
    assert dropped(testbed) > before


def test_a_burst_that_the_bucket_holds_loses_nothing_and_a_longer_one_what_it_does_not(
    testbed: FrameTestbed,
) -> None:
    limit = LIMITS["limit-20k"]
    fast = 10 * limit
    one(testbed, "limit-20k", 0.05, 0.1 * limit)
    for frames in (BUCKET, 4 * DEPTH):
        before = dropped(testbed)
        counts = one(testbed, "limit-20k", frames / fast, fast)
        lost_frames = counts.offered - counts.received
        assert lost_frames == dropped(testbed) - before
        assert counts.received >= min(frames, DEPTH)
        # A sender that was late may have been given more to send.
        assert lost_frames == 0 or counts.offered > DEPTH
