"""Which published figure answers a need: enough, too slow, or not published."""

from __future__ import annotations

import pytest

from ppslab.model import device_choice, devices
from ppslab.model.device_choice import ENOUGH, TOO_SLOW, UNPUBLISHED
from ppslab.model.devices import needs
from ppslab.model.devices.needs import Need

CASES = [
    ("hEX", Need(200), ENOUGH),
    ("hEX", Need(300), TOO_SLOW),  # the newer figure, not the table of 2018
    ("hEX", Need(700, queues=25), ENOUGH),
    ("hEX", Need(700, rules=25, queues=25), TOO_SLOW),
    ("hEX", Need(1500, rules=0), TOO_SLOW),  # its ports of 1 Gbit/s
    ("hEX", Need(900, rules=0), ENOUGH),
    ("hEX", Need(200, tunnels=("WireGuard",)), UNPUBLISHED),
    ("hEX", Need(300, tunnels=("WireGuard",)), TOO_SLOW),
    ("hEX", Need(200, tunnels=("IPsec",)), ENOUGH),
    ("hAP lite", Need(50), UNPUBLISHED),
    ("hAP lite", Need(300), TOO_SLOW),  # its ports
    ("RB5009", Need(1000, tunnels=("PPPoE",)), ENOUGH),
    ("RB5009", Need(3000, tunnels=("PPPoE",)), UNPUBLISHED),  # reported: at least 2000
    ("hAP ax3", Need(1000, tunnels=("PPPoE",)), TOO_SLOW),
    ("CCR2004-16G-2S+", Need(1000), UNPUBLISHED),  # its figure names no configuration
    ("hEX", Need(380, fasttrack=True), ENOUGH),  # with 25 rules in 2018, of a source with both
    ("hEX", Need(390, fasttrack=True), UNPUBLISHED),  # between that and the fast path
    ("hEX", Need(1900, fasttrack=True, one_way=950), TOO_SLOW),  # the fast path's 1820
    ("hEX", Need(390, fasttrack=True, queues=25), TOO_SLOW),  # limited packets take no FastTrack
    ("hEX", Need(1500, rules=0, one_way=1000), ENOUGH),
    ("hEX", Need(1500, rules=0, one_way=1001), TOO_SLOW),
    ("hEX", Need(100, port=2500), TOO_SLOW),
    ("RB5009", Need(2000, one_way=1000, port=10000), ENOUGH),
    ("RB5009", Need(2000, one_way=1000, port=10001), TOO_SLOW),
]


@pytest.mark.parametrize(("name", "need", "answer"), CASES)
def test_a_device_against_a_need(name: str, need: Need, answer: str) -> None:
    assert needs.judge(devices.find(name), need).answer == answer


def test_the_choice_has_each_device_once() -> None:
    chosen = device_choice.chosen(needs.judged(Need(1000)))
    codes = [each.device.code for judged in chosen.values() for each in judged]
    assert sorted(codes) == sorted(device.code for device in devices.load())


def test_a_class_answers_with_the_figures_of_others() -> None:
    same = needs.of_class(devices.find("RBM33G"), Need(size=512))
    assert {device.name: result.device for device, result in same} == {
        "hEX": "hEX",
        "hEX S": "hEX S",
    }
