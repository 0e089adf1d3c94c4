"""A bridge with VLANs by the hundred: what each takes does not grow with their number."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from asked import ask

from rosexplain.network import Vlans

PORTS = "".join(f"add bridge=bridge1 interface=sfp-sfpplus{n}\n" for n in range(2, 6))


def export(vlans: int) -> str:
    """A switch that routes between so many VLANs on its bridge, and to the WAN, in hardware."""
    numbers = range(2, 2 + vlans)
    return "".join(
        (
            "# 2026-11-26 10:00:00 by RouterOS 7.20\n# model = CRS317-1G-16S+\n",
            "/interface bridge\nadd name=bridge1 vlan-filtering=yes\n/interface vlan\n",
            *(f"add interface=bridge1 name=vlan{n} vlan-id={n}\n" for n in numbers),
            "/interface list\nadd name=LAN\nadd name=WAN\n",
            "/interface ethernet switch\nset 0 l3-hw-offloading=yes\n",
            "/interface bridge port\n",
            PORTS,
            "/interface bridge vlan\n",
            *(f"add bridge=bridge1 tagged=bridge1,sfp-sfpplus2 vlan-ids={n}\n" for n in numbers),
            "/interface list member\nadd interface=sfp-sfpplus1 list=WAN\n",
            *(f"add interface=vlan{n} list=LAN\n" for n in numbers),
            "/ip address\n",
            *(f"add address=10.{n // 256}.{n % 256}.1/24 interface=vlan{n}\n" for n in numbers),
        )
    )


def calls(text: str) -> int:
    """How many functions are called to answer."""
    count = 0

    def seen(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(seen)
    try:
        ask(text)
    finally:
        sys.setprofile(before)
    return count


def test_twice_as_many_take_twice_the_work() -> None:
    ask(export(1))  # the rules are read once
    few, many, most = (calls(export(number)) for number in (50, 150, 250))
    assert most - many < 1.2 * (many - few)


@pytest.mark.parametrize(
    ("number", "inside"),
    [("10", True), ("19", False), ("20", True), ("29", True), ("30", False), ("", False)],
)
def test_vlans_are_listed_by_number_and_range(number: str, inside: bool) -> None:
    assert Vlans().add("10,20-29,x,-").has(number) is inside
