"""VLANs of bridges, ports and raw: where a rule about them holds, and where it only seems to."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain.noticed import noticed
from rosexplain.report import Answer

ONE = """/interface bridge
add name=b vlan-filtering=yes
/interface bridge port
add bridge=b interface=ether2 pvid=90
add bridge=b interface=ether5 pvid=90
/interface bridge vlan
add bridge=b untagged=ether2,ether5 vlan-ids=90
/ip address
add address=192.168.90.1/24 interface=b
"""


@pytest.mark.parametrize(
    ("old", "new", "holds"),
    [
        ("", "", True),
        ("ether5 pvid=90", "ether5", True),  # the hosts of ether2
        (" pvid=90", "", False),  # in VLAN 1, as the bridge is
        ("/ip address", "/interface wifi\nset [ find default-name=wifi1 ] datapath.bridge=b "
         ".vlan-id=20 disabled=no\n/ip address", False),
        ("/ip address", "/interface dot1x server\nadd interface=ether2\n/ip address", False),
    ],
    ids=["all", "one port", "none", "a radio with a VLAN", "802.1X"],
)  # fmt: skip
def test_vlan_filtering_goes_where_it_keeps_hosts_from_the_address(
    old: str, new: str, holds: bool
) -> None:
    notes = [note["rule"] for note in Answer(ask(ONE.replace(old, new))).plain()["notes"]]
    assert ("vlan-filtering-for-one" in notes) == holds


APART = ONE.replace("interface=b\n", "interface=v\n/interface vlan\nadd interface=b name=v "
                    "vlan-id=12\n")  # fmt: skip


@pytest.mark.parametrize(
    ("more", "holds"),
    [
        ("", True),
        ("/interface dot1x server\nadd interface=ether2\n", False),  # RADIUS may name VLAN 12
        ("/interface wifi\nset [ find default-name=wifi1 ] datapath=d disabled=no\n"
         "/interface wifi datapath\nadd bridge=b name=d vlan-id=12\n", False),
    ],
)  # fmt: skip
def test_a_vlan_has_no_port_unless_one_may_join_it(more: str, holds: bool) -> None:
    assert ("vlan-of-no-port" in dict(noticed(ask(APART + more)))) == holds


BRIDGED = """# 2026-11-20 10:00:00 by RouterOS 7.20.8
# model = {}
/interface bridge
add name=b
/interface vlan
add interface={} name=v1 vlan-id=10
add interface={} name=v2 vlan-id={}
/interface bridge port
add bridge=b interface=v1
add bridge=b interface=v2
"""


@pytest.mark.parametrize(
    ("model", "first", "second", "number", "more", "holds"),
    [
        ("RBD52G-5HacD2HnD", "ether3", "ether5", 10, "", True),
        ("RBD52G-5HacD2HnD", "ether3", "ether5", 20, "", False),
        ("C52iG-5HaxD2HaxD", "ether3", "ether5", 10, "", False),
        ("RB750Gr3", "ether3", "ether5", 10, "", True),
        ("RB3011UiAS", "ether3", "ether5", 10, "", True),
        ("RB3011UiAS", "ether3", "ether7", 10, "", False),
        ("RB750", "ether1", "ether2", 10, "", False),
        ("RBD52G-5HacD2HnD", "ether3", "ether5", 10,
         "/interface bridge filter\nadd action=drop chain=forward mac-protocol=ipv6\n", False),
    ],
    ids=["a chip with a table", "two VLANs", "a chip without one", "the bridge's own", "one of two",
         "two chips", "a port of none", "a guard"],
)  # fmt: skip
def test_vlans_of_ports_are_for_a_table_that_one_chip_has(
    model: str, first: str, second: str, number: int, more: str, holds: bool
) -> None:
    text = BRIDGED.format(model, first, second, number) + more
    assert ("vlans-bridged" in dict(noticed(ask(text)))) == holds


@pytest.mark.parametrize(
    ("words", "holds"),
    [
        ("", True),
        (" protocol=tcp", True),
        (" in-interface=ether2", True),
        (" dst-port=53 protocol=udp", False),
        (" protocol=udp src-port=53", False),
        (" protocol=icmp", False),
    ],
)
def test_ports_of_websites_are_named_where_a_rule_searches_all(words: str, holds: bool) -> None:
    text = f"/ip firewall raw\nadd action=drop chain=prerouting content=films.example{words}\n"
    notes = Answer(ask(text)).plain()["noticed"]
    assert ("content-in-raw" in [note["rule"] for note in notes]) == holds


@pytest.mark.parametrize(
    ("model", "port", "holds"),
    [
        ("RB5009UG+S+", "ether2", True),
        ("RB941-2nD", "ether2", False),
        ("RBLHG-5nD", "ether1", False),
        ("RB2011UiAS", "ether7", False),
        ("RB2011UiAS", "ether3", True),
    ],
)
def test_no_port_of_100_mbit_is_told_to_advertise_more(model: str, port: str, holds: bool) -> None:
    text = f"# model = {model}\n/interface ethernet\nset [ find default-name={port} ] "
    text += "advertise=100M-half,100M-full\n/ip address\nadd address=192.168.1.1/24 "
    text += f"interface={port}\n"
    notes = [note["rule"] for note in Answer(ask(text)).plain()["notes"]]
    assert ("port-advertises" in notes) == holds


KEPT = """# apr/02/2021 10:00:00 by RouterOS 6.48.1
# model = OmniTIK UPA-5HnD
/interface bridge
add name=b
add name=lan
/interface bridge port
add bridge=b hw=no interface=ether2
add bridge=b hw=no interface=ether3
"""


@pytest.mark.parametrize(
    ("more", "typed"),
    [
        ("", 2),
        ("add bridge=lan interface=ether4\n", 2),  # nothing that a chip would forward
        ("add bridge=lan interface=ether4\nadd bridge=lan interface=ether5\n", 0),
        ("add bridge=b interface=ether4\nadd bridge=b interface=ether5\n", 2),
    ],
)
def test_a_bridge_with_hw_no_leaves_a_chip_to_another(more: str, typed: int) -> None:
    notes = Answer(ask(KEPT + more)).plain()["notes"]
    lines = [note["lines"] for note in notes if note["rule"] == "ports-kept-from-chip"]
    assert len([line for every in lines for line in every]) == typed


GUESTS = """/interface wifi
add disabled=no master-interface=wifi1 name=guests
/interface bridge filter
add action=drop chain=forward in-interface=guests
/interface bridge port
add bridge=b interface=guests
add bridge=b interface=ether2
/ip address
add address=192.168.88.2/24 interface=b
"""


@pytest.mark.parametrize("routes", [True, False])
def test_guests_get_a_network_of_their_own_from_a_router(routes: bool) -> None:
    text = GUESTS + "add address=198.18.1.2/24 interface=ether1\n" * routes
    assert ("guests-by-frames" in dict(noticed(ask(text)))) == routes
