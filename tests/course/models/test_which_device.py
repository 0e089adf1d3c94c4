"""Which device a line needs: at most three, each of them enough or open, none of them too slow."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.model import device_choice, devices
from ppslab.model.device_choice import ENOUGH, MOST, UNPUBLISHED, Judgement
from ppslab.model.devices import needs
from tests.course.models.both import ask, both

LINES: list[dict[str, Any]] = [
    {"down": 100, "up": 20},
    {"down": 1000, "up": 200, "firewall": "rules"},
    {"down": 300, "up": 300, "queues": True},
    {"down": 1000, "up": 200, "vpn": "WireGuard"},
    {"down": 1000, "up": 200, "pppoe": True, "port": 2500},
    {"down": 400, "up": 60, "vpn": "IPsec", "firewall": "none"},
    {"down": 10000, "up": 10000, "port": 10000},
    {"down": 400000, "up": 400000},
]


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


def test_what_is_not_known_is_said() -> None:
    rows = ask("which-device", down=1000, up=200, vpn="WireGuard")["tables"][0]["rows"]
    assert rows[0][3] == "-" and all("WireGuard" in row[3] for row in rows[1:])
    assert ask("which-device", down=400001, up=0)["tables"] == []


def test_a_symmetrical_line_counts_twice() -> None:
    for down, up in ((1100, 1100), (2200, 0)):
        says = ask("which-device", down=down, up=up, firewall="rules")["says"][0]
        assert "2200 Mbit/s" in says


@pytest.mark.parametrize(("down", "up", "wrong"), [(0, 10, "down"), (10, -1, "up")])
def test_a_line_without_a_rate_is_refused(down: int, up: int, wrong: str) -> None:
    assert ask("which-device", down=down, up=up)["problem"]["input"] == wrong


@pytest.mark.long
def test_both_hosts_say_the_same() -> None:
    assert len(both("which-device", LINES)) == len(LINES)


@pytest.mark.parametrize("line", LINES)
def test_a_device_links_to_its_page_where_it_has_one(line: dict[str, Any]) -> None:
    for one in ask("which-device", **line)["tables"]:
        known = [devices.find(row[0]) for row in one["rows"]]
        assert [bool(page) for page in one["pages"]] == [device.has_figures for device in known]
        assert all(device.slug in page for device, page in zip(known, one["pages"], strict=True)
                   if page)  # fmt: skip
