"""Bounds of what ports, tunnels and bridges show together."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain import read_export
from rosexplain.noticed import noticed
from rosexplain.wiring import leasing_elsewhere

HEAD = "# 2026-01-01 10:00:00 by RouterOS {}\n"


def holds(rule: str, text: str) -> bool:
    explanation = ask(text)
    return rule in explanation.met or rule in dict(noticed(explanation))


@pytest.mark.parametrize(
    ("port", "speed", "limit"),
    [
        ("qsfpplus2-1", "10Gbps", False),  # a lane of a port that is split
        ("qsfp28-1-1", "25G-baseCR", False),
        ("qsfp28-1-1", "40G-baseCR4", True),
        ("qsfp56-dd-1-1", "200G-baseCR4", False),
        ("sfp28-3", "25G-baseSR-LR", False),
        ("sfp28-3", "10G-baseSR-LR", True),
        ("sfp-sfpplus1", "10Gbps", False),
        ("sfp-sfpplus1", "2.5G-baseX", True),
        ("sfp1", "1Gbps", False),
        ("ether1", "1Gbps", False),
    ],
)
def test_a_fixed_rate_limits_a_port_that_can_do_more(port: str, speed: str, limit: bool) -> None:
    words = f"auto-negotiation=no speed={speed}"
    text = f"/interface ethernet\nset [ find default-name={port} ] {words}\n"
    assert holds("port-rate-of-module", text) == limit
    elsewhere = "/ip address\nadd address=192.168.88.1/24 interface=ether9\n"
    assert not holds("port-rate-of-module", text + elsewhere)  # nothing passes the port


@pytest.mark.parametrize(
    ("kind", "end", "fits"),
    [
        ("eoip", "name=t1 tunnel-id=1 remote-address=10.9.0.2", 1420 - 42),
        ("gre", "name=t1 remote-address=10.9.0.2", 1420 - 24),
        ("ipip", "name=t1 remote-address=10.9.0.2", 1420 - 20),
        ("vxlan", "name=t1 vni=1", 1420 - 50),
    ],
)
def test_a_tunnel_in_wireguard_fits_with_what_its_headers_leave(
    kind: str, end: str, fits: int
) -> None:
    text = (
        HEAD.format("7.20.8")
        + "/interface wireguard\nadd listen-port=13231 name=wg1\n"
        + "/interface wireguard peers\nadd allowed-address=10.9.0.2/32 interface=wg1\n"
        + (
            "/interface vxlan vteps\nadd interface=t1 remote-ip=10.9.0.2\n"
            if kind == "vxlan"
            else ""
        )
        + f"/interface {kind}\nadd {end} mtu="
    )
    assert not holds("tunnel-in-wireguard", text + f"{fits}\n")
    assert holds("tunnel-in-wireguard", text + f"{fits + 1}\n")


GUESTS = """/ip pool
add name=guests ranges=192.168.52.10-192.168.52.99
/ip dhcp-server
add address-pool=guests disabled=no interface=ether3 name=guests
/ip address
add address=192.168.52.1/24 interface=vlan2
"""


@pytest.mark.parametrize(
    ("more", "home"),
    [
        ("", ["vlan2"]),
        ("add address=10.34.128.43/28 interface=vlan2\n", [""]),  # somebody else's network
        ("/ip dhcp-client\nadd disabled=no interface=vlan2\n", [""]),
    ],
)
def test_no_dhcp_server_is_moved_into_a_network_of_somebody_else(
    more: str, home: list[str]
) -> None:
    net = ask(HEAD.format("6.49") + GUESTS + more).net
    assert [interface for _, interface in leasing_elsewhere(net)] == home


SERVED = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether2
/ip dhcp-server
add disabled=no interface=ether2 name=lan
/ip address
add address=192.168.88.1/24 interface=bridge1
add address=10.0.0.2/24 interface=ether1
/ip dhcp-server network
add address=192.168.88.0/24 dns-server=10.0.0.1 gateway=192.168.88.5
/ip route
add gateway=172.16.0.1
"""


def test_a_network_of_guests_is_served_by_a_port_of_its_bridge() -> None:
    lists = "/interface list\nadd name=LAN\n/interface list member\nadd interface=ether4 list=LAN\n"
    lan = "/ip address\nadd address=192.168.1.1/24 interface=ether4\n"
    assert ask(HEAD.format("7.20.8") + SERVED + lists + lan).net.leased == ["bridge1"]


CLIENT = "/ip dhcp-client\nadd interface=ether1\n"
SPARE = "/interface bridge\nadd name=spare\n"


ON_SPARE = (
    SPARE
    + """/ip dhcp-client
add interface=spare
"""
)
BRIDGED = """/interface bridge
add name=lan
/interface bridge port
add bridge=lan interface=ether2
add bridge=lan interface=ether3
/ip dhcp-client
add interface=lan
"""


@pytest.mark.parametrize(
    ("more", "empty"),
    [
        ("", True),
        ("/interface bridge port\nadd bridge=spare interface=ether5\n", False),
        ("/interface vlan\nadd interface=spare name=v7 vlan-id=7\n", False),
        ("/interface wifi datapath\nadd bridge=spare name=d\n", False),
        ("/caps-man configuration\nadd datapath.bridge=spare name=c\n", False),
    ],
)
def test_a_bridge_that_nothing_comes_in_by_is_no_line_out(more: str, empty: bool) -> None:
    """Neither a WAN, nor the second network that makes a router of what bridges one."""
    names = ["ether1"] if empty else ["ether1", "spare"]
    assert ask(HEAD.format("7.20.8") + CLIENT + ON_SPARE + more).net.wan == names
    assert ask(HEAD.format("7.20.8") + BRIDGED + ON_SPARE + more).net.routes_nothing is empty


CLIENT = "/ip dhcp-client\nadd disabled=no interface=ether1\n"


@pytest.mark.parametrize(
    ("version", "words", "served"),
    [
        ("6.49.10", "", []),
        ("6.49.10", "disabled=no ", ["ether2"]),
        ("7.16", "", ["ether2"]),
        ("7.16", "disabled=yes ", []),
    ],
)
def test_routeros_6_adds_a_dhcp_server_disabled(
    version: str, words: str, served: list[str]
) -> None:
    text = f"# 2024-01-01 10:00:00 by RouterOS {version}\n/ip dhcp-server\n"
    net = ask(text + f"add {words}interface=ether2 name=d\n").net
    assert net.served == served
    again = net.behind(read_export("/ip dhcp-server enable [find name=d]", "typed").commands, "")
    assert again.served == ["ether2"]


def test_a_way_out_that_nat_names_stays_one_whatever_its_client() -> None:
    text = """# jan/01/2020 10:00:00 by RouterOS 6.49.10
/ip dhcp-client
add interface=ether1
/ip address
add address=192.168.88.1/24 interface=ether2
"""
    nat = "/ip firewall nat\nadd action=masquerade chain=srcnat out-interface=ether1\n"
    assert ask(text).net.wan == []
    assert ask(text + nat).net.wan == ["ether1"]


PASSED = """/interface lte apn
add name=pass passthrough-interface=ether2
/interface lte
set [ find default-name=lte1 ] apn-profiles=pass name=lte1
/interface list
add name=WAN
/interface list member
add interface=lte1 list=WAN
/ip address
add address=192.168.88.1/24 interface=ether1
"""


def test_a_modem_that_passes_its_address_on_is_no_uplink() -> None:
    net = ask(PASSED).net
    assert (net.passed, net.wan, net.routes_nothing) == ({"lte1": "ether2"}, [], True)
    net = ask(PASSED.replace("passthrough-interface=ether2", "apn=internet")).net
    assert (net.passed, net.wan, net.routes_nothing) == ({}, ["lte1"], False)
