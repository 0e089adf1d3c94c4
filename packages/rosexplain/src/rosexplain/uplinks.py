"""The interfaces by which a router reaches the internet."""

from __future__ import annotations

from rosexplain.addresses import private, range_of, within
from rosexplain.ordered import unique
from rosexplain.rows import ADDED, Menu, Row, Rows
from rosexplain.selection import is_gone

CLIENTS = ("pppoe-client", "l2tp-client", "pptp-client", "sstp-client", "ovpn-client")
"""Clients that are off until a command says disabled=no (manual, client-disabled)."""

PRIVATE_TUNNELS = ("wireguard", "eoip", "gre", "ipip", "vxlan", "ovpn-client", "sstp-client",
           "l2tp-client", "pptp-client", "6to4", "eoipv6", "gre6", "vpls")  # fmt: skip
"""Tunnels, which lead to the internet only where the table main's default route leaves by them."""

CLIENT = "/ip/dhcp-client"
MODEMS, APN = "/interface/lte", "/interface/lte/apn"
PASSING = "passthrough-interface"
"""The property of a modem's profile that passes its address to a host behind an interface."""
ANYWHERE = "0.0.0.0/0"
MAIN = "main"
"""The routing table of what names none."""
CHOOSE = ("/routing/rule", "/ip/route/rule", "/ip/vrf")
"""Menus by which packets take another table than main."""


def is_default(route: Row) -> bool:
    """Return True if a route is for all addresses."""
    return route.get("dst-address") in ("", ANYWHERE)


def table_of(route: Row) -> str:
    """The routing table of a route, in RouterOS 7 and 6."""
    return route.get("routing-table") or route.get("routing-mark") or MAIN


def of_main(route: Row) -> bool:
    """Return True for a default route of the table main: of no VRF, which RouterOS 6 names."""
    named = route.get("routing-table") or route.get("routing-mark") or route.get("vrf-interface")
    return is_default(route) and named in ("", MAIN)


def off_by_default(row: Row) -> bool:
    """Return True if a client was added without a word on whether it is on."""
    kind = row.menu.path.rpartition("/")[2]
    return kind in CLIENTS and row.key == ADDED and not row.says("disabled")


def of_profile(rows: Rows, modem: Row, name: str) -> str:
    """What the profile of a modem says; without one, its own is the default profile."""
    profile = modem.get("apn-profiles", "default")
    profiles = rows.where(APN, "name", profile)
    profiles += rows.where(APN, "default", "yes") if profile == "default" else []
    return profiles[0].get(name) if profiles else ""


def passed_on(rows: Rows) -> dict[str, str]:
    """The modems that have no address, each with the interface of the host that has it."""
    every = [(row.name, of_profile(rows, row, PASSING)) for row in rows.of(MODEMS)]
    return {name: to for name, to in every if to not in ("", "none")}


def wan(
    rows: Rows,
    kinds: dict[str, str],
    bridge_of: dict[str, str],
    lists: dict[str, list[str]] | None = None,
) -> list[str]:
    """The interfaces that lead to the internet, of a router that has no list called WAN.

    `bridge_of`: ports and their bridges; no rule of NAT matches such a port.  `lists`: the members
    of the interface lists: of one that source NAT names, those that a default route leaves by.
    Source NAT tells, but where it is for packets that stay inside; then what gets its address from
    a provider; then the default route; then a modem, whose route no export shows.
    """
    out = [row.get("out-interface") for row in rows.of("/ip/firewall/nat") if _leaves(rows, row)]
    known = main_routes(rows, kinds) or _default_routes(rows, kinds)
    for row in rows.where("/ip/firewall/nat", "chain", "srcnat"):
        members = (lists or {}).get(row.get("out-interface-list"), [])
        out += [name for name in members if name in known]
    out = [name for name in out if name not in bridge_of]
    if known:
        own = served(rows, bridge_of)
        out = [name for name in out if name in known or not _inside(rows, kinds, name, own)]
    # A tunnel that is translated too, as to a company's network, is not the way to the internet.
    direct = [name for name in out if name in known or kinds.get(name) not in PRIVATE_TUNNELS]
    # Source NAT that names no interface translates what leaves by the default route, too.
    rules = rows.where("/ip/firewall/nat", "chain", "srcnat")
    unbound = [row for row in rules
               if not row.get("out-interface") and not row.get("out-interface-list")]  # fmt: skip
    direct = direct or (known if unbound else [])
    if direct or out:
        return direct or out
    sessions = [row.name for row in rows.of("/interface/pppoe-client")]
    passed = passed_on(rows)
    modems = [row.name for row in rows.of(MODEMS) if row.name not in passed]
    asking = [row.get("interface") for row in rows.of(CLIENT)]
    return _clients(rows) or sessions or known or modems or asking


def to_internet(
    rows: Rows, kinds: dict[str, str], bridge_of: dict[str, str], listed: list[str]
) -> list[str]:
    """The interfaces of the table main's default routes that surely lead to a provider.

    `listed`: the WAN's.  The router behind a private address of one's own may have routes to the
    networks.
    """
    names = unique(main_routes(rows, kinds))
    names = [name for name in names if kinds.get(name) not in PRIVATE_TUNNELS]
    own = served(rows, bridge_of)
    clients = [name for name in _clients(rows) if name not in own]
    below = _below_sessions(rows, names)
    names = [name for name in names if name not in bridge_of and name in listed + clients]
    return [
        name for name in names
        if name not in below and all(one is False for one in _private(rows, name))
    ]  # fmt: skip


def _below_sessions(rows: Rows, names: list[str]) -> list[str]:
    """The interfaces that carry the PPPoE sessions of these names, and the ports of their VLANs.

    The default configuration's DHCP client often stays on such a port, where nobody answers it.
    """
    sessions = [row for row in rows.of("/interface/pppoe-client") if row.name in names]
    below = [row.get("interface") for row in sessions]
    vlans = [row for row in rows.of("/interface/vlan") if row.name in below]
    return below + [row.get("interface") for row in vlans]


def _clients(rows: Rows) -> list[str]:
    """The interfaces that get their address from a DHCP server or by PPPoE."""
    names = [row.get("interface") for row in answered(rows)]
    sessions = rows.of("/interface/pppoe-client")
    return names + [row.name for row in sessions if not off_by_default(row)]


def answered(rows: Rows) -> list[Row]:
    """The DHCP clients that may get an answer: not on a bridge's port, nor on what is off."""
    idle = [row.get("interface") for row in rows.of("/interface/bridge/port")]
    idle += [row.name for row in rows.all_of("/interface/ethernet") if not row.on]
    return [row for row in rows.of(CLIENT)
            if row.get("interface") not in idle and not is_gone(row.get("interface"))]  # fmt: skip


def _leaves(rows: Rows, row: Row) -> bool:
    """Return True if a rule of NAT translates what leaves for elsewhere."""
    out = row.get("out-interface")
    if row.get("chain") != "srcnat" or not out or out[0] == "!":
        return False
    to = row.get("dst-address")
    return not to or not any(_in(to, address.get("address")) for address in rows.of("/ip/address"))


def served(rows: Rows, bridge_of: dict[str, str]) -> list[str]:
    """The interfaces that a DHCP server serves; of a bridge's port the bridge."""
    names = [row.get("interface") for row in rows.of("/ip/dhcp-server")]
    return unique([bridge_of.get(name, name) for name in names])


def _inside(rows: Rows, kinds: dict[str, str], name: str, leasing: list[str]) -> bool:
    """Return True if an interface is the LAN's: it leases addresses, or has only private ones."""
    if name in leasing:
        return True
    plain = kinds.get(name, "ethernet") in ("ethernet", "bridge", "vlan", "bonding")
    own = _private(rows, name) if plain else []
    return bool(own) and all(own)


def _private(rows: Rows, name: str) -> list[bool | None]:
    """Whether each of an interface's addresses is private; None of one that cannot be read."""
    ranges = [range_of(row.get("address")) for row in rows.where("/ip/address", "interface", name)]
    return [None if bounds is None else private(bounds, 4) for bounds in ranges]


def main_routes(rows: Rows, kinds: dict[str, str]) -> list[str]:
    """The interfaces by which a default route of the table main leaves."""
    return _default_routes(rows, kinds, True)


def gateways(rows: Rows, kinds: dict[str, str], interface: str) -> list[str]:
    """The gateways of the table main's default routes that leave by an interface."""
    return [row.get("gateway") for row in rows.of("/ip/route")
            if of_main(row) and towards(rows, kinds, row.get("gateway")) == [interface]
            ]  # fmt: skip


def leads_as_main(rows: Rows, kinds: dict[str, str], to: str, table: str) -> bool:
    """True if a table's routes and main lead to an address by the interface of its network.

    `to`: as a matcher has it, e.g. `192.168.8.1`; a network that no address of the router is in,
    or that main has a route for, may be led elsewhere.
    """
    own = unique(towards(rows, kinds, to)) if to and to[0] != "!" else []
    ways: list[list[str]] = []
    for row in rows.of("/ip/route"):
        network = row.get("dst-address", ANYWHERE)
        named = table_of(row)
        if not _in(to, network) and not _in(network, to):
            continue
        if named == table:
            ways.append(towards(rows, kinds, row.get("gateway")))
        elif named == MAIN and network != ANYWHERE:
            return False
    return len(own) == 1 and bool(ways) and all(way == own for way in ways)


def _default_routes(rows: Rows, kinds: dict[str, str], main: bool = False) -> list[str]:
    """The interfaces by which a default route leaves; `main`: one of that table."""
    names = [row.get("interface") for row in answered(rows)
             if row.get("add-default-route") != "no"]  # fmt: skip
    names += [row.name for kind in CLIENTS
              for row in rows.where("/interface/" + kind, "add-default-route", "yes")]  # fmt: skip
    routes = [row for row in rows.of("/ip/route") if (of_main if main else is_default)(row)]
    names += [name for row in routes for gateway in row.get("gateway").split(",")
              for name in towards(rows, kinds, gateway)]  # fmt: skip
    return [name for name in names if name]


def towards(rows: Rows, kinds: dict[str, str], gateway: str) -> list[str]:
    """The interface of a gateway: named, or the one in whose network its address is."""
    address, percent, name = gateway.partition("%")
    if percent or gateway in kinds:
        return [name or gateway]
    own = connected(rows, address.split("@")[0])
    return [row.get("interface") for row in own]


def connected(rows: Rows, text: str) -> list[Row]:
    """The rows of `/ip/address` in whose networks an address, a network or a range is."""
    menu, one = rows.menus.get("/ip/address"), range_of(text)
    if menu is None or one is None:
        return []
    own = [numbered for size, networks in menu.once("networks", _networks).items()
           for numbered in networks.get(one[0] // size, []) if one[0] // size == one[1] // size
           ]  # fmt: skip
    return [row for _, row in sorted(own, key=lambda numbered: int(numbered[0]))]


def _networks(menu: Menu) -> dict[int, dict[int, list[tuple[int, Row]]]]:
    """The addresses with their places, by the size of their network and its number among such.

    So that thousands of gateways and queues are not compared with thousands of networks.
    """
    by_size: dict[int, dict[int, list[tuple[int, Row]]]] = {}
    for numbered in enumerate(menu.on()):
        if own := range_of(numbered[1].get("address")):
            size = own[1] - own[0] + 1
            by_size.setdefault(size, {}).setdefault(own[0] // size, []).append(numbered)
    return by_size


def _in(inner: str, outer: str) -> bool:
    one, other = range_of(inner), range_of(outer)
    return one is not None and other is not None and within(one, other)
