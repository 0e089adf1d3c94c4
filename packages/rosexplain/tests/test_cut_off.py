"""Networks without source NAT: which are named, and which are so on purpose."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.cut_off import leaving
from rosexplain.report import Answer

HOME = """/ip address
add address=192.168.10.1/24 interface=ether2
add address=192.168.20.1/24 interface=ether3
/ip dhcp-client
add interface=ether1
/ip dhcp-server
add interface=ether2 name=home
add interface=ether3 name=guests
"""
NAT = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1 "
OF_HOME = NAT + "src-address=192.168.10.0/24\n"
GUESTS = ["192.168.20.0/24 ether1"]
SECOND_LINE = "/ip dhcp-client\nadd interface=ether4 default-route-distance=2\n"

OF_LIST = """/interface list
add name=WAN
/interface list member
add interface=ether1 list=WAN
"""
STATIC = """/ip dhcp-client
set [ find interface=ether1 ] disabled=yes
/ip address
add address=198.51.100.2/30 interface=ether1
/ip route
add gateway=198.51.100.1
"""
BEHIND = STATIC.replace("198.51.100", "192.168.1")
WIREGUARD = """/interface wireguard
add name=wg1
/ip route
add dst-address=0.0.0.0/0 gateway=wg1
"""
LEASING = """/ip address
add address=203.0.113.2/30 interface=ether4
/ip dhcp-server
add interface=ether4 name=others
"""

SESSION = """/interface pppoe-client
add add-default-route=yes disabled=no interface=ether4 name=pppoe-out1 user=u
"""
OF_SESSION = NAT.replace("ether1", "pppoe-out1") + "\n" + SESSION.replace("ether4", "ether1")
ON_PORT = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether5
/ip address
set [ find interface=ether3 ] interface=bridge1
/ip dhcp-server
set [ find name=guests ] interface=ether5
"""
"""The guests' DHCP server is on a port, and their address on the bridge."""


@pytest.mark.parametrize(
    ("rows", "named"),
    [
        (OF_HOME, GUESTS),
        (NAT, []),
        ("", []),  # a router in front may know both networks
        (NAT + "dst-port=443 protocol=tcp\n", []),
        (OF_HOME + "add action=accept chain=srcnat src-address=192.168.20.0/24\n", []),
        (OF_HOME + "add action=src-nat chain=srcnat to-addresses=192.0.2.7\n", []),
        (OF_HOME + "/ip firewall filter\nadd action=drop chain=forward in-interface=ether3\n", []),
        (OF_HOME + "/ip firewall filter\nadd action=drop chain=forward dst-port=25 protocol=tcp\n",
         GUESTS),
        (OF_HOME + "/ip firewall mangle\nadd action=mark-routing chain=prerouting "
         "in-interface=ether3 new-routing-mark=vpn\n", []),
        (OF_HOME + "/routing rule\nadd action=lookup src-address=192.168.20.0/24 table=vpn\n", []),
        (OF_HOME + "/ip ipsec policy\nadd dst-address=0.0.0.0/0 peer=p "
         "src-address=192.168.20.0/24 tunnel=yes\n", []),
        (OF_HOME + "/ip dhcp-server\nset [ find name=guests ] disabled=yes\n", []),
        (NAT + "\n" + SECOND_LINE, ["192.168.10.0/24 ether4", "192.168.20.0/24 ether4"]),
        (NAT + "\n" + SECOND_LINE.replace("distance=2", "distance=2 add-default-route=no"), []),
        (NAT + "\n" + SECOND_LINE.replace("ether4", "*9"), []),  # of a port that is gone
        (NAT + "\n" + SESSION, ["192.168.10.0/24 pppoe-out1", "192.168.20.0/24 pppoe-out1"]),
        (NAT + "\n" + SESSION.replace("disabled=no ", ""), []),
        ("/ip firewall nat\nadd action=masquerade chain=srcnat\n" + SECOND_LINE, []),
        (OF_SESSION, []),  # ether1 has kept its DHCP client, and nobody answers it
        (OF_SESSION.replace("=ether1 name=pppoe", "=line name=pppoe")
         + "/interface vlan\nadd interface=ether1 name=line vlan-id=7\n", []),
        (OF_SESSION.replace("=ether1 name=pppoe", "=ether4 name=pppoe"),
         ["192.168.10.0/24 ether1", "192.168.20.0/24 ether1"]),
        (OF_HOME + ON_PORT, GUESTS),
        (OF_HOME + OF_LIST + STATIC, GUESTS),
        (OF_HOME + OF_LIST + BEHIND, []),
        (OF_HOME + SECOND_LINE + LEASING, GUESTS),
        (NAT + "src-address-list=let-out\n/ip firewall address-list\n"
         "add address=192.168.10.0/24 list=let-out\n", []),  # the guests may be kept in
        (NAT + "src-address-list=!kept-in\n/ip firewall address-list\n"
         "add address=192.168.10.0/24 list=kept-in\n", []),
        (NAT + "\n" + WIREGUARD, []),
        (NAT + "\n" + WIREGUARD + OF_LIST.replace("ether1", "wg1"), []),
    ],
)  # fmt: skip
def test_networks_whose_packets_leave_with_private_addresses(rows: str, named: list[str]) -> None:
    explanation = explain([read_export(HOME + rows, "1.rsc")])
    assert [one.network + " " + one.out for one in leaving(explanation.net)] == named
    assert ("untranslated" in explanation.met) is bool(named)


IN_VLANS = """/interface bridge
add name=bridge1 vlan-filtering=yes
add name=bridge2 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=vlan10 vlan-id=10
/interface bridge port
add bridge=bridge1 frame-types=admit-only-vlan-tagged interface=ether5
add bridge=bridge1 interface=ether6
add bridge=bridge2 frame-types=admit-only-vlan-tagged interface=ether7
/interface bridge vlan
add bridge=bridge1 tagged=bridge1 vlan-ids=10
/ip address
add address=192.168.10.1/24 interface=vlan10
"""
INNER = """/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=ether9 name=outer vlan-id=4000
add interface=outer name=inner10 vlan-id=10
/interface bridge port
add bridge=bridge1 interface=inner10
add bridge=bridge1 interface=ether5
/interface bridge vlan
add bridge=bridge1 tagged=ether5 vlan-ids=10
"""
ALL_PORTS = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=all
/ip address
add address=192.168.10.1/24 interface=bridge1
"""


@pytest.mark.parametrize(
    ("rows", "rule", "commands"),
    [
        (IN_VLANS, "vlan-without-port",
         ['/interface bridge vlan set [find where !dynamic] tagged="bridge1,ether5"']),
        (INNER, "vlan-in-other-vlan",
         ["/interface bridge port set [find interface=inner10] pvid=10"]),
        (ALL_PORTS, "wan-in-bridge", ["/interface bridge port disable [find interface=all]"]),
    ],
)  # fmt: skip
def test_a_remedy_that_joins_or_parts_ports_is_offered(
    rows: str, rule: str, commands: list[str]
) -> None:
    text = rows + "/ip dhcp-client\nadd interface=ether1\n" + NAT
    notes = Answer(explain([read_export(text, "1.rsc")])).plain()["notes"]
    assert [note["commands"] for note in notes if note["rule"] == rule] == [commands]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("tagged=ether5", "tagged=ether5,inner10"),
        ("interface=inner10\n", "frame-types=admit-only-vlan-tagged interface=inner10\n"),
        ("interface=ether9", "interface=ether5"),  # a loop
        ("vlan-ids=10", "vlan-ids=20"),
        (
            "/interface vlan",
            "/ip address\nadd address=10.9.0.1/24 interface=inner10\n/interface vlan",
        ),
    ],
)
def test_a_vlan_interface_stays_in_vlan_1_where_that_may_be_meant(old: str, new: str) -> None:
    explanation = explain([read_export(INNER.replace(old, new), "1.rsc")])
    assert "vlan-in-other-vlan" not in explanation.met


FLOOR = """/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=vlan40 vlan-id=40
/interface bridge port
add bridge=bridge1 interface=ether1 pvid=40
add bridge=bridge1 interface=ether2
/interface bridge vlan
add bridge=bridge1 tagged=bridge1 untagged=ether1,ether2 vlan-ids=40
/ip address
add address=192.168.40.2/24 interface=vlan40
"""


@pytest.mark.parametrize(
    ("old", "new", "typed"),
    [
        ("", "", ["/interface/bridge/port/set [find interface=ether2] pvid=40"]),
        ("interface=ether2", "interface=ether2 pvid=1", []),  # on purpose
        ("vlan-ids=40", "vlan-ids=40-49", []),  # which of them is meant?
        ("interface=vlan40", "interface=bridge1", []),  # somebody may come in by VLAN 1
        ("vlan-ids=40", "vlan-ids=40\nadd bridge=bridge1 untagged=ether2 vlan-ids=1", []),
        ("interface=ether2", "interface=ether2 frame-types=admit-only-vlan-tagged", []),
        (" vlan-filtering=yes", "", []),
    ],
)
def test_a_port_that_a_vlan_has_untagged_gets_its_pvid(
    old: str, new: str, typed: list[str]
) -> None:
    export = "# by RouterOS 7.20\n" + FLOOR.replace(old, new, 1)
    notes = Answer(explain([read_export(export, "export.rsc")])).plain()["notes"]
    own = [note for note in notes if note["rule"] == "vlan-untagged-only"]
    assert [command for note in own for command in note["commands"]] == typed


LONELY = """/ip address
add address=192.168.99.6 interface=ether4 network=192.168.99.6
/ip route
add gateway=192.168.99.1
"""


@pytest.mark.parametrize(
    ("old", "new", "typed"),
    [
        ("", "", ["/ip/address/set [find interface=ether4] address=192.168.99.6/24"
                  " network=192.168.99.0"]),
        (".6 ", ".6/24 ", []),
        ("network=192.168.99.6", "network=192.168.99.1", []),  # the other end of a line
        ("gateway=192.168.99.1", "gateway=192.168.98.1", []),
        ("address=192.168.99.6", "address=198.18.99.6", []),
        ("/ip route", "add address=192.168.99.7/24 interface=ether5\n/ip route", []),
    ],
)  # fmt: skip
def test_an_address_without_prefix_gets_one_where_the_gateway_needs_it(
    old: str, new: str, typed: list[str]
) -> None:
    export = "# by RouterOS 7.20\n" + LONELY.replace(old, new, 1)
    notes = Answer(explain([read_export(export, "export.rsc")])).plain()["notes"]
    own = [note for note in notes if note["rule"] == "address-without-prefix"]
    assert [command for note in own for command in note["commands"]] == typed


GUARD = """/ip firewall filter
add action=drop chain=forward connection-state=new in-interface-list=WAN
"""
MASQUERADE = NAT.replace("out-interface=ether1 ", "out-interface-list=WAN")


@pytest.mark.parametrize(
    ("translating", "typed"),
    [
        (MASQUERADE + "\n", ["/interface/list/member/add interface=ether4 list=WAN"]),
        (MASQUERADE + " src-address=192.168.0.0/16\n", [
            "/ip/firewall/nat/add chain=srcnat action=masquerade out-interface=ether4"
            f" src-address=192.168.{network}.0/24" for network in (10, 20)
        ]),
    ],
)  # fmt: skip
def test_a_second_line_is_translated_and_guarded_as_the_first(
    translating: str, typed: list[str]
) -> None:
    text = HOME + SECOND_LINE + OF_LIST + GUARD + translating
    explanation = explain([read_export("# by RouterOS 7.20\n" + text, "export.rsc")])
    notes = Answer(explanation).plain()["notes"]
    assert [note["commands"] for note in notes if note["rule"] == "untranslated"] == [typed]
