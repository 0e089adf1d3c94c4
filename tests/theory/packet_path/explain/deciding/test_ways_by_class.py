# ruff: noqa: E501  (exports have long lines)
"""Each class of packets by its own lists, bonds and versions, not by the router as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from rosexplain.report import Answer
from tests.theory.packet_path.asked import ask, of, said
from tests.theory.packet_path.explain.deciding.by_class import (
    FORWARD,
    HEAD,
    MARK,
    NAT,
    POLICY,
    facts,
    home,
)

BACK = "add action=accept chain=forward in-interface=WAN1\n"
"""With it, an accept that matches what comes from the LAN leaves FastTrack nothing."""


@pytest.mark.parametrize(
    ("matcher", "lan", "wan", "answer"),
    [
        ("out-interface=all-ppp", "bridge1", "pppoe-out1", "no"),
        ("out-interface=all-ppp", "bridge1", "ether1", "yes"),
        ("out-interface=all-ppp", "bridge1", "lte1", "depends"),
        ("out-interface=!all-ppp", "bridge1", "pppoe-out1", "yes"),
        ("in-interface=all-ethernet", "ether5", "ether1", "no"),
        ("in-interface=all-ethernet", "bridge1", "ether1", "yes"),
        ("in-interface=all-ethernet", "office", "ether1", "depends"),
        ("in-interface=all-vlan", "vlan10", "ether1", "no"),
        ("in-interface=all-vlan", "ether5", "ether1", "yes"),
        ("in-interface=all-wireless", "wlan1", "ether1", "no"),
        ("in-interface=all-wireless", "wifi1", "ether1", "depends"),
        ("in-interface=all-wireless", "bridge1", "ether1", "yes"),
        ("in-interface-list=all", "bridge1", "ether1", "no"),
        ("in-interface-list=none", "bridge1", "ether1", "yes"),
        ("in-interface-list=!none", "bridge1", "ether1", "no"),
        ("in-interface-list=static", "bridge1", "ether1", "no"),
        ("in-interface-list=dynamic", "bridge1", "ether1", "yes"),
        ("in-interface-list=dynamic", "office", "ether1", "depends"),
        ("in-interface-list=!dynamic", "bridge1", "ether1", "no"),
    ],
)
def test_names_and_lists_that_every_router_has(
    matcher: str, lan: str, wan: str, answer: str
) -> None:
    rules = f"add action=accept chain=forward {matcher}\n{BACK}"
    assert said(home(rules, lan, wan))[0] == answer


@pytest.mark.parametrize(
    ("lists", "answer"),
    [
        ("add include=LAN name=A\nadd include=A name=MINE\n", "no"),
        ("add include=A name=MINE\nadd include=B name=A\nadd include=LAN name=B\n", "no"),
        ("add include=A name=MINE\nadd include=MINE,LAN name=A\n", "no"),
        ("add include=A name=MINE\nadd include=WAN name=A\n", "yes"),
        ("add include=A name=MINE\nadd exclude=LAN include=LAN,WAN name=A\n", "yes"),
        # Members that were added by hand come last, so nothing excludes them.
        ("add exclude=LAN name=MINE\n/interface list member\nadd interface=bridge1 list=MINE\n", "no"),
        ("add include=static name=MINE\n", "depends"),
        ("add include=dynamic name=MINE\n", "yes"),
        ("add exclude=MINE include=LAN name=MINE\n", "depends"),
    ],
)  # fmt: skip
def test_lists_in_lists(lists: str, answer: str) -> None:
    rules = f"add action=accept chain=forward in-interface-list=MINE\n{BACK}"
    text = home(f"/interface list\n{lists}/ip firewall filter\n{rules}")
    assert said(text)[0] == answer


KEPT = "add action={0} chain={1} src-address={2} dst-address={3}\nadd action={0} chain={1} src-address={3} dst-address={2}\n"  # fmt: skip
OURS, THEIRS = "192.168.1.0/24", "10.2.0.0/16"
RAW = "/ip firewall raw\n{}/ip firewall filter\n"


@pytest.mark.parametrize(
    ("rules", "noted"),
    [
        ("", True),
        (KEPT.format("accept", "forward", OURS, THEIRS), False),
        (KEPT.format("accept", "forward", "192.168.0.0/16", "10.0.0.0/8"), False),
        (KEPT.format("accept", "forward", "192.168.1.7", "192.0.2.9"), True),
        (KEPT.format("accept", "forward", OURS, "10.2.3.0/24"), True),
        (KEPT.format("accept", "forward", OURS, THEIRS).split("\n")[0] + "\n", True),
        (KEPT.format("accept", "input", OURS, THEIRS), True),
        (RAW.format(KEPT.format("notrack", "prerouting", OURS, THEIRS)), False),
        (RAW.format(KEPT.format("notrack", "prerouting", "192.0.2.1", "192.0.2.2")), True),
        ("add chain=forward ipsec-policy=in,ipsec\nadd chain=forward ipsec-policy=out,ipsec\n", False),
        ("add chain=forward ipsec-policy=in,ipsec\nadd chain=forward ipsec-policy=in,ipsec\n", True),
    ],
)  # fmt: skip
def test_what_keeps_a_policy_s_networks_from_fasttrack(rules: str, noted: bool) -> None:
    found = ask(home(rules) + POLICY)
    assert ("fasttrack-and-ipsec" in found.met) == noted


def test_of_two_policies_only_the_one_that_is_fast_tracked_is_named() -> None:
    text = home(KEPT.format("accept", "forward", OURS, THEIRS)) + POLICY
    found = ask(text + "add dst-address=10.3.0.0/16 peer=c src-address=192.168.1.0/24 tunnel=yes\n")
    assert [line.number for line in found.met["fasttrack-and-ipsec"][1:]] == [text.count("\n") + 1]


@pytest.mark.parametrize(
    ("rule", "front", "noted"),
    [
        ("/routing rule\nadd src-address=192.168.1.7 table=wan2\n", "", True),
        ("/routing rule\nadd action=lookup-only-in-table interface=bridge1 table=wan2\n", "", True),
        ("/ip route rule\nadd src-address=192.168.1.7 table=wan2\n", "", True),
        ("/routing rule\nadd src-address=192.168.1.7 table=main\n", "", False),
        ("/routing rule\nadd action=unreachable src-address=192.168.1.7\n", "", False),
        ("/routing rule\nadd disabled=yes src-address=192.168.1.7 table=wan2\n", "", False),
        ("/routing rule\nadd src-address=192.168.1.7 table=wan2\n",
         "add chain=forward src-address=192.168.1.7\nadd chain=forward dst-address=192.168.1.7\n", False),
    ],
)  # fmt: skip
def test_a_routing_rule_to_another_table_is_noted_beside_fasttrack(
    rule: str, front: str, noted: bool
) -> None:
    plain = Answer(ask(home(front) + rule)).plain()
    assert ("fasttrack-and-tables" in [note["rule"] for note in plain["notes"]]) == noted


BOND = "/interface bonding\nadd mode=802.3ad name=bond1 slaves=sfp1,sfp2\n"

PLAIN = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=LAN1 list=LAN
add interface=WAN1 list=WAN
/ip address
add address=192.168.1.1/24 interface=LAN1
"""

ON_BOND = BOND + "/interface vlan\nadd interface=bond1 name=vlan7 vlan-id=7\n"
IN_BRIDGE = BOND + "/interface bridge\nadd name=b\n/interface bridge port\nadd bridge=b interface=bond1\n"  # fmt: skip


@pytest.mark.parametrize(
    ("more", "lan", "wan", "name", "answer"),
    [
        (ON_BOND, "ether2", "vlan7", "established", ("no", ["half"])),
        (ON_BOND, "ether2", "ether1", "established", ("yes", ["fast-path"])),
        (IN_BRIDGE, "ether2", "b", "established", ("no", ["half"])),
        (IN_BRIDGE + "add bridge=b interface=ether4\n", "ether2", "b", "established", ("depends", ["fast-path", "half"])),
        (IN_BRIDGE, "b", "ether1", "established", ("yes", ["fast-path"])),
        (IN_BRIDGE + MARK.format("") + NAT + FORWARD, "b", "ether1", "port-forward", ("yes", ["fasttrack"])),
    ],
)  # fmt: skip
def test_a_bond_is_seen_below_vlans_and_bridges(
    more: str, lan: str, wan: str, name: str, answer: tuple[str, list[str]]
) -> None:
    text = (PLAIN + more).replace("LAN1", lan).replace("WAN1", wan)
    assert said(text, name) == answer
    bonded = wan != "ether1" or lan == "b"
    assert ("fast-path-bond" in facts(of(ask(text), name))) == bonded


@pytest.mark.parametrize(
    ("version", "answer", "why"),
    [
        ("7.10", ("no", ["slow"]), "since 7.17; this is 7.10"),
        ("6.48.6", ("no", ["slow"]), "since 7.17; this is 6.48.6"),
        ("7.17", ("yes", ["fast-path"]), ""),
        ("7.20.8", ("yes", ["fast-path"]), ""),
    ],
)
def test_vpls_has_a_fast_path_since_7_17(
    version: str, answer: tuple[str, list[str]], why: str
) -> None:
    text = HEAD.format(version, "CCR1009") + "/interface vpls\nadd name=vpls1 peer=192.0.2.9\n"
    found = of(ask(text), "carried-vpls1")
    assert (found.answer, found.ways) == answer
    assert [(r.fact, r.why) for r in found.reasons] == [("fast-path-vpls", why)]


BRIDGED = """# model = RB951Ui-2HnD
/interface bridge
add name=b{}
/interface bridge port
add bridge=b hw=no interface=ether2
add bridge=b hw=no interface=ether3
"""


def test_a_reason_is_never_a_fact_of_a_later_version() -> None:
    text = "# jan/02/2021 10:00:00 by RouterOS 6.48.6\n" + BRIDGED.format(" vlan-filtering=yes")
    found = ask(text)
    decided = of(found, "bridged-b")
    assert decided.answer == "no"
    told: list[dict[str, Any]] = [found.net.base["facts"][fact] for fact in facts(decided)]
    assert [each["since"] for each in told if each["since"] in ("7.2", "7.17", "7.18")] == []
    assert any("vlan-filtering=no" in each["says"] for each in told)


@pytest.mark.parametrize(
    ("version", "answer"), [("5.26", "unknown"), ("6.28", "unknown"), ("6.48.6", "yes")]
)
def test_fast_forward_is_not_known_of_a_routeros_so_old(version: str, answer: str) -> None:
    text = f"# jan/02/2015 10:00:00 by RouterOS {version}\n" + BRIDGED.format("")
    found = of(ask(text), "bridged-b")
    assert (found.answer, found.ways) == (answer, ["fast-forward"])
    assert bool(found.asks) == (answer == "unknown")
    whys = [reason.why for reason in found.reasons]
    assert (f"not known of RouterOS {version}" in whys) == (answer == "unknown")
