"""What strangers leave in a router that they came into: commands from outside, mining, a proxy."""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.matching import Met
from rosexplain.network import REFUSES, Network
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.unused import FILLS, LISTS

SCHEDULER, SCRIPT, NAT = "/system/scheduler", "/system/script", "/ip/firewall/nat"
SEARCHING = ("/ip/firewall/raw", "/ip/firewall/mangle", "/ip/firewall/filter")
MINING = ("mining.submit", "mining.subscribe", "mining.authorize", "eth_submit", "eth_getwork",
          "stratum+tcp")  # fmt: skip
"""The words of the protocols in which miners report to a pool (Stratum, eth-proxy)."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with the lines that meet it."""
    every = [
        ("commands-fetched", [row.command("on-event") for row in _fetching(net)]),
        ("mining-redirected", list(_redirecting(net))),
    ]
    return [(rule, lines) for rule, lines in every if lines]


def _fetching(net: Network) -> Iterator[Row]:
    """The schedules that fetch a file and import it, by themselves or by a script."""
    for row in net.rows.of(SCHEDULER):
        texts = [row.get("on-event")]
        words = row.get("on-event").replace('"', " ").replace(";", " ").split()
        texts += [one.get("source") for one in net.rows.of(SCRIPT) if one.name in words]
        if any("fetch" in text and "import" in text for text in texts):
            yield row


def _redirecting(net: Network) -> Iterator[Command]:
    """The rules that search for miners' words, and those that send what they find elsewhere.

    A rule that refuses such packets is a guard, and none of them.
    """
    lists: list[str] = []
    for menu in SEARCHING:
        for row in net.rows.of(menu):
            content = row.get("content")
            mining = content and any(word in content for word in MINING)
            if mining and row.get("action") in FILLS and not _refused(net, row.get("address-list")):
                lists.append(row.get("address-list"))
                yield row.command("content")
    for row in net.rows.where(NAT, "action", "dst-nat"):
        if row.get("dst-address-list") in lists:
            yield row.first


def _refused(net: Network, name: str) -> bool:
    """Return True if a rule refuses what has an address of a list."""
    rows = [row for menu in SEARCHING for row in net.rows.of(menu)]
    refusing = [row for row in rows if row.get("action") in REFUSES]
    return any(name in (row.get(word) for word in LISTS) for row in refusing)
