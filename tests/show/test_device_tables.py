"""The sentences on a device: whether its figure is enough for a line; the one of large frames."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppslab.model import devices
from ppslab.model.devices import RULES, needs
from ppslab.model.devices.needs import Need
from ppslab.show import device_tables

HEX = devices.find("hEX")


def rate_of(device: devices.Device, size: int) -> devices.Result:
    found = needs.routing(device, RULES, size)
    assert found
    return found


@pytest.mark.parametrize(
    ("more", "at_least", "says"),
    [
        (0.0, False, ": enough for {} Mbit/s"),
        (0.1, False, ": too slow for {} Mbit/s"),
        (0.1, True, ": {} Mbit/s was not tried"),
    ],
)
def test_a_figure_is_enough_up_to_itself(more: float, at_least: bool, says: str) -> None:
    rate = replace(rate_of(HEX, 512), at_least=at_least)
    wanted = (rate.mbps or 0.0) + more
    sentence = device_tables.headline(replace(HEX, given=(rate,)), Need(wanted))[1]
    assert sentence.endswith(says.format(f"{wanted:g}"))


def test_large_frames_have_the_figure_of_the_same_source() -> None:
    device = devices.find("RB4011iGS+RM")
    small, large = rate_of(device, 512), rate_of(device, 1518)
    assert small.source == large.source
    words = f"25 filter rules, 1518 bytes: {device_tables.rate(large)} ({large.when})"
    assert words in device_tables.headline(device, Need())
