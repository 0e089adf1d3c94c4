"""What strangers leave in a router that they came into: commands from outside, mining.

And the schedules and probes that cost the CPU its time, or clients their connections.
"""

from __future__ import annotations

from collections.abc import Iterator

from rosexplain.durations import milliseconds_of
from rosexplain.matching import Met, met_by
from rosexplain.network import REFUSES, Network
from rosexplain.parse import Command
from rosexplain.rows import Row
from rosexplain.scripts import run_by
from rosexplain.unused import FILLS, LISTS

SCHEDULER, NAT = "/system/scheduler", "/ip/firewall/nat"
NETWATCH, SIMPLE, SCRIPTS = "/tool/netwatch", "simple", ("up-script", "down-script")
CLEARED = (["ip", "firewall", "connection"], ["ppp", "active"], ["ip", "hotspot", "active"])
"""The menus of what runs: connections and sessions."""
SEARCHING = ("/ip/firewall/raw", "/ip/firewall/mangle", "/ip/firewall/filter")
MINUTE = 60_000  # milliseconds
ON_FILES = ("fetch", "import", "export", "backup")
"""Commands that fetch, read or write files."""
REBOOT = ["system", "reboot"]
UPDATING = ("package", "upgrade")
"""Words of the commands that look for a release, load or install it."""
ONCE = ("", "0s", "00:00:00")
"""The intervals of a schedule that runs once."""
MINING = ("mining.submit", "mining.subscribe", "mining.authorize", "eth_submit", "eth_getwork",
          "stratum+tcp")  # fmt: skip
"""The words of the protocols in which miners report to a pool (Stratum, eth-proxy)."""
SUBMITS = "submit"
"""What their other words have in common: `job.submit`."""
DNS_STATIC = "/ip/dns/static"
VENDOR = ".mikrotik.com"
NOWHERE = ("127.", "0.0.0.0")
"""The beginnings of addresses that lead to nobody else."""


def met(net: Network) -> list[Met]:
    """The ids of the rules that hold, each with the lines that meet it."""
    every = [
        ("commands-fetched", "on-event", _fetching(net)),
        ("fetched-often", "interval", _often(net)),
        ("reboots-again", "on-event", _rebooting(net)),
        ("upgrades-blocked", "name", _blocking(net)),
    ]
    by_lines = [("mining-redirected", list(_redirecting(net))),
                ("connections-cleared", _clearing(net))]  # fmt: skip
    return met_by(every) + [(rule, lines) for rule, lines in by_lines if lines]


def _fetching(net: Network) -> Iterator[Row]:
    """The schedules that fetch a file and import it, by themselves or by a script."""
    for row in net.rows.of(SCHEDULER):
        scripts = [list(_commands_in(text)) for text in run_by(net.rows, row, "on-event")]
        if any(any("fetch" in words for words in script)
               and ["import"] in [words[:1] for words in script]
               for script in scripts):  # fmt: skip
            yield row


def _commands_in(text: str) -> Iterator[list[str]]:
    """The words of each command of a script: of `/certificate import a`, import is not the first.

    A comment is none.
    """
    for mark in "\r;{}[]()":
        text = text.replace(mark, "\n")
    for line in text.split("\n"):
        if line.strip()[:1] != "#":
            yield line.replace("/", " ").split()


def _rebooting(net: Network) -> Iterator[Row]:
    """The schedules that reboot the router again and again, but for those that update it first."""
    for row in net.rows.of(SCHEDULER):
        words = [one for text in run_by(net.rows, row, "on-event") for one in _commands_in(text)]
        updates = any(word in one for word in UPDATING for one in words)
        if row.get("interval") not in ONCE and REBOOT in [one[:2] for one in words] and not updates:
            yield row


def _clearing(net: Network) -> list[Command]:
    """The probes of a host that end all connections, or all sessions, when it answers or does not.

    Not those of type icmp, which send several packets; one lost one changes the others' state.
    """
    lines: list[Command] = []
    for row in net.rows.of(NETWATCH):
        if row.get("type", SIMPLE) != SIMPLE:
            continue
        names = [name for name in SCRIPTS for text in run_by(net.rows, row, name)
                 if _clears(list(_commands_in(text)))]  # fmt: skip
        lines += [row.command(name) for name in names[:1]]
    return lines


def _clears(script: list[list[str]]) -> bool:
    """Return True for `/ip firewall connection remove [find]`: of find with a condition, not."""
    return any(command[:-1] in CLEARED and command[-1] == "remove"
               and [words[-1:] for words in script[place + 1 : place + 2]] == [["find"]]
               for place, command in enumerate(script))  # fmt: skip


def _often(net: Network) -> Iterator[Row]:
    """The schedules that fetch or write a file more often than once a minute."""
    for row in net.rows.of(SCHEDULER):
        if not 0 < milliseconds_of(row.get("interval")) < MINUTE:
            continue
        words = [word for text in run_by(net.rows, row, "on-event")
                 for one in _commands_in(text)
                 for word in (one if one[:1] not in (["log"], [":log"]) else [])]  # fmt: skip
        if any(word in ON_FILES for word in words) and "route" not in words:  # no watch of a line
            yield row


def _blocking(net: Network) -> Iterator[Row]:
    """The static names of MikroTik's servers that lead nowhere."""
    for row in net.rows.of(DNS_STATIC):
        address, vendor = row.get("address"), ("." + row.get("name"))[-len(VENDOR) :] == VENDOR
        if vendor and any(address[: len(start)] == start for start in NOWHERE):
            yield row


def is_mining(content: str) -> bool:
    """Return True if a text is a word by which miners report to a pool."""
    return any(word in content for word in MINING)


def _redirecting(net: Network) -> Iterator[Command]:
    """The rules that search for miners' words, and those that send what they find elsewhere.

    A rule that refuses such packets is a guard, and none of them.
    """
    lists: list[str] = []
    sent = [row for row in net.rows.where(NAT, "action", "dst-nat") if row.get("dst-address-list")]
    diverted = [row.get("dst-address-list") for row in sent]
    for menu in SEARCHING:
        for row in net.rows.saying(menu, "content"):
            submits = SUBMITS in row.get("content") and row.get("address-list") in diverted
            mining = submits or is_mining(row.get("content"))
            if mining and row.get("action") in FILLS and not _refused(net, row.get("address-list")):
                lists.append(row.get("address-list"))
                yield row.command("content")
    for row in sent:
        if row.get("dst-address-list") in lists:
            yield row.first


def _refused(net: Network, name: str) -> bool:
    """Return True if a rule refuses what has an address of a list."""
    rows = [row for menu in SEARCHING for row in net.rows.of(menu)]
    refusing = [row for row in rows if row.get("action") in REFUSES]
    return any(name in (row.get(word) for word in LISTS) for row in refusing)
