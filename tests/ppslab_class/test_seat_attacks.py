"""Each attack of attacks.yml, from a seat that the hub started as a unit of a real systemd.

What loads the whole machine is made each week (PPSLAB_EVERY_LAB=1), away from other tests.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.seat_attacks import attacks as seat_attacks
from benchmarks.seat_attacks import box, made
from benchmarks.seat_attacks.attacks import GOT, Attack

pytestmark = pytest.mark.live
EVERY = "PPSLAB_EVERY_LAB" in os.environ
ATTACKS = {each.name: each for each in seat_attacks.load()}


@pytest.fixture(scope="module")
def came() -> Iterator[dict[str, Any]]:
    names = [each.name for each in ATTACKS.values() if EVERY or not each.slow]
    try:
        told = made.made(names)
    except box.NoBoxError as error:
        pytest.skip(str(error))
    yield told


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=str)
def test_a_seat_gains_nothing_and_its_neighbour_goes_on(
    attack: Attack, came: dict[str, Any]
) -> None:
    if attack.slow and not EVERY:
        pytest.skip("it loads the machine: each week, with PPSLAB_EVERY_LAB=1")
    found = came["results"][attack.name]
    assert "fault" not in found, found["fault"]
    said = found["said"]
    assert said and not [what for what, told in said if told == GOT], said
    # Without the limit it succeeds, so the limit is what stops it.
    succeeded = [told == GOT for _, told in found["control"]]
    if attack.control != "none":
        assert succeeded and (all(succeeded) if attack.every else any(succeeded)), found["control"]


@pytest.mark.timed(why="how long a neighbour waits for its answer is what a class feels")
@pytest.mark.parametrize("attack", ATTACKS.values(), ids=str)
def test_its_neighbour_is_answered_in_time(attack: Attack, came: dict[str, Any]) -> None:
    if attack.slow and not EVERY:
        pytest.skip("it loads the machine: each week, with PPSLAB_EVERY_LAB=1")
    assert came["results"][attack.name]["neighbour_seconds"] <= attack.within


def test_a_seat_starts_again_with_its_home_and_nothing_is_left_after_the_day(
    came: dict[str, Any],
) -> None:
    after = came["after"]
    assert after["started again"]
    assert "seat-01.img" in after["removed"] and "seat-02.img" in after["removed"]
    assert not after["mounted"]
