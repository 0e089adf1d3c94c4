"""Messages that cost the CPU its time: debug topics, and rules that log single packets."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.matchers import NO_MATCHERS
from rosexplain.matching import Met
from rosexplain.network import FASTTRACK, REFUSES, Network
from rosexplain.parse import Command
from rosexplain.rows import Menu, Row

DEBUG = "debug"
TABLES = ("raw", "mangle", "filter")
"""The tables that see each packet of a connection; NAT sees the first one."""
CHAINS = ("prerouting", "forward", "postrouting")
"""Chains that each forwarded packet comes to; to others it may be led only once."""
ESTABLISHED = ("established", "related", "untracked")
FEW = ("limit", "dst-limit", "nth", "random", "connection-limit", "psd", "tcp-flags",
       "icmp-options")  # fmt: skip
"""Matchers of a few packets of a connection."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with its lines."""
    own: list[Command] = []
    beside: list[Command] = []
    for row in _logging(net):
        if row.get("action") == "log":
            own.append(row.command("action"))
        else:
            beside.append(row.command("log"))
    rules = [
        ("debug-logged", list(_debug(net))),
        ("packets-logged", own),
        ("packets-logged-too", beside),
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


def _logging(net: Network) -> Iterator[Row]:
    """The rules that log each packet of connections that are established and go through."""
    for top in ("/ip", "/ipv6"):
        for table in TABLES:
            menu = net.rows.menus.get(top + "/firewall/" + table)
            yield from menu.once("logging", _logging_in) if menu else ()


def _logging_in(menu: Menu) -> list[Row]:
    """Those of a table."""
    logging: list[Row] = []
    settled: set[str] = set()
    for row in menu.on():
        chain = row.get("chain")
        if chain in settled or chain not in CHAINS:
            continue
        if (row.get("action") == "log" or row.get("log") in ("yes", "true")) and _sees_each(row):
            logging.append(row)
        if _settles(row):
            settled.add(chain)
    return logging


def _sees_each(row: Row) -> bool:
    """Return True if a rule may match each packet of a connection, and lets it pass."""
    action = row.get("action", "accept")
    if action in REFUSES or action == FASTTRACK or action[:4] == "add-":
        return False
    states = row.get("connection-state")
    if states and not any(state in ESTABLISHED for state in states.split(",")):
        return False
    return not any(row.get(name) for name in FEW)


def _settles(row: Row) -> bool:
    """Return True if the rules behind a rule do not see what is established."""
    if row.get("action", "accept") not in ("accept", FASTTRACK):
        return False
    matchers = [name for name in row.names if name not in NO_MATCHERS and row.get(name)]
    return matchers == ["connection-state"] and "established" in row.get(matchers[0]).split(",")
