"""A RouterOS device, as far as its REST interface is on record: README.md, beside this, has the
table of what is recorded, where, and what is [INF], inferred.

`Device` is the device and what a test can switch on it; `Server` lets it listen.  Its menus and
their words are those of `versions.schema`: the command tree of a real CHR.
"""

from __future__ import annotations

import base64
import copy
import json
import re
import threading
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ppslab.testbed.routers.routeros.rsc import versions
from tests.support.doubles import routeros_shapes as shapes
from tests.support.doubles.http_server import Answered, Asked, HttpServer, HungUpError

__all__ = ["Device", "Fault", "HungUpError", "RefusedError", "Server", "bad"]

Item = dict[str, str]

NAMES_OF_PORTS = (
    "interface",
    "bridge",
    "slaves",
    "tagged",
    "untagged",
    "gateway",
    "users",
    "ports",
)
"""Words that name interfaces, which follow one to a new name."""

NAMED_AS_PORTS = ("/system/resource/irq/rps", "/interface/ethernet/switch/port")

MUST_BE_THERE = ("interface", "bridge", "slaves")

MAC = r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}"

CONNECTIONS = "/ip/firewall/connection"

CLOSING = (*(f"/ip/firewall/{t}" for t in ("filter", "nat", "mangle", "raw")), "/queue/simple")
"""Menus of which any row closes the IPv4 fast path (the manual: packet flow, fast path)."""


class RefusedError(Exception):
    """A request that RouterOS would refuse: status and detail."""

    def __init__(self, status: int, message: str, detail: str = "") -> None:
        self.status = status
        self.body = {"error": status, "message": message} | ({"detail": detail} if detail else {})
        super().__init__(detail or message)


def bad(detail: str) -> RefusedError:
    """A request with wrong words."""
    return RefusedError(400, "Bad Request", detail)


class Menus:
    """All that is configured.  `lists`: a menu's items by id, in order; `singles`: the others."""

    def __init__(self, version: str, *, hardware: bool) -> None:
        self.root = versions.schema(version, hardware=hardware).root
        self.lists: dict[str, dict[str, Item]] = {}
        self.singles = copy.deepcopy(shapes.SINGLES)
        self._ids = count(1)
        if versions.parse(version) < (7, 18):
            six = self.singles["/ipv6/settings"]
            self.singles["/ipv6/settings"] = {k: v for k, v in six.items() if "fast" not in k}

    def split(self, path: str) -> tuple[str, list[str]]:
        """The menu of a path, and what stands behind it: an item, a command, nothing."""
        node, menu, rest = self.root, "", [part for part in path.split("/") if part]
        while rest and (below := node.get("c", {}).get(rest[0])) and not below.get("k"):
            node, menu = below, f"{menu}/{rest.pop(0)}"
        if not menu or len(rest) > 1 or (rest and not {"print", rest[0]} & node["c"].keys()):
            raise bad(f"no such command or directory ({rest[0] if rest else path})")
        return menu, rest

    def commands(self, menu: str) -> dict[str, Any]:
        node = self.root
        for part in menu.strip("/").split("/"):
            node = node.get("c", {}).get(part, {})
        found: dict[str, Any] = node.get("c", {})
        return found

    def single(self, menu: str) -> bool:
        """Whether a menu is one object, not a list."""
        return "find" not in self.commands(menu)

    def items(self, menu: str) -> dict[str, Item]:
        return self.lists.setdefault(menu, {})

    def interfaces(self) -> Iterator[tuple[str, str, Item]]:
        """The menu, the id and the item of every interface."""
        for menu in shapes.KINDS:
            for number, item in self.items(menu).items():
                yield menu, number, item

    def named(self, name: str) -> Item | None:
        return next((item for _, _, item in self.interfaces() if item["name"] == name), None)

    def put(self, menu: str, item: Item, number: str = "") -> str:
        """An item as it is, without a look at its words; its id."""
        there = self.items(menu)
        number = number or next(f"*{n:X}" for n in self._ids if f"*{n:X}" not in there)
        there[number] = dict(item)
        return number

    def add(self, menu: str, words: Any) -> str:
        """Add an item; its id."""
        if self.single(menu) or "add" not in self.commands(menu):
            raise RefusedError(406, "Not Acceptable", "no such command or directory (add)")
        kept = self._kept(menu, "add", words)
        return self.put(menu, {**shapes.DEFAULTS.get(menu, {"disabled": "false"}), **kept})

    def set(self, menu: str, number: str, words: Any) -> None:
        """Change an item, or a menu of one object."""
        kept = self._kept(menu, "set", words)
        if self.single(menu):
            self.singles.setdefault(menu, {}).update(kept)
            return
        item = self.item(menu, number)
        before = item.get("name")
        item |= kept
        if not item.get("comment", "x"):
            del item["comment"]
        if menu in shapes.KINDS and before is not None:
            self._rename(before, item["name"])

    def item(self, menu: str, number: str) -> Item:
        if number not in self.items(menu):
            raise RefusedError(404, "Not Found", "no such item")
        return self.items(menu)[number]

    def _rename(self, before: str, now: str) -> None:
        """All that names an interface follows it to its new name."""
        for menu, there in self.lists.items():
            words = (*NAMES_OF_PORTS, "name") if menu in NAMED_AS_PORTS else NAMES_OF_PORTS
            for item in there.values():
                for word in words:
                    if before in (names := item.get(word, "").split(",")):
                        item[word] = ",".join(now if name == before else name for name in names)

    def _kept(self, menu: str, command: str, words: Any) -> Item:
        """The words as the device keeps them.  RefusedError where RouterOS would refuse."""
        node = self.commands(menu)[command]
        known, kept = node.get("a", {}), {}
        for word, value in words.items():
            if word not in known:
                raise bad(f"unknown parameter {word}")
            kept[word] = self._value(word, known[word], value)
        for word in node.get("r") or ():
            if word != "numbers" and word not in words:
                raise bad(f"missing ={word}=")
        return kept

    def _value(self, word: str, argument: dict[str, Any], value: str) -> str:
        choices = argument.get("e") or []
        wrong = bad(f"input does not match any value of {word}")
        if set(choices) == {"no", "yes"}:
            if value not in ("yes", "no", "true", "false"):
                raise wrong
            return "true" if value in ("yes", "true") else "false"
        first = value.removeprefix("!").split(",")[0]
        closed = argument.get("t") is None and len(choices) > 1 and not re.search(r"\d", value)
        if closed and first not in choices:
            raise wrong
        faces = value.split(",") if word in MUST_BE_THERE and value != "all" else []
        if not all(map(self.named, filter(None, faces))):
            raise wrong
        return value.upper() if re.fullmatch(f"{MAC}(/{MAC})?", value) else value


@dataclass
class Fault:
    """Something that goes wrong.  `name` is one of README.md's; the rest says when.

    `path`: requests whose path begins so; `method`: of this method; `after`: so many of them are
    answered well first; `times`: so many go wrong, None: all.  `body`: what is answered instead.
    """

    name: str
    path: str = "/"
    method: str = ""
    after: int = 0
    times: int | None = None
    detail: str = "failure: refused"
    body: Any = None

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
    """The device."""

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
    down: set[str] = field(default_factory=set)
    """Ports without a link."""
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self.tree = tree = Menus(self.version, hardware=self.hardware)
        default = {"name": "default", "default": "true"}
        for menu in ("/ppp/profile", "/ip/ipsec/proposal"):
            tree.put(menu, default | shapes.DEFAULTS.get(menu, {}), "*0")
        offloading = {"l3-hw-offloading": "false"}
        if self.hardware:
            tree.put("/interface/ethernet/switch", {"name": "switch1", **offloading}, "*0")
            words = ("autorestart", "fasttrack-hw", "icmp-reply-on-error", "ipv6-hw")
            tree.singles["/interface/ethernet/switch/l3hw-settings"] = dict.fromkeys(words, "no")
        for number, name in enumerate(self.interfaces):
            mac = f"0C:00:0F:87:79:{number:02X}"
            own = {"default-name": name, "mac-address": mac, "name": name, "orig-mac-address": mac}
            tree.put("/interface/ethernet", {**shapes.ETHERNET, **own}, f"*{number + 2:X}")
            tree.put("/queue/interface", {"interface": name, "queue": "only-hardware-queue"})
            tree.put("/system/resource/irq/rps", {"name": name, "disabled": "true"})
            irq = {**shapes.IRQ, "irq": str(24 + number), "users": name}
            tree.put("/system/resource/irq", irq)
            if self.hardware:
                port = {"name": name, "switch": "switch1", **offloading}
                tree.put("/interface/ethernet/switch/port", port)

    def fault(self, name: str, path: str = "/", **when: Any) -> None:
        """Switch a fault on."""
        self.faults.append(Fault(name, path, **when))

    def carry(self, left: str, right: str, packets: int, size: int) -> None:
        """Count `packets` frames of `size` bytes (with FCS) that came in left and went out right.

        [INF] that no more than this moves; what closes the fast path is in the manual.
        """
        with self._lock:
            tree = self.tree
            enabled = tree.singles["/ip/firewall/connection/tracking"]["enabled"]
            ruled = any(tree.items(menu) for menu in CLOSING)
            tracks = enabled == "yes" or (enabled == "auto" and ruled)
            if tracks and not tree.items(CONNECTIONS):
                tree.put(CONNECTIONS, {"src-address": "198.18.1.2:50000", "fasttrack": "false"})
            allowed = tree.singles["/ip/settings"]["allow-fast-path"] == "true"
            fast = allowed and not tracks and not ruled
            for name, way in ((left, "rx"), (right, "tx")):
                port = tree.named(name)
                assert port is not None, f"the device has no interface {name}"
                for front in ("", "fp-")[: 1 + fast]:
                    _grow(port, f"{front}{way}-packet", packets)
            if fast:
                _grow(tree.singles["/ip/settings"], "ipv4-fast-path-packets", packets)

    def answer(self, method: str, path: str, words: Any) -> Any:
        """What the device answers to a request below /rest."""
        self.requests.append((method, path, words))
        where, _, query = path.partition("?")
        where = urllib.parse.unquote(where).removeprefix("/rest") or "/"
        fault = next((each for each in self.faults if each.takes(method, where)), None)
        match fault:
            case Fault("refuses"):
                raise bad(fault.detail)
            case Fault("hangs-up"):
                raise HungUpError
            case Fault("answers"):
                return fault.body
        with self._lock:
            before = copy.deepcopy(self.tree.lists) if fault else {}
            answer = (
                {"ret": self._export()}
                if where == "/execute"
                else self._answer(method, where, query, words)
            )
            if fault and fault.name == "keeps-not":
                self.tree.lists = before
        if fault and fault.name == "lost-answer":
            raise HungUpError
        return answer

    def _answer(self, method: str, where: str, query: str, words: Any) -> Any:
        tree = self.tree
        menu, rest = tree.split(where)
        match method, rest:
            case "GET", []:
                return self._listed(menu, query)
            case "POST", [command]:
                return self._command(menu, command, words)
            case "DELETE", [number] if "remove" in tree.commands(menu) or "switch" in menu:
                tree.item(menu, number)
                del tree.items(menu)[number]
                return None
            case "PUT", []:
                rest = [tree.add(menu, words)]
            case "PATCH", [number]:
                tree.set(menu, number, words)
            case "GET", [_]:
                pass
            case _:
                raise RefusedError(406, "Not Acceptable", f"no such command ({method})")
        return {".id": rest[0], **tree.item(menu, rest[0])}

    def _command(self, menu: str, command: str, words: Any) -> Any:
        tree = self.tree
        if command == "set" and tree.single(menu):
            tree.set(menu, "", words)
            return []
        if command == "unset" and "unset" in tree.commands(menu):
            tree.item(menu, words["numbers"]).pop(words["value-name"], None)
            return []
        if command == "inspect":
            *above, name = words["path"].split(",")
            known = tree.commands("/".join(above)).get(name, {}).get("a", {})
            return [{"name": word, "node-type": "arg", "type": "child"} for word in known]
        raise bad(f"no such command or directory ({command})")

    def _listed(self, menu: str, query: str) -> Any:
        """All that a menu has: a list, or one object; `query`: .proplist."""
        resource = {
            **shapes.RESOURCE, "version": self.version, "board-name": self.board,
            "cpu-count": str(self.cpus), "total-memory": str(self.memory),
            "cpu-load": str(self.load),
        }  # fmt: skip
        other = {"features": "", "nlevel": "6", "software-id": "ABCD-EF12"}
        licence = {**shapes.LICENSE, "level": self.level} if self.level else other
        rows: list[Item] = [{".id": n, **item} for n, item in self.tree.items(menu).items()]
        if menu == "/interface":
            rows = [self._interface(*each) for each in self.tree.interfaces()]
        elif self.tree.single(menu):
            own = {"/system/resource": resource, "/system/license": licence}
            return own.get(menu) or dict(self.tree.singles.get(menu, {}))
        wanted = urllib.parse.parse_qs(query).get(".proplist")
        return [{k: v for k, v in row.items() if not wanted or k in wanted[0]} for row in rows]

    def _interface(self, menu: str, number: str, item: Item) -> Item:
        """An interface as /interface lists it."""
        up = item.get("default-name") not in self.down and item.get("disabled") != "true"
        row = {**shapes.INTERFACE, "type": shapes.KINDS[menu]}
        shown = (*row, "name", "default-name", "mac-address", "comment")
        row |= {word: item[word] for word in shown if word in item}
        return {".id": number, **row, "running": str(up).lower()}

    def _export(self) -> str:
        """The configuration as `/export` prints it, as far as a test wants to see it [INF]."""
        lines = [f"# by RouterOS {self.version.split()[0]}"]
        for menu, items in sorted(self.tree.lists.items()):
            lines.append("/" + menu.strip("/").replace("/", " "))
            for item in items.values():
                words = " ".join(f'{word}="{value}"' for word, value in sorted(item.items()))
                lines.append(f"add {words}")
        return "\r\n".join(lines) + "\r\n"


def _grow(item: Item, word: str, by: int) -> None:
    item[word] = str(int(item.get(word, shapes.INTERFACE.get(word, "0"))) + by)


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
