"""VRFs: which interfaces and networks are routed by a table of their own."""

from __future__ import annotations

from rosexplain.addresses import plain, range_of, within
from rosexplain.matching import Met
from rosexplain.network import Network
from rosexplain.rows import Row
from rosexplain.uplinks import ANYWHERE

MENUS = ("/ip/vrf", "/ip/route/vrf")
"""The menus of RouterOS 7 and 6."""


class Vrf:
    """A VRF's row, its interfaces, and its networks; None where others lie behind its routes.

    No source says which interface the firewall's rules see of a VRF's packets: their addresses
    tell them from others.
    """

    def __init__(self, net: Network, row: Row) -> None:
        self.row = row
        listed = [name for name in row.get("interfaces").split(",") if name]
        self.names = [one for name in listed for one in net.lists.get(name, [name])]
        rows = [one for one in net.rows.of("/ip/address") if one.get("interface") in self.names]
        whole = all(net.rows.where("/ip/address", "interface", name) for name in self.names)
        networks = [_network(one.get("address")) for one in rows]
        behind = [
            route for route in net.rows.of("/ip/route")
            if row.name in (route.get("routing-table"), route.get("routing-mark"))
            and route.get("dst-address", ANYWHERE) != ANYWHERE
            and not _leaks(route, row.name, networks)
        ]  # fmt: skip
        routed = [
            one for menu in net.rows.menus if menu[:9] == "/routing/" for one in net.rows.of(menu)
            if menu not in ("/routing/table", "/routing/rule")
            and row.name in (one.get("vrf"), one.get("routing-table"))
        ]  # fmt: skip
        known = bool(networks) and whole and not behind + routed and "" not in networks
        self.networks = networks if known else None


def _leaks(route: Row, name: str, networks: list[str]) -> bool:
    """Return True if a route of a VRF's table leads out of the VRF, to hosts of another table."""
    gateway, _, table = route.get("gateway").partition("@")
    if table not in ("", name):
        return True
    hop = range_of(gateway)
    bounds = [range_of(network) for network in networks]
    return hop is not None and all(one is not None and not within(hop, one) for one in bounds)


def vrfs(net: Network) -> list[Vrf]:
    """The VRFs beside main, in their order."""
    rows = [row for menu in MENUS for row in net.rows.of(menu)]
    return [Vrf(net, row) for row in rows if row.name != "main"]


def met(net: Network) -> list[Met]:
    """The rule about VRFs whose packets no address tells from others, with their lines."""
    lines = [one.row.first for one in vrfs(net) if one.networks is None]
    return [("fasttrack-and-vrfs", lines)] if lines else []


def _network(address: str) -> str:
    """The network of `10.1.99.1/24`; empty where it is none."""
    whole = range_of(address)
    if whole is None:
        return ""
    length = address.partition("/")[2] or "32"
    return plain(whole[0].to_bytes(4, "big")) + "/" + length
