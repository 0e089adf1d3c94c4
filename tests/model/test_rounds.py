"""What a packet costs, by hand: from the counts of trials to times, rates and ratios."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ppslab.model import recorded, rounds
from ppslab.model.rounds import Plain


def trial(purpose: str, condition: str | None, seconds: float, **other: Any) -> dict[str, Any]:
    """100 000 frames of which half arrive; `seconds` of the sender's CPU in 0.5 s."""
    counts = {"send_cpu_seconds": seconds, "send_seconds": 0.5, "offered": 100_000,
              "received": 50_000, **other.pop("counts", {})}  # fmt: skip
    return {"purpose": purpose, "condition": condition, "counts": counts, "frame_size": 64,
            "round": 0, "valid": True, "intended_load": None, **other}  # fmt: skip


def record(*trials: dict[str, Any], **other: Any) -> Plain:
    tester = {"back_to_back": {"64": 80_000.0}, "into_the_router": {"64": 120_000.0}}
    begun = {"clock": "cpu", "measure": "timed", "baseline": "cable", "conditions": [{"name": "a"}]}
    return Plain({**begun, "tester": tester, "trials": list(trials), **other})


CABLE = trial("cable", None, 0.06)  # 600 ns of each frame that was offered
DROP = trial("drop", None, 0.045)


@pytest.mark.parametrize(
    ("made", "cost"),
    [
        (record(trial("cost", "a", 0.2), CABLE), 2000 - 600),
        # An instruction takes two nanoseconds of a counted router (icount shift=1).
        (record(trial("cost", "a", 0.2), CABLE, measure="counted"), 1000 - 300),
        (record(trial("cost", "a", 0.2), CABLE, clock="wall"), 5000 - 5000),
        # No receiver worked where nothing is delivered.
        (
            record(
                trial("cost", "a", 0.2), CABLE, DROP, conditions=[{"name": "a", "delivers": "none"}]
            ),
            2000 - 450,
        ),
        # The kernel's threads did 9 % of the work, or 2 % that is not the router's.
        (
            record(trial("cost", "a", 0.2, counts={"kernel_thread_seconds": 0.02}), CABLE),
            2200 - 600,
        ),
        (
            record(trial("cost", "a", 0.2, counts={"kernel_thread_seconds": 0.004}), CABLE),
            2000 - 600,
        ),
        # The last valid one of a round that was repeated.
        (
            record(
                trial("cost", "a", 0.9), trial("cost", "a", 0.2),
                trial("cost", "a", 0.7, valid=False), CABLE,
            ),
            2000 - 600,
        ),
        # A router of its own: 100 000 frames a second take 10 us each, and the tester sent 120 000.
        (record(trial("cost", "a", 0.2), baseline="none"), 1e4),
    ],
)  # fmt: skip
def test_the_cost_of_a_packet(made: Plain, cost: float) -> None:
    assert rounds.router_costs(made, "a", 64, "cost") == pytest.approx({0: cost})


@pytest.mark.parametrize(("received", "known"), [(53_900, True), (54_100, False)])
def test_within_a_tenth_of_the_tester_s_limit_nothing_is_known(received: int, known: bool) -> None:
    """0.9 of 120 000 frames a second, the higher of the two limits, are 108 000."""
    made = record(trial("cost", "a", 0.2, counts={"received": received}), baseline="none")
    assert bool(rounds.router_costs(made, "a", 64, "cost")) is known


@pytest.mark.parametrize(
    ("above", "below", "ratio"),
    [(3.0, 2.0, 1.5), (3.0, -1.0, math.inf), (-1.0, 2.0, 0.0), (-2.0, -1.0, 0.0)],
)
def test_the_ratio_of_a_round(above: float, below: float, ratio: float) -> None:
    assert rounds.paired({1: above, 2: 9.0}, {1: below, 3: 7.0}) == [ratio]


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
    assert rounds.middle(ratios) == middle


@pytest.mark.parametrize(
    ("count", "place"),
    # Conover, Practical Nonparametric Statistics, the quantile test: at most 2.5 % a side.
    # Of 9 values 10 of 512 ways, of 11 values 12 of 2048 (67 with one more), of 12 79 of 4096.
    [(5, 1), (6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (20, 6)],
)
def test_the_values_that_hold_the_median(count: int, place: int) -> None:
    found = recorded.around_median(list(range(1, count + 1)))
    assert found == [(count + 1) / 2, place, count + 1 - place]


def test_rates_of_transfers() -> None:
    # RFC 2647, section 3.17: bits, not bytes.
    assert recorded.goodput([600_000, 400_000], 2.0) == 4e6
    ways = [Plain({"retransmits": [1, 2], "received_bytes": [14_480]})]
    assert rounds.retransmitted(Plain({"segment_size": 1448}), ways) == pytest.approx(0.3)
