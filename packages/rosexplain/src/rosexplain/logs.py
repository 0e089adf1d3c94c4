"""Messages that cost the CPU its time: debug topics, and rules that log single packets."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.matchers import conditions
from rosexplain.matching import Met
from rosexplain.network import FASTTRACK, FILTER, REFUSES, Network
from rosexplain.parse import Command
from rosexplain.rows import Menu, Row

DEBUG = "debug"
TABLES = ("raw", "mangle", "filter")
"""The tables that see each packet of a connection; NAT sees the first one."""
PROTOCOLS = ("mpls", "ldp", "ospf", "bgp", "rip", "dns", "dhcp", "ipsec", "l2tp", "pptp", "sstp",
             "ovpn", "pppoe", "ppp", "radius", "wireless", "caps", "bridge")  # fmt: skip
"""Topics of protocols; a word such as info or !debug beside them leaves out their details."""
CHAINS = ("prerouting", "forward", "postrouting")
"""Chains that each forwarded packet comes to; to others it may be led only once."""
ESTABLISHED = ("established", "related", "untracked")
BUILT_IN = ("input", "forward", "output")
DECIDES = REFUSES + ("accept", "return")
"""Actions behind which no packet comes to the next rule of a chain."""
DROPPED = ("drop", "denied", "deny", "reject", "refuse", "block")
"""Words in a rule's name, by which its owner takes its messages for those of refused packets."""
FLAGS = "tcp-flags"
RARE = ("limit", "dst-limit", "nth", "random", "connection-limit", "psd",
        "icmp-options")  # fmt: skip
"""Matchers by which few packets, or few connections, are left."""
FEW = RARE + (FLAGS,)
"""Matchers of a few packets of a connection."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with its lines."""
    misnamed = _misnamed(net)
    logging = [row for row in _logging(net) if row not in misnamed]
    own = [row.command("action") for row in logging + unaccepted(net)[-1:]
           if row.get("action") == "log" and row not in misnamed]  # fmt: skip
    beside = [row.command("log") for row in logging if row.get("action") != "log"]
    rules = [
        ("debug-logged", list(_debug(net))),
        ("topic-logged", [row.command("topics") for row in _whole_topics(net)]),
        ("packets-logged", own),
        ("packets-logged-too", beside),
        ("messages-to-flash", [row.command("action") for row in _to_flash(net)]),
        ("passed-logged", [row.command("action") for row in misnamed]),
        ("refused-logged", [row.command("action") for row in _of_refused(net)]),
        ("connections-logged", [row.first for row in _of_connections(net) if row not in misnamed]),
    ]
    return [(rule, lines) for rule, lines in rules if lines]


def _debug(net: Network) -> Iterator[Command]:
    """The rows that log messages of debugging; none where a row leaves such messages out.

    No command tells the two apart: each is found by its topics, as a text.
    """
    rows = net.rows.of("/system/logging")
    if any("!" + DEBUG in row.get("topics").split(",") for row in rows):
        return
    for row in rows:
        if DEBUG in row.get("topics").split(","):
            yield row.command("topics")


def _whole_topics(net: Network) -> Iterator[Row]:
    """The rows that log all messages of a protocol: no word of theirs leaves its details out."""
    for row in net.rows.of("/system/logging"):
        topics = row.get("topics").split(",")
        if all(topic in PROTOCOLS for topic in topics):
            yield row


def _to_flash(net: Network) -> list[Row]:
    """The rows whose messages go to a file, unless that is on a disk that somebody chose."""
    names = [row.get("disk-file-name") for row in net.rows.of("/system/logging/action")]
    elsewhere = any("/" in name and name[:6] != "flash/" for name in names)
    return [] if net.virtual or elsewhere else net.rows.where("/system/logging", "action", "disk")


def of_established(net: Network) -> list[Row]:
    """The rules of IPv4 that log packets of established connections, be it only the last ones.

    Fast-tracked packets meet none of them; the flag SYN is that of first packets, which do.
    """
    rows = [row for row in _passing(net, "/ip") if not any(row.get(name) for name in RARE)]
    return [row for row in rows if _established(row) and "syn" not in row.get(FLAGS).split(",")]


def _logging(net: Network) -> Iterator[Row]:
    """The rules that log each packet of connections that are established and go through."""
    for top in ("/ip", "/ipv6"):
        for row in _passing(net, top):
            if _established(row) and not any(row.get(name) for name in FEW):
                yield row


def _of_connections(net: Network) -> Iterator[Row]:
    """The rules that log the first or the last packet of every connection that they match."""
    for top in ("/ip", "/ipv6"):
        for row in _passing(net, top):
            whole = _established(row) and not row.get(FLAGS)
            if not whole and not any(row.get(name) for name in RARE):
                yield row


def _passing(net: Network, top: str) -> Iterator[Row]:
    """The rules that log forwarded packets and let them pass, before what is settled."""
    for table in TABLES:
        menu = net.rows.menus.get(top + "/firewall/" + table)
        yield from menu.once("logging", _passing_in) if menu else ()


def _passing_in(menu: Menu) -> list[Row]:
    """Those of a table."""
    passing: list[Row] = []
    settled: set[str] = set()
    for row in menu.on():
        chain, action = row.get("chain"), row.get("action", "accept")
        if chain in settled or chain not in CHAINS:
            continue
        logs = action == "log" or row.get("log") in ("yes", "true")
        if logs and action not in REFUSES + (FASTTRACK,) and action[:4] != "add-":
            passing.append(row)
        if settles(row):
            settled.add(chain)
    return passing


def unaccepted(net: Network) -> list[Row]:
    """The last rule of forward, which takes all that FastTrack left out, as no rule accepts it.

    Before it, the rule that logs all that it refuses, if there is one.
    """
    rows = net.rows.where(FILTER, "chain", "forward")
    settling = [row for row in rows if settles(row)]
    by_fasttrack = settling and all(row.get("action") == FASTTRACK for row in settling)
    behind = rows[rows.index(settling[-1]) + 1 :] if by_fasttrack else []
    if any(row.get("action") == "jump" for row in behind):
        return []  # their chain may accept it
    if not behind or conditions(behind[-1]) or behind[-1].get("action") not in REFUSES + ("log",):
        return []
    logging = [row for row in behind[-2:-1] if row.get("action") == "log" and not conditions(row)]
    return logging + behind[-1:]


def _of_refused(net: Network) -> list[Row]:
    """The rules that log each packet to the router that the rule behind them refuses unseen."""
    rows = net.rows.where(FILTER, "chain", "input")
    return [row for place, row in enumerate(rows[:-1])
            if row.get("action") == "log" and rows[place + 1].get("action") in REFUSES
            and not conditions(row) and not conditions(rows[place + 1])]  # fmt: skip


def _misnamed(net: Network) -> list[Row]:
    """The rules that log what passes under a name for what is dropped.

    No rule behind them in their chain refuses anything, or the next one accepts all that they log.
    None behind a rule that decides on every packet, as none comes to them.
    """
    every: list[Row] = []
    for top in ("/ip", "/ipv6"):
        rows = net.rows.of(top + "/firewall/filter")
        for row in net.rows.where(top + "/firewall/filter", "action", "log"):
            words = (row.get("comment") + " " + row.get("log-prefix")).lower()
            own = [one for one in rows if one.get("chain") == row.get("chain")]
            place = own.index(row)
            ended = any(one.get("action", "accept") in DECIDES and not conditions(one)
                        for one in own[:place])  # fmt: skip
            named = row.get("chain") in BUILT_IN and any(word in words for word in DROPPED)
            if named and not ended and _passes(row, own[place + 1 :]):
                every.append(row)
    return every


def _passes(row: Row, behind: list[Row]) -> bool:
    """Return True if the rules behind one, in its chain, surely accept all that it matches."""
    for one in behind:
        action = one.get("action", "accept")
        if action == "accept" and all(pair in conditions(row) for pair in conditions(one)):
            return True
        if action in REFUSES + ("jump", "return"):
            return False
    return True


def _established(row: Row) -> bool:
    """Return True if a rule may match packets of established connections, by their state."""
    states = row.get("connection-state")
    return not states or any(state in ESTABLISHED for state in states.split(","))


def settles(row: Row) -> bool:
    """Return True if the rules behind a rule do not see what is established."""
    if row.get("action", "accept") not in ("accept", FASTTRACK):
        return False
    matchers = conditions(row)
    if [name for name, _ in matchers] != ["connection-state"]:
        return False
    states = matchers[0][1]
    return ("established" in states.lstrip("!").split(",")) != (states[0] == "!")
