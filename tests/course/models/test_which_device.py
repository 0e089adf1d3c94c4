"""Which device a line needs: at most three, each of them enough or open, none of them too slow."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.model import device_choice, devices
from ppslab.model.device_choice import ENOUGH, MOST, UNPUBLISHED, Judgement
from ppslab.model.devices import needs
from tests.course.models.both import ask
from tests.course.models.test_hosts import ASKED

LINES: list[dict[str, Any]] = ASKED["which-device"]


def judged(device: devices.Device, line: dict[str, Any]) -> Judgement:
    """The same question, as the devices' pages ask it."""
    firewall = line.get("firewall", "fasttrack")
    names = device_choice.asked(firewall == "rules", "queues" in line, firewall == "fasttrack")
    names += [*(["PPPoE"] if line.get("pppoe") else []), *([line["vpn"]] if "vpn" in line else [])]
    return needs.judge(device, names, line["down"] + line["up"], max(line["down"], line["up"]))


@pytest.mark.parametrize("line", LINES)
def test_the_form_and_the_devices_pages_judge_alike(line: dict[str, Any]) -> None:
    answer = ask("which-device", **line)
    enough_for = any(verdict == ENOUGH for _, verdict in answer["values"]["devices"])
    assert ("is enough." in answer["says"][0]) is enough_for
    named = dict(answer["values"]["devices"])
    assert len(named) <= MOST
    for name, verdict in named.items():
        same = judged(devices.find(name), line)
        assert (verdict, same.ports) == (same.answer, True)
        assert verdict in (ENOUGH, UNPUBLISHED) and same.device.sold
    for one in answer["tables"]:
        for row, page in zip(one["rows"], one["pages"], strict=True):
            device = devices.find(row[0])
            assert (device.slug in page) if device.has_figures else not page
    enough = [
        device for device in devices.load()
        if judged(device, line).answer == ENOUGH and device.sold
        and device_choice.carry(device.port_speeds, 0, line.get("port", 0)) is not False
    ]  # fmt: skip
    assert list(named.values()).count(ENOUGH) == min(MOST, len(enough))


@pytest.mark.parametrize(
    ("line", "first", "verdict"),
    [
        ({"down": 1000, "up": 200, "vpn": "WireGuard"}, "RB5009UG+S+IN", ENOUGH),
        ({"down": 2300, "up": 0, "firewall": "rules", "port": 10000}, "RB4011iGS+RM", ENOUGH),
        ({"down": 10000, "up": 10000}, "CCR2116-12G-4S+", UNPUBLISHED),
    ],
)
def test_a_line_has_its_device(line: dict[str, Any], first: str, verdict: str) -> None:
    assert ask("which-device", **line)["values"]["devices"][0] == [first, verdict]


def test_what_is_not_known_is_said_and_a_line_has_a_rate() -> None:
    rows = ask("which-device", down=1000, up=200, vpn="WireGuard")["tables"][0]["rows"]
    assert rows[0][3] == "-" and all("WireGuard" in row[3] for row in rows[1:])
    assert ask("which-device", down=400001, up=0)["tables"] == []
    for down, up in ((1100, 1100), (2200, 0)):  # a symmetrical line counts twice
        assert "2200 Mbit/s" in ask("which-device", down=down, up=up, firewall="rules")["says"][0]
    for down, up, wrong in ((0, 10, "down"), (10, -1, "up")):
        assert ask("which-device", down=down, up=up)["problem"]["input"] == wrong
