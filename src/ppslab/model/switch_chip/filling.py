"""The tables of a switch chip as maps of a BPF program, of what a Linux node's `ip -j` lists.

The program is l3_offload (images/linux-router/bpf).  CPython fills the maps of a live node, and
MicroPython those of the router in the page; so this keeps to what MicroPython has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ppslab.model.switch_chip import route_table

PINS = "/sys/fs/bpf/tc/globals"
"""Folder in which iproute2 pins maps by name, of XDP programs too (its lib/bpf_legacy.c
and libbpf's LIBBPF_PIN_BY_NAME)."""

ASK = """ip -j route show table main
echo '##'; ip -j -6 route show table main
echo '##'; ip -j neighbour show
echo '##'; ip -j -d link show
echo '##'; bridge -j vlan show
"""
"""Shell lines whose output `listed` reads."""

# In order of l3_offload.bpf.c's enums and structs; native byte order, as the kernel has them.
_ACTIONS = {"cpu": 0, "forward": 1, "blackhole": 2}


class TooManyError(ValueError):
    """More next hops than the chip has."""


class Route:
    """A prefix (family, address, length) and what a router does with it, as `routes.Route`."""

    def __init__(self, prefix: tuple[int, int, int], kind: str, hops: tuple[str, ...] = ()) -> None:
        self.prefix = prefix
        self.kind = kind
        self.hops = hops


class Tables:
    """Content of a chip's tables: lines for `bpftool batch`, and the routes behind them.

    `hardware` are in the chip's table and `cpu` left out of it; `ipv4` and `ipv6`: how many of the
    first there are of each.
    """

    def __init__(
        self, hardware: Sequence[Route], cpu: Sequence[Route], lines: Sequence[str]
    ) -> None:
        self.hardware = hardware
        self.cpu = cpu
        self.lines = lines
        self.ipv4 = self.count(4, hardware)
        self.ipv6 = self.count(6, hardware)

    @property
    def batch(self) -> str:
        """Input of `bpftool batch file -`."""
        return "\n".join(self.lines) + "\n"

    def count(self, family: int, of: Sequence[Route]) -> int:
        return sum([route.prefix[0] == family for route in of])

    def shortest(self, family: int) -> int | None:
        """The shortest prefix in hardware (RouterOS: ipv4-shortest-hw-prefix); None: none."""
        lengths = [each.prefix[2] for each in self.hardware if each.prefix[0] == family]
        return min(lengths) if lengths else None


def listed(output: str) -> list[Any]:
    """Parse the output of ASK: IPv4 routes, IPv6 routes, neighbours, links, VLANs."""
    return [json.loads(part.strip() or "[]") for part in output.split("##\n")]


def tables(
    asked: Sequence[Any],
    chip: Mapping[str, Any],
    ipv6_hw: bool,
    icmp_reply_on_error: bool,
    ports: Sequence[str] | None,
) -> Tables:
    """Make the content of the tables.

    `asked`: of `listed`; `chip`: of `chips.Chip.facts`; `ports`: those that the chip forwards to;
    None: all.  TooManyError where there are more next hops than the chip has.
    """
    four, six, neighbours, links, vlans = asked
    interfaces = {link["ifname"]: link for link in links if "ifname" in link}
    hosts = _hosts(neighbours, interfaces, _untagged(vlans), ports)
    found = []
    for there in (four, six):
        found += [_route(each) for each in there if each.get("type", "unicast") != "multicast"]
    for hop in hosts:
        found.append(Route(route_table.prefix(hop.partition("%")[0]), "forward", (hop,)))
    hardware, cpu, _ = route_table.choose(found, tuple(chip["takes"]), (chip["room"], 0), ipv6_hw)
    hops: list[str] = []
    lines = list(_prefixes(hardware, hosts, chip["ways"], hops))
    if chip["next_hops"] is not None and len(hops) > chip["next_hops"]:
        raise TooManyError(f"{len(hops)} next hops: the {chip['name']} has {chip['next_hops']}")
    for index, hop in enumerate(hops):
        port = hosts[hop][1]
        source = interfaces[hop.rpartition("%")[2]]["address"]
        mtu = interfaces[hop.rpartition("%")[2]]["mtu"]
        value = _number(port["ifindex"]) + _number(mtu) + _mac(hosts[hop][0]) + _mac(source)
        lines.append(_update("l3_hops", _number(index), value))
    lines.append(_update("l3_settings", _number(0), _number(int(icmp_reply_on_error))))
    return Tables(hardware, cpu, lines)


def _prefixes(
    hardware: Sequence[Route], hosts: Mapping[str, Any], most: int | None, hops: list[str]
) -> Iterator[str]:
    """A line for each prefix; the next hops that they name are added to `hops`."""
    groups: dict[tuple[str, ...], int] = {}
    for route in hardware:
        ways = route.hops[:most] if most is not None else route.hops
        action = route.kind
        if action == "forward" and not all(hop in hosts for hop in ways):
            action = "cpu"  # a next hop that the chip does not know, a network of its own
        first = 0
        if action == "forward":
            if ways not in groups:
                groups[ways] = len(hops)
                hops += ways
            first = groups[ways]
        family, address, length = route.prefix
        key = _number(length) + address.to_bytes(route_table.BITS[family] // 8, "big")
        value = _number(_ACTIONS[action]) + _number(first) + _number(len(ways))
        yield _update(f"l3_ipv{family}", key, value)


def _hosts(
    neighbours: Sequence[Any],
    interfaces: Mapping[str, Any],
    untagged: set[tuple[str, int]],
    ports: Sequence[str] | None,
) -> dict[str, tuple[str, Any]]:
    """Of each neighbour, as ADDRESS%INTERFACE, its address in layer 2 and the port to it."""
    found = {}
    for entry in neighbours:
        if "lladdr" not in entry or "FAILED" in entry.get("state", ()):
            continue
        port = _port(interfaces, entry["dev"], untagged)
        if port is not None and (ports is None or port["ifname"] in ports):
            found[f"{entry['dst']}%{entry['dev']}"] = (entry["lladdr"], port)
    return found


def _untagged(vlans: Sequence[Any]) -> set[tuple[str, int]]:
    """The ports of a bridge, each with the VLANs whose frames leave it without a tag."""
    return {
        (port["ifname"], vlan["vlan"])
        for port in vlans
        for vlan in port.get("vlans", ())
        if "Egress Untagged" in vlan.get("flags", ())
    }


def _route(entry: Mapping[str, Any]) -> Route:
    """A route of the kernel's; a network of the node's own is the CPU's, it asks for neighbours."""
    text = entry["dst"]
    if text == "default":
        via = str(entry.get("gateway") or entry.get("nexthops", [{}])[0].get("gateway", ""))
        text = "::/0" if ":" in via else "0.0.0.0/0"
    there = route_table.prefix(text)
    kind = entry.get("type", "unicast")
    if kind == "blackhole":
        return Route(there, "blackhole")
    ways = entry.get("nexthops") or [entry]
    if kind != "unicast" or not all("gateway" in way for way in ways):
        return Route(there, "cpu")
    return Route(there, "forward", tuple([f"{way['gateway']}%{way['dev']}" for way in ways]))


def _port(
    interfaces: Mapping[str, Any], name: str, untagged: set[tuple[str, int]]
) -> Mapping[str, Any] | None:
    """The port that leads to the neighbours of an interface with addresses; None: several could.

    A switch's addresses stand on an interface above a bridge, its packets leave by a port.  Of a
    VLAN interface on a bridge it is the one member that has the VLAN without a tag.
    """
    interface: Any = interfaces.get(name, {})
    info = interface.get("linkinfo", {})
    bridge = interface.get("link", "") if info.get("info_kind") == "vlan" else name
    if interfaces.get(bridge, {}).get("linkinfo", {}).get("info_kind") != "bridge":
        return None if not interface or "master" in interface else dict(interface)
    members = [link for link in interfaces.values() if link.get("master") == bridge]
    if bridge != name:
        number = info.get("info_data", {}).get("id")
        members = [link for link in members if (link["ifname"], number) in untagged]
    return dict(members[0]) if len(members) == 1 else None


def _number(value: int) -> bytes:
    return value.to_bytes(4, sys.byteorder)


def _mac(text: str) -> bytes:
    return bytes([int(byte, 16) for byte in text.split(":")])


def _update(name: str, key: bytes, value: bytes) -> str:
    return f"map update pinned {PINS}/{name} key hex {_hex(key)} value hex {_hex(value)}"


def _hex(content: bytes) -> str:
    return " ".join([f"{byte:02x}" for byte in content])
