"""Rules that cost CPU time for each packet of a connection, though its first packets tell."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain import strangers
from rosexplain.firewall import led_to
from rosexplain.matchers import EACH, NO_MATCHERS
from rosexplain.matching import Met
from rosexplain.network import FASTTRACK, FILTER, NO_MARK, Network
from rosexplain.ordered import unique
from rosexplain.rows import Menu, Row
from rosexplain.unused import FILTERS, MANGLE, MARK, MARKS, marked_again

CHAINS = ("input", "output")
"""Chains of the router's own packets, in which servers answer: `530 Login incorrect`."""
NAMED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
"""Letters of a server's name."""
DNS = "53"
NAMES = ("add-dst-to-address-list", "add-src-to-address-list", "mark-connection")
"""Actions that need one packet of a connection."""
BEGINNING = ("connection-bytes", "packet-size", "limit", "dst-limit", "nth", "random")
"""Matchers by which a rule is asked to search few packets already."""
ENDS = ("in-interface", "in-interface-list")


def met(net: Network) -> list[Met]:
    """The rules that hold, each with its lines; fast-tracked packets meet none of them."""
    if net.rows.where(FILTER, "action", FASTTRACK):
        return []
    rows = list(_searching(net))
    again = [row for row in marked_again(net, shared=False) if alone(net, row)]
    every = [("content-of-each-packet", [row.command("content") for row in rows]),
             ("connection-mark-once", [row.command(MARKS) for row in again])]  # fmt: skip
    return [(rule, lines) for rule, lines in every if lines]


def beginning(net: Network, texts: list[str]) -> list[str]:
    """One command for all rules of a menu that search each packet; else those for each rule."""
    rows = list(_searching(net))
    menus = unique([row.menu.path for row in rows])
    others = [row for menu in menus for row in net.rows.all_of(menu)
              if row.get("content") and row not in rows]  # fmt: skip
    if others or len(rows) < 3:
        return texts
    return [menu + '/set [find content~"."] connection-bytes=0-20000' for menu in menus]


def _searching(net: Network) -> Iterator[Row]:
    """The rules that search every packet for a server's name, and need one packet that has it.

    None where connections may not be tracked, whose bytes nobody counts then.
    """
    raw = [row for top in ("/ip", "/ipv6") for row in net.rows.of(top + "/firewall/raw")]
    if net.rows.where("/ip/firewall/connection/tracking", "enabled", "no"):
        return
    if any(row.get("action") == "notrack" for row in raw):
        return
    strange = [line for _, lines in strangers.met(net) for line in lines]
    for menu in FILTERS + MANGLE:
        for row in net.rows.of(menu):
            if row.first in strange or row.command("content") in strange:
                continue
            states = row.get("connection-state").split(",")
            often = states == [""] or "established" in states
            if not row.get("content") or row.get("action") not in NAMES or not often:
                continue
            if not any(row.get(name) for name in BEGINNING) and _of_server(net, row):
                yield row


def _of_server(net: Network, row: Row) -> bool:
    """Return True if a rule searches forwarded connections for what may be a server's name.

    A miner reports again and again.  Each question of DNS has a name of its own, and many may go by
    one connection.
    """
    ports = (row.get("dst-port") + "," + row.get("port") + "," + row.get("src-port")).split(",")
    top, _, table = row.menu.path.rpartition("/")
    family = 6 if top == "/ipv6/firewall" else 4
    own = [name for chain in CHAINS for name in led_to(net, family, table, chain)]
    alone = row.get("protocol") == "udp" or DNS in ports or row.get("chain") in own
    alone = alone or strangers.is_mining(row.get("content"))
    return not alone and all(letter in NAMED for letter in row.get("content"))


def alone(net: Network, rule: Row) -> bool:
    """Return True if no connection that comes to a rule has another mark than the rule's.

    The packets of each other mark end before it, or come in elsewhere: by another line to the
    internet, or another network of the LAN.  What comes in by the LAN and by a line may be the two
    directions of one connection.  A rule that is off may be switched on.
    """
    if rule.get(MARK) or rule.get("passthrough") == "no":
        return False
    ended = rule.menu.once("ended", _ended)
    for row in rule.menu.once("marking", _marking):
        end = ended.get((rule.get("chain"), row.get(MARKS)), rule.place)
        if row.get(MARKS) == rule.get(MARKS) or end < rule.place:
            continue
        apart = [name for name in ENDS if row.get(name) and rule.get(name)]
        if not apart or any(row.get(name) == rule.get(name) for name in apart):
            return False
        sides = [_by_wan(net, one, name) for name in apart for one in (row, rule)]
        if None in sides or len(unique(sides)) > 1:
            return False
    return True


def _by_wan(net: Network, row: Row, name: str) -> bool | None:
    """Whether packets of a rule come in by a line to the internet; None where by both."""
    value = row.get(name)
    members = net.lists.get(value, []) if name[-5:] == "-list" else [net.above(value)]
    sides = unique([one in net.wan for one in members])
    if value[0] == "!" or value in EACH:
        return None  # such as all-ppp, a line and clients
    return sides[0] if len(sides) == 1 else None


def _marking(menu: Menu) -> list[Row]:
    """The rules that mark connections, on or off; of those with mark and interface alike one."""
    rows = [row for row in menu.rows if row.get(MARKS) and not row.removed]
    return unique(rows, lambda row: tuple([row.get(name) for name in (MARKS,) + ENDS]))


def _ended(menu: Menu) -> dict[tuple[str, str], int]:
    """By chain and connection mark the place of the rule behind which no rule sees its packets."""
    places: dict[tuple[str, str], int] = {}
    for row in menu.on():
        mark = row.get(MARK)
        if row.get("passthrough") != "no" and row.get("action") != "accept":
            continue
        matchers = [name for name in row.names if name not in NO_MATCHERS and row.get(name)]
        if matchers == [MARK] and mark != NO_MARK and mark[0] != "!":
            places.setdefault((row.get("chain"), mark), row.place)
    return places
