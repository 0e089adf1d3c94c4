"""A RouterOS device with a traffic generator, as far as its REST interface is on record.

Recorded, and kept here to the letter: that all values are strings; the bodies of
/system/resource (CHR 7.19.4), /interface (CHR in containerlab) and /system/device-mode (CHR
7.22.1); the body of an error; that PUT adds, PATCH sets, DELETE removes and POST runs a command;
which words the menus of /tool/traffic-generator take (command tree of 7.22.3).
Not recorded [INF]: what `quick` and `stats/stream` answer over REST.  Their rows have the fields of
the manual, a row a second and stream and rows of totals, as the console prints them.

Between its ports stands a router that loses every n-th frame.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

RESOURCE = {
    "architecture-name": "x86_64", "board-name": "CHR", "build-time": "2025-07-28 10:00:16",
    "cpu": "Common", "cpu-count": "1", "cpu-frequency": "2099", "cpu-load": "0",
    "factory-software": "7.1", "free-hdd-space": "17019092992", "free-memory": "819691520",
    "platform": "MikroTik", "total-hdd-space": "17040297984", "total-memory": "1073741824",
    "uptime": "7h17m52s", "version": "7.19.4 (stable)", "write-sect-since-reboot": "15160",
    "write-sect-total": "15160",
}  # fmt: skip

DEVICE_MODE = {
    "mode": "advanced", "allowed-versions": "", "flagged": "false", "flagging-enabled": "true",
    "attempt-count": "0", "scheduler": "true", "socks": "true", "fetch": "true", "pptp": "true",
    "l2tp": "true", "bandwidth-test": "true", "traffic-gen": "false", "sniffer": "true",
}  # fmt: skip

INTERFACE = {
    "actual-mtu": "1500", "disabled": "false", "fp-rx-byte": "0", "fp-rx-packet": "0",
    "fp-tx-byte": "0", "fp-tx-packet": "0", "link-downs": "0", "mtu": "1500", "running": "true",
    "rx-byte": "206490", "rx-drop": "0", "rx-error": "0", "rx-packet": "2183", "tx-byte": "3977976",
    "tx-drop": "0", "tx-error": "0", "tx-packet": "14628", "tx-queue-drop": "0", "type": "ether",
}  # fmt: skip

MENU = "/rest/tool/traffic-generator"

WORDS = {
    "port": {"name", "interface", "disabled"},
    "packet-template": {
        "name", "port", "interface", "header-stack", "mac-src", "mac-dst", "mac-protocol",
        "ip-src", "ip-dst", "ip-gateway", "ip-ttl", "ip-dscp", "ipv6-src", "ipv6-dst",
        "ipv6-gateway", "ipv6-hop-limit", "udp-src-port", "udp-dst-port", "udp-checksum", "comment",
    },
    "stream": {
        "name", "id", "port", "tx-template", "packet-size", "packet-count", "pps", "mbps",
        "cpu-core", "disabled",
    },
    "quick": {
        "stream", "duration", "entries-to-show", "measure-out-of-order", "test-id", "packet-count",
        "packet-size", "pps", "mbps", "port", "interface", "id", "tx-template", "cpu-core",
        "freeze-frame-interval", "as-value", "proplist", "without-paging",
    },
    "start": {
        "stream", "measure-out-of-order", "test-id", "packet-count", "packet-size", "pps", "mbps",
        "port", "interface", "id", "tx-template", "cpu-core",
    },
}  # fmt: skip


class RefusedError(Exception):
    """A request that RouterOS would refuse: status and detail."""

    def __init__(self, status: int, message: str, detail: str = "") -> None:
        self.status = status
        self.body = {"error": status, "message": message} | ({"detail": detail} if detail else {})
        super().__init__(detail or message)


def bad(detail: str) -> RefusedError:
    """A request with wrong words."""
    return RefusedError(400, "Bad Request", detail)


@dataclass
class Device:
    """The device, its generator, and the router between its ports."""

    user: str = "admin"
    password: str = ""
    interfaces: tuple[str, ...] = ("ether1", "ether2", "ether3", "ether4")
    allowed: bool = True
    loses_every: int | None = None
    pace: float = 0.3
    """Seconds that a second of sending takes."""
    most: float = 1e6
    """Frames per second that the generator reaches."""
    down: set[str] = field(default_factory=set)
    menus: dict[str, dict[str, dict[str, str]]] = field(
        default_factory=lambda: {"port": {}, "packet-template": {}, "stream": {}}
    )
    requests: list[tuple[str, str, Any]] = field(default_factory=list)
    running: bool = False
    started: dict[str, str] = field(default_factory=dict)
    _last: int = 0
    _passed: int = 0

    def answer(self, method: str, path: str, words: Any) -> Any:
        """What the device answers."""
        self.requests.append((method, path, words))
        if (method, path) == ("GET", "/rest/system/resource"):
            return RESOURCE
        if (method, path) == ("GET", "/rest/system/device-mode"):
            return DEVICE_MODE | {"traffic-gen": "true" if self.allowed else "false"}
        if (method, path) == ("GET", "/rest/interface"):
            return [self._interface(n, name) for n, name in enumerate(self.interfaces, start=2)]
        if path == MENU and method == "GET":
            return {"latency-distribution-max": "100us", "running": str(self.running).lower()}
        if path.startswith(MENU + "/"):
            return self._generator(method, path.removeprefix(MENU + "/"), words)
        raise RefusedError(404, "Not Found")

    def _interface(self, number: int, name: str) -> dict[str, str]:
        running = {"running": "false"} if name in self.down else {}
        return {".id": f"*{number:X}", **INTERFACE, "name": name, "default-name": name, **running}

    def _generator(self, method: str, path: str, words: Any) -> Any:
        what, _, item = path.partition("/")
        if what in self.menus:
            return self._menu(method, what, item, words)
        if method == "POST" and path in ("quick", "start", "stop"):
            return getattr(self, f"_{path}")(self._checked(path, words) if path != "stop" else {})
        if (method, path) == ("GET", "stats/stream"):
            return self._rows(self.started, 100.0)
        raise RefusedError(404, "Not Found")

    def _menu(self, method: str, menu: str, item: str, words: Any) -> Any:
        there = self.menus[menu]
        if method == "GET" and not item:
            return [{".id": number, **values} for number, values in there.items()]
        if method == "PUT" and not item:
            values = self._checked(menu, words)
            self._refer(menu, values)
            self._last += 1
            there[f"*{self._last:X}"] = values
            return {".id": f"*{self._last:X}", **values}
        if item not in there:
            raise RefusedError(404, "Not Found", "no such item")
        if method == "PATCH":
            there[item] |= self._checked(menu, words)
            return {".id": item, **there[item]}
        if method == "DELETE":
            del there[item]
            return None
        raise RefusedError(400, "Bad Request", "no such command")

    @staticmethod
    def _checked(what: str, words: Any) -> dict[str, str]:
        if not isinstance(words, dict):
            raise bad("malformed body")
        for word, value in words.items():
            if word not in WORDS[what]:
                raise bad(f"unknown parameter {word}")
            if not isinstance(value, str):
                raise bad(f"value of {word} is no string")
        return dict(words)

    def _refer(self, menu: str, values: dict[str, str]) -> None:
        """What a new object names must be there, and its name and id must be its own."""
        for other in self.menus[menu].values():
            if other["name"] == values["name"]:
                raise bad("already have such name")
            if menu == "stream" and other["id"] == values["id"]:
                raise bad("already have stream with such id")
        if menu == "port" and values["interface"] not in self.interfaces:
            raise bad("input does not match any value of interface")
        if menu == "stream":
            for word, elsewhere in (("port", "port"), ("tx-template", "packet-template")):
                if values[word] not in {item["name"] for item in self.menus[elsewhere].values()}:
                    raise bad(f"input does not match any value of {word}")

    def _quick(self, words: dict[str, str]) -> list[dict[str, str]]:
        if not words["duration"].endswith("s"):
            raise bad("invalid duration")
        duration = float(words["duration"][:-1])
        rows = self._rows(words, duration)
        time.sleep(duration * self.pace)
        return [{".section": str(n), **row} for n, row in enumerate(rows)]

    def _start(self, words: dict[str, str]) -> list[Any]:
        self.running, self.started = True, words
        return []

    def _stop(self, _: dict[str, str]) -> list[Any]:
        self.running = False
        return []

    def _rows(self, words: dict[str, str], duration: float) -> list[dict[str, str]]:
        named = {item["name"]: item for item in self.menus["stream"].values()}
        try:
            streams = [named[name] for name in words["stream"].split(",")]
        except KeyError:
            raise bad("input does not match any value of stream") from None
        asked = sum(int(stream["pps"]) for stream in streams)
        slower = min(1.0, self.most / asked)
        left = {stream["id"]: int(stream["packet-count"]) for stream in streams}
        sums = {key: [0, 0] for key in (*left, "TOT")}
        rows = []
        for second in range(int(duration)):
            for stream in streams:
                key = stream["id"]
                sent = min(left[key], round(int(stream["pps"]) * slower))
                left[key] -= sent
                received = self._forwarded(sent)
                rows.append(_row(str(second), key, sent, received))
                for total in (sums[key], sums["TOT"]):
                    total[0] += sent
                    total[1] += received
        return rows + [_row("TOT", key, *total) for key, total in sums.items()]

    def _forwarded(self, frames: int) -> int:
        if not self.loses_every:
            return frames
        before, self._passed = self._passed, self._passed + frames
        return frames - (self._passed // self.loses_every - before // self.loses_every)


def _row(seq: str, key: str, sent: int, received: int) -> dict[str, str]:
    return {
        "seq": seq, "id": key, "tx-packet": str(sent), "tx-rate": str(sent * 480),
        "rx-packet": str(received), "rx-rate": str(received * 480), "rx-ooo": "0",
        "rx-bad-csum": "0", "lost-packet": str(sent - received),
        "lost-rate": str((sent - received) * 480), "lost-ratio": "0.0%",
        "lat-min": "16us", "lat-avg": "23.2us", "lat-max": "3.22ms", "jitter": "3.2ms",
    }  # fmt: skip


class Server:
    """The device, listening on a port of this machine while the `with` block lasts."""

    def __init__(self, device: Device) -> None:
        self.device = device

        class Handler(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                text = self.rfile.read(length)
                told = base64.b64encode(f"{device.user}:{device.password}".encode()).decode()
                try:
                    if self.headers.get("Authorization") != f"Basic {told}":
                        raise RefusedError(401, "Unauthorized")
                    words = json.loads(text) if text else None
                    status, body = 200, device.answer(self.command, self.path, words)
                    status = 201 if self.command == "PUT" else 204 if body is None else 200
                except RefusedError as refused:
                    status, body = refused.status, refused.body
                sent = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(sent)))
                self.end_headers()
                self.wfile.write(sent)

            do_GET = do_PUT = do_PATCH = do_DELETE = do_POST = handle_any  # noqa: N815

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
