"""Neighbours of BGP and OSPF: whether all that a router learns comes from a single one."""

from __future__ import annotations

from rosexplain.addresses import range_of, within
from rosexplain.network import Network
from rosexplain.ordered import unique
from rosexplain.uplinks import CLIENTS, main_routes

PEERS = (("/routing/bgp/connection", "remote.address"), ("/routing/bgp/peer", "remote-address"))
TEMPLATES, INTERFACES = "/routing/ospf/interface-template", "/routing/ospf/interface"
NETWORKS = "/routing/ospf/network"
LINK = 4
"""The most addresses of a network between two routers, a /30."""


def only_one(net: Network) -> str:
    """The interface of the only neighbour, by which alone the router has a default route.

    Packets of both directions pass such a router, as nobody else leads to what is behind it.
    Empty where there may be several neighbours, or another way out.
    """
    names = _speaking(net)
    if names is None or len(names) != 1:
        return ""
    own = net.rows.where("/ip/address", "interface", names[0])
    links = [range_of(row.get("address")) for row in own]
    between = all(one is not None and one[1] - one[0] < LINK for one in links)
    others = [name for name in main_routes(net.rows, net.kinds) if name != names[0]]
    return names[0] if links and between and not others else ""


FORWARDING = ("/ip/firewall/nat", "/ip/dhcp-server", "/interface/pppoe-server/server",
              "/interface/l2tp-server/server", "/interface/sstp-server/server", "/ip/hotspot",
              "/interface/pptp-server/server", "/interface/ovpn-server/server",
              "/interface/wireguard", "/ip/ipsec/policy")  # fmt: skip
"""Menus of a device that forwards for others."""


def forwards_nothing(net: Network) -> bool:
    """Return True if a device with one way into the network has nobody behind it.

    So are the client of a VPN that has one address beside it, and a route reflector on a CHR that
    speaks OSPF by one interface alone.
    """
    if net.port_rows or net.leased or any(net.rows.of(menu) for menu in FORWARDING):
        return False
    rows = net.rows.of("/ip/address") + net.rows.of("/ip/dhcp-client")
    ends = unique([row.get("interface") for row in rows])
    ends = [name for name in ends if not _is_loopback(net, name)]
    clients = [name for name in net.kinds if net.kinds[name] in CLIENTS and name not in ends]
    if len(ends) == 1 and clients and not net.inside:
        return True
    peers = net.rows.of(PEERS[1][0])
    if not net.virtual or not peers or any(row.get("route-reflect") != "yes" for row in peers):
        return False
    names = [name for row in net.rows.of(NETWORKS) for name in _within(net, row.get("network"))]
    return len([name for name in unique(names) if not _is_loopback(net, name)]) == 1


def _speaking(net: Network) -> list[str] | None:
    """The interfaces with neighbours; None where an export does not say it of each."""
    names: list[str] = []
    for menu, word in PEERS:
        for row in net.rows.of(menu):
            own = [one.get("interface") for one in net.connected(row.get(word))]
            if len(own) != 1:
                return None
            names += own
    silent = [row.get("interface") for row in net.rows.where(INTERFACES, "passive", "yes")]
    for row in net.rows.of(NETWORKS):
        names += [name for name in _within(net, row.get("network")) if name not in silent]
    for row in net.rows.of(TEMPLATES):
        if row.says("passive") and row.get("passive") != "no":
            continue
        named = [name for name in row.get("interfaces").split(",") if name]
        if not named and not row.get("networks"):
            return None
        for name in named:
            known = name in net.kinds or net.rows.where("/ip/address", "interface", name)
            if name in net.lists or not known:
                return None
        names += named
        for network in row.get("networks").split(",") if not named else []:
            names += _within(net, network)
    return [name for name in unique(names) if not _is_loopback(net, name)]


def _within(net: Network, network: str) -> list[str]:
    """The interfaces whose own addresses are in a network."""
    whole = range_of(network)
    own = [(row.get("interface"), range_of(row.get("address").partition("/")[0]))
           for row in net.rows.of("/ip/address")]  # fmt: skip
    return [name for name, one in own if one and whole and within(one, whole)]


def _is_loopback(net: Network, name: str) -> bool:
    """Return True if nobody is behind an interface: a bridge without ports, or RouterOS 7's own."""
    return name == "lo" or (net.kinds.get(name) == "bridge" and not net.port_rows.get(name))
