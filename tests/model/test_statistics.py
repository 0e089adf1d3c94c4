"""Intervals, differences and pooled runs: by hand, by known tables, and how often they hold."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.model import statistics
from ppslab.model.statistics import (
    MOST_RUNS,
    Interval,
    busiest_share,
    coefficient_of_variation,
    fisher_p,
    median_interval,
    middle_ratio,
    permutation_p,
    pooled,
    pooled_ratio,
    predicted_ratio,
    ratio,
    ratio_interval,
    ratio_of_medians,
    row_medians,
    sign_p,
)


def test_paired_ratios_cancel_the_drift_that_the_rates_have() -> None:
    generator = np.random.default_rng(3)
    drift = generator.uniform(1.0, 3.0, size=20)
    below = 200 * drift
    above = 454 * drift * generator.normal(1.0, 0.02, size=20)
    found = ratio_interval(list(above), list(below))
    assert found.within(2.27 * 0.97, 2.27 * 1.03)
    assert median_interval(list(above)).high / median_interval(list(above)).low > 1.2


def test_coefficient_of_variation() -> None:
    assert coefficient_of_variation([9.0, 10.0, 11.0]) == pytest.approx(0.1)
    assert coefficient_of_variation([5.0]) == 0.0


# NIST/SEMATECH e-Handbook, table 1.3.6.7.2: 97.5 % of Student's t by degrees of freedom.
STUDENT = {
    1: 12.706,
    2: 4.303,
    3: 3.182,
    4: 2.776,
    5: 2.571,
    6: 2.447,
    7: 2.365,
    8: 2.306,
    9: 2.262,
}


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_few_values_have_the_interval_of_student(count: int) -> None:
    """Of n - 1 times 0 and once n, the standard error s / sqrt(n) is 1, so t is the reach."""
    found = median_interval([0.0] * (count - 1) + [count])
    assert found.low == pytest.approx(found.estimate - STUDENT[count - 1])


def test_six_values_have_none_but_their_own() -> None:
    assert median_interval([0.0] * 5 + [6]).low == 0


def test_a_ratio_of_few_rounds_has_student_s_interval_in_logarithms() -> None:
    """Logarithms of -ln 2, 0, ln 2: exp(4.303 ln 2 / sqrt(3)) = 5.5958."""
    found = ratio_interval([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])
    assert (found.low, found.estimate, found.high) == pytest.approx(
        (0.178706, 1, 5.595776), rel=1e-5
    )


@pytest.mark.parametrize(
    ("count", "low"),
    # A resampled median is at most the k-th of n values with the chance of (n + 1) / 2 or more
    # hits in n tries at k / n: of 17 values 0.8 % for the fourth and 3.6 % for the fifth.
    [(9, 2), (17, 5)],
)
def test_the_bootstrap_of_values_of_which_the_distribution_is_known(count: int, low: int) -> None:
    found = median_interval(list(range(1, count + 1)), seed=1)
    assert (found.low, found.high) == (low, count + 1 - low)


def test_the_median_of_an_even_number_is_between_two() -> None:
    found = median_interval([0.0, 10.0] * 50)
    assert (found.low, found.estimate, found.high) == (0, 5, 10)
    assert row_medians(np.array([[3.0, 1.0, 2.0, 10.0]])).tolist() == [2.5]


@pytest.mark.parametrize(
    ("above", "below", "expected"),
    [(3.0, 2.0, 1.5), (3.0, -1.0, math.inf), (-1.0, 2.0, 0.0), (-2.0, -1.0, 0.0)],
)
def test_the_ratio_of_a_round(above: float, below: float, expected: float) -> None:
    assert ratio(above, below) == expected


@pytest.mark.parametrize(
    ("ratios", "middle"),
    [
        ([1.0, 2.0, 3.0, 10.0], 2.5),
        ([1.0, 2.0, math.inf], 2.0),
        ([0.0, math.inf], None),
        ([0.0, 0.0, 5.0], 5.0),
    ],
)
def test_the_ratio_in_the_middle(ratios: list[float], middle: float | None) -> None:
    assert middle_ratio(ratios) == middle


@pytest.mark.parametrize("seed", [0, 1])
def test_two_sides_are_drawn_independently(seed: int) -> None:
    """Of the same values, in the same draw, each ratio would be 1."""
    values = [float(value) for value in range(10, 30)]
    ratio = ratio_of_medians(values, values, seed=seed)
    assert ratio.low < 1 < ratio.high


def test_a_ratio_to_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="not positive"):
        ratio_of_medians([1.0], [0.0])
    with pytest.raises(ValueError, match="no values"):
        ratio_of_medians([], [1.0])


def exact_rank_p(first: list[float], second: list[float]) -> float:
    """Wilcoxon's rank sum by going through every split: slow, and beyond doubt."""
    pooled = sorted([*first, *second])
    ranks = {
        v: sum(i + 1 for i, w in enumerate(pooled) if w == v) / pooled.count(v) for v in pooled
    }
    everyone = [ranks[v] for v in (*first, *second)]
    expected = sum(everyone) * len(first) / len(everyone)
    seen = abs(sum(everyone[: len(first)]) - expected)
    splits = list(combinations(everyone, len(first)))
    return sum(abs(sum(split) - expected) >= seen - 1e-9 for split in splits) / len(splits)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]),
        ([1.0, 3.0, 5.0, 7.0, 9.0], [2.0, 4.0, 6.0, 8.0]),
        ([1.0, 1.0, 2.0, 2.0, 3.0], [2.0, 3.0, 3.0, 4.0, 4.0]),
    ],
)
def test_the_rank_test_agrees_with_going_through_every_split(
    first: list[float], second: list[float]
) -> None:
    assert permutation_p(first, second) == pytest.approx(exact_rank_p(first, second), abs=0.015)


def test_equal_values_never_differ() -> None:
    assert permutation_p([3.0] * 6, [3.0] * 6) == 1.0
    assert sign_p([1.0] * 9) == 1.0


def test_the_sign_test_is_that_of_the_coin() -> None:
    assert sign_p([1.1] * 5) == pytest.approx(2 / 2**5)
    assert sign_p([1.1, 1.2, 0.9]) == pytest.approx(1.0)
    assert sign_p([1.1] * 9 + [0.9]) == pytest.approx(2 * (1 + 10) / 2**10)
    assert sign_p([1.3] * 9, middle=1.5) == pytest.approx(2 / 2**9)


def test_fishers_test_of_the_lady_tasting_tea() -> None:
    # R. A. Fisher, The Design of Experiments, 1935, chapter 2: 3 of 4 guessed right.
    assert fisher_p((3, 1), (1, 3)) == pytest.approx(34 / 70)
    assert fisher_p((4, 0), (0, 4)) == pytest.approx(2 / 70)


@given(*[st.integers(min_value=0, max_value=12)] * 4)
def test_fishers_test_has_no_sides(a: int, b: int, c: int, d: int) -> None:
    p = fisher_p((a, b), (c, d))
    assert 0 < p <= 1
    assert p == pytest.approx(fisher_p((c, d), (a, b)))
    assert p == pytest.approx(fisher_p((b, a), (d, c)))


def test_fewer_values_than_are_judged_could_not_reach_one_in_a_hundred() -> None:
    few = statistics.FEWEST - 1
    assert permutation_p(list(range(few)), list(range(10, 10 + few))) > 0.01
    # Two of 70 splits of four and four, two of 252 of five and five.
    assert permutation_p(list(range(few + 1)), list(range(10, 11 + few))) < 0.01


def test_wilcoxons_rank_sum_by_the_table() -> None:
    """Five against five: 252 splits, of which 1 has a rank sum of 15, 1 of 16 and 2 of 17."""
    assert permutation_p([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]) == pytest.approx(2 / 252, abs=0.003)
    assert permutation_p([6, 7, 8, 9, 10], [1, 2, 3, 4, 5]) == pytest.approx(2 / 252, abs=0.003)
    assert permutation_p([1, 2, 3, 4, 7], [5, 6, 8, 9, 10]) == pytest.approx(8 / 252, abs=0.004)
    # Ties share ranks: 1.5 twice, 5 five times, 8, 9.  As far from 20 as 13 are 20 of 126 splits.
    assert permutation_p([1, 1, 2, 2], [2, 2, 2, 3, 4]) == pytest.approx(20 / 126, abs=0.01)
    # As far apart as thirty against thirty can be: nothing is impossible by 20 000 permutations.
    assert permutation_p(list(range(30)), list(range(30, 60))) == pytest.approx(1 / 20_001)


def test_estimates_are_of_medians() -> None:
    assert ratio_of_medians([1, 2, 90], [1, 1, 40]).estimate == 2


NORMAL = 1.959964


def near(estimate: float, factor: float = 1.01) -> Interval:
    return Interval(estimate, estimate / factor, estimate * factor, 10)


def test_one_run_is_itself_and_runs_that_agree_are_nearer() -> None:
    assert pooled_ratio([near(2.0)]) == near(2.0)
    three = pooled_ratio([near(2.0, 1.1), near(2.01, 1.1), near(1.99, 1.1)])
    assert three.estimate == pytest.approx(2.0, rel=0.01)
    assert three.high / three.low < 1.1**2


def test_a_run_that_knows_nothing_takes_nothing_away() -> None:
    assert pooled_ratio([Interval(4.7, 0.0, math.inf, 2), near(2.0)]).within(1.9, 2.1)
    both = pooled_ratio([Interval(4.7, 0.0, math.inf, 2)] * 2)
    assert (both.low, both.high) == (0.0, math.inf)


def test_a_further_ratio_by_hand() -> None:
    """2, 2.2 and 2.42 are a factor of 1.1 apart: s = log 1.1, and t of 2 degrees is 4.303.

    4.303 * 0.0953102 * sqrt(4 / 3) = 0.473562, whose exponential is 1.605703.
    """
    predicted = predicted_ratio([near(2.0), near(2.2), near(2.42)])
    assert predicted is not None
    assert (predicted.estimate, predicted.count) == (pytest.approx(2.2), 3)
    assert predicted.high == pytest.approx(2.2 * 1.605703, rel=1e-5)
    assert predicted.low == pytest.approx(2.2 / 1.605703, rel=1e-5)


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


@pytest.mark.parametrize("runs", range(3, MOST_RUNS + 1))
def test_hartung_and_knapp_by_hand(runs: int) -> None:
    """Equal errors, values n - 1 times 0 and once n: mean 1, error 1, so t is the reach."""
    found = pooled([of(0, 0.01)] * (runs - 1) + [of(runs, 0.01)])
    reach = STUDENT[runs - 1]
    assert (found.low, found.estimate, found.high) == pytest.approx((1 - reach, 1, 1 + reach))


def test_runs_nearer_than_their_own_errors_are_no_surer_than_these() -> None:
    """Nothing between the runs, and 1.959964 * 2 / sqrt(3) is more than Student's 0.248."""
    found = pooled([of(9.9, 2), of(10, 2), of(10.1, 2)])
    assert (found.low, found.high) == pytest.approx((10 - 2.263171, 10 + 2.263171))


@pytest.mark.parametrize(("streams", "cores"), [(1, 4), (2, 2), (5, 3), (8, 2), (6, 4)])
def test_the_busiest_core_s_share_is_the_mean_of_all_deals(streams: int, cores: int) -> None:
    deals = product(range(cores), repeat=streams)
    most = [max(Counter(deal).values()) for deal in deals]
    assert busiest_share(streams, cores) == pytest.approx(sum(most) / len(most) / streams)


@pytest.mark.parametrize(
    ("values", "positive"), [([1.0, 1000.0], True), ([3.0], True), ([0.0, 1000.0], False)]
)
def test_the_interval_of_a_rate_is_above_zero_where_every_rate_is(
    values: list[float], positive: bool
) -> None:
    found = statistics.rate_interval(values, seed=1)
    assert found.estimate == median_interval(values, seed=1).estimate
    assert (found.low > 0) is positive
    assert (found == median_interval(values, seed=1)) is (not positive or len(values) == 1)
