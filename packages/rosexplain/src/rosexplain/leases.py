"""Numbers of DHCP that contradict the router's own networks."""

from __future__ import annotations

from rosexplain.addresses import Range, range_of, within
from rosexplain.matching import Met, met_by
from rosexplain.network import Network
from rosexplain.rows import Row
from rosexplain.uplinks import ANYWHERE

ADDRESSES, SERVERS, NETWORKS = "/ip/address", "/ip/dhcp-server", "/ip/dhcp-server/network"
ANY = "0.0.0.0"
"""The relay of a server that has none."""
DELIVERED = "192.168.88.1"
"""The address of a router in the default configuration."""


def met(net: Network) -> list[Met]:
    """The rules that hold, each with its lines."""
    return met_by(
        [
            ("pool-outside", "ranges", _outside(net)),
            ("gateway-outside", "gateway", _gateways_outside(net)),
            ("dns-as-delivered", "dns-server", _asked_as_delivered(net)),
        ]
    )


def _outside(net: Network) -> list[Row]:
    """The pools of servers whose interface has addresses, none of whose networks has the pool's.

    Not of a server for relays, on an interface with a DHCP client, or off beside one that is on.
    """
    asking = [net.above(row.get("interface")) for row in net.rows.of("/ip/dhcp-client")]
    servers = net.rows.of(SERVERS)
    if net.numbers[:1] == (6,):  # which adds them disabled
        servers = [row for row in servers if row.says("disabled")] or servers
    rows: list[Row] = []
    for server in servers:
        name = net.above(server.get("interface"))
        own = [range_of(row.get("address")) for row in net.rows.all_of(ADDRESSES)
               if net.above(row.get("interface")) == name]  # fmt: skip
        if not own or name in asking or server.get("relay", ANY) != ANY:
            continue
        for pool in net.rows.where("/ip/pool", "name", server.get("address-pool")):
            parts = [range_of(part) for part in pool.get("ranges").split(",")]
            inside = any(one is None or whole is None or within(one, whole)
                         for one in parts for whole in own)  # fmt: skip
            rows += [] if inside else [pool]
    return rows


def _gateways_outside(net: Network) -> list[Row]:
    """The networks of DHCP whose gateways are all outside of them; a host's own has no other."""
    rows: list[Row] = []
    for row in net.rows.of(NETWORKS):
        whole = range_of(row.get("address"))
        gates = [range_of(text) for text in row.get("gateway").split(",") if text]
        if whole is not None and whole[0] < whole[1] and gates:
            outside = all(one is not None and not within(one, whole) for one in gates)
            rows += [row] if outside else []
    return rows


def _asked_as_delivered(net: Network) -> list[Row]:
    """The networks of DHCP whose hosts ask the address that the router had when it was delivered.

    None where a network or a route of the router still leads to it.
    """
    whole = [range_of(row.get("address")) for row in net.rows.all_of(ADDRESSES)]
    whole += [range_of(row.get("dst-address")) for row in net.rows.all_of("/ip/route")
              if row.get("dst-address", ANYWHERE) != ANYWHERE]  # fmt: skip
    asked, known = range_of(DELIVERED), [one for one in whole if one is not None]
    if asked is None or any(within(asked, one) for one in known):
        return []
    return [row for row in net.rows.of(NETWORKS)
            if DELIVERED in row.get("dns-server").split(",") and _is_here(row, known)]  # fmt: skip


def _is_here(row: Row, known: list[Range]) -> bool:
    """Return True if the router has an address in a network of DHCP."""
    whole = range_of(row.get("address"))
    return whole is not None and any(within(one, whole) or within(whole, one) for one in known)
