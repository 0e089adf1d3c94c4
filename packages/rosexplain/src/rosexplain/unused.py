"""Rules that others before them leave nothing for, and routing marks that lead nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.firewall import NO_MATCHERS
from rosexplain.network import FASTTRACK, Network, span, within
from rosexplain.parse import Command, Row

TABLES = [top + "/firewall/" + table
          for top in ("/ip", "/ipv6") for table in ("raw", "filter", "mangle", "nat")]  # fmt: skip
GO_ON = ("passthrough", "log", "jump", "return", "add-src-to-address-list",
         "add-dst-to-address-list")  # fmt: skip
"""Actions that do not end a packet's way through the table."""
COUNTING = ("limit", "dst-limit", "nth", "random", "connection-limit", "psd", "time",
            "connection-rate", "connection-bytes", "per-connection-classifier")  # fmt: skip
"""Matchers by which a rule takes one packet and leaves the next that is like it."""
SETS = ("connection-state", "connection-nat-state", "protocol", "dst-port", "src-port", "port",
        "icmp-options")  # fmt: skip
"""Matchers of several values, of which one is enough."""
NETWORKS = ("src-address", "dst-address")
MOST = 400
"""Rules of a table that are compared with each other."""

RULES = ("/routing/rule", "/ip/route/rule")
MANGLE = ("/ip/firewall/mangle", "/ipv6/firewall/mangle")
NAMES_TABLE = ("routing-mark", "routing-table", "table", "default-route-tables", "vrf")
"""Properties that name a routing table, or a mark that stands for one."""


def met(net: Network) -> list[tuple[str, list[Command]]]:
    """The ids of the rules that hold, each with the lines that meet it (`traffic.Met`)."""
    return [
        ("rule-covered", list(_covered(net))),
        ("routing-mark-unset", list(_never_set(net))),
        ("routing-mark-nowhere", list(_nowhere(net))),
    ]


def _covered(net: Network) -> Iterator[Command]:
    for menu in TABLES:
        before: dict[str, list[Row]] = {}
        for row in net.rows.of(menu)[:MOST]:
            rules = before.setdefault(row.get("chain"), [])
            if any(_covers(net, rule, row) for rule in rules):
                yield row.first
            elif _ends(menu, row) and not any(row.get(name) for name in COUNTING):
                rules.append(row)


def _ends(menu: str, row: Row) -> bool:
    action = row.get("action", "accept")
    return action == "accept" if menu[-6:] == "mangle" else action not in GO_ON


def _matchers(row: Row) -> list[str]:
    return [name for name in row.names if name not in NO_MATCHERS and row.get(name)]


def _covers(net: Network, rule: Row, row: Row) -> bool:
    """Return True if a rule takes every packet that a later one matches, and not all packets."""
    fasttracks = [one.get("action") == FASTTRACK for one in (rule, row)]
    if fasttracks[0] != fasttracks[1]:
        return False  # FastTrack's rule sees what an accept rule behind it ends
    matchers = _matchers(rule)
    if not matchers or _same(rule, row):
        return False  # it is another rule that says so
    return all(_implied(net, name, rule.get(name), row) for name in matchers)


def _same(rule: Row, row: Row) -> bool:
    names = _matchers(rule) + _matchers(row) + ["action"]
    return all(rule.get(name) == row.get(name) for name in names)


def _implied(net: Network, name: str, value: str, row: Row) -> bool:
    """Return True if all packets that a rule matches have what another one asks for."""
    own = row.get(name)
    if own == value:
        return True
    if name == "ipsec-policy" and value[-5:] == ",none":
        return not net.has_ipsec and not own
    if name[-15:] == "-interface-list" and value in net.lists:
        plain = row.get(name[:-5])
        settled = value not in net.open_lists and value not in net.dynamic_lists
        return settled and plain in net.lists[value]
    if not own or "!" in own + value:
        return False
    if name in SETS:
        return all(one in value.split(",") for one in own.split(","))
    if name in NETWORKS:
        try:
            return within(span(own), span(value))
        except ValueError:
            return False
    return False


def _set_marks(net: Network) -> list[str]:
    return [row.get("new-routing-mark") for menu in MANGLE for row in net.rows.of(menu)]


def _never_set(net: Network) -> Iterator[Command]:
    """The routing rules that ask for a mark that no rule of mangle sets."""
    marks = _set_marks(net)
    for menu in RULES:
        for row in net.rows.of(menu):
            mark = row.get("routing-mark")
            if mark not in ("", "main") and mark not in marks:
                yield row.command("routing-mark")


def _nowhere(net: Network) -> Iterator[Command]:
    """The rules of mangle whose mark nothing else names, so that no route is in its table."""
    named: list[str] = []
    if not any(_set_marks(net)) or not net.rows.of("/ip/route"):
        return  # a part of an export shows no routes
    for path in net.rows.menus:
        if path in MANGLE or path == "/routing/table":
            continue
        for row in net.rows.of(path):
            for name in NAMES_TABLE:
                named += row.get(name).split(",")
    vrfs = [row.name for menu in ("/ip/vrf", "/ip/route/vrf") for row in net.rows.of(menu)]
    for menu in MANGLE:
        for row in net.rows.where(menu, "action", "mark-routing"):
            mark = row.get("new-routing-mark")
            if mark not in ("", "main") and mark not in named and mark not in vrfs:
                yield row.command("new-routing-mark")
