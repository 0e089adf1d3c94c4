"""MLRsearch finds the throughput of every simulated router, or says why there is none."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from MLRsearch import MeasurementResult

from ppslab.measure.search import Bounds, SearchFailedError, Trace, interleave, search
from ppslab.model import simulated
from ppslab.model.lab import profiles
from tests.support.simulated_paths import EXAMPLES

QUICK = profiles.load("quick").search


def by_ratio(bounds: list[Bounds]) -> dict[float, Bounds]:
    return {bound.loss_ratio: bound for bound in bounds}


def test_searches_run_side_by_side_and_each_finds_its_own_router() -> None:
    routers = {
        "slow": Trace(simulated.HardLimit(50_000).measure),
        "fast": Trace(simulated.HardLimit(700_000).measure),
        "bad": Trace(simulated.FailsAtAnyRate(0.05).measure),
    }
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


WORDS = profiles.load("standard").search
MIN, MAX = 2_000.0, 4e6


def searched(router: simulated.Router, max_load: float = MAX) -> dict[float, Bounds]:
    found = search(Trace(router.measure), WORDS, MIN, max_load)
    return {bounds.loss_ratio: bounds for bounds in found}


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - {"fails at any rate"}))
def test_every_goal_is_found_within_1_percent_of_the_truth(name: str) -> None:
    router = EXAMPLES[name](5)
    for loss_ratio, bounds in searched(router).items():
        truth = router.throughput(loss_ratio)
        assert bounds.relevant_lower_bound is not None and bounds.relevant_upper_bound is not None
        assert bounds.relevant_lower_bound == pytest.approx(truth, rel=0.01)
        # The conditional throughput is a forwarding rate: what was lost does not count.
        assert (
            bounds.relevant_lower_bound * (1 - loss_ratio)
            <= bounds.conditional_throughput
            <= bounds.relevant_lower_bound
        )


def test_a_goal_without_a_throughput_is_a_failure_with_a_reason() -> None:
    with pytest.raises(SearchFailedError):
        searched(simulated.FailsAtAnyRate(0.02))
    # Only the goals that tolerate it have one.
    patient = WORDS.model_copy(update={"loss_ratios": (0.03,)})
    router = simulated.FailsAtAnyRate(0.02)
    (bounds,) = search(Trace(router.measure), patient, MIN, MAX)
    assert (bounds.relevant_lower_bound, bounds.relevant_upper_bound) == (pytest.approx(MAX), None)


def of(**changes: Any) -> profiles.Search:
    """Trials of a second after shorter ones, until four seconds of them speak for a load."""
    words = {"loss_ratios": (0.001,), "initial_trial_duration": 0.25, "final_trial_duration": 1.0,
             "duration_sum": 4.0, "exceed_ratio": 0.25, "relative_width": 0.02}  # fmt: skip
    return WORDS.model_copy(update=words | changes)


def losing(shares: list[float]) -> Trace:
    """A router that loses these shares of its trials' frames in turn, at any load."""
    turn = itertools.cycle(shares)

    def measure(seconds: float, load: float) -> MeasurementResult:
        lost = round(1e6 * next(turn))
        return MeasurementResult(seconds, load, offered_count=1_000_000, loss_count=lost)

    return Trace(measure, (0.001,))


def test_the_throughput_is_of_what_arrived_in_trials_of_the_final_length() -> None:
    """RFC 9971, appendix B: the load less what its full-length trials lost."""
    trace = losing([0.0005])
    (bounds,) = search(trace, of(), MIN, MAX)
    assert (bounds.relevant_lower_bound, bounds.relevant_upper_bound) == (MAX, None)
    assert bounds.conditional_throughput == pytest.approx(0.9995 * MAX)
    seconds = [step.seconds for step in trace.steps]
    assert (min(seconds), max(seconds)) == (0.25, 1.0)
    assert sum(each for each in seconds if each == 1.0) >= 0.75 * 4


@pytest.mark.parametrize(("exceeds", "passes"), [(0.25, False), (0.4, True)])
def test_as_many_trials_may_lose_more_as_the_goal_says(exceeds: float, passes: bool) -> None:
    """RFC 9971, appendix A: every third trial loses too much."""
    trace, words = losing([0.0, 0.01, 0.0]), of(exceed_ratio=exceeds, duration_sum=21.0)
    if passes:
        (bounds,) = search(trace, words, MIN, MAX)
        assert bounds.relevant_lower_bound == MAX
    else:
        with pytest.raises(SearchFailedError):
            search(trace, words, MIN, MAX)
