"""The binary search finds what is there, fails as RFC 2544's does on noise, and is traced."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from MLRsearch import MeasurementResult

from ppslab.model import simulated
from ppslab.model.binary_search import binary_search

MIN, MAX = 4_000.0, 4e6


def scripted(answers: Sequence[float]):
    """A router that answers with these loss ratios, in this order."""
    asked: list[float] = []

    def measure(seconds: float, load: float) -> MeasurementResult:
        lost = round(answers[len(asked)] * 1_000_000)
        asked.append(load)
        return MeasurementResult(seconds, load, offered_count=1_000_000, loss_count=lost)

    return measure, asked


@pytest.mark.parametrize("capacity", [5_000, 77_777, 1_000_000, 3_900_000])
@pytest.mark.parametrize("loss_ratio", [0.0, 0.001])
def test_a_hard_limit_is_found_within_the_width(capacity: float, loss_ratio: float) -> None:
    router = simulated.HardLimit(capacity)
    found = binary_search(router.measure, MIN, MAX, loss_ratio=loss_ratio)
    truth = router.throughput(loss_ratio)
    assert found.throughput <= truth < found.upper
    assert found.upper - found.throughput <= 0.005 * found.upper
    assert router.traffic_seconds == 60 * router.trials


def test_the_first_trial_is_at_the_highest_load_and_then_the_interval_is_halved() -> None:
    measure, asked = scripted([0.5, 0.0, 0.1, 0.0])
    found = binary_search(measure, 100.0, 900.0, relative_width=0.2)
    assert asked == [900, 500, 700, 600]
    assert (found.throughput, found.upper) == (600, 700)


def test_a_router_faster_than_the_tester_has_no_upper_bound() -> None:
    found = binary_search(simulated.HardLimit(9e6).measure, MIN, MAX)
    assert (found.throughput, found.upper) == (MAX, None)


def test_a_router_that_loses_at_any_rate_has_no_throughput() -> None:
    router = simulated.FailsAtAnyRate(0.02)
    assert binary_search(router.measure, MIN, MAX).throughput is None
    assert binary_search(router.measure, MIN, MAX, loss_ratio=0.03).throughput == MAX


def test_loss_verification_gives_a_lossy_load_a_second_trial() -> None:
    measure, asked = scripted([0.5, 0.5, 0.01, 0.0, 0.01, 0.01])
    found = binary_search(measure, 100.0, 900.0, relative_width=0.3, tries=2)
    assert asked == [900, 900, 500, 500, 700, 700]
    assert (found.throughput, found.upper) == (500, 700)


def test_back_pressure_is_seen_since_unsent_frames_are_lost() -> None:
    router = simulated.BackPressure(100_000, 32, 0.02, 0.5)
    found = binary_search(router.measure, MIN, MAX, trial_seconds=1.0)
    assert found.throughput == pytest.approx(router.throughput(seconds=1.0), rel=0.006)
