"""Who forwards what a bridge carries: one bridge a chip, ports that it refuses, VPLS, radios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rosexplain import offload
from rosexplain.decide import Reason
from rosexplain.network import Network
from rosexplain.report import Answer
from tests.theory.packet_path.asked import PROMPT, ask, class_of, of, said, told

HEAD = "# 2026-11-20 10:00:00 by RouterOS {}\n# model = {}\n"
SWITCH = HEAD.format("7.20.8", "CRS326-24G-2S+")
ROUTER = HEAD.format("7.20.8", "RB5009UG+S+")
TWO = """/interface bridge
add name=bridge1
add name=bridge2
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=ether2
add bridge=bridge2 interface=ether3
add bridge=bridge2 interface=ether4
"""
BOTH, CHIP = ["chip", "bridge-fast-path"], ["chip"]
FORWARD = ["chip", "fast-forward"]
"""Of a bridge with two ports, if the CPU has it."""


def facts(text: str, name: str) -> list[str]:
    return [reason.fact for reason in of(ask(text), name).reasons]


def test_a_chip_forwards_for_one_bridge_and_no_export_says_which() -> None:
    for name in ("bridged-bridge1", "bridged-bridge2"):
        assert said(SWITCH + TWO, name) == ("yes", FORWARD)
        decided = of(ask(SWITCH + TWO), name)
        assert "bridge-one-hardware" in [reason.fact for reason in decided.reasons]
        assert decided.asks == ["/interface/bridge/port/print"]


@pytest.mark.parametrize(
    "end",
    [
        "set [ find bridge=bridge2 ] hw=no\n",
        "set [ find interface=ether4 ] disabled=yes\n",
        "set [ find interface=ether4 ] horizon=1\n",
        "/interface bridge\nset [ find name=bridge2 ] disabled=yes\n",
    ],
    ids=["hw=no", "one port", "horizon", "disabled"],
)
def test_a_bridge_that_the_chip_cannot_have_is_no_rival(end: str) -> None:
    assert said(SWITCH + TWO + end, "bridged-bridge1") == ("yes", CHIP)
    assert "bridge-one-hardware" not in facts(SWITCH + TWO + end, "bridged-bridge1")


def test_two_bridges_of_which_the_cpu_s_would_be_slow_are_unknown() -> None:
    slow = "/interface bridge filter\nadd action=drop chain=forward\n"
    assert said(SWITCH + TWO + slow, "bridged-bridge1") == ("unknown", ["chip", "slow"])


ONE = """/interface bridge
add name=bridge1
/interface bonding
add name=bond1 slaves=ether5,ether6{}
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=ether2{}
add bridge=bridge1 interface=bond1
"""


@pytest.mark.parametrize(
    ("mode", "horizon", "ways", "fact"),
    [
        (" mode=802.3ad", "", CHIP, ""),
        (" mode=active-backup", " horizon=none", CHIP, ""),
        (" mode=balance-rr", "", BOTH, "bonding-hardware-modes"),
        ("", "", BOTH, "bonding-hardware-modes"),
        (" mode=802.3ad", " horizon=7", BOTH, "bridge-hardware-horizon"),
    ],
)
def test_a_chip_refuses_some_bonds_and_ports_with_a_horizon(
    mode: str, horizon: str, ways: list[str], fact: str
) -> None:
    text = SWITCH + ONE.format(mode, horizon)
    assert said(text, "bridged-bridge1") == ("yes", ways)
    told = {"bonding-hardware-modes", "bridge-hardware-horizon"}
    assert told & set(facts(text, "bridged-bridge1")) == ({fact} if fact else set())


@pytest.mark.parametrize(
    "rule",
    [
        "/interface bridge filter\nadd action=drop chain=forward\n",
        "/interface bridge settings\nset use-ip-firewall=yes\n",
    ],
)
def test_what_a_chip_bridges_no_rule_of_the_bridge_sees(rule: str) -> None:
    text = SWITCH + ONE.format(" mode=802.3ad", "") + rule
    decided = of(ask(text), "bridged-bridge1")
    assert (decided.answer, decided.ways) == ("yes", CHIP)
    seen = next(each for each in decided.reasons if each.fact == "bridge-hardware")
    assert [line.number for line in seen.lines] == [12]


VPLS = """/interface bridge
add name=bridge1
/interface vpls
add disabled=no name=vpls1 remote-peer=10.0.0.1 vpls-id=1:1
/interface bridge port
add bridge=bridge1 interface=vpls1
add bridge=bridge1 interface=ether2
"""
THIRD = "add bridge=bridge1 interface=ether3\n"


@pytest.mark.parametrize(
    ("version", "more", "answer"),
    [
        ("7.17.2", "", "yes"),
        ("7.16.2", "", "no"),
        ("6.49.10", "", "no"),
        ("7.16.2", THIRD, "depends"),
    ],
)
def test_a_bridge_with_vpls_is_slow_where_vpls_has_no_fast_path_yet(
    version: str, more: str, answer: str
) -> None:
    text = HEAD.format(version, "RB5009UG+S+") + VPLS + more
    decided = of(ask(text), "bridged-bridge1")
    assert decided.answer == answer
    why = [each.why for each in decided.reasons if each.fact == "fast-path-vpls"]
    assert why == ([] if answer == "yes" else [f"since 7.17; this is {version}"])


def capsman(menu: str, words: str, manager: str = "set enabled=yes") -> str:
    head = "/interface bridge\nadd name=bridge1\n/interface bridge port\n"
    ports = "add bridge=bridge1 interface=ether2\nadd bridge=bridge1 interface=ether3\n"
    return f"{ROUTER}{head}{ports}{menu}\nadd {words} name=x\n/caps-man manager\n{manager}\n"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (capsman("/caps-man datapath", "bridge=bridge1"), "unknown"),
        (capsman("/caps-man interface", "datapath.bridge=bridge1"), "unknown"),
        (capsman("/caps-man configuration", "datapath.bridge=bridge1"), "unknown"),
        (capsman("/caps-man datapath", "bridge=bridge1 local-forwarding=yes"), "yes"),
        (capsman("/caps-man datapath", "bridge=bridge2"), "yes"),
        (capsman("/caps-man datapath", "bridge=bridge1", "set enabled=no"), "yes"),
    ],
)
def test_the_radios_of_a_capsman_are_in_its_bridge_unless_the_caps_forward(
    text: str, answer: str
) -> None:
    decided = of(ask(text), "bridged-bridge1")
    assert decided.answer == answer
    lines = [r.lines[0].number for r in decided.reasons if r.fact == "capsman-forwarding"]
    assert lines == ([] if answer == "yes" else [9])


def notes(text: str) -> list[str]:
    plain: dict[str, Any] = Answer(ask(text)).plain()
    return [each["says"] for each in plain["notes"]]


def test_a_cap_and_a_capsman_are_told_of() -> None:
    cap = "/interface wireless cap\nset enabled=yes interfaces=wlan1\n"
    assert any("this CAP" in each for each in notes(ROUTER + cap))
    assert any(
        "A CAPsMAN" in each for each in notes(ROUTER + "/caps-man manager\nset enabled=yes\n")
    )


EDGE = """/ip address
add address=192.168.1.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
"""


@pytest.mark.parametrize(
    ("more", "ask_for"),
    [
        ("/mpls ldp interface\nadd interface=ether2\n", "/mpls/forwarding-table/print"),
        ("/interface l2tp-server server\nset enabled=yes use-ipsec=required\n",
         "/ip/ipsec/policy/print count-only where dynamic"),
    ],
    ids=["labels", "l2tp"],
)  # fmt: skip
def test_what_labels_and_an_l2tp_server_s_policies_close_no_export_shows(
    more: str, ask_for: str
) -> None:
    assert said(ROUTER + EDGE) == ("yes", ["fast-path"])
    decided = of(ask(ROUTER + EDGE + more), "established")
    assert decided.answer == "unknown"
    assert ask_for in decided.asks


LDP = "/mpls ldp interface\nadd interface=ether2\n"


def test_labels_are_a_matter_of_ipv4() -> None:
    six = "/ipv6 address\nadd address=2001:2:0:1::1/64 interface=ether2\n"
    assert said(ROUTER + EDGE + six + LDP, "ipv6")[0] == "yes"


def test_that_the_fast_path_is_active_says_nothing_of_packets_with_labels(tmp_path: Path) -> None:
    printed = f"{PROMPT}/ip/settings/print\nallow-fast-path: yes\nipv4-fast-path-active: yes\n"
    for more, answer in (("", "yes"), (LDP, "unknown")):
        plain = told(tmp_path, ROUTER + EDGE + more, printed=printed)
        assert class_of(plain)["answer"] == answer


def test_a_bond_below_many_vlans_is_named_once() -> None:
    text = (
        ROUTER
        + "/interface bonding\nadd mode=802.3ad name=bond1 slaves=ether3,ether4\n/interface vlan\n"
        + "".join(f"add interface=bond1 name=vlan{n} vlan-id={n}\n" for n in (2, 3, 4))
        + "/ip dhcp-client\nadd interface=ether1\n/ip address\n"
        + "".join(f"add address=198.18.{n}.1/24 interface=vlan{n}\n" for n in (2, 3, 4))
    )
    why = [r.why for r in of(ask(text), "established").reasons if r.fact == "fast-path-bond"]
    assert why == ["the packets back leave by bond1"]


VETH = """/interface bridge
add name=containers
/interface veth
add address=172.17.0.2/24 gateway=172.17.0.1 name=veth1
/interface bridge port
add bridge=containers interface=veth1
"""
INSIDE = "/ip address\nadd address=172.17.0.1/24 interface={}\n"


def test_no_source_says_that_a_container_s_interface_has_a_fast_path() -> None:
    decided = of(ask(ROUTER + VETH), "carried-veth1")
    assert (decided.answer, decided.traffic.title) == ("unknown", "to and from containers by veth1")
    assert [(r.rule, r.lines[0].number) for r in decided.reasons] == [("veth-port", 6)]
    assert said(ROUTER + VETH, "bridged-containers")[0] == "unknown"


@pytest.mark.parametrize(("lan", "answer"), [("containers", "unknown"), ("ether2", "yes")])
def test_what_comes_in_by_it_is_as_unknown(lan: str, answer: str) -> None:
    text = ROUTER + VETH + INSIDE.format(lan) + "/ip dhcp-client\nadd interface=ether1\n"
    assert said(text)[0] == answer


def test_no_switch_chip_has_a_container_s_interface() -> None:
    on = "/interface ethernet switch\nset 0 l3-hw-offloading=yes\n"
    text = SWITCH + on + VETH + INSIDE.format("veth1") + INSIDE.format("ether3").replace("17", "18")
    assert said(text, "lan-to-lan")[1] == ["fast-path"]


def test_where_a_port_is_wired_is_asked_once_a_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two bridges: each is asked about for itself, and as the other's rival."""
    asked: list[str] = []
    wired = offload.apart

    def apart(net: Network, port: str) -> Reason | None:
        asked.append(port)
        return wired(net, port)

    monkeypatch.setattr(offload, "apart", apart)
    ask(SWITCH + TWO)
    assert sorted(asked) == ["ether1", "ether2", "ether3", "ether4"]


def test_what_a_chip_refuses_is_said_of_each_port_once() -> None:
    ports = "add bridge=bridge1 horizon=7 interface=ether3\n"
    net = ask(SWITCH + ONE.format(" mode=balance-rr", "") + ports).net
    refused = {port.name: port.refused for port in offload.bridge_ports(net, "bridge1")}
    assert refused == {
        "ether1": "",
        "ether2": "",
        "bond1": offload.BY_BOND,
        "ether3": offload.BY_HORIZON,
    }
