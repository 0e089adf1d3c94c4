"""The search recovers what a simulated router is known to do."""

from __future__ import annotations

import itertools
import random

import pytest
from MLRsearch import MeasurementResult

from ppslab.measure.search import Bounds, SearchFailedError, interleave, search
from ppslab.model.lab import profiles

QUICK = profiles.load("quick").search
STANDARD = profiles.load("standard").search


def hard_limit(capacity: float):
    """A router that forwards `capacity` packets a second, and drops the rest."""

    def measure(seconds: float, load: float) -> MeasurementResult:
        offered = round(load * seconds)
        forwarded = min(offered, round(capacity * seconds))
        return MeasurementResult(seconds, load, offered_count=offered, forwarding_count=forwarded)

    return measure


def lossy(ratio: float):
    """A router that loses this share of the frames at any rate."""

    def measure(seconds: float, load: float) -> MeasurementResult:
        offered = round(load * seconds)
        lost = max(1, round(offered * ratio))
        return MeasurementResult(
            seconds, load, offered_count=offered, forwarding_count=offered - lost
        )

    return measure


def by_ratio(bounds: list[Bounds]) -> dict[float, Bounds]:
    return {bound.loss_ratio: bound for bound in bounds}


@pytest.mark.parametrize("capacity", [20_000.0, 150_000.0, 900_000.0])
def test_a_hard_limit_is_found_within_the_width_of_the_goal(capacity: float) -> None:
    found = by_ratio(search(hard_limit(capacity), STANDARD, 1_000.0, 2e6))
    assert found[0.0].conditional_throughput == pytest.approx(capacity, rel=0.006)
    assert found[0.005].conditional_throughput == pytest.approx(capacity / 0.995, rel=0.006)


def test_quick_goals_are_coarser_but_right() -> None:
    found = by_ratio(search(hard_limit(300_000.0), QUICK, 1_000.0, 2e6))
    assert found[0.0].conditional_throughput == pytest.approx(
        300_000, rel=QUICK.relative_width * 1.1
    )


def test_a_router_faster_than_the_tester_has_no_upper_bound() -> None:
    found = by_ratio(search(hard_limit(9e6), QUICK, 1_000.0, 1e6))
    assert found[0.0].relevant_upper_bound is None
    assert found[0.0].conditional_throughput == pytest.approx(1e6, rel=0.01)


def test_a_router_that_loses_at_any_rate_fails_the_search_with_a_reason() -> None:
    with pytest.raises(SearchFailedError, match="lost at any rate"):
        search(lossy(0.02), QUICK, 1_000.0, 1e6)


def test_searches_run_side_by_side_and_each_finds_its_own_router() -> None:
    routers = {"slow": hard_limit(50_000.0), "fast": hard_limit(700_000.0), "bad": lossy(0.05)}
    turns: list[str] = []

    def measure(key: str, seconds: float, load: float) -> MeasurementResult:
        turns.append(key)
        return routers[key](seconds, load)

    found = interleave(
        {key: lambda ask: search(ask, QUICK, 1_000.0, 2e6) for key in routers},
        measure,
        random.Random(1),
    )
    assert isinstance(found["bad"], SearchFailedError)
    assert by_ratio(found["slow"])[0.0].conditional_throughput == pytest.approx(50_000, rel=0.06)
    assert by_ratio(found["fast"])[0.0].conditional_throughput == pytest.approx(700_000, rel=0.06)
    switches = sum(a != b for a, b in itertools.pairwise(turns))
    assert switches >= len(turns) // 4, "the trials of the searches alternate"


def test_what_the_trial_raises_ends_all_searches() -> None:
    def measure(key: str, seconds: float, load: float) -> MeasurementResult:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interleave(
            {key: lambda ask: search(ask, QUICK, 1_000.0, 2e6) for key in ("a", "b")},
            measure,
            random.Random(1),
        )
