"""Counters and connections that only Linux has: how it is asked, and its answer as rows.

Names of properties are RouterOS's (its REST interface's, and those that `print stats` prints).
"""

from __future__ import annotations

import json
from typing import Any

from ppslab.model.packet_path.on_linux import firewall, queues, table, values
from ppslab.model.packet_path.on_linux.firewall import Marks
from ppslab.model.packet_path.on_linux.items import Ports
from ppslab.model.packet_path.on_linux.values import refuse
from rosexplain.parse import Row, Rows, split
from rosexplain.selection import is_number

CONNECTIONS = "/ip/firewall/connection"
LINKS = {
    # RouterOS's property, and where `ip -s -j link` has it
    "/interface": [("rx-byte", "rx", "bytes"), ("tx-byte", "tx", "bytes"),
                   ("rx-packet", "rx", "packets"), ("tx-packet", "tx", "packets"),
                   ("rx-drop", "rx", "dropped"), ("tx-drop", "tx", "dropped"),
                   ("rx-error", "rx", "errors"), ("tx-error", "tx", "errors")],
    "/interface/ethernet": [
        ("driver-rx-byte", "rx", "bytes"), ("driver-rx-packet", "rx", "packets"),
        ("driver-tx-byte", "tx", "bytes"), ("driver-tx-packet", "tx", "packets")],
}  # fmt: skip
QUEUES = ("/queue/simple", "/queue/tree")
_PORT = "@ "
"""What stands in front of a port's name in the answer about queues."""


def known(menu: str) -> bool:
    """Whether a menu has counters here."""
    rules = [path for path, _ in table.FIREWALLS]
    return menu in LINKS or menu in QUEUES or menu in rules


def asks(menu: str, ports: Ports) -> str:
    """The command whose output has the counters of a menu; empty where it has none."""
    if menu in LINKS:
        return "ip -s -j link"
    if menu in QUEUES:
        devices = " ".join(ports.devices())
        return (f"nft list table ip routeros-queues 2>/dev/null || :; for port in {devices}; do "
                f'echo "{_PORT}$port"; tc -s class show dev $port; done')  # fmt: skip
    family = firewall.family_of(menu)
    if family and known(menu):
        return f"nft list table {family} routeros-{firewall.kind_of(menu)} 2>/dev/null || :"
    return ""


def of_rows(menu: str, said: str, rows: Rows, ports: Ports) -> list[list[tuple[str, str]]]:
    """Of each row of a menu, in their order, its counters."""
    if menu in QUEUES:
        return _queues(menu, said, rows, ports)
    return _rules(said, rows.all_of(menu))


def of_links(menu: str, said: str) -> list[tuple[dict[str, Any], list[tuple[str, str]]]]:
    """Each entry of `ip -s -j link`, and its counters."""
    made = []
    for entry in json.loads(said or "[]"):
        counted = entry.get("stats64") or entry.get("stats") or {}
        pairs = [(name, str(counted.get(way, {}).get(what, 0))) for name, way, what in LINKS[menu]]
        made.append((entry, pairs))
    return made


def _rules(said: str, every: list[Row]) -> list[list[tuple[str, str]]]:
    chains = _counted(said)
    made = []
    for row in every:
        counted = chains.get(row.get("chain")) if row.on else None
        packets, size = counted.pop(0) if counted else ("0", "0")
        made.append([("bytes", size), ("packets", packets)])
    return made


def _counted(said: str) -> dict[str, list[tuple[str, str]]]:
    """Packets and bytes of each rule of a table, by the chain's name without `chain-`."""
    chains: dict[str, list[tuple[str, str]]] = {}
    chain = ""
    for line in said.split("\n"):
        words = line.split()
        if len(words) > 1 and words[0] == "chain":
            chain = words[1][6:] if words[1].startswith("chain-") else words[1]
            chains[chain] = []
        elif "counter packets " in line and chain:
            counted = line.split("counter packets ")[1].split()
            chains[chain].append((counted[0], counted[2]))
    return chains


def _queues(menu: str, said: str, rows: Rows, ports: Ports) -> list[list[tuple[str, str]]]:
    table_said, _, ports_said = said.partition(_PORT)
    placed = queues.placed(rows, ports, Marks())
    sorted_by = _counted(table_said).get("postrouting", [])
    classes = _classes(_PORT + ports_said)
    made = []
    for row in rows.all_of(menu):
        total = [0, 0, 0, 0, 0]
        for device in placed.trees:
            for at, each in enumerate(placed.trees[device]):
                if each.row is row:
                    there = classes.get((device, f"1:{at + 1:x}"), [0, 0, 0, 0, 0])
                    nested = each.parent and placed.trees[device][each.parent - 1].row is row
                    if not nested:
                        total = [total[at] + there[at] for at in range(len(total))]
        if menu == "/queue/tree":
            names = ("bytes", "packets", "dropped", "queued-bytes", "queued-packets")
            made.append([(name, str(total[at])) for at, name in enumerate(names)])
            continue
        ways = {True: [0, 0], False: [0, 0]}
        for at, (packets, size) in enumerate(sorted_by[: len(placed.sorted_for)]):
            owner, sends = placed.sorted_for[at]
            if owner is row:
                ways[sends][0] += int(packets)
                ways[sends][1] += int(size)
        made.append([("bytes", f"{ways[True][1]}/{ways[False][1]}"),
                     ("packets", f"{ways[True][0]}/{ways[False][0]}"),
                     ("total-dropped", str(total[2])),
                     ("total-queued-packets", str(total[4]))])  # fmt: skip
    return made


def _classes(said: str) -> dict[tuple[str, str], list[int]]:
    """Bytes, packets, dropped, and queued bytes and packets of each class, by port and number."""
    found: dict[tuple[str, str], list[int]] = {}
    device, now = "", [0, 0, 0, 0, 0]
    for line in said.split("\n"):
        words = line.replace("(", " ").replace(",", " ").split()
        if line.startswith(_PORT):
            device = words[1]
        elif words[:2] == ["class", "htb"]:
            now = found[(device, words[2])] = [0, 0, 0, 0, 0]
        elif words[:1] == ["class"]:
            now = [0, 0, 0, 0, 0]
        elif words[:1] == ["Sent"]:
            now[0], now[1], now[2] = int(words[1]), int(words[3]), int(words[6])
        elif words[:1] == ["backlog"]:
            now[3], now[4] = _number(words[1]), _number(words[2])
    return found


def _number(text: str) -> int:
    """A number as tc writes it: 12Kb, 3p."""
    digits = "".join([letter for letter in text if letter in "0123456789"])
    times = 1024 if "K" in text else 1024 * 1024 if "M" in text else 1
    return int(digits or "0") * times


# --- connections ---------------------------------------------------------------------------------

LIST = "conntrack -L 2>/dev/null || :"
_END = " 2>/dev/null || :"
_LET_GO = "\nsleep 1.5"
"""So long a flowtable of Linux may keep a connection that is gone (labs/fasttrack/tasks.yml)."""
_FILTERS = {"protocol": "-p", "src-address": "-s", "dst-address": "-d",
            "reply-src-address": "-r", "reply-dst-address": "-q"}  # fmt: skip


def connections(said: str) -> list[list[tuple[str, str]]]:
    """The rows of a table of connections, from what `conntrack -L` prints."""
    made = []
    for line in said.split("\n"):
        words = line.split()
        if len(words) < 4 or not is_number(words[1]):
            continue
        given: dict[str, list[str]] = {}
        for word in words[2:]:
            name, equals, value = word.partition("=")
            if equals:
                given.setdefault(name, []).append(value)
        pairs = [("protocol", words[0])]
        for at, way in enumerate(("", "reply-")):
            for end, port in (("src", "sport"), ("dst", "dport")):
                if len(given.get(end, [])) > at:
                    ports = given.get(port, [])
                    more = ":" + ports[at] if len(ports) > at else ""
                    pairs.append((f"{way}{end}-address", given[end][at] + more))
        if words[3].replace("_", "").isalpha() and words[3] == words[3].upper():
            pairs.append(("tcp-state", words[3].lower().replace("_", "-")))
        pairs += [("timeout", words[2] + "s")] if is_number(words[2]) else []
        pairs += [("seen-reply", "no" if "[UNREPLIED]" in line else "yes"),
                  ("assured", "yes" if "[ASSURED]" in line else "no"),
                  ("fasttrack", "yes" if "OFFLOAD]" in line else "no")]  # fmt: skip
        made.append(pairs)
    return made


def forget(which: str, marks: Marks) -> str:
    """The command that removes the connections of `[find ...]`."""
    if which[:1] != "[":
        raise refuse("which one? connections have no numbers here: [find], or "
                     "[find where src-address=...]")  # fmt: skip
    words = [word for word in split(which[1:-1].strip(" "))[0] if word not in ("and", "&&")]
    for first in ("find", "where"):
        if words and words[0] == first:
            words = words[1:]
    if not words:
        return "conntrack -F" + _END + _LET_GO
    made, status = "", []
    for word in words:
        name, equals, value = word.partition("=")
        value = value.strip('"')
        if name in ("fasttrack", "assured", "seen-reply") and (not equals or value == "yes"):
            status.append({"fasttrack": "OFFLOAD", "seen-reply": "SEEN_REPLY"}.get(name, "ASSURED"))
        elif equals and name == "protocol":
            made += f" -p {values.of(name, values.protocol, value)}"
        elif equals and name == "connection-mark":
            made += f" -m {values.of(name, marks.number, value)}"
        elif equals and name in _FILTERS:
            address, colon, _ = value.partition(":")
            made += f" {_FILTERS[name]} {values.of(name, values.one_address, address, False)}"
            if colon:
                raise refuse(f"{name}: an address without a port has a translation: {address}")
        else:
            raise refuse(
                f"{values.shown(word)}: [find where ...] knows protocol, src-address, dst-address, "
                "reply-src-address, reply-dst-address, connection-mark and fasttrack=yes here"
            )
    if status:
        made += " --status " + ",".join(status)
    return "conntrack -D" + made + _END + (_LET_GO if "OFFLOAD" in status else "")


# --- the profiler --------------------------------------------------------------------------------

PROFILES = {
    "total": [("ethernet", "all", "0%"), ("console", "all", "0%"), ("kvm", "all", "2.7%"),
              ("management", "all", "0%"), ("idle", "all", "97.2%"), ("profiling", "all", "0%"),
              ("bridging", "all", "0%")],
    "all": [("ethernet", "1", "0%"), ("kvm", "0", "0%"), ("kvm", "1", "4.5%"),
            ("management", "0", "0%"), ("management", "1", "0.5%"), ("idle", "0", "100%"),
            ("idle", "1", "93%"), ("profiling", "0", "0%"), ("profiling", "1", "2%")],
}  # fmt: skip
"""The two outputs that MikroTik's manual shows on its page Profiler (edition of 2026-05-26)."""
RECORDED = (
    "RECORDED, NOT THIS ROUTER: an example of a router with two cores, as MikroTik's manual prints "
    "it on its page Profiler (2026-05-26). Linux has no such classes."
)


def profile(words: list[str]) -> list[str]:
    """What `/tool/profile [cpu=all|total] [duration=...]` prints: a recording, marked as one."""
    cpu = "total"
    for word in words:
        name, equals, value = word.partition("=")
        if name == "cpu" and equals and value in PROFILES:
            cpu = value
        elif name != "duration" or not equals:
            raise refuse(f"{values.shown(word)}: here are cpu=total and cpu=all, and duration=")
    lines = [f"{name:<14}{core:<5}{usage}" for name, core, usage in PROFILES[cpu]]
    return [RECORDED, f"{'NAME':<14}{'CPU':<5}USAGE"] + lines
