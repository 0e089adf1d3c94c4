"""Runs taken together hold the truth as often as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ppslab.model.statistics import Interval
from ppslab.model.statistics.pooling import (
    MOST,
    pooled,
    pooled_ratio,
    predicted_ratio,
)
from tests.model.statistics.test_statistics import STUDENT

NORMAL = 1.959964


def near(estimate: float, factor: float = 1.01) -> Interval:
    return Interval(estimate, estimate / factor, estimate * factor, 10)


@pytest.mark.parametrize("between", [0.0, 0.05, 0.3])
def test_three_runs_that_differ_hold_what_they_scatter_around(between: float) -> None:
    """Truth 2; each run knows its own number to 2 %, and the runs scatter by `between`."""
    generator = np.random.default_rng(5)
    covered = 0
    for _ in range(600):
        runs = []
        for own in 2 * np.exp(generator.normal(0, between, 3)):
            seen = own * math.exp(generator.normal(0, 0.01))
            runs.append(near(seen, math.exp(0.0196)))
        covered += not pooled_ratio(runs).excludes(2.0)
    assert covered / 600 >= 0.93


def test_one_run_is_itself_and_runs_that_agree_are_nearer() -> None:
    assert pooled_ratio([near(2.0)]) == near(2.0)
    three = pooled_ratio([near(2.0, 1.1), near(2.01, 1.1), near(1.99, 1.1)])
    assert three.estimate == pytest.approx(2.0, rel=0.01)
    assert three.high / three.low < 1.1**2


def test_two_runs_that_disagree_hold_both() -> None:
    found = pooled_ratio([near(1.5), near(2.0)])
    assert found.low <= 1.5 and found.high >= 2.0


def test_a_run_that_knows_nothing_takes_nothing_away() -> None:
    assert pooled_ratio([Interval(4.7, 0.0, math.inf, 2), near(2.0)]).within(1.9, 2.1)
    both = pooled_ratio([Interval(4.7, 0.0, math.inf, 2)] * 2)
    assert (both.low, both.high) == (0.0, math.inf)


def test_runs_that_counted_the_same_have_no_width() -> None:
    exact = Interval(0.126, 0.126, 0.126, 5)
    found = pooled([exact, exact, exact])
    assert found == Interval(0.126, 0.126, 0.126, 15)
    assert pooled_ratio([Interval(1.0, 1.0, 1.0, 3)] * 2) == Interval(1.0, 1.0, 1.0, 6)
    assert not pooled([exact, exact, Interval(0.2, 0.2, 0.2, 5)]).excludes(0.15)


def test_a_run_that_counted_the_same_every_time_does_not_hide_another() -> None:
    exact, rough = Interval(0.5, 0.5, 0.5, 3), Interval(0.6, 0.4, 0.8, 3)
    found = pooled([exact, rough])
    assert found.low <= 0.5 and found.high >= 0.6
    alike = pooled([exact, Interval(0.501, 0.4, 0.6, 3), Interval(0.499, 0.4, 0.6, 3)])
    assert alike.estimate == pytest.approx(0.5, abs=0.001)


def test_a_further_ratio_by_hand() -> None:
    """2, 2.2 and 2.42 are a factor of 1.1 apart: s = log 1.1, and t of 2 degrees is 4.303.

    4.303 * 0.0953102 * sqrt(4 / 3) = 0.473562, whose exponential is 1.605703.
    """
    predicted = predicted_ratio([near(2.0), near(2.2), near(2.42)])
    assert predicted is not None
    assert (predicted.estimate, predicted.count) == (pytest.approx(2.2), 3)
    assert predicted.high == pytest.approx(2.2 * 1.605703, rel=1e-5)
    assert predicted.low == pytest.approx(2.2 / 1.605703, rel=1e-5)


@pytest.mark.parametrize("count", [3, 4, 6])
def test_the_next_ratio_lies_where_it_was_predicted(count: int) -> None:
    generator = np.random.default_rng(35)
    hits = 0
    for _ in range(4000):
        *known, following = np.exp(generator.normal(0.5, 0.2, count + 1))
        predicted = predicted_ratio([near(ratio) for ratio in known])
        assert predicted is not None
        hits += predicted.low <= following <= predicted.high
    assert 0.94 < hits / 4000 < 0.96


def test_one_ratio_predicts_nothing() -> None:
    assert predicted_ratio([near(2.0)]) is None
    assert predicted_ratio([near(2.0), Interval(-0.1, -1, 1, 3)]) is None


def of(estimate: float, error: float) -> Interval:
    """A run with this standard error."""
    return Interval(estimate, estimate - NORMAL * error, estimate + NORMAL * error, 5)


def test_dersimonian_and_laird_by_hand() -> None:
    """Weights 1 and 1/4, mean 2, Q = 4 + 64/4 = 20, scale 1.25 - 1.0625/1.25 = 0.4.

    So 47.5 between the runs, weights 1/48.5 and 1/51.5, mean 4.85, error sqrt(24.9775).
    Of two runs Student's t has one degree of freedom: 12.7062 times that error.
    """
    found = pooled([of(0, 1), of(10, 2)])
    reach = 12.7062 * 24.9775**0.5
    assert (found.low, found.estimate, found.high) == pytest.approx(
        (4.85 - reach, 4.85, 4.85 + reach), rel=1e-4
    )


@pytest.mark.parametrize("runs", range(3, MOST + 1))
def test_hartung_and_knapp_by_hand(runs: int) -> None:
    """Equal errors, values n - 1 times 0 and once n: mean 1, error 1, so t is the reach."""
    found = pooled([of(0, 0.01)] * (runs - 1) + [of(runs, 0.01)])
    reach = STUDENT[runs - 1]
    assert (found.low, found.estimate, found.high) == pytest.approx((1 - reach, 1, 1 + reach))


def test_runs_nearer_than_their_own_errors_are_no_surer_than_these() -> None:
    """Nothing between the runs, and 1.959964 * 2 / sqrt(3) is more than Student's 0.248."""
    found = pooled([of(9.9, 2), of(10, 2), of(10.1, 2)])
    assert (found.low, found.high) == pytest.approx((10 - 2.263171, 10 + 2.263171))
