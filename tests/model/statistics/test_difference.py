"""Differences between two sets of values: known truths, known tables, and how often chance wins."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ppslab.model.statistics import difference
from ppslab.model.statistics.difference import (
    difference_of_medians,
    fisher_p,
    permutation_p,
    ratio_of_medians,
    sign_p,
)


def draw(chance: random.Random, middle: float, count: int) -> list[float]:
    return [middle * chance.gauss(1.0, 0.03) for _ in range(count)]


@pytest.mark.long
def test_the_interval_of_a_ratio_holds_the_truth_as_often_as_it_says() -> None:
    chance = random.Random(1)
    held = sum(
        ratio_of_medians(draw(chance, 120, 15), draw(chance, 100, 15)).within(0, 1.2)
        or not ratio_of_medians(draw(chance, 120, 15), draw(chance, 100, 15)).excludes(1.2)
        for _ in range(150)
    )
    assert held >= 0.9 * 150


def test_a_difference_may_be_to_nothing() -> None:
    found = difference_of_medians([0.2, 0.21, 0.19, 0.2, 0.2], [0.0] * 5)
    assert found.estimate == pytest.approx(0.2)
    assert found.low > 0


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


@pytest.mark.long
def test_chance_passes_the_rank_test_no_oftener_than_it_may() -> None:
    chance = random.Random(2)
    wrong = sum(
        permutation_p(draw(chance, 100, 10), draw(chance, 100, 10), seed=n) < 0.05
        for n in range(200)
    )
    assert wrong <= 20, "5 % of 200 are 10; more than 20 has a chance of 1 in 1000"


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
    few = difference.FEWEST - 1
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
    assert difference_of_medians([1, 2, 90], [1, 1, 40]).estimate == 1


def test_an_unpaired_interval_is_the_bootstraps() -> None:
    """Of 1 to 17 a resampled median is at most 4 in 0.8 % and at most 5 in 3.6 %."""
    found = ratio_of_medians(list(range(1, 18)), [1.0] * 17)
    assert (found.low, found.high) == (5, 13)
