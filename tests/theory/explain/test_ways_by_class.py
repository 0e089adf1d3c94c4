# ruff: noqa: E501  (exports have long lines)
"""Each class of packets by its own ports, lists and versions, not by the router as a whole."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.theory.packet_path.explain.answering import Answer
from ppslab.theory.packet_path.explain.deciding import Decided
from tests.course.models.both import both
from tests.theory.explain.asked import ask, of, said

PRINTS = "/interface/ethernet/print stats"
HEAD = "# 2026-11-20 10:00:00 by RouterOS {}\n# model = {}\n"
SWITCH, ROUTER = "CRS326-24G-2S+", "CCR2116-12G-4S+"
"""One whose chip translates nothing, and one whose chip takes fast-tracked connections."""

LAN = """/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=ether2 list=LAN
add interface=ether3 list=LAN
add interface=WAN1 list=WAN
/ip address
add address=192.168.1.1/24 interface=ether2
add address=192.168.2.1/24 interface=ether3
"""
NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=WAN1\n"
FORWARD = "add action=dst-nat chain=dstnat dst-port=443 in-interface=WAN1 protocol=tcp to-addresses=192.168.1.9\n"
MARK = "/ip firewall filter\nadd action=fasttrack-connection chain=forward connection-state=established,related{}\n"
PORTS = "/interface ethernet switch port\nset {} l3-hw-offloading=no\n"


def switch(more: str, model: str = ROUTER, wan: str = "ether1", version: str = "7.20.8") -> str:
    return HEAD.format(version, model) + (LAN + more).replace("WAN1", wan)


def facts(decided: Decided) -> list[str]:
    return [reason.fact for reason in decided.reasons]


OFF = PORTS.format("ether1,ether2,ether3")
CHIP, SLOW = ("yes", ["chip"]), ("no", ["slow"])


@pytest.mark.parametrize(
    ("more", "model", "wan", "name", "answer", "fact"),
    [
        # What leaves by a port with no goes by the CPU, whatever the LAN's ports have.
        (PORTS.format("ether1") + NAT, SWITCH, "ether1", "established", SLOW, "l3hw-egress-alone"),
        (PORTS.format("ether1") + NAT, SWITCH, "ether1", "new", SLOW, "l3hw-egress-alone"),
        (PORTS.format("ether1") + NAT, SWITCH, "ether1", "lan-to-lan", CHIP, "l3hw-both-ports"),
        (PORTS.format("ether1") + NAT + FORWARD, SWITCH, "ether1", "port-forward", SLOW, "l3hw-egress-alone"),
        # A session of PPPoE is no port.
        ("/interface pppoe-client\nadd interface=ether1 name=pppoe-out1\n" + NAT, ROUTER, "pppoe-out1", "established", SLOW, "l3hw-tunnels"),
        ("/interface pppoe-client\nadd interface=ether1 name=pppoe-out1\n" + NAT, ROUTER, "pppoe-out1", "carried-pppoe-out1", SLOW, "l3hw-tunnels"),
        ("/interface lte\nset [ find default-name=lte1 ] mtu=1500\n", ROUTER, "lte1", "established", ("unknown", ["fast-path", "slow"]), "l3hw-both-ports"),
        # With both ports on the chip routes, and translates nothing.
        (NAT, ROUTER, "ether1", "established", CHIP, "l3hw-nat-fasttrack"),
        (NAT, SWITCH, "ether1", "established", CHIP, "l3hw-nat-none"),
        (NAT + FORWARD, ROUTER, "ether1", "port-forward", ("depends", ["chip", "slow"]), "l3hw-nat-fasttrack"),
        # A port that no packet of the class uses decides nothing.
        (PORTS.format("ether12"), ROUTER, "ether1", "lan-to-lan", CHIP, "l3hw-both-ports"),
        (PORTS.format("ether12"), ROUTER, "ether1", "established", CHIP, "l3hw-both-ports"),
        # Both ports off: what FastTrack's rule says of hw-offload.
        (OFF + MARK.format(" hw-offload=no"), ROUTER, "ether1", "established", ("yes", ["fasttrack"]), "l3hw-fasttrack-rule"),
        (OFF + MARK.format(" hw-offload=yes"), ROUTER, "ether1", "established", ("yes", ["chip-fasttrack"]), "l3hw-fasttrack-only"),
        (OFF + MARK.format(""), ROUTER, "ether1", "established", ("yes", ["chip-fasttrack", "fasttrack"]), "l3hw-fasttrack-rule"),
        (OFF + MARK.format(" hw-offload=yes"), SWITCH, "ether1", "established", ("yes", ["fasttrack"]), "l3hw-egress-alone"),
        (OFF + MARK.format("") + NAT, SWITCH, "ether1", "established", ("yes", ["fasttrack"]), "l3hw-nat-none"),
        (OFF + MARK.format(" hw-offload=yes in-interface=ether2") + MARK.format(" hw-offload=no"), ROUTER, "ether1", "lan-to-lan", ("depends", ["chip-fasttrack", "slow", "fasttrack"]), "l3hw-fasttrack-rule"),
        (PORTS.format("[find]") + MARK.format(" hw-offload=no"), ROUTER, "ether1", "lan-to-lan", ("yes", ["fasttrack"]), "l3hw-fasttrack-rule"),
        # Only the port that they come in by: the manual says that nobody knows.
        (PORTS.format("ether2,ether3") + "/ip firewall filter\nadd chain=forward\n", ROUTER, "ether1", "established", ("depends", ["chip", "slow"]), "l3hw-ingress-alone"),
        # The chip does not ask the firewall.
        ("/ip firewall filter\nadd action=drop chain=forward\n", ROUTER, "ether1", "established", CHIP, "l3hw-both-ports"),
        (PORTS.format("ether1") + "/ip firewall filter\nadd action=drop chain=forward\n", ROUTER, "ether1", "established", ("no", ["dropped"]), "fast-path-firewall"),
    ],
)  # fmt: skip
def test_the_ports_of_a_class_decide_what_the_chip_does_with_it(
    more: str, model: str, wan: str, name: str, answer: tuple[str, list[str]], fact: str
) -> None:
    found = of(ask(switch(more, model, wan)), name)
    assert (found.answer, found.ways) == answer
    assert fact in facts(found)


def test_what_is_called_translated_is_not_the_chip_s() -> None:
    for more, titled in ((NAT, "not translated by the chip"), (PORTS.format("ether1") + NAT, "UDP, translated")):  # fmt: skip
        assert of(ask(switch(more)), "established").traffic.title.endswith(titled)


def test_the_table_says_of_nat_what_the_lines_of_the_switch_chip_say() -> None:
    plain = Answer(ask(switch(PORTS.format("ether1") + NAT, SWITCH))).plain()
    assert "nat-chip" in [each["rule"] for each in plain["offload"]]
    (established,) = [each for each in plain["classes"] if each["class"] == "established"]
    assert established["paths"] == ["slow"]


@pytest.mark.parametrize(
    ("more", "asks"),
    [
        (PORTS.format("ether2,ether3"), [PRINTS]),
        (PORTS.format("[find]") + "set 7 l3-hw-offloading=yes\n", ["/interface/ethernet/switch/port/print", PRINTS]),
        (PORTS.format("7"), ["/interface/ethernet/switch/port/print", PRINTS]),
        (OFF + MARK.format(""), ["/ip/firewall/connection/print count-only where hw-offload"]),
    ],
)  # fmt: skip
def test_what_the_facts_do_not_say_comes_with_the_command_that_tells(
    more: str, asks: list[str]
) -> None:
    assert of(ask(switch(more)), "established").asks == asks


VLANS = """/interface bridge
add name=bridge vlan-filtering=yes
/interface vlan
add interface=bridge name=ether2 vlan-id=10
add interface=bridge name=ether3 vlan-id=20
/interface bridge port
add bridge=bridge interface=ether5 pvid=10
add bridge=bridge interface=ether6 pvid=20
add bridge=bridge interface=ether7
/interface bridge vlan
add bridge=bridge tagged=bridge,ether8 vlan-ids=10,20
add bridge=bridge tagged=bridge vlan-ids=30
"""


@pytest.mark.parametrize(
    ("old", "new", "answer", "fact"),
    [
        ("", "", ("yes", ["chip"]), "l3hw-both-ports"),
        # ether7 is in neither VLAN.
        ("/interface bridge port", PORTS.format("ether7") + "/interface bridge port", ("yes", ["chip"]), "l3hw-both-ports"),
        ("/interface bridge port", PORTS.format("ether6") + "/interface bridge port", ("yes", ["fast-path"]), "l3hw-per-vlan"),
        ("/interface bridge port", PORTS.format("ether5,ether6") + "/interface bridge port", ("yes", ["fast-path"]), "l3hw-fasttrack-only"),
        ("vlan-id=20", "vlan-id=20 l3-hw-offloading=no", ("yes", ["fast-path"]), "l3hw-per-vlan"),
        ("vlan-id=20", "vlan-id=20 use-service-tag=yes", ("yes", ["fast-path"]), "l3hw-qinq"),
        ("interface=bridge name=ether3", "interface=ether2 name=ether3", ("yes", ["fast-path"]), "l3hw-qinq"),
        ("interface=bridge name=ether3", "interface=ether9 name=ether3", ("yes", ["chip", "fast-path"]), "l3hw-vlan-on-bridge"),
        ("interface=ether6 pvid", "hw=no interface=ether6 pvid", ("yes", ["fast-path"]), "l3hw-layer-2"),
        ("/interface bridge port", "/interface bridge\nadd name=b2\n/interface bridge port\nadd bridge=b2 interface=ether4", ("yes", ["chip", "fast-path"]), "l3hw-one-bridge"),
        # A bridge without a port takes none of the chip.
        ("/interface bridge port", "/interface bridge\nadd name=lo\n/interface bridge port", ("yes", ["chip"]), "l3hw-both-ports"),
        ("interface=ether6 pvid", "interface=bond1 pvid", ("yes", ["chip"]), "l3hw-both-ports"),
        ("/interface bridge port", "/interface bonding\nadd mode=balance-rr name=ether6 slaves=sfp1,sfp2\n/interface bridge port", ("depends", ["fast-path", "half"]), "l3hw-bonding"),
        ("/interface bridge port", "/interface bonding\nadd mode=802.3ad name=ether6 slaves=sfp1,sfp2\n" + PORTS.format("sfp2") + "/interface bridge port", ("depends", ["fast-path", "half"]), "l3hw-per-vlan"),
    ],
)  # fmt: skip
def test_vlans_are_routed_by_what_their_ports_are(
    old: str, new: str, answer: tuple[str, list[str]], fact: str
) -> None:
    text = switch(VLANS.replace(old, new, 1) if old else VLANS, version="7.22")
    found = of(ask(text), "lan-to-lan")
    assert (found.answer, found.ways[: len(answer[1])]) == answer
    assert fact in facts(found)


def test_before_7_21_one_port_of_a_vlan_leaves_it_open() -> None:
    text = switch(PORTS.format("ether6") + VLANS, version="7.20.8")
    found = of(ask(text), "lan-to-lan")
    assert "chip" in found.ways and "l3hw-ingress-alone" in facts(found)


@pytest.mark.long
def test_both_hosts_say_the_same_of_a_switch() -> None:
    every = [
        switch(PORTS.format("ether1") + NAT + FORWARD, SWITCH),
        switch(OFF + MARK.format("") + NAT + FORWARD),
        switch(PORTS.format("ether6") + VLANS, version="7.22"),
        HOME + "/interface list\nadd include=B name=A\nadd include=A exclude=LAN name=B\n" + POLICY,
    ]
    both("explain", [{"export": {"name": "x", "text": text}} for text in every])


HOME = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = RB5009UG+S+
/interface bridge
add name=bridge1
/interface vlan
add interface=bridge1 name=vlan10 vlan-id=10
/interface pppoe-client
add interface=ether1 name=pppoe-out1
/interface wifi
add name=wifi1
/interface list
add name=WAN
add name=LAN
/interface list member
add interface=LAN1 list=LAN
add interface=WAN1 list=WAN
/ip address
add address=192.168.1.1/24 interface=LAN1
/ip firewall filter
"""
RULE = "add action=fasttrack-connection chain=forward connection-state=established,related\n"


def home(rules: str, lan: str = "bridge1", wan: str = "ether1") -> str:
    return (HOME + rules + RULE).replace("LAN1", lan).replace("WAN1", wan)


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


POLICY = "/ip ipsec policy\nadd dst-address=10.2.0.0/16 peer=b src-address=192.168.1.0/24 tunnel=yes\n"  # fmt: skip
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
