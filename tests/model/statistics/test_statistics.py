"""Intervals hold the truth as often as they say."""

from __future__ import annotations

import numpy as np
import pytest

from ppslab.model.statistics import (
    Interval,
    coefficient_of_variation,
    median_interval,
    ratio_interval,
    row_medians,
)


@pytest.mark.long
def test_the_interval_covers_the_true_median_about_nineteen_times_in_twenty() -> None:
    generator = np.random.default_rng(7)
    covered = 0
    for number in range(300):
        sample = generator.lognormal(mean=0.0, sigma=0.3, size=25)
        covered += not median_interval(list(sample), seed=number).excludes(1.0)
    assert 0.90 <= covered / 300 <= 0.995


@pytest.mark.long
@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 8])
def test_an_interval_of_few_values_holds_the_median_as_often_as_it_says(count: int) -> None:
    # Resampling alone: 50 times in 100 with two values, 75 with three.
    generator = np.random.default_rng(count)
    samples = generator.lognormal(mean=0.0, sigma=0.3, size=(400, count))
    covered = sum(not median_interval(list(sample)).excludes(1.0) for sample in samples)
    assert covered / 400 >= 0.90


def test_paired_ratios_cancel_the_drift_that_the_rates_have() -> None:
    generator = np.random.default_rng(3)
    drift = generator.uniform(1.0, 3.0, size=20)
    below = 200 * drift
    above = 454 * drift * generator.normal(1.0, 0.02, size=20)
    found = ratio_interval(list(above), list(below))
    assert found.within(2.27 * 0.97, 2.27 * 1.03)
    assert median_interval(list(above)).high / median_interval(list(above)).low > 1.2


def test_the_same_seed_gives_the_same_interval() -> None:
    values = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0]
    assert median_interval(values, seed=5) == median_interval(values, seed=5)


def test_a_round_whose_denominator_is_noise_leaves_the_interval_open() -> None:
    # One in thirty changes nothing; the smaller of two that are noise is smaller.
    many = ratio_interval([2.0] * 30, [1.0] * 29 + [-1.0])
    assert (many.low, many.high) == (2.0, 2.0)
    assert ratio_interval([2.0, -3.0, 2.0], [1.0, -1.0, 1.0]).low == 0.0
    with pytest.raises(ValueError, match="no round"):
        ratio_interval([1.0], [0.0])


def test_a_round_that_is_noise_makes_few_rounds_conclude_nothing() -> None:
    """The three rounds of fasttrack/half-fastpath: two of three once were called an order."""
    found = ratio_interval([4.74, 1.43, 1.91], [1.0, -1.0, 1.0])
    assert (found.low, found.finite[1], found.count) == (0.0, None, 2)


def test_a_ratio_of_costs_is_never_below_nothing() -> None:
    for above in ([0.2, 3.1, 1.6], [9.0, 2.0], [1.0, 30.0, 2.0, 4.0]):
        found = ratio_interval(above, [1.0] * len(above))
        assert 0 < found.low <= found.estimate <= found.high
    assert ratio_interval([-1.0, 2.0, 2.0, 2.0, 2.0, 2.0], [1.0] * 6).low >= 0


def test_intervals_know_what_they_exclude() -> None:
    interval = Interval(2.0, 1.8, 2.2, 10)
    assert interval.excludes(1.0)
    assert not interval.excludes(2.1)
    assert interval.within(1.5, 2.5)
    assert interval.outside(3.0, 4.0)
    assert not interval.outside(2.1, 4.0)
    assert interval.overlaps(Interval(2.3, 2.1, 2.6, 10))
    assert str(interval) == "2 [1.8, 2.2]"


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
