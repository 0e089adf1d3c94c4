"""`print`, `export` and `?`: what was typed and what Linux has, in the manner of RouterOS."""

from __future__ import annotations

import json
from typing import Any

from ppslab.model.packet_path.on_linux import checking, counters, firewall, masking, table
from ppslab.model.packet_path.on_linux.items import Item, Ports
from ppslab.model.packet_path.on_linux.values import refuse
from rosexplain.parse import Command, Row, Rows

FLAGS = "Flags: X - DISABLED"
FASTTRACKED = "Flags: F - FASTTRACK (OFFLOAD, as Linux calls it)"
LINUX = ", L - FROM LINUX, NOT TYPED HERE: HAS NO NUMBER"

LIVE = {
    "/interface": "ip -j -d link",
    "/interface/ethernet": "ip -j -d link",
    "/ip/address": "ip -4 -j address",
    "/ipv6/address": "ip -6 -j address",
    "/ip/arp": "ip -4 -j neighbour",
    "/ipv6/neighbor": "ip -6 -j neighbour",
    "/ip/route": "ip -4 -j route",
    "/ipv6/route": "ip -6 -j route",
    counters.CONNECTIONS: counters.LIST,
}
"""Menus of which Linux has more than was typed, and the command that says it."""
WHOLE = ("/interface", "/interface/ethernet", counters.CONNECTIONS)
"""Of these Linux has every row."""
KINDS = {"veth": "ether", "gretap": "eoip"}
"""Kinds of interfaces of Linux that RouterOS calls otherwise."""
SHORT = ("chain", "action", "name", "target", "parent", "packet-mark", "comment")
"""What `print stats` says of a row beside its counters."""
COUNTED = "counted by Linux since the last change in this menu"


def printed(rows: Rows, command: Command, masked: bool = False) -> list[str]:
    """The rows of a menu that were typed; RefusedError for what is not printed, as counters."""
    menu = command.menu
    if menu not in table.menus() and menu not in LIVE:
        raise refuse(checking.none_at(menu))
    if command.selected not in ([], ["stats"], ["detail"]) or command.names:
        raise refuse(
            "only print, print detail (the same) and print stats work here, without a selection"
        )
    if stats(command):
        if not counters.known(menu):
            raise refuse(
                "print stats: Linux counts only for rules, interfaces and queues; use print"
            )
        since = "" if menu in counters.LINKS else "; " + COUNTED
        return [FLAGS + since]
    if menu in table.SINGLE:
        single = rows.single(menu)
        return [f"  {name}: {single.get(name) if single and single.get(name) else _default(name)}"
                for name in checking.properties_of(menu)]  # fmt: skip
    lines = [FLAGS if menu != counters.CONNECTIONS else FASTTRACKED]
    if menu in WHOLE:
        return lines
    for number, row in enumerate(rows.all_of(menu)):
        words = _words(row, ("disabled",), masked)
        lines.append(f" {number} {' ' if row.on else 'X'}  {words}")
    return lines


def stats(command: Command) -> bool:
    """Whether counters are asked for."""
    return command.selected == ["stats"]


def counted(menu: str, said: str, rows: Rows, ports: Ports) -> list[str]:
    """The rows of a menu with their counters; `said`: what Linux answered to `counters.asks`."""
    lines: list[str] = []
    if menu in counters.LINKS:
        names = named(ports)
        for entry, pairs in counters.of_links(menu, said):
            for _, words in _entry(menu, entry, names):
                lines.append(_line(str(len(lines)), entry, words[:1] + pairs))
        return lines
    every = counters.of_rows(menu, said, rows, ports)
    for number, row in enumerate(rows.all_of(menu)):
        own = [(name, row.get(name)) for name in SHORT if row.get(name)]
        text = " ".join([name + "=" + quoted(value) for name, value in own + every[number]])
        lines.append(f" {number} {' ' if row.on else 'X'}  {text}")
    return lines


def _line(number: str, entry: dict[str, Any], words: list[tuple[str, str]]) -> str:
    state = "" if "UP" in entry.get("flags", ["UP"]) else "X"
    text = " ".join([name + "=" + quoted(value) for name, value in words if value])
    return f" {number:<1} {state:<1}  {text}"


def named(ports: Ports) -> dict[str, str]:
    """The name of each device; the newest, where it has several."""
    names: dict[str, str] = {}
    for name, device in ports.more + ports.wired:
        if device not in names:
            names[device] = name
    return names


def _words(row: Row, but: tuple[str, ...], masked: bool) -> str:
    shown = [(name, masking.pair(row.menu.path, name, row.get(name), masked))
             for name in row.names if name not in but]  # fmt: skip
    return " ".join([f"{name}={quoted(value)}" for name, value in shown])


def live(menu: str, said: str, items: list[Item], ports: Ports) -> list[str]:
    """The rows of a menu that only Linux knows; `said`: what its command of LIVE printed."""
    known = [item.key for item in items]
    names = named(ports)
    lines: list[str] = []
    if menu == counters.CONNECTIONS:
        for pairs in counters.connections(said):
            flag = "F" if ("fasttrack", "yes") in pairs else ""
            text = " ".join([name + "=" + value for name, value in pairs])
            lines.append(f" {len(lines)} {flag:<1}  {text}")
        return lines
    for entry in json.loads(said or "[]"):
        for key, words in _entry(menu, entry, names):
            if key in known:
                continue
            whole = menu in WHOLE
            lines.append(_line(str(len(lines)) if whole else "L", entry if whole else {}, words))
    return lines


def _entry(
    menu: str, entry: dict[str, Any], names: dict[str, str]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """What one entry of `ip -j` comes to: the keys of its items, names and values of its rows."""
    device = entry.get("ifname") or entry.get("dev", "")
    name = names.get(device, device)
    if device == "lo":
        return []
    if menu in WHOLE:
        kind = entry.get("linkinfo", {}).get("info_kind", "veth")
        words = [("name", name), ("mtu", str(entry.get("mtu", "")))]
        words.append(("mac-address", entry.get("address", "").upper()))
        if menu == "/interface":
            words.insert(1, ("type", KINDS.get(kind, kind)))
        return [("", words)] if menu == "/interface" or kind == "veth" else []
    if menu in ("/ip/address", "/ipv6/address"):
        rows = []
        for each in entry.get("addr_info", []):
            if each.get("local"):
                whole = f"{each['local']}/{each['prefixlen']}"
                words = [("address", whole), ("interface", name)]
                rows.append((f"address {whole} dev {device}", words))
        return rows
    if menu in ("/ip/arp", "/ipv6/neighbor"):
        if not entry.get("lladdr"):
            return []
        words = [("address", entry["dst"]), ("mac-address", entry["lladdr"].upper()),
                 ("interface", name)]  # fmt: skip
        return [(f"neighbour {entry['dst']} {device}", words)]
    to, metric = entry["dst"], entry.get("metric")
    if to == "default":
        to = "0.0.0.0/0" if menu == "/ip/route" else "::/0"
    elif "/" not in to:
        to += "/32" if menu == "/ip/route" else "/128"
    ways = [each.get("gateway") or names.get(each["dev"], each["dev"])
            for each in entry.get("nexthops", [])]  # fmt: skip
    words = [("dst-address", to), ("gateway", ",".join(ways) or entry.get("gateway") or name),
             ("blackhole", "yes" if entry.get("type") == "blackhole" else ""),
             ("distance", str(metric or ""))]  # fmt: skip
    return [(f"route {to}" + (f" metric {metric}" if metric else ""), words)]


def exported(rows: Rows, command: Command, masked: bool = False) -> list[str]:
    """What was typed, in a menu and those below it, as commands that make the same again."""
    if command.selected or command.names:
        raise refuse("only plain `export` is supported here")
    below = command.menu if command.menu.endswith("/") else command.menu + "/"
    menus = [menu for menu in table.menus() if (menu + "/").startswith(below)]
    if not menus:
        raise refuse(checking.none_at(command.menu))
    lines = ["# The commands typed here; print also shows the settings that the lab made in Linux."]
    done: list[str] = []
    for menu in menus:
        if menu in done:
            continue
        done.append(menu)
        typed = []
        for row in rows.all_of(menu):
            if menu in table.SINGLE:
                typed.append("set " + _words(row, (), masked))
            elif menu == "/interface/ethernet":
                port = quoted(row.get("default-name") or row.key or row.get("name"))
                typed.append(
                    f"set [ find default-name={port} ] {_words(row, ('default-name',), masked)}"
                )
            elif menu in table.FIXED:
                port = quoted(row.get("interface") or row.key)
                typed.append(f"set [ find interface={port} ] {_words(row, ('interface',), masked)}")
            else:
                typed.append("add " + _words(row, (), masked))
        if typed:
            lines += [menu[:1] + menu[1:].replace("/", " ")] + typed
    return lines


def offered(menu: str, verb: str) -> list[str]:
    """What can be typed in a menu, or behind a verb of it."""
    if verb and menu in table.menus():
        for path, family in table.FIREWALLS:
            if path == menu:
                kind = firewall.kind_of(menu)
                more = [name for _, kinds, own, _ in table.ACTIONS if kind in kinds for name in own]
                return [" ".join(["chain", "action"] + firewall.matchers(family, kind) + more)]
        return [" ".join(checking.properties_of(menu))]
    below = menu if menu.endswith("/") else menu + "/"
    names: list[str] = []
    for path in table.menus() + list(LIVE):
        if path.startswith(below):
            name = path[len(below) :].split("/")[0]
            if name not in names:
                names.append(name)
    verbs: list[str] = []
    if menu in table.menus():
        fixed = menu in table.SINGLE or menu in table.FIXED
        verbs = ["set"] if fixed else ["add", "set", "remove", "enable", "disable", "move"]
    if menu in table.menus() or menu in LIVE:
        verbs.append("print")
    if counters.known(menu):
        verbs.append("print stats")
    if menu == counters.CONNECTIONS:
        verbs.append("remove [find ...]")
    if not names and not verbs:
        raise refuse(checking.none_at(menu))
    lines = ["menus: " + ", ".join(sorted(names))] if names else []
    return lines + ["commands: " + ", ".join(verbs + ["export", "/ping ADDRESS", "/tool/profile"])]


def _default(name: str) -> str:
    return table.DEFAULTS[name]


def quoted(value: str) -> str:
    """A value as a command has it."""
    if value and all(letter not in ' "\\$;' for letter in value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
