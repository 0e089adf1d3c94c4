"""A RouterOS device, as far as its REST interface is on record: README.md, beside this, has the
table of what is recorded, where, and what is [INF], inferred.

`Device` is the device and what a test can switch on it; `Server` lets it listen.  It answers what
ppslab asks: GET, PUT, PATCH and DELETE on menus, `set` of settings, `unset`, /console/inspect, and
`/execute` of /export.
"""

from __future__ import annotations

import base64
import copy
import ipaddress
import json
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any

from tests.support.doubles import routeros_shapes, routeros_traffic
from tests.support.doubles.http_server import Answered, Asked, HttpServer, HungUpError
from tests.support.doubles.routeros_menus import Item, Menus, RefusedError, Words, bad, gone

__all__ = ["Device", "Fault", "HungUpError", "RefusedError", "Server", "bad"]

LIMIT = 60.0
"""Seconds after which RouterOS breaks a call off (MAN:developer-guides/rest-api)."""

CLOSED = "Session closed"
"""What it says then (terraform-provider-routeros, resource_actions.go)."""


@dataclass
class Fault:
    """Something that goes wrong.  `name` is one of README.md's; the rest says when.

    `path`: requests whose path begins so; `method`: of this method; `after`: so many of them are
    answered well first; `times`: so many go wrong, None: all.
    """

    name: str
    path: str = "/"
    method: str = ""
    after: int = 0
    times: int | None = None
    detail: str = ""

    def takes(self, method: str, path: str) -> bool:
        """Whether it happens to this request."""
        if not path.startswith(self.path) or (self.method and method != self.method):
            return False
        if self.after:
            self.after -= 1
            return False
        if self.times is not None:
            self.times -= 1
            return self.times >= 0
        return True


@dataclass
class Device:
    """The device.  `pace`: seconds that a second of it takes."""

    user: str = "admin"
    password: str = ""
    version: str = "7.19.4 (stable)"
    board: str = "CHR"
    hardware: bool = False
    """Whether it has a switch chip."""
    interfaces: tuple[str, ...] = ("ether1", "ether2", "ether3", "ether4")
    cpus: int = 1
    memory: int = 1073741824
    level: str | None = "free"
    """Of a CHR's licence; None: a device that has another kind of licence."""
    load: int = 0
    pace: float = 0.3
    down: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        numbers = self.version.split()[0].split(".")
        self.words = Words((int(numbers[0]), int(numbers[1])), self.hardware)
        self.tree = Menus(self.words)
        self._lock = threading.RLock()
        self._furnish()

    def _furnish(self) -> None:
        """Put into a new device what it comes with."""
        tree = self.tree
        for menu in ("/ppp/profile", "/ip/ipsec/proposal"):
            default = {**routeros_shapes.DEFAULTS[menu], "name": "default", "default": "true"}
            tree.put(menu, default, "*0")
        if self.words.version < (7, 18):
            six = tree.singles["/ipv6/settings"]
            for word in [word for word in six if "fast" in word]:
                del six[word]
        if self.hardware:
            switch = {"name": "switch1", "l3-hw-offloading": "false"}
            tree.put("/interface/ethernet/switch", switch, "*0")
            tree.singles["/interface/ethernet/switch/l3hw-settings"] = {
                "autorestart": "false", "fasttrack-hw": "true", "hw-supports-fasttrack": "true",
                "icmp-reply-on-error": "true", "ipv6-hw": "false",
            }  # fmt: skip
        for number, name in enumerate(self.interfaces):
            self._port(number, name)

    def _port(self, number: int, name: str) -> None:
        mac = f"0C:00:0F:87:79:{number:02X}"
        own = {"default-name": name, "mac-address": mac, "name": name, "orig-mac-address": mac}
        port = {**routeros_shapes.ETHERNET, **own}
        self.tree.put("/interface/ethernet", port, f"*{number + 2:X}")
        queue = "only-hardware-queue"
        item = {"interface": name, "queue": queue, "active-queue": queue, "default-queue": queue}
        self.tree.put("/queue/interface", item)
        self.tree.put("/system/resource/irq/rps", {"name": name, "disabled": "true"})
        irq = str(24 + len(self.tree.items("/system/resource/irq")))
        row = {**routeros_shapes.IRQ, "irq": irq, "users": name}
        self.tree.put("/system/resource/irq", row)
        if self.hardware:
            switched = {"name": name, "switch": "switch1", "l3-hw-offloading": "false"}
            self.tree.put("/interface/ethernet/switch/port", switched)

    def fault(self, name: str, path: str = "/", **when: Any) -> Fault:
        """Switch a fault on."""
        self.faults.append(Fault(name, path, **when))
        return self.faults[-1]

    def carry(self, left: str, right: str, packets: int, size: int) -> None:
        """Let packets come in at port `left` and go out at `right`: counters move."""
        with self._lock:
            routeros_traffic.carry(self.tree, left, right, packets, size)

    @property
    def resource(self) -> Item:
        """/system/resource."""
        return {
            **routeros_shapes.RESOURCE, "version": self.version, "board-name": self.board,
            "cpu-count": str(self.cpus), "total-memory": str(self.memory),
            "cpu-load": str(self.load),
        }  # fmt: skip

    def answer(self, method: str, path: str, words: Any) -> Any:
        """What the device answers to a request below /rest."""
        self.requests.append((method, path, words))
        where, _, query = path.partition("?")
        where = urllib.parse.unquote(where).removeprefix("/rest") or "/"
        fault = next((each for each in self.faults if each.takes(method, where)), None)
        if fault and fault.name not in ("lost-answer", "keeps-not"):
            return self._wrong(fault)
        with self._lock:
            kept = (
                copy.deepcopy((self.tree.lists, self.tree.singles))
                if fault and fault.name == "keeps-not"
                else None
            )
            answer = self._answer(method, where, query, words)
            if kept:
                self.tree.lists, self.tree.singles = kept
        if fault and fault.name == "lost-answer":
            raise HungUpError
        return answer

    def _wrong(self, fault: Fault) -> Any:
        """What is answered where it goes wrong and nothing is done."""
        match fault.name:
            case "refuses":
                raise bad(fault.detail or "failure: refused")
            case "time-limit":
                time.sleep(LIMIT * self.pace)
                raise bad(CLOSED)
            case "half-booted":
                return self.resource
            case "no-json":
                return "<html>RouterOS</html>"
            case "hangs-up":
                raise HungUpError
            case "device-mode":
                raise bad("failure: not allowed by device-mode")
        raise AssertionError(f"the double has no fault {fault.name}")

    def _answer(self, method: str, where: str, query: str, words: Any) -> Any:
        if (method, where) == ("POST", "/execute"):
            return {"ret": self._export() if "export" in words["script"] else ""}
        routeros_traffic.refresh(self.tree)
        menu, rest = self.words.split(where)
        match method, rest:
            case "GET", _:
                return self._get(menu, rest, query)
            case "PUT", []:
                return self._row(menu, self.tree.add(menu, words))
            case "PATCH", [number]:
                number = self.tree.find(menu, number)
                self.tree.set(menu, number, words)
                return self._row(menu, number)
            case "DELETE", [number]:
                self.tree.remove(menu, self.tree.find(menu, number))
                return None
            case "POST", [command]:
                return self._command(menu, command, words)
        raise RefusedError(406, "Not Acceptable", f"no such command or directory ({method})")

    def _get(self, menu: str, rest: list[str], query: str) -> Any:
        if rest:
            if self.words.single(menu):
                raise bad(f"no such command or directory ({rest[0]})")
            return self._row(menu, rest[0])
        wanted = {
            name for _, value in urllib.parse.parse_qsl(query) for name in value.split(",")
        }  # .proplist

        def projected(row: Item) -> Item:
            return {word: value for word, value in row.items() if not wanted or word in wanted}

        rows = self.rows(menu)
        return projected(rows) if isinstance(rows, dict) else [projected(row) for row in rows]

    def _row(self, menu: str, number: str) -> Item:
        for row in self.rows(menu):
            if number in (row[".id"], row.get("name")):
                found: Item = row
                return found
        raise gone()

    def rows(self, menu: str) -> Any:
        """All that a menu has: a list, or one object."""
        match menu:
            case "/system/resource":
                return self.resource
            case "/system/license":
                return self._licence()
            case "/interface":
                return [self._listed(*each) for each in self.tree.interfaces()]
        if self.words.single(menu):
            return dict(self.tree.singles.get(menu, {}))
        items = [{".id": number, **item} for number, item in self.tree.items(menu).items()]
        return items + (self._connected() if menu == "/ip/route" else [])

    def _licence(self) -> Item:
        if self.level is None:
            return {"features": "", "nlevel": "6", "software-id": "ABCD-EF12"}
        return {**routeros_shapes.LICENSE, "level": self.level}

    def _listed(self, menu: str, number: str, item: Item) -> Item:
        """An interface as /interface lists it."""
        kind = routeros_shapes.KINDS[menu]
        row = {".id": number, **routeros_shapes.INTERFACE, "type": kind, "name": item["name"]}
        row |= {word: item[word] for word in row if word in item}
        more = ("default-name", "mac-address", "comment")
        row |= {word: item[word] for word in more if word in item}
        if row["mtu"].isdigit():
            row["actual-mtu"] = row["mtu"]
        if item.get("default-name", item["name"]) in self.down or item.get("disabled") == "true":
            row["running"] = "false"
        return row

    def _connected(self) -> list[Item]:
        """The routes that addresses make (fields as the manual lists them [INF])."""
        return [
            {
                ".id": f"*4000{number[1:]}", "active": "true", "connect": "true",
                "disabled": "false", "distance": "0", "dynamic": "true", "inactive": "false",
                "dst-address": str(ipaddress.IPv4Interface(item["address"]).network),
                "gateway": item["interface"], "immediate-gw": item["interface"],
                "routing-table": "main", "scope": "10", "target-scope": "5",
            }
            for number, item in self.tree.items("/ip/address").items()
            if item["disabled"] == "false"
        ]  # fmt: skip

    def _command(self, menu: str, command: str, words: Any) -> Any:
        if not isinstance(words, dict):
            raise bad("malformed body")
        match menu, command:
            case _, "set" if self.words.single(menu):
                self.tree.set(menu, "", words)
                return []
            case _, "unset" if self.words.has(menu, "unset"):
                self.tree.unset(menu, words.get("numbers", ""), words.get("value-name", ""))
                return []
            case "/console", "inspect":
                *above, name = words.get("path", "").split(",")
                return [
                    {"name": word, "node-type": kind, "type": "child"}
                    for word, kind in self.words.below("/" + "/".join(above), name)
                ]
        raise bad(f"no such command or directory ({command})")

    def _export(self) -> str:
        """The configuration as `/export` prints it, as far as a test wants to see it [INF]."""
        lines = [f"# by RouterOS {self.version.split()[0]}"]
        for menu, items in sorted(self.tree.lists.items()):
            lines.append("/" + menu.strip("/").replace("/", " "))
            for item in items.values():
                words = " ".join(f'{word}="{value}"' for word, value in sorted(item.items()))
                lines.append(f"add {words}")
        return "\r\n".join(lines) + "\r\n"


class Server(HttpServer):
    """The device, listening on a port of this machine while the `with` block lasts."""

    def __init__(self, device: Device) -> None:
        self.device = device
        super().__init__(self._answer, keeps=True)

    def _answer(self, asked: Asked) -> Answered:
        login = f"{self.device.user}:{self.device.password}".encode()
        try:
            if asked.login != f"Basic {base64.b64encode(login).decode()}":
                raise RefusedError(401, "Unauthorized")
            words = json.loads(asked.text) if asked.text else None
            body = self.device.answer(asked.method, asked.path, words)
        except RefusedError as refused:
            return Answered(refused.status, refused.body)
        return Answered(201 if asked.method == "PUT" else 204 if body is None else 200, body)
