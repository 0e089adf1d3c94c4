"""What a router printed, as further evidence: settings, counters, flags of ports, the profile.

The text is that of the terminal, with or without its prompts.  Values become rows as those of an
export; counters become sentences.
"""

from __future__ import annotations

from typing import Any

from ppslab.theory.packet_path.exports.reading import Command

SETTINGS = {
    "ipv4-fast-path-active": ("/ip/settings", "The IPv4 fast path"),
    "ipv4-fasttrack-active": ("/ip/settings", "FastTrack of IPv4"),
    "ipv6-fast-path-active": ("/ipv6/settings", "The IPv6 fast path"),
    "ipv6-fasttrack-active": ("/ipv6/settings", "FastTrack of IPv6"),
    "bridge-fast-path-active": ("/interface/bridge/settings", "The bridge's fast path"),
}
COUNTERS = ("ipv4-fast-path-packets", "ipv4-fasttrack-packets", "ipv6-fast-path-packets",
            "ipv6-fasttrack-packets", "bridge-fast-path-packets", "bridge-fast-forward-packets",
            "fp-rx-packet", "fp-tx-packet")  # fmt: skip
KEPT = {"allow-fast-path": "", "use-ip-firewall": "/interface/bridge/settings"}
RUNNING = {"sniffer": "/tool/sniffer", "traffic-generator": "/tool/traffic-generator"}
ACTIVE = {"ipv4-fast-path-active": "4", "ipv6-fast-path-active": "6"}
"""What a router says of itself; with it, nothing that an export hides is in question."""

TOLD = "/printed"
"""The menu under which is kept what a router said and no export has."""

DYNAMIC = {"/queue/simple": "queues", "/ip/ipsec/policy": "policies"}
"""Menus whose dynamic rows are counted: none of them, or some that no export shows."""

PORTS = "/interface/bridge/port"
FULL = 90.0
"""Per cent of one core beyond which it is the limit."""


def read(text: str, file: str) -> tuple[list[Command], list[dict[str, Any]]]:
    """The rows that a router's output comes to, and what it says beside; nothing is refused."""
    commands: list[Command] = []
    seen: list[dict[str, Any]] = []
    menu = ""
    cores: dict[str, float] = {}
    ports = Ports()
    lines = text.replace("\r", "").split("\n")
    number = 0
    for line in lines:
        number += 1
        stripped = line.strip(" \t")
        if stripped.startswith("> /"):
            stripped = stripped[2:]  # copied without the prompt's name
        if "] >" in stripped or stripped.startswith("/"):
            menu = stripped[stripped.find("] >") + 3 :] if "] >" in stripped else stripped
            menu = menu.strip(" ").replace(" ", "/")
            menu = menu if menu.startswith("/") else "/" + menu
            ports = Ports()
            continue
        if menu.startswith(PORTS):
            ports.take(line, file, number, commands, seen)
            continue
        name, colon, value = stripped.partition(":")
        name, value = name.strip(" "), value.strip(" ")
        if colon and " " not in name:
            _value(commands, seen, menu, name, value, file, number)
        elif stripped.isdigit() and "count-only" in menu:
            what = "fast-tracked connections" if "fasttrack" in menu else "rows of " + menu
            seen.append({"what": what, "value": stripped, "line": number, "speaks": "count"})
            _counted(commands, menu, stripped, file, number)
        else:
            _words(seen, menu, stripped, number)
            _profile(cores, stripped)
    for core in sorted(cores):
        if cores[core] >= FULL:
            value = str(int(cores[core])) + " %"
            seen.append({"what": "core " + core + " is full", "value": value, "line": 0,
                         "speaks": "against"})  # fmt: skip
    return commands, seen


def _value(
    commands: list[Command], seen: list[dict[str, Any]], menu: str, name: str, value: str,
    file: str, number: int,
) -> None:  # fmt: skip
    if name in SETTINGS:
        where, what = SETTINGS[name]
        open_ = value in ("yes", "true")
        seen.append({"what": what, "value": "open" if open_ else "closed", "line": number,
                     "speaks": "for" if open_ else "against"})  # fmt: skip
        if name in ACTIVE:
            told = "yes" if open_ else "no"
            commands.append(_set(file, number, TOLD, "active-" + ACTIVE[name], told))
    elif name in COUNTERS:
        speaks = "for" if value.replace(" ", "").strip("0") else "against"
        seen.append({"what": name, "value": value, "line": number, "speaks": speaks})
    elif name in KEPT and value in ("yes", "no"):
        where = KEPT[name] or _menu_of(menu)
        if where:
            commands.append(_set(file, number, where, name, value))
    elif name == "running" and value in ("yes", "no"):
        for tool in ("sniffer", "traffic-generator"):
            if tool in menu:
                commands.append(_set(file, number, RUNNING[tool], name, value))


def _menu_of(menu: str) -> str:
    for known in ("/interface/bridge/settings", "/ipv6/settings", "/ip/settings"):
        if menu.startswith(known):
            return known
    return ""


def _counted(commands: list[Command], menu: str, value: str, file: str, number: int) -> None:
    """Rows that come and go: none at all, or some that close the fast path as an export's would."""
    for known, called in DYNAMIC.items():
        if menu.startswith(known) and "dynamic" in menu:
            commands.append(_set(file, number, TOLD, called, value))
            if int(value):
                made = _set(file, number, known, "dynamic", "yes")
                made.command = "add"
                commands.append(made)


class Ports:
    """`/interface/bridge/port/print`: whether a port has the flag H, by the columns of its head."""

    def __init__(self) -> None:
        self.name = -1
        self.bridge = -1
        self.last: dict[str, Any] | None = None
        self.found = [0, 0]

    def take(
        self, line: str, file: str, number: int, commands: list[Command], seen: list[dict[str, Any]]
    ) -> None:
        """Take a line of the table."""
        if "INTERFACE" in line and "BRIDGE" in line and ":" not in line:
            self.name, self.bridge = line.find("INTERFACE"), line.find("BRIDGE")
            return
        front, name = line[: self.name].split(), line[self.name : self.bridge].strip(" ")
        if self.name < 0 or not front or not front[0].isdigit() or not name:
            return
        flags = "".join(front[1:])
        flagged = "H" in flags
        command = _set(file, number, PORTS, "hw-flag", "yes" if flagged else "no")
        command.selected.append('[find interface="' + name + '"]')
        commands.append(command)
        self.found = [self.found[0] + (1 if flagged else 0), self.found[1] + 1]
        if self.last is None:
            self.last = {"what": "ports of bridges in the switch chip (flag H)", "line": number}
            seen.append(self.last)
        self.last["value"] = str(self.found[0]) + " of " + str(self.found[1])
        self.last["speaks"] = "for" if self.found[0] == self.found[1] else "against"


def _set(file: str, number: int, menu: str, name: str, value: str) -> Command:
    command = Command(file, number, number, menu, "set")
    command.properties[name] = value
    command.names.append(name)
    return command


def _words(seen: list[dict[str, Any]], menu: str, line: str, number: int) -> None:
    """`name="ether1" ... fp-rx-packet=0 fp-tx-packet=0`, as print stats-detail has it."""
    for word in line.split():
        name, equals, value = word.partition("=")
        if equals and name in COUNTERS and value.replace(" ", "").isdigit():
            speaks = "for" if value.strip("0") else "against"
            seen.append({"what": name, "value": value, "line": number, "speaks": speaks})


def _profile(cores: dict[str, float], line: str) -> None:
    """A row of /tool/profile cpu=all: name, core, share."""
    words = line.split()
    if len(words) == 3 and words[1].isdigit() and words[2].endswith("%") and words[0] != "idle":
        try:
            cores[words[1]] = cores.get(words[1], 0.0) + float(words[2][:-1])
        except ValueError:
            return
