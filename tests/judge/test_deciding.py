"""From an interval to a verdict: sizes, bounds, and what the factor moves."""

from __future__ import annotations

import math

import pytest

from ppslab.judge import claims
from ppslab.judge.claims import agreement
from ppslab.judge.claims.deciding import Band, Size, by_factor, decide
from ppslab.judge.claims.verdicts import Finding
from ppslab.model.lab.published_value import Value
from ppslab.model.statistics import Interval

INF = math.inf


def verdict(finding: Finding) -> str:
    """What a stand-in's counts make of it."""
    return claims.verdict_of(claims.COUNTED, finding.comparison)


def near(estimate: float) -> Interval:
    return Interval(estimate, estimate * 0.99, estimate * 1.01, 9)


@pytest.mark.parametrize(
    ("value", "measured", "expected"),
    [
        # A bound is a bound: what is above it has its direction, and no size.
        (Value(2.85, INF), 2.2, claims.IN_DIRECTION),
        (Value(2.85, INF), 2.9, claims.IN_DIRECTION),
        (Value(2.85, INF), 2.85, claims.CANNOT_TELL),
        (Value(2.85, INF), 1.0, claims.DIFFERS),
        (Value(2.85, INF), 0.5, claims.DIFFERS),
        (Value(0, 5), 4.9, claims.IN_DIRECTION),
        (Value(0, 5), 5.5, claims.DIFFERS),
        # A number has a factor to both sides.
        (Value(2.27, 2.27), 1.6, claims.IN_SIZE),
        (Value(2.27, 2.27), 3.3, claims.IN_SIZE),
        (Value(2.27, 2.27), 1.4, claims.IN_DIRECTION),
        (Value(2.27, 2.27), 4.0, claims.IN_DIRECTION),
        (Value(2.27, 2.27), 0.9, claims.DIFFERS),
        (Value(2.27, 2.27), 1.05, claims.DIFFERS),
        # Near 1 half of the difference is asked for: no difference is not 1.2, nor is 1.05.
        (Value(1.2, 1.2), 1.12, claims.IN_SIZE),
        (Value(1.2, 1.2), 1.03, claims.IN_DIRECTION),
        (Value(1.2, 1.2), 1.0, claims.CANNOT_TELL),
        (Value(1.2, 1.2), 0.9, claims.DIFFERS),
        (Value(1.2, 1.2), 1.5, claims.IN_DIRECTION),
        # Below 1 the other way round.
        (Value(0.5, 0.5), 0.6, claims.IN_SIZE),
        (Value(0.5, 0.5), 0.8, claims.IN_DIRECTION),
        (Value(0.5, 0.5), 1.2, claims.DIFFERS),
        # A range.
        (Value(2, 4), 5.0, claims.IN_SIZE),
        (Value(2, 4), 7.0, claims.IN_DIRECTION),
    ],
)
def test_a_size_and_its_direction(value: Value, measured: float, expected: str) -> None:
    assert verdict(decide(Size(value, near(measured)))) == expected


def test_the_direction_alone_says_by_how_much_it_is_off() -> None:
    reason = decide(Size(Value(4, 4), near(2.0))).reason
    assert reason.startswith("2 times below the published")
    assert "2 times above" in decide(Size(Value(2, 2), near(4.0))).reason


def test_an_interval_across_the_bound_is_inconclusive_though_the_direction_holds() -> None:
    found = decide(Size(Value(2.27, 2.27), Interval(1.6, 1.3, 1.9, 5)))
    assert verdict(found) == claims.CANNOT_TELL
    assert "the direction holds" in found.reason


def test_a_difference_of_unknown_direction_contradicts_no_size() -> None:
    assert verdict(decide(Size(Value(3.5, 3.5), Interval(1.1, 0.6, 2.0, 5)))) == claims.CANNOT_TELL
    assert verdict(decide(Size(Value(3.5, 3.5), Interval(1.0, 0.9, 1.1, 5)))) == claims.DIFFERS


def test_the_steps_of_the_slider_are_what_the_judge_says_at_each_factor() -> None:
    for measured in (1.3, 1.73, 2.9, 5.0):
        question = Size(Value(2.27, 2.27), near(measured))
        steps = by_factor(question, claims.COUNTED)
        for hundredths in range(106, 300, 7):
            factor = hundredths / 100
            said = [held for start, held in steps if start <= factor] or [None]
            now = verdict(decide(question, factor))
            assert said[-1] in (now, None), (measured, factor)
            if said[-1] is None:
                assert verdict(decide(question)) == now, "no steps: no factor moves it"


def test_the_factor_moves_neither_bounds_nor_bands() -> None:
    assert by_factor(Size(Value(2.85, INF), near(2.2)), claims.COUNTED) == ()
    assert by_factor(Band(near(1.0), 0.9, 1.1, "the same"), claims.COUNTED) == ()


def test_the_factor_is_in_one_place() -> None:
    said = agreement.load()
    low, high = agreement.around(Value(10, 10), said.factor)
    assert (low, high) == (10 / said.factor, 10 * said.factor)
    assert verdict(decide(Size(Value(10, 10), near(13.0)), 1.2)) == claims.IN_DIRECTION
    assert verdict(decide(Size(Value(10, 10), near(13.0)), 1.5)) == claims.IN_SIZE
