"""The path of one packet: chip, fast or slow; a connection that never begins; a hotspot."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rosexplain import firewall
from rosexplain.classify import trace_packet
from tests.model.packet_path.asked import HEAD, LAN_AND_WAN, ask, class_of, told
from tests.model.packet_path.explain.one_asked import HOME

RULES = """/ip address
add address=192.168.1.1/24 interface=ether2
add address=192.168.2.1/24 interface=ether3
add address=198.18.0.2/24 interface=ether1
/ip route
add dst-address=0.0.0.0/0 gateway=198.18.0.1
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
add action=accept chain=forward connection-state=established,related
add action=accept chain=forward out-interface=ether1
add action=drop chain=forward
"""
CHIP = "# 2026-11-20 10:00:00 by RouterOS 7.20.8\n# model = CRS326-24G-2S+\n"
CHIP += "/interface ethernet switch\nset 0 l3-hw-offloading=yes\n"


def packet(text: str, words: str) -> dict[str, Any]:
    return trace_packet(ask(text), firewall.parsed(words))


@pytest.mark.parametrize(
    ("text", "words", "path", "end"),
    [
        (HOME, "in=ether2 dst=1.1.1.1:443/tcp established", ["fasttrack"], "accept"),
        (HOME, "in=ether2 dst=1.1.1.1:443/tcp new", ["slow"], "accept"),
        (HOME, "in=ether2 dst=1.1.1.1 icmp", ["slow"], "accept"),
        (HOME, "in=ether2 dst=192.168.88.1:22/tcp new", ["slow"], "accept"),
        (HOME, "in=ether2 out=ether3", ["chip"], "bridged"),
        (HEAD + RULES, "in=ether2 dst=192.168.2.9:80/tcp new", ["dropped"], "drop"),
        # Neither direction of it begins, so none is ever established.
        (HEAD + RULES, "in=ether2 dst=192.168.2.9:80/tcp established", ["dropped"], "drop"),
        # The answer to what began on the LAN, though its own first packet would be dropped.
        (HEAD + RULES, "in=ether1 src=1.1.1.1:443 dst=192.168.1.9 established", ["fasttrack"],
         "accept"),
        (CHIP + RULES, "in=ether2 dst=192.168.2.9:80/tcp established", ["chip"], "accept"),
        (HEAD + RULES.partition("/ip firewall")[0], "in=ether2 dst=192.168.2.9:80/tcp new",
         ["fast-path"], "accept"),
    ],
)  # fmt: skip
def test_a_packet_says_its_path(text: str, words: str, path: list[str], end: str) -> None:
    found = packet(text, words)
    assert (found["path"], found["end"]) == (path, end)
    assert bool(found["because"]) == (path != ["dropped"])


def test_a_connection_that_never_begins_is_not_fast_tracked() -> None:
    found = packet(HEAD + RULES, "in=ether2 dst=192.168.2.9:80/tcp established")
    assert found["fasttrack"] == "no" and "line 13" in found["ended"]


@pytest.mark.parametrize(("interface", "seen"), [("ether2", True), ("ether3", False)])
def test_a_hotspot_s_packets_are_not_simply_accepted(interface: str, seen: bool) -> None:
    text = f"{HEAD}{RULES}/ip hotspot\nadd disabled=no interface={interface} name=h1\n"
    found = packet(text, "in=ether2 dst=1.1.1.1:443/tcp new")
    assert (found["ended"] != "accept") == seen
    assert any("hotspot" in line for line in found["says"]) == seen


def test_a_line_without_which_nothing_changes_has_no_cost(tmp_path: Path) -> None:
    """Address translation alone is reason enough for the slow path, and so are the rules."""
    nat = "/ip firewall nat\nadd action=masquerade chain=srcnat\n"
    rules = "/ip firewall filter\nadd action=drop chain=forward connection-state=invalid\n"
    alone = class_of(told(tmp_path, HEAD + LAN_AND_WAN + nat))
    assert [bool(r["cost"]) for r in alone["reasons"] if r["rule"] == "nat"] == [True]
    both = class_of(told(tmp_path, HEAD + LAN_AND_WAN + nat + rules))
    assert [r["cost"] for r in both["reasons"] if r["rule"] in ("nat", "rules")] == [None, None]
