"""What a node's links, routes and neighbours are after the `ip` commands that it was told.

Enough of ip(8) to answer what the routers ask before they configure a node: how it was deployed,
and what goes into a switch chip's tables.  Nothing is made anywhere.  Link-local addresses are
left out: the labs' interfaces have none (net.ipv6.conf.default.addr_gen_mode is 1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from typing import Any

_HEREDOC = re.compile(r"<<-?\s*'?(\w+)'?")
_KEPT = re.compile(r"^\s*([\w.|-]+)\) ;;$")


@dataclass
class Link:
    """An interface: `kind` of one that was added, `addresses` with their prefix lengths."""

    index: int
    """Its number, as `ip link` shows it."""
    mtu: int
    """Bytes without the Ethernet header."""
    mac: str
    """Its address, such as 02:00:c6:12:01:02."""
    kind: str = ""
    master: str = ""
    """The bridge or bond that it is a port of; empty without one."""
    up: bool = True
    """Whether it was set up."""
    addresses: list[str] = field(default_factory=list)

    def plain(self, name: str) -> dict[str, Any]:
        """As `ip -j -d address show` has it."""
        found: dict[str, Any] = {
            "ifindex": self.index,
            "ifname": name,
            "link_type": "loopback" if name == "lo" else "ether",
            "address": self.mac,
            "mtu": self.mtu,
            "flags": ["UP"] if self.up else [],
            "addr_info": [
                {
                    "family": "inet6" if ":" in address else "inet",
                    "local": address.partition("/")[0],
                    "prefixlen": int(address.partition("/")[2]),
                    "scope": "global",
                }
                for address in self.addresses
            ],
        }
        if self.master:
            found["master"] = self.master
        if self.kind:
            found["linkinfo"] = {"info_kind": self.kind}
        return found


class IpState:
    """The state of one node; `interfaces`: those of its wires, with their MTU."""

    def __init__(self, interfaces: Mapping[str, int]) -> None:
        self.links = {"lo": Link(1, 65536, "00:00:00:00:00:00")}
        for name, mtu in interfaces.items():
            self._add(name, mtu)
        self.routes: dict[str, list[str]] = {}
        self.neighbours: dict[str, tuple[str, str]] = {}

    def read(self, script: str) -> None:
        """Take in a shell script: its `ip` commands, and what it feeds to `ip -batch -`."""
        batch, end = False, ""
        for line in script.splitlines():
            if end:
                if line.strip() == end:
                    batch, end = False, ""
                elif batch:
                    self._line(line.split())
                continue
            found = _HEREDOC.search(line)
            if found:
                end, batch = found[1], line.startswith("ip ") and "-batch" in line
            elif line.startswith("ip ") and " show" not in line:
                self._line(line.split()[1:])

    def _line(self, words: list[str]) -> None:
        kept = _KEPT.match(" ".join(words))
        if kept:
            # The lines by which a node is put back take away every link but these.
            self.links = {n: link for n, link in self.links.items() if n in kept[1].split("|")}
        words = [word for word in words if word not in ("-4", "-6")]
        match words:
            case ["link", "set", *rest]:
                self._set(rest[1:] if rest[0] == "dev" else rest)
            case ["link", "add", *rest]:
                self._link(rest)
            case ["link", "del" | "delete", *rest]:
                self.links.pop(rest[-1], None)
            case ["address", "add" | "replace", address, "dev", name, *_] if name in self.links:
                if address not in self.links[name].addresses:
                    self.links[name].addresses.append(address)
            case ["address", "flush", "dev", name, *_] if name in self.links:
                self.links[name].addresses.clear()
            case ["neighbour" | "neigh", "add" | "replace", host, *rest]:
                told = dict(zip(rest[::2], rest[1::2], strict=False))
                self.neighbours[host] = (told.get("lladdr", ""), told.get("dev", ""))
            case ["route", "flush", "table", "main"]:
                self.routes.clear()
            case ["route", "flush", "proto", number]:
                self.routes = {
                    prefix: rest
                    for prefix, rest in self.routes.items()
                    if f"proto {number}" not in " ".join(rest)
                }
            case ["route", "add" | "replace", "blackhole", prefix, *rest]:
                self.routes[prefix] = ["blackhole", *rest]
            case ["route", "add" | "replace", prefix, *rest]:
                self.routes[prefix] = rest

    def _add(self, name: str, mtu: int, kind: str = "") -> None:
        index = len(self.links) + 1
        self.links[name] = Link(index, mtu, f"02:00:00:00:00:{index:02x}", kind)

    def _link(self, words: list[str]) -> None:
        under = words[1] if words[0] == "link" else ""
        rest = words[2:] if under else words
        rest = rest[1:] if rest[0] in ("name", "dev") else rest
        kind = rest[rest.index("type") + 1] if "type" in rest else ""
        self._add(rest[0], self.links[under].mtu if under in self.links else 1500, kind)

    def _set(self, words: list[str]) -> None:
        link = self.links.get(words[0])
        if link is None:
            return
        for word, value in zip(words[1:], [*words[2:], ""], strict=True):
            match word:
                case "address":
                    link.mac = value
                case "mtu":
                    link.mtu = int(value)
                case "master":
                    link.master = value
                case "nomaster":
                    link.master = ""
                case "up" | "down":
                    link.up = word == "up"

    def addresses(self) -> list[dict[str, Any]]:
        """As `ip -j -d address show`, and `link show`, have it."""
        return [link.plain(name) for name, link in self.links.items()]

    def known(self) -> list[dict[str, Any]]:
        """As `ip -j neighbour show` has it."""
        return [
            {"dst": host, "dev": dev, "lladdr": mac, "state": ["PERMANENT"]}
            for host, (mac, dev) in self.neighbours.items()
        ]

    def table(self, family: int) -> list[dict[str, Any]]:
        """As `ip -j route show table main` has it; `family`: 4 or 6."""
        networks = [pair for pair in self._networks() if pair[0].version == family]
        found: list[dict[str, Any]] = [
            {"dst": str(network), "dev": name, "protocol": "kernel", "scope": "link"}
            for network, name in networks
        ]
        for prefix, words in self.routes.items():
            if _family(prefix, words) == family:
                found.append(_entry(prefix, words, networks))
        return found

    def listed(self, family: int) -> str:
        """As `ip -4 route show table main` prints it."""
        lines = [
            f"{network} dev {name} proto kernel scope link"
            for network, name in self._networks()
            if network.version == family
        ]
        networks = list(self._networks())
        for prefix, words in self.routes.items():
            if _family(prefix, words) == family:
                front = ["blackhole", prefix] if words[:1] == ["blackhole"] else [prefix]
                rest = words[1:] if words[:1] == ["blackhole"] else words
                way = _entry(prefix, words, networks)
                named = [] if "dev" in words or "dev" not in way else ["dev", way["dev"]]
                lines.append(" ".join([*front, *rest, *named]))
        return "".join(f"{line}\n" for line in lines)

    def _networks(self) -> Iterator[tuple[Any, str]]:
        for name, link in self.links.items():
            for address in link.addresses:
                yield ip_interface(address).network, name


def _entry(prefix: str, words: list[str], networks: list[tuple[Any, str]]) -> dict[str, Any]:
    if words[:1] == ["blackhole"]:
        return {"type": "blackhole", "dst": prefix}

    def way(gateway: str) -> dict[str, str]:
        there = ip_address(gateway)
        return {"gateway": gateway, "dev": next((n for net, n in networks if there in net), "lo")}

    gateways = re.findall(r"via (\S+)", " ".join(words))
    if "nexthop" in words:
        return {"dst": prefix, "nexthops": [way(gateway) for gateway in gateways]}
    if gateways:
        return {"dst": prefix, **way(gateways[0])}
    return {"dst": prefix, "dev": words[words.index("dev") + 1] if "dev" in words else "lo"}


def _family(prefix: str, words: list[str]) -> int:
    addresses = " ".join(words) if prefix == "default" else prefix
    return 6 if ":" in addresses else 4
