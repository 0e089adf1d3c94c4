"""What the model says of modems, the router's own packets, VXLAN, IPv6 in the chip, numbers."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.model.packet_path import rules
from rosexplain import firewall, trace
from rosexplain.classify import Explanation, explain
from rosexplain.parse import parsed
from rosexplain.report import Answer
from tests.model.packet_path.asked import LAN_AND_WAN

HEAD = "# 2026-11-20 10:00:00 by RouterOS {}\n# model = {}\n"


def asked(text: str, version: str = "7.20.8", model: str = "RB5009UG+S+") -> Explanation:
    return explain([parsed(HEAD.format(version, model) + text, "r.rsc")], rules.plain())


def of(found: Explanation, name: str) -> dict[str, Any]:
    classes = Answer(found).plain()["classes"]
    said: dict[str, Any] = next(each for each in classes if each["class"] == name)
    return said


LTE = """/interface lte
set [ find default-name=lte1 ] allow-roaming=yes
/ip address
add address=192.168.88.1/24 interface=ether1
"""
TRACKED = """/ip firewall filter
add action=fasttrack-connection chain=forward connection-state=established,related
"""


@pytest.mark.parametrize("firewall", ["", TRACKED])
@pytest.mark.parametrize(
    ("version", "answer"), [("7.20.8", "unknown"), ("6.49.10", "yes")], ids=["7", "6"]
)
def test_a_modem_is_the_way_out_and_only_routeros_6_says_that_it_is_fast(
    version: str, answer: str, firewall: str
) -> None:
    found = asked(LTE + firewall, version)
    assert (found.net.wan, found.net.lan) == (["lte1"], ["ether1"])
    said = of(found, "established")
    assert said["answer"] == answer
    asks = ["/interface/print stats-detail where name=lte1"]
    assert said["asks"] == (asks if answer == "unknown" else [])


def test_a_router_s_loopback_is_no_network_of_the_lan() -> None:
    addresses = "/ip address\nadd address=192.0.2.7 interface=lo\n"
    found = asked(addresses + "add address=198.18.1.1/24 interface=ether2\n")
    assert found.net.lan == ["ether2"]
    assert "lan-to-lan" not in [each.traffic.name for each in found.classes]


@pytest.mark.parametrize(
    ("said", "fast"),
    [
        ("", True),
        ("vteps-ip-version=ipv4 vrf=main", True),
        ("vteps-ip-version=ipv6", False),
        ("vrf=customer", False),
        ("allow-fast-path=yes vteps-ip-version=ipv6", False),
    ],
)
def test_vxlan_over_ipv6_or_in_a_vrf_has_no_fast_path(said: str, fast: bool) -> None:
    made = of(asked(f"/interface vxlan\nadd name=vx vni=5 {said}\n"), "carried-vx")
    assert made["answer"] == ("yes" if fast else "no")
    assert ("vxlan-no-fast-path" in [each["fact"] for each in made["reasons"]]) is not fast


CHIP = f"""/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface ethernet switch l3hw-settings
set ipv6-hw={{}}
{LAN_AND_WAN}/ipv6 address
add address=2001:2:0:1::1/64 interface=ether2
add address=2001:2:0:2::1/64 interface=ether1
"""
OFF = "/interface ethernet switch port\nset ether1 l3-hw-offloading=no\n"


@pytest.mark.parametrize(
    ("text", "version", "chip"),
    [
        (CHIP.format("yes"), "7.20.8", True),
        (CHIP.format("yes"), "7.10", True),  # before IPv6 had a fast path of its own
        (CHIP.format("no"), "7.20.8", False),
        (CHIP.format("yes"), "7.5", False),
        (CHIP.format("yes") + OFF, "7.20.8", False),
    ],
)
def test_the_chip_routes_ipv6_where_it_is_told_to(text: str, version: str, chip: bool) -> None:
    made = of(asked(text, version, "CRS326-24G-2S+"), "ipv6")
    assert (made["paths"] == ["chip"]) is chip
    reasons = {each["fact"]: [line["line"] for line in each["lines"]] for each in made["reasons"]}
    assert (reasons.get("l3hw-ipv6") == [6]) is chip


def test_fasttracked_ipv6_is_not_the_chip_s() -> None:
    tracked = TRACKED.replace("/ip ", "/ipv6 ")
    off = OFF + "set ether2 l3-hw-offloading=no\n"
    made = of(asked(CHIP.format("yes") + off + tracked, "7.20.8", "CCR2116-12G-4S+"), "ipv6")
    assert made["paths"] == ["fasttrack"]


OWN = """/ip address
add address=192.168.88.1/24 interface=ether2
add address=192.0.2.2/30 interface=ether1
/ip firewall filter
add action=drop chain=forward
add action=drop chain=input in-interface=ether1
add action=accept chain=output out-interface=ether2
add action=drop chain=output dst-port=443 protocol=tcp
/ip firewall nat
add action=dst-nat chain=dstnat dst-port=443 protocol=tcp to-addresses=192.168.88.9
add action=src-nat chain=srcnat out-interface=ether1 to-addresses=192.0.2.2
"""


def walked(words: str) -> dict[str, Any]:
    return trace.walked(asked(OWN).net, firewall.parsed(words))


@pytest.mark.parametrize(
    ("words", "ended"),
    [
        ("chain=output dst=1.1.1.1:443/tcp new out=ether1", "drop"),
        ("chain=output dst=1.1.1.1:80/tcp new", "accept"),
        ("chain=output dst=192.168.88.5:443/tcp new", "accept"),
        ("chain=output dst=192.168.88.1:443/tcp new out=lo", "drop"),
    ],
)
def test_the_router_s_own_packets_meet_the_chain_output(words: str, ended: str) -> None:
    said = walked(words)
    assert (said["chain"], said["ended"], said["fasttrack"]) == ("output", ended, "no")
    assert {step["chain"] for step in said["steps"]} <= {"output", "postrouting", "srcnat"}


def test_they_come_in_by_no_interface() -> None:
    with pytest.raises(ValueError, match="come in by no interface"):
        firewall.parsed("chain=output in=ether1 dst=1.1.1.1")


@pytest.mark.parametrize("number", ["99", "2", "123456789012345678901234567890"])
def test_a_number_beyond_the_rows_changes_nothing_and_is_said(number: str) -> None:
    rules_ = "/ip firewall filter\nadd chain=forward\nadd chain=input\n"
    found = asked(f"{rules_}set {number} action=drop\n").net.rows
    assert [row.get("action") for row in found.of("/ip/firewall/filter")] == ["", ""]
    assert [(each.number, each.why) for each in found.unread] == [
        (6, "not applied: no such item, there are 2 so far")
    ]


def test_a_number_of_a_row_and_of_what_the_router_has_of_itself_is_taken() -> None:
    found = asked(
        "/ip firewall filter\nadd chain=forward\nset 0 action=drop\n"
        "/interface ethernet switch\nset 0 l3-hw-offloading=yes\nset ² name=x\n"
    ).net.rows
    assert found.of("/ip/firewall/filter")[0].get("action") == "drop"
    assert found.of("/interface/ethernet/switch")[0].get("l3-hw-offloading") == "yes"
    assert found.unread == []


def test_a_letter_that_only_looks_like_a_digit_is_no_number() -> None:
    """Python's isdigit() takes it for one, and int() does not."""
    found = asked("/ip firewall filter\nadd chain=forward\nset ² action=drop\n").net.rows
    assert found.of("/ip/firewall/filter")[0].get("action") == ""


def test_what_pppoe_carries_is_as_unknown_as_the_device_that_carries_it() -> None:
    text = "/interface pppoe-client\nadd disabled=no interface=ether1 name=out user=u\n"
    head = "# 2026-11-20 10:00:00 by RouterOS 7.20.8\n# software id = ABCD-EFGH\n#\n"
    found = explain([parsed(head + text, "r.rsc")], rules.plain())
    for name in ("established", "carried-out"):
        assert (of(found, name)["answer"], of(found, name)["asks"]) == (
            "unknown",
            ["/system/resource/print"],
        )
    assert of(asked(text), "carried-out")["answer"] == "yes"
