"""The formulas of costs by hand; what they are made of is in tests/model/test_rounds.py."""

from __future__ import annotations

import pytest

from ppslab.judge import costs
from ppslab.model.results import Trial
from ppslab.model.statistics import Interval
from tests.support.factory import make_record


def test_the_ratio_of_two_sizes_by_donner_and_zou(monkeypatch: pytest.MonkeyPatch) -> None:
    """In logarithms: down hypot(ln 2, ln 4) = 1.549924, up hypot(ln 2, ln 2) = 0.980258."""
    known = {1518: Interval(4, 2, 8, 7), 64: Interval(1, 0.5, 4, 5)}
    monkeypatch.setattr(costs, "cost", lambda record, condition, size: known[size])
    found = costs.size_ratio(make_record(rounds=1), "routing-plain", 1518, 64)
    assert (found.low, found.estimate, found.high) == pytest.approx((0.849056, 4, 10.660577))
    assert found.count == 5


@pytest.mark.parametrize(
    ("null", "noise", "factor"),
    [((0.9, 1.2), 0.2, 1.2), ((0.8, 1.1), 0.2, 1.25), ((0.5, 1.6), 0.6, 2.0)],
)
def test_the_noise_of_a_run(
    monkeypatch: pytest.MonkeyPatch, null: tuple[float, float], noise: float, factor: float
) -> None:
    monkeypatch.setattr(costs, "a_a_interval", lambda record, size: Interval(1, *null, 9))
    made = make_record(rounds=1)
    assert costs.noise(made, 64) == pytest.approx(noise)
    assert costs.noise_factor(made, 64) == pytest.approx(factor)


def test_the_reference_against_itself_is_of_its_own_trials() -> None:
    """Its second trials are not its first: rounds that differ differ in the interval."""
    found = costs.a_a_interval(make_record(rounds=12, noise=0.01), 64)
    assert found.low < 1 < found.high


def test_a_router_at_the_tester_s_limit_in_some_rounds_has_the_cost_of_the_others() -> None:
    made = make_record(rounds=2, noise=0)
    limit = max(made.tester.back_to_back[64], made.tester.into_the_router[64])
    seconds = {0: 4.0, 1: 1.0}

    def timed(trial: Trial) -> Trial:
        if trial.purpose != "cost" or trial.round is None or not trial.counts:
            return trial
        took = trial.counts["offered"] / limit * seconds[trial.round]
        return trial.model_copy(update={"counts": {**trial.counts, "send_seconds": took}})

    trials = [timed(trial) for trial in made.trials]
    own = made.model_copy(update={"baseline": "none", "trials": tuple(trials)})
    assert costs.router_costs(own, "routing-plain", 64) == pytest.approx({0: 4e9 / limit})
