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
        networks = [_network(one) for one in rows]
        behind = [
            route for route in net.rows.of("/ip/route")
            if row.name in (route.get("routing-table"), route.get("routing-mark"))
            and route.get("dst-address", ANYWHERE) != ANYWHERE
            and not self._leaks(net, route)
        ]  # fmt: skip
        routed = [
            one for menu in net.rows.menus if menu[:9] == "/routing/" for one in net.rows.of(menu)
            if menu not in ("/routing/table", "/routing/rule")
            and row.name in (one.get("vrf"), one.get("routing-table"))
        ]  # fmt: skip
        known = bool(networks) and whole and not behind + routed and "" not in networks
        self.networks = networks if known else None

    def _leaks(self, net: Network, route: Row) -> bool:
        """Return True if a route of its table leads out of the VRF, to hosts of another table.

        A gateway that is in no network here may be a tunnel's other end within the VRF.
        """
        gateway, _, table = route.get("gateway").partition("@")
        if table not in ("", self.row.name):
            return True
        ends = [row.get("interface") for row in net.connected(gateway)]
        return bool(ends) and not any(name in self.names for name in ends)


def vrfs(net: Network) -> list[Vrf]:
    """The VRFs beside main, in their order."""
    rows = [row for menu in MENUS for row in net.rows.of(menu)]
    return [Vrf(net, row) for row in rows if row.name != "main"]


def met(net: Network) -> list[Met]:
    """The rule about VRFs whose packets no address tells from others, with their lines."""
    lines = [one.row.first for one in vrfs(net) if one.networks is None]
    return [("fasttrack-and-vrfs", lines)] if lines else []


def _network(row: Row) -> str:
    """The network of `10.1.99.1/24`; empty where it is none, or one other end's address."""
    address, other = row.get("address"), range_of(row.get("network"))
    whole = range_of(address)
    if whole is None or (other is not None and not within(other, whole)):
        return ""
    length = address.partition("/")[2] or "32"
    return plain(whole[0].to_bytes(4, "big")) + "/" + length
