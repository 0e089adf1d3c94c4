"""A RouterOS device, as far as its REST interface is on record: README.md, beside this, has the
table of what is recorded, where, and what is [INF], inferred.

`Device` is the device and what a test can switch on it; `Server` lets it listen.
"""

from __future__ import annotations

import base64
import json
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from typing import Any

from tests.support.doubles import (
    routeros_commands,
    routeros_shapes,
    routeros_traffic,
)
from tests.support.doubles.http_server import Answered, Asked, HttpServer, HungUpError
from tests.support.doubles.routeros_menus import Item, Menus, RefusedError, Words, bad
from tests.support.doubles.routeros_traffic import Generator

__all__ = ["Device", "Fault", "HungUpError", "RefusedError", "Server", "bad"]

MENU = "/tool/traffic-generator"


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
class Device(Generator):
    """The device."""

    user: str = "admin"
    password: str = ""
    version: str = "7.19.4 (stable)"
    board: str = "CHR"
    hardware: bool = False
    """Whether it has a switch chip."""
    cpus: int = 1
    memory: int = 1073741824
    level: str | None = "free"
    """Of a CHR's licence; None: a device that has another kind of licence."""
    allowed: bool = True
    """Whether device-mode lets the traffic generator run."""
    licence_error: str = ""
    down: set[str] = field(default_factory=set)
    faults: list[Fault] = field(default_factory=list)
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    profile: dict[str, str] = field(default_factory=lambda: {"idle": "98.5", "management": "1.5"})
    queues: int = 1
    """Queues of each port: interrupt rows."""

    load: int = 0
    """Percent."""
    card: str = "virtio"
    """Of every port: virtio, e1000; nothing: it does not say."""

    booted: float | None = None
    """On the clock of this machine; None: long ago."""

    def __post_init__(self) -> None:
        numbers = self.version.split()[0].split(".")
        self.words = Words((int(numbers[0]), int(numbers[1])), self.hardware)
        self.tree = Menus(self.words)
        self.device_mode = dict(routeros_shapes.DEVICE_MODE)
        self.pending: dict[str, str] = {}
        self._lock = threading.RLock()
        routeros_commands.furnish(self)

    def fault(self, name: str, path: str = "/", **when: Any) -> Fault:
        """Switch a fault on."""
        self.faults.append(Fault(name, path, **when))
        return self.faults[-1]

    def carry(self, left: str, right: str, packets: int, size: int) -> None:
        """Let packets come in at port `left` and go out at `right`: counters move."""
        with self._lock:
            routeros_traffic.carry(self.tree, left, right, packets, size)

    def reset(self) -> None:
        """Switch it off and on: what device-mode waits for."""
        self.device_mode |= {
            word: "true" if value in ("yes", "true") else "false" if value in ("no", "false")
            else value for word, value in self.pending.items()
        } | {"attempt-count": "0"}  # fmt: skip
        self.allowed = self.device_mode["traffic-gen"] == "true"
        self.pending = {}

    @property
    def resource(self) -> Item:
        """/system/resource."""
        since = None if self.booted is None else time.monotonic() - self.booted
        return {
            **routeros_shapes.RESOURCE, "version": self.version, "board-name": self.board,
            "cpu-count": str(self.cpus), "total-memory": str(self.memory),
            "cpu-load": str(self.load),
        } | {
            "uptime": f"{int(since)}s" if since is not None
            else routeros_shapes.RESOURCE["uptime"],
        }  # fmt: skip

    def answer(self, method: str, path: str, words: Any) -> Any:
        """What the device answers to a request below /rest."""
        self.requests.append((method, path, words))
        where, _, query = path.partition("?")
        where = urllib.parse.unquote(where).removeprefix("/rest") or "/"
        fault = next((each for each in self.faults if each.takes(method, where)), None)
        if fault and fault.name != "lost-answer":
            return self._wrong(fault, method, where, query, words)
        if where.startswith(MENU):
            return self.generator(method, where.removeprefix(MENU).strip("/"), words)
        if (method, where) == ("POST", "/execute"):
            return routeros_commands.execute(self, words)
        given = self._menu_answer(method, where, query, words)
        if fault:
            raise HungUpError
        return given

    def _wrong(self, fault: Fault, method: str, where: str, query: str, words: Any) -> Any:
        """What goes wrong."""
        if fault.name == "refuses":
            raise bad(fault.detail or "failure: refused")
        if fault.name == "unauthorized":
            raise RefusedError(401, "Unauthorized")
        if fault.name == "time-limit":
            time.sleep(routeros_commands.LIMIT * self.pace)
            raise bad(routeros_commands.CLOSED)
        if fault.name == "half-booted":
            return self.resource
        if fault.name == "no-json":
            return "<html>RouterOS</html>"
        if fault.name == "hangs-up":
            raise HungUpError
        if fault.name == "device-mode":
            raise bad("failure: not allowed by device-mode")
        if fault.name == "keeps-not":
            before = json.loads(json.dumps([self.tree.lists, self.tree.singles]))
            given = self._menu_answer(method, where, query, words)
            self.tree.lists, self.tree.singles = before
            return given
        raise AssertionError(f"the double has no fault {fault.name}")

    def _menu_answer(self, method: str, where: str, query: str, words: Any) -> Any:
        with self._lock:
            routeros_commands.ports(self)
            routeros_traffic.refresh(self.tree)
            menu, rest = self.words.split(where)
            asked = urllib.parse.parse_qsl(query, keep_blank_values=True)
            if method != "POST":
                return routeros_commands.answer(self, method, menu, rest, asked, words)
            if not rest:
                raise bad(f"no such command or directory ({where.rpartition('/')[2]})")
            if routeros_commands.has(menu, rest[0]):
                return routeros_commands.command(self, menu, rest[0], words)
        return routeros_commands.run(self, menu, rest[0], words)

    def _knows(self, interface: str) -> bool:
        return self.tree.named(interface) is not None


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
