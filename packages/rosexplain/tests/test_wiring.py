"""Bounds of what ports, tunnels and bridges show together."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain import read_export
from rosexplain.gateways import in_front
from rosexplain.noticed import noticed
from rosexplain.report import Answer
from rosexplain.wiring import leasing_elsewhere

HEAD = "# 2026-01-01 10:00:00 by RouterOS {}\n"


def holds(rule: str, text: str) -> bool:
    explanation = ask(text)
    return rule in explanation.met or rule in dict(noticed(explanation))


@pytest.mark.parametrize(
    ("version", "port", "modes", "lower"),
    [
        ("7.12", "sfp-sfpplus1", "1G-baseX", True),
        ("7.11", "sfp-sfpplus1", "1G-baseX", False),  # there it does not apply to modules
        ("7.12", "sfp-sfpplus1", "1G-baseX,10G-baseCR", False),
        ("7.12", "sfp28-1", "10G-baseSR-LR", True),
        ("7.12", "sfp28-1", "25G-baseSR-LR", False),
        ("7.12", "qsfp28-1-1", "40G-baseCR4", True),
        ("7.12", "qsfp28-1-1", "25G-baseCR", False),  # one lane of a port that is split
        ("7.12", "qsfp28-1-1", "100G-baseCR4", False),
        ("7.12", "ether1", "1G-baseT-full", False),
        ("7.12", "sfp1", "1G-baseX", False),
    ],
)
def test_a_module_that_advertises_less_than_its_port(
    version: str, port: str, modes: str, lower: bool
) -> None:
    text = f"/interface ethernet\nset [ find default-name={port} ] advertise={modes}\n"
    assert holds("module-advertises", HEAD.format(version) + text) == lower


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


MARK = "/ip firewall mangle\nadd action=mark-routing chain=prerouting new-routing-mark=two "
NEAR = "add distance=2 gateway=198.18.2.1\nadd gateway=198.18.1.1\n"
BOX = "add dst-address=198.18.9.1/32 gateway=198.18.2.1 routing-table=two\n"
TWO = "add gateway=198.18.2.1 routing-table=two\n"


@pytest.mark.parametrize(
    ("routes", "first"),
    [
        (NEAR + BOX + MARK + "dst-address=198.18.9.1\n", "198.18.1.1"),
        (NEAR + TWO + MARK + "src-address=10.0.0.0/8\n", ""),
        (NEAR + MARK + "src-address=10.0.0.0/8\n", ""),  # what leads there is not shown
        ("add distance=2 gateway=198.18.2.1\nadd gateway=198.18.1.1\n", "198.18.1.1"),
        ("add distance=3 gateway=198.18.3.1\nadd distance=2 gateway=198.18.2.1\n", "198.18.2.1"),
        ("add gateway=198.18.2.1\nadd gateway=198.18.1.1\n", ""),  # both carry packets
        ("add gateway=198.18.2.1\n/ip dhcp-client\nadd interface=ether1\n", ""),
    ],
)
def test_the_default_route_with_the_lowest_distance_carries_all(routes: str, first: str) -> None:
    lines = ask(HEAD.format("7.20.8") + "/ip route\n" + routes).met.get("uplinks-standing-by")
    assert (lines[0].properties["gateway"] if lines else "") == first


LINES = """/ip address
add address=198.18.1.2/24 interface=ether1
add address=198.18.2.2/24 interface=ether2
/ip route
add gateway=198.18.1.1
"""


@pytest.mark.parametrize(
    ("more", "idle"),
    [
        (TWO, True),
        ("add disabled=yes distance=2 gateway=198.18.2.1\n", True),
        ("add disabled=yes gateway=198.18.1.1\n", False),  # the line carries packets
        ("add gateway=198.18.1.1 routing-table=two\n", False),
        (BOX, False),
        (TWO + MARK + "src-address=10.0.0.0/8\n", False),
        (TWO + MARK.replace("add", "add disabled=yes"), True),
        (TWO + "/routing rule\nadd src-address=10.0.0.0/8 table=two\n", False),
        (TWO + "/ip dhcp-server\nadd interface=ether2 name=lan\n", False),
        (TWO + '/system script\nadd name=a source="/ip route enable [find]"\n', False),
        (TWO + '/system script\nadd name=a source="/ip/route/enable [find]"\n', False),
        (TWO + '/system script\nadd name=a source="***"\n', False),
        (TWO + '/interface vrrp\nadd name=v on-backup="/ip route disable 0"\n', False),
        (TWO + '/ip hotspot user profile\nadd name=p on-login="/ip route enable 0"\n', False),
        (TWO + '/system script\nadd name=a source="/ip address print"\n', True),
    ],
)
def test_a_line_that_nothing_selects_is_named(more: str, idle: bool) -> None:
    assert holds("uplink-idle", LINES + more) == idle


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


PORTS = "/interface bridge\nadd name=bridge1\n/interface bridge port\n"


@pytest.mark.parametrize(
    ("model", "ports", "rules"),
    [
        ("RB4011iGS+", ("ether1", "ether5"), set()),
        ("RB4011iGS+", ("ether5", "ether6"), {"chips-apart"}),
        ("RB4011iGS+", ("ether1", "sfp-sfpplus1"), {"ports-apart"}),
        ("RB2011UiAS", ("sfp1", "ether1"), set()),
        ("RB1100AHx4", ("ether11", "ether13"), set()),
        ("RB1100AHx4", ("ether10", "ether11"), {"chips-apart"}),
        ("CCR1009-8G-1S", ("ether4", "ether5"), {"ports-apart"}),
        ("CRS312-4C+8XG", ("ether8", "ether9"), {"ports-apart"}),
        ("CHR", ("ether1", "ether2"), set()),
    ],
)
def test_ports_by_the_manuals_table_of_chips(
    model: str, ports: tuple[str, str], rules: set[str]
) -> None:
    rows = "".join(f"add bridge=bridge1 interface={port}\n" for port in ports)
    text = HEAD.format("7.20.8") + f"# model = {model}\n" + PORTS + rows
    met = set(dict(noticed(ask(text))))
    assert met & {"chips-apart", "ports-apart"} == rules


@pytest.mark.parametrize(
    ("use", "rules"),
    [
        ("/ip dhcp-client\nadd interface=ether1\n", []),
        ("/ip address\nadd address=198.18.0.1/24 interface=ether5\n", ["port-rate"]),
        ("/interface list member\nadd interface=ether5 list=WAN\n/ip dhcp-client\nadd "
         "interface=ether1\n", ["port-rate"]),
        ("/interface bonding\nadd name=bond1 slaves=ether4,ether5\n/ip dhcp-client\nadd "
         "interface=bond1\n", ["port-rate"]),
        ("", ["port-rate"]),
    ],
)  # fmt: skip
def test_a_port_that_nothing_names_limits_nothing(use: str, rules: list[str]) -> None:
    slow = "/interface ethernet\nset ether5 auto-negotiation=no speed=100M-baseT-full\n"
    assert [rule for rule in ask(slow + use).met if rule.startswith("port-")] == rules


@pytest.mark.parametrize(
    ("own", "answers"), [("198.19.88.1", True), ("192.168.88.1", False), ("10.1.0.1", False)]
)
def test_a_rule_for_a_public_block_of_the_lan_opens_the_resolver(own: str, answers: bool) -> None:
    text = f"""/ip address
add address=198.18.40.2/30 interface=ether1
add address={own}/24 interface=ether2
/ip dns
set allow-remote-requests=yes
/ip firewall filter
add action=accept chain=input dst-address={own}/24 dst-port=53 protocol=udp
add action=drop chain=input in-interface=ether1
/ip route
add gateway=198.18.40.1
"""
    assert ("open-resolver" in ask(text).met) == answers


GUESTS = """/ip pool
add name=guests ranges=192.168.52.10-192.168.52.99
/ip dhcp-server
add address-pool=guests disabled=no interface=ether3 name=guests
/ip address
add address=192.168.52.1/24 interface=vlan2
"""


@pytest.mark.parametrize(
    ("old", "new", "elsewhere"),
    [
        ("", "", True),
        ("interface=ether3", "interface=vlan2", False),
        ("interface=vlan2\n", "interface=vlan2\nadd address=10.0.0.1/24 interface=ether3\n", False),
        ("interface=vlan2\n", "interface=vlan2\nadd address=192.168.52.2/24 interface=v3\n", False),
        ("disabled=no ", "", False),  # so it is off in RouterOS 6
        ("name=guests\n/ip address", "name=guests\nadd disabled=no interface=vlan2 name=b\n"
         "/ip address", False),
        ("192.168.52.10-192.168.52.99", "192.168.53.10-192.168.53.99", False),
    ],
)  # fmt: skip
def test_a_dhcp_server_on_another_interface_than_its_network(
    old: str, new: str, elsewhere: bool
) -> None:
    text = HEAD.format("6.49") + GUESTS.replace(old, new, 1)
    assert holds("pool-elsewhere", text) == elsewhere


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


SLAVE = """/interface lte
set [ find default-name=lte1 ] name=lte1
/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
/ip address
add address=192.168.21.1/24 interface=bridge1
/ip dhcp-server
add interface=bridge1 name=lan
/ip dhcp-client
add interface=ether1
"""


@pytest.mark.parametrize(("port", "wan"), [("ether1", ["lte1"]), ("ether2", ["ether2"])])
def test_a_client_that_gets_no_answer_is_no_way_out(port: str, wan: list[str]) -> None:
    text = HEAD.format("7.10") + SLAVE
    text = text.replace("client\nadd interface=ether1", f"client\nadd interface={port}")
    assert ask(text).net.wan == wan
    assert not holds("uplink-among-hosts", text)


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


@pytest.mark.parametrize(
    ("old", "new", "front"),
    [
        ("", "", "10.0.0.1"),
        ("disabled=no interface=ether2", "disabled=yes interface=ether2", ""),  # which of the two?
        ("10.0.0.1 ", "192.168.88.5 ", ""),
    ],
)
def test_the_router_in_front_is_in_no_network_that_a_server_serves_by_a_port(
    old: str, new: str, front: str
) -> None:
    assert in_front(ask(HEAD.format("7.20.8") + SERVED.replace(old, new, 1)).net) == front


def test_a_network_of_guests_is_served_by_a_port_of_its_bridge() -> None:
    lists = "/interface list\nadd name=LAN\n/interface list member\nadd interface=ether4 list=LAN\n"
    lan = "/ip address\nadd address=192.168.1.1/24 interface=ether4\n"
    assert ask(HEAD.format("7.20.8") + SERVED + lists + lan).net.leased == ["bridge1"]


ON_PORT = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether2
/ip address
add address=192.168.88.1/24 interface=ether2
/ip dhcp-client
add interface=ether1
"""
SERVER = "/ip dhcp-server\nadd interface=ether2 name=lan\n"
ROUTE = "/ip route\nadd gateway=192.168.88.5"
MOVED = "/ip/address/set [find interface=ether2] interface=bridge1"
MOVED_TOO = "/ip/dhcp-server/set [find name=lan] interface=bridge1"


@pytest.mark.parametrize(
    ("more", "typed"),
    [
        ("", [MOVED]),
        (ROUTE + "\n", []),  # a line out: the port belongs out of the bridge
        (ROUTE + " routing-table=line2\n", []),  # one of several
        (ROUTE + " dst-address=10.8.0.0/16\n", [MOVED]),
        (SERVER, [MOVED, MOVED_TOO]),
        (SERVER + ROUTE + "\n", [MOVED, MOVED_TOO]),
        (SERVER + ROUTE + " routing-table=vpn\n", [MOVED, MOVED_TOO]),  # a router in the LAN
    ],
)
def test_an_address_on_a_port_moves_to_the_bridge_unless_it_is_for_a_line_out(
    more: str, typed: list[str]
) -> None:
    plain = Answer(ask(HEAD.format("7.20.8") + ON_PORT + more)).plain()
    notes = [note for note in plain["notes"] if "on-port" in note["rule"]]
    assert [command for note in notes for command in note["commands"]] == typed


@pytest.mark.parametrize(
    ("leasing", "wan"),
    [("bridge1", ["ether1"]), ("ether2", ["ether1"]), ("ether3", ["ether1", "bridge1"])],
)
def test_a_bridge_that_leases_addresses_by_a_port_is_no_wan(leasing: str, wan: list[str]) -> None:
    nat = "add action=masquerade chain=srcnat out-interface={}\n"
    text = ON_PORT.replace("192.168.88.1/24 interface=ether2", "198.18.1.1/24 interface=bridge1")
    text += f"/ip dhcp-server\nadd interface={leasing} name=lan\n/ip firewall nat\n"
    net = ask(HEAD.format("7.20.8") + text + nat.format("ether1") + nat.format("bridge1")).net
    assert net.wan == wan


CLIENT = "/ip dhcp-client\nadd interface=ether1\n"
SPARE = "/interface bridge\nadd name=spare\n"
TOWER = """/ip address
add address=198.18.0.2/30 interface=ether1
add address=10.0.0.1/24 interface=ether2
/ip dhcp-server
add interface=ether2 name=d
/ip route
add gateway=198.18.0.1
/interface ovpn-client
add connect-to=198.18.9.9 disabled=no name=tower user=u
/ip firewall nat
add action=masquerade chain=srcnat out-interface=tower
"""


@pytest.mark.parametrize(
    ("more", "wan"),
    [("", ["tower"]), ("add action=masquerade chain=srcnat src-address=10.0.0.0/24\n", ["ether1"])],
)
def test_source_nat_of_any_interface_is_the_default_route_s(more: str, wan: list[str]) -> None:
    assert ask(HEAD.format("7.20.8") + TOWER + more).net.wan == wan


LOOP = """/interface bridge
add name=lan
/interface bridge port
add bridge=lan interface=ether2
add bridge=lan interface=ether3
/ip address
add address=192.168.88.2/24 interface=lan
{}/ip dns
set allow-remote-requests=yes
/ip route
add gateway=192.168.88.1
"""


@pytest.mark.parametrize(
    ("address", "asked"),
    [("", False), ("add address=198.18.7.7 interface=lo\n", False),
     ("add address=198.18.7.7/24 interface=lan\n", True)],
)  # fmt: skip
def test_a_switch_is_asked_from_outside_by_an_address_of_its_bridge(
    address: str, asked: bool
) -> None:
    assert holds("open-resolver", HEAD.format("7.20.8") + LOOP.format(address)) == asked


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


ITSELF = """/interface bridge
add name=bridge1 vlan-filtering=yes
/interface vlan
add interface=bridge1 name=vlan10 vlan-id=10
/interface bridge port
add bridge=bridge1 interface=ether2 pvid=10
add bridge=bridge1 interface=vlan10 pvid=10
/interface bridge vlan
"""


@pytest.mark.parametrize(
    ("version", "members", "alone"),
    [
        ("7.15", "add bridge=bridge1 untagged=ether2,vlan10 vlan-ids=10\n", False),
        ("7.15", "add bridge=bridge1 tagged=bridge1 untagged=ether2 vlan-ids=10\n", True),
        ("7.15", "add bridge=bridge1 tagged=bridge1 vlan-ids=20\n", False),
        ("7.16", "add bridge=bridge1 untagged=ether2,vlan10 vlan-ids=10\n", True),
    ],
)
def test_a_vlan_interface_needs_no_port_where_its_bridge_is_a_member(
    version: str, members: str, alone: bool
) -> None:
    text = HEAD.format(version) + ITSELF + members
    assert holds("vlan-in-itself", text) == alone
    assert holds("vlan-in-own-bridge", text) != alone


ONE_BRIDGE = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=ether2
/interface list
add name=WAN
/interface list member
add interface={0} list=WAN
/ip address
add address=192.168.88.1/24 interface=bridge1
/ip dhcp-client
add interface=bridge1
/ip dhcp-server
add disabled={1} interface=bridge1 name=d
/ip dhcp-server network
add address=192.168.88.0/24 gateway=192.168.88.{2}
/ip firewall nat
add action=masquerade chain=srcnat {3}
"""


@pytest.mark.parametrize(
    ("listed", "off", "host", "leaving", "nothing"),
    [
        ("ether1", "no", 1, "out-interface-list=WAN", True),  # an access point's old rule
        ("ether1", "no", 1, "out-interface=ether1", True),
        ("ether1", "no", 254, "", True),  # it leases another router's address
        ("ether1", "yes", 1, "", True),
        ("ether1", "no", 1, "src-address=192.168.88.0/24", False),
        ("bridge1", "no", 1, "out-interface-list=WAN", False),
    ],
)
def test_a_gateway_by_one_interface_routes(
    listed: str, off: str, host: int, leaving: str, nothing: bool
) -> None:
    text = HEAD.format("7.16") + ONE_BRIDGE.format(listed, off, host, leaving)
    assert holds("routes-nothing", text) == nothing


@pytest.mark.parametrize(
    ("port", "slow"),
    [
        ("interface=ether10", True),
        ("interface=ether1", False),
        ("disabled=yes interface=ether10", False),
    ],
)
def test_a_slow_port_is_named_where_the_wan_is_on_it(port: str, slow: bool) -> None:
    text = HEAD.format("7.16") + "# model = RB2011UiAS\n/ip dhcp-client\nadd " + port + "\n"
    assert holds("fast-ethernet-ports", text) == slow


DROPS = '/ip firewall filter\nadd action=log chain=forward log-prefix="FWD DROP: "\n'
CLIENT = "/ip dhcp-client\nadd disabled=no interface=ether1\n"
CLIENT_PORTS = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
add bridge=bridge1 interface=ether2
/ip firewall nat
add action=masquerade chain=srcnat out-interface=bridge1
"""


@pytest.mark.parametrize(
    ("version", "text", "rule"),
    [
        ("7.20", CLIENT_PORTS + CLIENT, "client-on-port"),
        ("6.49.10", CLIENT_PORTS + CLIENT, "client-on-port"),
        ("6.49.10", CLIENT_PORTS + CLIENT.replace("disabled=no ", ""), ""),  # it is off
        # One lease is all that a bridge has.
        ("7.20", CLIENT_PORTS + CLIENT + "add interface=ether2\n", "client-idle-on-port"),
        # Another line leads out: a second default route would compete with it.
        ("7.20", CLIENT_PORTS + CLIENT + "/interface pppoe-client\n"
         "add add-default-route=yes disabled=no interface=ether5 name=line user=u\n"
         "/ip firewall nat\n"
         "add action=masquerade chain=srcnat out-interface=line\n", "client-idle-on-port"),
        # The port is in another VLAN than the bridge.
        ("7.20", CLIENT_PORTS.replace("interface=ether1", "interface=ether1 pvid=9") + CLIENT,
         "client-idle-on-port"),
        # On the bridge, the router would have an address that no rule guards.
        ("7.20", CLIENT_PORTS + CLIENT + "/ip firewall filter\n"
         "add action=drop chain=input in-interface=ether1\n", "client-idle-on-port"),
        ("7.20", CLIENT_PORTS + CLIENT + "/ip firewall filter\n"
         "add action=drop chain=input in-interface=bridge1\n", "client-on-port"),
        ("7.20", CLIENT_PORTS + CLIENT + "/interface list\nadd name=WAN\n/interface list member\n"
         "add interface=ether1 list=WAN\n", "client-on-port"),
        # A list with others beside the bridge's ports is for more than this way out.
        ("7.20", CLIENT_PORTS + CLIENT + "/interface list\nadd name=WAN\n/interface list member\n"
         "add interface=ether1 list=WAN\nadd interface=ether9 list=WAN\n", "client-idle-on-port"),
    ],
    ids=["a client", "RouterOS 6", "off", "two", "another line", "a VLAN's", "a guard of the port",
         "a guard of the bridge", "a list of its ports", "a list of others too"],
)  # fmt: skip
def test_a_client_moves_to_the_bridge_where_it_is_the_only_way_out(
    version: str, text: str, rule: str
) -> None:
    rules = ("client-on-port", "client-idle-on-port")
    assert [one for one in rules if holds(one, HEAD.format(version) + text)] == [rule] * bool(rule)


ASKS_INSIDE = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
/ip dhcp-client
add disabled=no interface=bridge1
/ip dhcp-server
add disabled=no interface={} name=dhcp1
"""
TREE = """/ip address
add address=192.168.88.1/24 interface=ether2
/queue tree
add name=down parent=global {}
add max-limit=10M name=video packet-mark=video parent=down priority=4
add name=rest packet-mark=rest parent=down
"""
RULES = "/ip firewall filter\n"
MARKED = "add action=fasttrack-connection chain=forward connection-state=established,related\n"
LAST = "add action=log chain=forward log-prefix=rest\n"
TV = """/interface bridge
add name=bridge1
/interface bridge port
add bridge=bridge1 interface=ether1
/interface vlan
add interface=ether1 name=tv vlan-id=4
add interface=ether1 name=lan vlan-id=5
/ip dhcp-client
add disabled=no interface=tv
/ip address
add address=192.168.5.1/24 interface=lan
"""
BOND = """/interface ethernet
set [ find default-name=ether1 ] auto-negotiation=no
set [ find default-name=ether2 ] auto-negotiation=no
set [ find default-name=ether3 ] auto-negotiation=no
/interface bonding
add mode=802.3ad name=bond1 slaves=ether1,ether2
/ip address
add address=10.0.0.1/24 interface=bond1
add address=10.0.1.1/24 interface=ether3
"""


@pytest.mark.parametrize(
    ("rule", "text", "lines"),
    [
        ("uplink-among-hosts", ASKS_INSIDE.format("bridge1"), 1),
        ("uplink-among-hosts", ASKS_INSIDE.format("ether1"), 1),
        ("uplink-among-hosts", ASKS_INSIDE.format("ether2"), 0),
        ("uplink-among-hosts", ASKS_INSIDE.format("bridge1")
         + "/interface pppoe-client\nadd add-default-route=yes disabled=no interface=ether5 "
         "name=line\n", 0),  # client-in-own-network is about it
        ("queue-parent-limitless", TREE.format(""), 1),
        ("queue-parent-limitless", TREE.format("max-limit=90M"), 0),
        ("queue-parent-limitless", TREE.replace("max-limit=10M ", "").format(""), 0),
        ("queue-limitless", TREE.replace("max-limit=10M ", "").format(""), 3),
        ("queue-parent-limitless", TREE.format("") + "/system scheduler\nadd interval=1h name=a "
         'on-event="/queue tree set [find] max-limit=9M"\n', 0),
        ("packets-logged", RULES + MARKED + LAST, 1),
        ("packets-logged", RULES + MARKED + LAST.replace(" log-", " protocol=icmp log-"), 0),
        ("packets-logged", RULES + MARKED + MARKED.replace("fasttrack-connection", "accept") + LAST,
         0),
        ("passed-logged", DROPS, 1),
        ("packets-logged", DROPS, 0),  # once is enough
        ("passed-logged", "/ip firewall filter\nadd action=drop chain=forward\n" + DROPS, 0),
        ("passed-logged", DROPS + "add action=accept chain=forward\n", 1),
        ("passed-logged", DROPS + "add action=accept chain=forward protocol=udp\n"
         "add action=drop chain=forward\n", 0),
        ("passed-logged", DROPS + "add action=jump chain=forward jump-target=a\n", 0),
        ("passed-logged", DROPS.replace("=forward", "=a"), 0),
        ("vlan-leased-on-port", TV, 1),
        ("vlan-on-port", TV, 1),  # the VLAN of the router's own network alone moves
        ("leg-without-negotiation", BOND, 1),  # never both links of a bond at once
        ("port-without-negotiation", BOND, 1),
    ],
)  # fmt: skip
def test_what_several_lines_show_together_is_told_once(rule: str, text: str, lines: int) -> None:
    explanation = ask(HEAD.format("7.20.8") + text)
    met = {**dict(noticed(explanation)), **explanation.met}
    assert len(met.get(rule, [])) == lines


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
