"""Where a router ends: the interfaces behind which the internet is, by what is configured."""

from __future__ import annotations

from ppslab.theory.packet_path.explain.addresses import Range, private, span, within
from ppslab.theory.packet_path.exports.row import ADDED, Row
from ppslab.theory.packet_path.exports.rows import Rows

CLIENTS = ("pppoe-client", "l2tp-client", "pptp-client", "sstp-client", "ovpn-client")
"""Clients that are off until a command says disabled=no (manual, client-disabled)."""

PRIVATE = ("wireguard", "eoip", "gre", "ipip", "vxlan", "ovpn-client", "sstp-client",
           "l2tp-client", "pptp-client", "6to4", "eoipv6", "gre6", "vpls")  # fmt: skip
"""Tunnels, which lead to the internet only where the table main's default route leaves by them."""

ANYWHERE = "0.0.0.0/0"


def unsaid(row: Row) -> bool:
    """Whether a client was added without a word on whether it is on."""
    kind = row.menu.path.rpartition("/")[2]
    return kind in CLIENTS and row.key == ADDED and not row.says("disabled")


def wan(rows: Rows, kinds: dict[str, str]) -> list[str]:
    """The interfaces that lead to the internet, of a router that has no list of them.

    Source NAT tells, but where it is for packets that stay inside; then what gets its address from
    a provider; then the default route; then a modem, whose route no export shows.
    """
    out = [row.get("out-interface") for row in rows.of("/ip/firewall/nat") if _leaves(rows, row)]
    known = main_routes(rows, kinds) or _default_routes(rows, kinds)
    if known:
        out = [name for name in out if name in known or not _inside(rows, kinds, name)]
    # A tunnel that is translated too, as to a company's network, is not the way to the internet.
    out = [name for name in out if name in known or kinds.get(name) not in PRIVATE] or out
    if out:
        return out
    clients = rows.of("/interface/pppoe-client")
    found = [row.get("interface") for row in rows.of("/ip/dhcp-client")]
    found += [row.name for row in clients if not unsaid(row)]
    modems = [row.name for row in rows.of("/interface/lte")]
    return found or [row.name for row in clients] or known or modems


def _leaves(rows: Rows, row: Row) -> bool:
    """Whether a rule of NAT translates what leaves for elsewhere."""
    out = row.get("out-interface")
    if row.get("chain") != "srcnat" or not out or out[0] == "!":
        return False
    to = row.get("dst-address")
    return not to or not any(_in(to, each.get("address")) for each in rows.of("/ip/address"))


def _inside(rows: Rows, kinds: dict[str, str], name: str) -> bool:
    """Whether an interface is the LAN's: it leases addresses, or has only private ones."""
    if rows.where("/ip/dhcp-server", "interface", name):
        return True
    plain = kinds.get(name, "ethernet") in ("ethernet", "bridge", "vlan", "bonding")
    mine = rows.where("/ip/address", "interface", name) if plain else []
    ranges = [_range(row.get("address")) for row in mine]
    return bool(ranges) and all(each is not None and private(each, 4) for each in ranges)


def main_routes(rows: Rows, kinds: dict[str, str]) -> list[str]:
    """The interfaces by which a default route of the table main leaves."""
    return _default_routes(rows, kinds, True)


def _default_routes(rows: Rows, kinds: dict[str, str], main: bool = False) -> list[str]:
    """The interfaces by which a default route leaves; `main`: one of that table."""
    found: list[str] = []
    for row in rows.of("/ip/dhcp-client"):
        if row.get("add-default-route") != "no":
            found.append(row.get("interface"))
    for kind in CLIENTS:
        clients = rows.of("/interface/" + kind)
        found += [row.name for row in clients if row.get("add-default-route") == "yes"]
    for row in rows.of("/ip/route"):
        if row.get("dst-address", ANYWHERE) != ANYWHERE:
            continue
        table = row.get("routing-table") or row.get("routing-mark") or row.get("vrf-interface")
        if main and table not in ("", "main"):
            continue
        for gateway in row.get("gateway").split(","):
            found += _towards(rows, kinds, gateway)
    return [name for name in found if name]


def _towards(rows: Rows, kinds: dict[str, str], gateway: str) -> list[str]:
    """The interface of a gateway: named, or the one in whose network its address is."""
    address, percent, name = gateway.partition("%")
    if percent or gateway in kinds:
        return [name or gateway]
    own = rows.of("/ip/address")
    return [row.get("interface") for row in own if _in(address.split("@")[0], row.get("address"))]


def _in(inner: str, outer: str) -> bool:
    one, other = _range(inner), _range(outer)
    return one is not None and other is not None and within(one, other)


def _range(text: str) -> Range:
    """First and last address; None where it is no address that is known here."""
    try:
        return span(text) if text else None
    except ValueError:
        return None
