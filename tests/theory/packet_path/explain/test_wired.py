"""Ports that are not, or perhaps not, the switch chip's: what the manual says of each device."""

from __future__ import annotations

import pytest

from ppslab.theory.switch_chip import chips, ports
from rosexplain.report import Answer
from tests.theory.packet_path.asked import ask, of

PRINTS = "/interface/ethernet/switch/port/print"
COUNTED, ELSEWHERE = "l3hw-ports-counted", "l3hw-other-switch"
ROUTED = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = {model}
/interface ethernet
set [ find default-name={port} ] name=office
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface list
add name=WAN
/interface list member
add interface=sfp-sfpplus1 list=WAN
/ip address
add address=198.18.1.1/24 interface=office
add address=192.0.2.1/30 interface=sfp-sfpplus1
"""
FIREWALL = "/ip firewall filter\nadd action=accept chain=forward\n"
BRIDGE = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = {model}
/interface bridge
add name=bridge1
/interface bridge filter
add action=accept chain=forward
/interface bridge port
add bridge=bridge1 interface=sfp-sfpplus1
add bridge=bridge1 interface=sfp-sfpplus2
add bridge=bridge1 interface={port}
"""
CASES = [
    ("CRS504-4XQ", "ether1", COUNTED),
    ("CRS326-24S+2Q+", "ether1", COUNTED),
    ("CRS326-4C+20G+2Q+", "ether21", COUNTED),
    ("CCR2116-12G-4S+", "ether13", COUNTED),
    ("CCR2216-1G-12XS-2XQ", "ether1", COUNTED),
    ("RDS2216-2XG-4S+4XS-2XQ", "ether1", COUNTED),
    ("CRS312-4C+8XG", "ether9", ELSEWHERE),
    ("CRS312-4C+8XG", "ether8", ""),
    ("CCR2116-12G-4S+", "ether12", ""),
    ("CRS305-1G-4S+", "ether1", ""),
    ("CRS326-24G-2S+", "ether24", ""),
]


@pytest.mark.parametrize(("model", "port", "fact"), CASES)
def test_what_a_port_is_routed_by_is_said_where_a_source_says_where_it_is(
    model: str, port: str, fact: str
) -> None:
    decided = of(ask(ROUTED.format(model=model, port=port) + FIREWALL), "established")
    said = (decided.answer, decided.ways, decided.asks)
    if fact == COUNTED:
        assert said == ("unknown", ["chip", "slow"], [PRINTS])
    else:
        assert said == (("no", ["slow"], []) if fact else ("yes", ["chip"], []))
    assert [r.why for r in decided.reasons if r.fact in (COUNTED, ELSEWHERE)] == (
        ["office"] if fact else []
    )


@pytest.mark.parametrize(("model", "port", "fact"), CASES)
def test_what_a_bridge_does_with_frames_of_such_a_port(model: str, port: str, fact: str) -> None:
    decided = of(ask(BRIDGE.format(model=model, port=port)), "bridged-bridge1")
    if fact == COUNTED:
        assert (decided.answer, decided.ways) == ("unknown", ["chip", "slow"])
        assert decided.asks == [PRINTS]
    elif fact:
        assert (decided.answer, decided.ways) == ("depends", ["chip", "slow"])
    else:
        assert (decided.answer, decided.ways) == ("yes", ["chip"])


def test_such_a_port_among_others_of_a_bridge_is_named() -> None:
    text = BRIDGE.format(model="CRS504-4XQ", port="ether1").replace("sfp-sfpplus", "qsfp28-1-")
    switch = "/interface ethernet switch\nset 0 l3-hw-offloading=yes\n"
    address = "/ip address\nadd address=198.18.1.1/24 interface=bridge1\n"
    found = ask(text + switch + address + "add address=192.0.2.1/30 interface=qsfp28-2-1\n")
    plain = Answer(found).plain()
    (between,) = [each for each in plain["classes"] if each["class"] == "lan-to-lan"]
    assert [r["why"] for r in between["reasons"] if r["fact"] == COUNTED] == ["ether1"]
    assert PRINTS in between["asks"]


def test_two_ports_that_are_off_are_not_asked_about_for_fasttrack() -> None:
    """Whatever ether1 is wired to: the rule keeps its connections out of the chip."""
    off = "/interface ethernet switch port\nset [find] l3-hw-offloading=no\n"
    rule = "/ip firewall filter\nadd action=fasttrack-connection chain=forward hw-offload=no\n"
    text = ROUTED.format(model="CCR2216-1G-12XS-2XQ", port="ether1")
    decided = of(ask(text + off + rule), "established")
    assert (decided.answer, decided.ways) == ("yes", ["fasttrack"])
    assert decided.asks == []


def test_every_model_that_has_such_a_chip_has_its_ports_counted() -> None:
    counted = [each.device for each in ports.load()]
    assert len(set(counted)) == len(counted)
    for chip in chips.load():
        for device in chip.devices:
            assert any(each.startswith(device) or device.startswith(each) for each in counted)
    for each in counted:
        assert chips.of(each)


VRF = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = {model}
/interface ethernet switch
set 0 l3-hw-offloading=yes
/interface list
add name=in-vrf
/interface list member
add interface={member} list=in-vrf
/ip vrf
add interfaces=in-vrf name=customer
/ip address
add address=198.18.1.1/24 interface={first}
add address=198.18.2.1/24 interface={second}
"""


OFF = "/interface ethernet switch port\nset ether2 l3-hw-offloading=no\n"


@pytest.mark.parametrize(
    ("model", "member", "more", "answer", "ways", "fact"),
    [
        # The chip may route it by the table main, past the VRF: that is neither slow nor fast.
        ("CRS326-24G-2S+", "ether2", "", "unknown", ["chip", "slow"], "l3hw-vrf-main-table"),
        ("CRS326-24G-2S+", "ether9", "", "yes", ["chip"], ""),
        ("CRS326-24G-2S+", "ether2", OFF + OFF.replace("ether2", "ether3"), "no", ["slow"], ""),
        # A chip that has VRFs, since a version that no source names.
        ("CCR2116-12G-4S+", "ether2", "", "unknown", ["chip", "slow"], "l3hw-vrf-hardware"),
    ],
)
def test_nobody_promises_what_the_chip_does_with_a_vrf(
    model: str, member: str, more: str, answer: str, ways: list[str], fact: str
) -> None:
    text = VRF.format(model=model, member=member, first="ether2", second="ether3") + more
    decided = of(ask(text), "lan-to-lan")
    assert (decided.answer, decided.ways) == (answer, ways)
    lines = {r.fact: r.lines[0].number for r in decided.reasons if r.fact.startswith("l3hw-vrf")}
    assert lines == ({fact: 10} if fact else {})
