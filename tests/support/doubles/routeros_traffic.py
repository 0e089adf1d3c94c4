"""What a RouterOS device makes of packets: its fast path, its counters, its traffic generator.

The conditions of the fast path are those of MikroTik's manual (packet flow, fast path).  [INF] that
each of them shows in `ipv4-fast-path-active`: no recording has it false.
/tool/traffic-generator has between its ports a router that loses frames.  Recorded: which words its
menus take (command trees of 7.22.3).  [INF] what `quick` and `stats/stream` answer over REST: their
rows have the fields of the manual, a row a second and stream and rows of totals, as the console
prints them.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.support.doubles.routeros_menus import Item, Menus, RefusedError, bad
from tests.support.doubles.routeros_shapes import INTERFACE

# --- the fast path ---------------------------------------------------------------------------


TABLES = ("/ip/firewall/filter", "/ip/firewall/nat", "/ip/firewall/mangle", "/ip/firewall/raw")
SIX = "/ipv6/firewall/filter"
CONNECTIONS = "/ip/firewall/connection"
MARK = "fasttrack-connection"
PARTIAL = {
    "src-address",
    "dst-address",
    "protocol",
    "in-interface",
    "out-interface",
    "ipsec-policy",
}
"""Words by which a rule is for some packets only."""
ESTABLISHED = "established"


def active(menus: Menus, menu: str) -> list[Item]:
    """The items of a list that are in force."""
    return [
        item
        for item in menus.items(menu).values()
        # The firewall's own rule that shows FastTrack's counters is dynamic; a session's queue too.
        if item.get("disabled") != "true"
        and not (item.get("dynamic") == "true" and "/firewall/" in menu)
    ]


def tracks(menus: Menus) -> bool:
    """Whether connections are tracked; `auto`: from the first firewall rule on."""
    told = menus.singles["/ip/firewall/connection/tracking"]["enabled"]
    tables = (*TABLES, SIX)
    return told == "yes" or (told == "auto" and any(active(menus, table) for table in tables))


def closes(menus: Menus) -> Iterator[str]:
    """What closes the IPv4 fast path, in the manual's order."""
    if menus.singles["/ip/settings"]["allow-fast-path"] != "true":
        yield "allow-fast-path=no"
    if any(active(menus, table) for table in TABLES):
        yield "firewall rules"
    if active(menus, "/queue/simple"):
        yield "simple queues"
    if any(item.get("parent") == "global" for item in active(menus, "/queue/tree")):
        yield "a queue tree with parent=global"
    if active(menus, "/interface/mesh"):
        yield "a mesh interface"
    if menus.singles["/tool/sniffer"]["running"] == "true":
        yield "the sniffer"
    if tracks(menus):
        yield "connection tracking"
    if active(menus, "/ip/vrf"):
        yield "a VRF"
    if active(menus, "/ip/hotspot"):
        yield "a hotspot"
    if any(item.get("template") != "true" for item in active(menus, "/ip/ipsec/policy")):
        yield "an IPsec policy"


def open_(menus: Menus) -> bool:
    """Whether the IPv4 fast path is open."""
    return not any(closes(menus))


def refresh(menus: Menus) -> None:
    """Bring what the device says of itself up to date."""
    menus.singles["/ip/settings"]["ipv4-fast-path-active"] = str(open_(menus)).lower()
    word = "yes" if tracks(menus) else "no"
    menus.singles["/ip/firewall/connection/tracking"] |= {"active-ipv4": word, "active-ipv6": word}
    bridge = menus.singles["/interface/bridge/settings"]
    rules = active(menus, "/interface/bridge/filter") or active(menus, "/interface/bridge/nat")
    snooping = [b for b in active(menus, "/interface/bridge") if b.get("dhcp-snooping") == "true"]
    told = bridge["allow-fast-path"] != "true" or bridge["use-ip-firewall"] == "true"
    slow = told or rules or snooping
    bridge["bridge-fast-path-active"] = "false" if slow else "true"
    six = menus.singles["/ipv6/settings"]
    if "ipv6-fast-path-active" in six:
        shut = six["allow-fast-path"] != "true" or active(menus, SIX)
        shut = shut or tracks(menus)
        six["ipv6-fast-path-active"] = "false" if shut else "true"
    fast = marks(menus) or any(map(fast_tracked, menus.items(CONNECTIONS).values()))
    menus.singles["/ip/settings"]["ipv4-fasttrack-active"] = "true" if fast else "false"


def marks(menus: Menus) -> bool:
    """Whether an established packet meets a rule that marks its connection.

    One that accepts it before ends its way; rules for some packets only are not looked into.
    """
    if any(i.get("action") == MARK for i in active(menus, "/ip/firewall/mangle")):
        return True
    for rule in active(menus, "/ip/firewall/filter"):
        if rule.get("chain") == "forward" and ESTABLISHED in rule.get("connection-state", ""):
            if rule.get("action") == MARK:
                return True
            if rule.get("action") == "accept" and not PARTIAL.intersection(rule):
                return False
    return False


def fast_tracked(connection: Item) -> bool:
    """Flag F of a connection.  [INF] that REST calls it so: the manual's list of properties."""
    return connection.get("fasttrack") == "true"


def tracked(menus: Menus, left: str, right: str) -> Item:
    """The connection of what goes between two ports, made where there is none.

    [INF] which rows there are; what is marked stays so until its row is gone (the manual).
    """
    source = f"198.18.1.2:{50000 + zlib.crc32(repr(sorted((left, right))).encode()) % 10000}"
    found = [row for row in menus.items(CONNECTIONS).values() if row["src-address"] == source]
    if not found:
        number = menus.put(CONNECTIONS, {
            "protocol": "udp", "src-address": source, "dst-address": "198.18.2.2:443",
            "fasttrack": "false",
        })  # fmt: skip
        found = [menus.items(CONNECTIONS)[number]]
    row = found[0]
    if marks(menus):
        row["fasttrack"] = "true"
    return row


def carry(menus: Menus, left: str, right: str, packets: int, size: int) -> None:
    """Count `packets` frames of `size` bytes (with FCS) that came in left and went out right."""
    refresh(menus)
    settings = menus.singles["/ip/settings"]
    marked = tracks(menus) and fast_tracked(tracked(menus, left, right))
    fast = marked or settings["ipv4-fast-path-active"] == "true"
    for name, way in ((left, "rx"), (right, "tx")):
        port = menus.named(name)
        assert port is not None, f"the device has no interface {name}"
        for front in ("", "fp-") if fast else ("",):
            grow(port, f"{front}{way}-packet", packets)
            grow(port, f"{front}{way}-byte", packets * size)
    if fast:
        kind = "fasttrack" if marked else "fast-path"
        grow(settings, f"ipv4-{kind}-packets", packets)
        grow(settings, f"ipv4-{kind}-bytes", packets * (size - 18))
    else:
        for rule in active(menus, "/ip/firewall/filter"):
            grow(rule, "packets", packets)
            grow(rule, "bytes", packets * (size - 18))
    if tracks(menus):
        menus.singles["/ip/firewall/connection/tracking"]["total-entries"] = "1"


def grow(item: Item, word: str, by: int) -> None:
    """Count on from where the recording of an interface stands, else from nothing."""
    item[word] = str(int(item.get(word, INTERFACE.get(word, "0"))) + by)


# --- the traffic generator -------------------------------------------------------------------


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


@dataclass
class Generator:
    """The generator.  The fields are switches of a test."""

    interfaces: tuple[str, ...] = ("ether1", "ether2", "ether3", "ether4")
    loses_every: int | None = None
    pace: float = 0.3
    """Seconds that a second of sending takes."""
    most: float = 1e6
    """Frames per second that the generator reaches."""
    menus: dict[str, dict[str, dict[str, str]]] = field(
        default_factory=lambda: {"port": {}, "packet-template": {}, "stream": {}}
    )
    running: bool = False
    started: dict[str, str] = field(default_factory=dict)
    _last: int = 0
    _passed: int = 0

    def generator(self, method: str, path: str, words: Any) -> Any:
        """What /tool/traffic-generator answers; `path` within it."""
        what, _, item = path.partition("/")
        if not what and method == "GET":
            return {"latency-distribution-max": "100us", "running": str(self.running).lower()}
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
        if menu == "port" and not self._knows(values["interface"]):
            raise bad("input does not match any value of interface")
        if menu == "stream":
            for word, elsewhere in (("port", "port"), ("tx-template", "packet-template")):
                if values[word] not in {item["name"] for item in self.menus[elsewhere].values()}:
                    raise bad(f"input does not match any value of {word}")

    def _knows(self, interface: str) -> bool:
        return interface in self.interfaces

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
