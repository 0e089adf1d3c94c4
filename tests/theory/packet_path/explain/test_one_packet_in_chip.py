"""One packet through a switch chip: what it routes by itself, no rule of the firewall sees."""

from __future__ import annotations

import pytest

from rosexplain import trace
from tests.theory.packet_path.explain.one_asked import walked

IN_CHIP = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = CRS326-24G-2S+
/interface ethernet switch
set 0 l3-hw-offloading=yes
/ip address
add address=198.18.1.1/24 interface=ether2
add address=198.18.2.1/24 interface=ether3
/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established
add action=drop chain=forward
"""
BY_CHIP = "routed by the switch chip, and no rule sees it"
PORT_OFF = "/interface ethernet switch port\nset ether3 l3-hw-offloading=no\n"


@pytest.mark.parametrize(
    ("more", "words", "ended", "fasttrack"),
    [
        ("", "in=ether2 dst=198.18.2.9:443/tcp new", BY_CHIP, "no"),
        ("", "in=ether2 dst=198.18.2.9:443/tcp established", BY_CHIP, "no"),
        ("", "in=ether2 dst=198.18.1.1:443/tcp new", "accept", "no"),
        (PORT_OFF, "in=ether2 dst=198.18.2.9:443/tcp new", "drop", "no"),
        (PORT_OFF, "in=ether2 dst=198.18.2.9 new", "drop", "no"),
    ],
)  # fmt: skip
def test_what_the_switch_chip_routes_no_rule_ends(
    more: str, words: str, ended: str, fasttrack: str
) -> None:
    found = walked(IN_CHIP + more, words)
    assert (found["ended"], found["fasttrack"]) == (ended, fasttrack)
    assert found["chip"] == (trace.ALL if ended == BY_CHIP else trace.NONE)


def test_a_port_that_may_be_the_cpu_s_leaves_both_ends_open() -> None:
    text = IN_CHIP.replace("CRS326-24G-2S+", "CRS504-4XQ").replace("ether2", "ether1")
    text = text.replace("ether3", "qsfp28-1-1")
    found = walked(text, "in=ether1 dst=198.18.2.9:443/tcp new")
    assert found["ended"] == "drop; or " + BY_CHIP
    assert (found["chip"], found["end"]) == (trace.SOME, "drop")


def test_what_is_in_a_vrf_may_be_routed_by_the_chip_past_the_rule_that_drops_it() -> None:
    text = IN_CHIP + "/ip vrf\nadd interfaces=ether3 name=v\n"
    found = walked(text, "in=ether2 dst=198.18.2.9:443/tcp new")
    assert (found["chip"], found["ended"]) == (trace.SOME, "drop; or " + BY_CHIP)


def test_what_the_chip_routes_is_decided_on_no_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "SAID", "accept")
    text = IN_CHIP.replace("action=drop", "action=accept")
    found = walked(text + PORT_OFF, "in=ether2 dst=198.18.2.9:443/tcp established")
    assert (found["ended"], found["fasttrack"]) == ("accept", "yes")
    found = walked(text, "in=ether2 dst=198.18.2.9:443/tcp established")
    assert (found["ended"], found["fasttrack"]) == ("accept", "no")
