"""Packets and classes of IPv6."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.base.errors import UsageError
from tests.theory.packet_path.asked import class_of, run, told

SIX = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether2 list=LAN
add interface=ether1 list=WAN
/ipv6 address
add address=2001:2:0:1::1/64 advertise=yes interface=ether2
add address=2001:2:0:9::2/64 interface=ether1
/ipv6 firewall address-list
add address=fec0::/10 list=bad_ipv6
/ipv6 firewall filter
add action=drop chain=forward src-address-list=bad_ipv6
add action=accept chain=forward dst-address=2001:2:0:5::/64
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward protocol=icmpv6
add action=drop chain=forward in-interface-list=!LAN
/ip firewall filter
add action=drop chain=forward
"""


@pytest.mark.parametrize(
    ("asked", "fasttrack", "end", "out"),
    [
        ("in=ether2 dst=[2001:2:0:7::1]:443/tcp established", "yes", "accept", ["ether1"]),
        ("in=ether2 src=[2001:2:0:1::5]:50000 dst=2001:2:0:7::1 tcp", "yes", "accept", ["ether1"]),
        # Its answers meet FastTrack's rule, unless it comes from that network too.
        ("in=ether2 dst=[2001:2:0:5::1]:443/tcp established", "perhaps", "accept", ["ether1"]),
        ("in=ether2 dst=[2001:2:0:7::1]:443/tcp new", "no", "accept", ["ether1"]),
        ("in=ether1 dst=2001:2:0:1::5 icmp established", "no", "accept", ["ether2"]),
        ("in=ether1 dst=[2001:2:0:1::5]:22/tcp new", "no", "drop", ["ether2"]),
        ("in=ether2 dst=2001:2:0:1::1/tcp new", "no", "accept", []),
        ("in=ether2 ipv6 dst=2001:2:0:7::1 udp related", "yes", "accept", ["ether1"]),
        ("in=ether2 src=fec0::1 dst=2001:2:0:7::1 tcp established", "no", "drop", ["ether1"]),
    ],
)
def test_one_packet_of_ipv6(
    tmp_path: Path, asked: str, fasttrack: str, end: str, out: list[str]
) -> None:
    packet = told(tmp_path, SIX, "--packet", asked)["packet"]
    assert (packet["family"], packet["fasttrack"], packet["end"]) == (6, fasttrack, end)
    # Line 14 refuses some sources, and only some of the packets say theirs.
    open_ = "src=" not in asked and end == "accept" and bool(out)
    ended = {"drop: no connection begins, line 14 ends the first packet of it": "drop"}
    said = ended.get(packet["ended"], packet["ended"])
    assert said == end + (", unless line 14 drops it" if open_ else "")
    assert packet["out"] == out and (packet["chain"] == "input") == (not out)
    assert all(step["line"]["menu"].startswith("/ipv6/firewall") for step in packet["steps"])


def test_ipv6_has_fasttrack_since_7_18_and_the_class_says_what_a_packet_says(
    tmp_path: Path,
) -> None:
    asked = "in=ether2 dst=[2001:2:0:7::1]:443/tcp established"
    for version, fasttrack in (("7.18", "yes"), ("7.17.2", "no")):
        text = SIX.replace("7.20.8", version + "\n# model = RB5009UG+S+")
        plain = told(tmp_path, text, "--packet", asked)
        assert plain["packet"]["fasttrack"] == fasttrack
        assert class_of(plain, "ipv6")["answer"] == fasttrack


@pytest.mark.parametrize(
    "asked",
    ["dst=[2001:2::1:443", "src=10.0.0.1 dst=2001:2::1", "dst=[10.0.0.1]:80", "dst=2001:2::g",
     "dst=[2001:2::1]x80", "ipv4 dst=2001:2::1", "dst=2001:2::/129", "dst=[2001:2::1]:99999"],
)  # fmt: skip
def test_a_packet_that_cannot_be_is_told(tmp_path: Path, asked: str) -> None:
    wrong = run(tmp_path, SIX, "--packet", asked).exception
    assert isinstance(wrong, UsageError) and wrong.exit_code == 2
