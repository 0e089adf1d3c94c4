"""What strangers leave in a router that they came into: commands from outside, mining.

And the schedules that cost the CPU its time.
"""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.matching import Met
from rosexplain.network import REFUSES, Network
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.scripts import run_by
from rosexplain.selection import is_number
from rosexplain.unused import FILLS, LISTS

SCHEDULER, NAT = "/system/scheduler", "/ip/firewall/nat"
SEARCHING = ("/ip/firewall/raw", "/ip/firewall/mangle", "/ip/firewall/filter")
MINUTE = 60
IN_TIME = (3600, 60, 1)
"""The seconds of each part of `00:00:10`."""
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
ON_FILES = ("fetch", "import", "export", "backup")
"""Commands that fetch, read or write files."""
MINING = ("mining.submit", "mining.subscribe", "mining.authorize", "eth_submit", "eth_getwork",
          "stratum+tcp")  # fmt: skip
"""The words of the protocols in which miners report to a pool (Stratum, eth-proxy)."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with the lines that meet it."""
    every = [
        ("commands-fetched", [row.command("on-event") for row in _fetching(net)]),
        ("mining-redirected", list(_redirecting(net))),
        ("fetched-often", [row.command("interval") for row in _often(net)]),
    ]
    return [(rule, lines) for rule, lines in every if lines]


def _fetching(net: Network) -> Iterator[Row]:
    """The schedules that fetch a file and import it, by themselves or by a script."""
    for row in net.rows.of(SCHEDULER):
        if any("fetch" in text and "import" in text for text in run_by(net.rows, row, "on-event")):
            yield row


def _often(net: Network) -> Iterator[Row]:
    """The schedules that fetch or write a file more often than once a minute."""
    for row in net.rows.of(SCHEDULER):
        seconds = seconds_of(row.get("interval"))
        if not 0 < seconds < MINUTE:
            continue
        words = [word for text in run_by(net.rows, row, "on-event")
                 for word in text.replace("/", " ").replace("{", " ").split()]  # fmt: skip
        if any(word in ON_FILES for word in words):
            yield row


def seconds_of(text: str) -> int:
    """The seconds of a time such as `1m30s` or `00:00:10`; 0 where it cannot be read."""
    if ":" in text:
        parts = text.split(":")
        if not all(map(is_number, parts)) or len(parts) != len(IN_TIME):
            return 0
        return sum(int(part) * unit for part, unit in zip(parts, IN_TIME, strict=True))
    seconds, digits = 0, ""
    for letter in text:
        if letter in UNITS and digits:
            seconds, digits = seconds + int(digits) * UNITS[letter], ""
        elif is_number(letter):
            digits += letter
        else:
            return 0
    return 0 if digits else seconds


def _redirecting(net: Network) -> Iterator[Command]:
    """The rules that search for miners' words, and those that send what they find elsewhere.

    A rule that refuses such packets is a guard, and none of them.
    """
    lists: list[str] = []
    for menu in SEARCHING:
        for row in net.rows.saying(menu, "content"):
            mining = any(word in row.get("content") for word in MINING)
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
