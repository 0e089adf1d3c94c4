"""Connections' states: tracked where nothing asks for them, or not asked for where they matter."""

from __future__ import annotations

from rosexplain import matching
from rosexplain.firewall import led_to
from rosexplain.matching import Met
from rosexplain.network import FASTTRACK, FILTER, REFUSES, Network
from rosexplain.ordered import unique
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.selection import is_number

MANGLE = "/ip/firewall/mangle"
TABLES = ("/filter", "/mangle", "/raw")
OF_STATES = ("connection-", "per-connection-", "layer7-protocol", "p2p", "new-connection-mark")
"""How the matchers begin that read a connection's entry."""
ACTIONS = (FASTTRACK, "mark-connection", "tarpit", "notrack")
NEEDING = ("/ip/hotspot", "/ip/vrf", "/ip/kid-control", "/ip/ipsec/policy", "/ip/ipsec/identity",
           "/ip/firewall/nat", "/ipv6/firewall/nat")  # fmt: skip
"""Menus of what translates addresses, or may read a connection's entry."""
TRANSLATING = (("/ip/upnp", "enabled"), ("/ip/nat-pmp", "enabled"))


SEARCHES = "layer7-protocol"
BEGINNING = 20000
"""Bytes by which a Layer 7 rule has seen all that it looks at: 10 full packets (fact
layer7-first-packets)."""


def after_layer7(net: Network) -> list[str]:
    """The matcher by which FastTrack leaves Layer 7 rules the beginning of each connection.

    None where no rule of the chain forward refuses by Layer 7.
    """
    rows = [row for row in net.rows.of(FILTER) if row.get("chain") == "forward"]
    rows = [row for row in rows if row.get(SEARCHES) and row.get("action") in REFUSES]
    return ["connection-bytes=" + str(BEGINNING) + "-0"] if rows else []


def takes_late(row: Row) -> bool:
    """Return True if a rule takes connections only after their beginning."""
    first, _, last = row.get("connection-bytes").partition("-")
    return is_number(first) and int(first) >= BEGINNING and last == "0"


def met(net: Network) -> list[Met]:
    """The rules about states that hold, each with its lines."""
    unread = _tracked_for_nothing(net)
    new = [row.first for row in _marking_new(net)]
    return [(name, lines) for name, lines in
            (("tracked-for-nothing", unread), ("fasttrack-new", new)) if lines]  # fmt: skip


def _tracked_for_nothing(net: Network) -> list[Command]:
    """The rules for which a transit router tracks connections, if none of them reads a state."""
    switches = net.rows.of("/interface/ethernet/switch")
    if not _routes(net) or "yes" in [row.get("l3-hw-offloading") for row in switches]:
        return []  # where the chip routes, few packets come to the CPU
    ends = unique([row.get("interface") for row in net.rows.of("/ip/address")] + net.wan)
    if len(ends) == 1 and net.above(ends[0]) in net.port_rows:
        return []  # its hosts reach each other past the router
    tracking, _ = net.setting("/ip/firewall/connection/tracking", "enabled")
    if tracking == "no" or any(export.missing for export in net.exports):
        return []
    if any(row.get("template") != "yes" for menu in NEEDING for row in net.rows.of(menu)):
        return []
    if any(net.setting(menu, name)[0] == "yes" for menu, name in TRANSLATING):
        return []
    rows = [row for top in ("/ip", "/ipv6") for table in TABLES
            for row in net.rows.of(top + "/firewall" + table)]  # fmt: skip
    if any(_reads_states(row) for row in rows):
        return []
    return [row.first for menu in (FILTER, MANGLE) for row in net.rows.of(menu)]


def _routes(net: Network) -> bool:
    """Return True if the router speaks BGP or OSPF, by the rule `transit`."""
    rules = [rule for rule in net.base["rules"] if rule["id"] == "transit"]
    return bool(matching.lines_that_meet(rules, net.rows))


def _reads_states(row: Row) -> bool:
    """Return True if a rule needs the entry of a packet's connection."""
    if row.get("action", "accept") in ACTIONS:
        return True
    names = [name for name in row.names if row.get(name)]
    return any(name[: len(start)] == start for name in names for start in OF_STATES)


def _marking_new(net: Network) -> list[Row]:
    """FastTrack's rules for connections in any state, before rules that refuse some."""
    chains = led_to(net, 4, "filter", "forward")
    rows = [row for row in net.rows.of(FILTER) if row.get("chain") in chains]
    last = max([number for number, row in enumerate(rows) if row.get("action") in REFUSES] or [-1])
    return [row for row in rows[: last + 1]
            if row.get("action") == FASTTRACK and not row.get("connection-state")]  # fmt: skip
