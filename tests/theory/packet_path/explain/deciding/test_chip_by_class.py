# ruff: noqa: E501  (exports have long lines)
"""What a switch chip routes of each class: by its ports, its VLANs, its NAT."""

from __future__ import annotations

import pytest

from rosexplain.report import Answer
from tests.course.models.both import both
from tests.theory.packet_path.asked import ask, of
from tests.theory.packet_path.explain.deciding.by_class import (
    CHIP,
    FORWARD,
    HOME,
    MARK,
    NAT,
    OFF,
    POLICY,
    PORTS,
    PRINTS,
    ROUTER,
    SLOW,
    SWITCH,
    VLANS,
    facts,
    switch,
)


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
