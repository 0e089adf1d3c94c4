"""The tables of a switch chip, as maps of a BPF program, filled as RouterOS fills a chip's.

The program is l3_offload (images/linux-router/bpf).  What goes into its tables is chosen from the
node's own routes and neighbours by `ppslab.planning.offload`, the same code that plans for a real
device: longest prefixes first, until the chip's table is full.  The maps are pinned by name, so
all ports share them, and bpftool finds them.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.backends import Node
from ppslab.conditions import LinuxWords, SwitchChip
from ppslab.errors import BackendError
from ppslab.planning import chips, offload, routes
from ppslab.planning.routes import Prefix, Route

PINS = "/sys/fs/bpf/tc/globals"
"""Where iproute2 pins maps that are to be found by name, of XDP programs too (its lib/bpf_legacy.c
and libbpf's LIBBPF_PIN_BY_NAME)."""

FORGET = f"rm -f {PINS}/l3_*\n"
"""Shell line: the tables go with the last program that uses them."""

PROTOCOL = 198
"""Marks the routes of a condition, so that they can be taken away together (rtnetlink(7))."""

FORGET_ROUTES = f"ip route flush proto {PROTOCOL}\nip -6 route flush proto {PROTOCOL}\n"
"""Shell lines: those routes, and only those."""

# In order of l3_offload.bpf.c's enums and structs; native byte order, as the kernel has them.
_ACTIONS = {"cpu": 0, "forward": 1, "blackhole": 2}
_ROUTE = struct.Struct("=III")
_HOP = struct.Struct("=II6s6s")
_NUMBER = struct.Struct("=I")

_ASK = """ip -j route show table main
echo '##'; ip -j -6 route show table main
echo '##'; ip -j neighbour show
echo '##'; ip -j -d link show
"""

# bpftool prints each key twice: as bytes, and as the struct that it is.
_COUNT = 'bpftool -j map dump pinned {pin} | grep -oF \'"key":["\' | wc -l'


@dataclass(frozen=True)
class Tables:
    """What a chip's tables are to hold: lines for `bpftool batch`, and how many entries."""

    choice: offload.Choice
    lines: tuple[str, ...]
    ipv4: int
    ipv6: int

    @property
    def batch(self) -> str:
        """What `bpftool batch file -` reads."""
        return "\n".join(self.lines) + "\n"


def routes_of(path: Path) -> str:
    """Lines for `ip -batch` of a file of routes (`ppslab.planning.routes`)."""
    return _routes_of(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=16)
def _routes_of(path: Path, _changed: int) -> str:
    # Every trial of a condition loads the same thousands of lines.
    return "\n".join(routes.commands(path, PROTOCOL))


def fill(node: Node, tables: Tables) -> None:
    """Write the tables; BackendError with the kernel's words where it refuses an entry."""
    answer = node.run(["bpftool", "batch", "file", "-"], input=tables.batch, check=False)
    if answer.returncode != 0:
        said = (answer.stderr.strip() or answer.stdout.strip()).splitlines()
        raise BackendError(
            f"router {node.name}: the chip's tables: {said[-1] if said else 'bpftool failed'}"
        )


def tables(node: Node, chip: SwitchChip, ports: Sequence[str] | None = None) -> Tables:
    """What the chip's tables are to hold of the node's routes and neighbours as they are now.

    `ports`: those that the chip forwards to; None: all.
    """
    answer = node.run(["sh", "-e"], input=_ASK).stdout
    four, six, neighbours, links = (json.loads(part or "[]") for part in answer.split("##\n"))
    return of_kernel([*four, *six], neighbours, links, chip, ports)


def of_kernel(
    listed: Sequence[Any],
    neighbours: Sequence[Any],
    links: Sequence[Any],
    chip: SwitchChip,
    ports: Sequence[str] | None = None,
) -> Tables:
    """The same from what `ip -j` lists: routes, neighbours, links."""
    device = chips.of(chip.device)
    interfaces = {link["ifname"]: link for link in links if "ifname" in link}
    hosts = {
        f"{entry['dst']}%{entry['dev']}": entry["lladdr"]
        for entry in neighbours
        if "lladdr" in entry
        and "FAILED" not in entry.get("state", ())
        and (port := _port(interfaces, entry["dev"])) is not None
        and (ports is None or port["ifname"] in ports)
    }
    found = [_route(entry) for entry in listed if entry.get("type", "unicast") != "multicast"]
    found += [Route(routes.prefix(hop.partition("%")[0]), "forward", (hop,)) for hop in hosts]
    choice = offload.choose(found, device, ipv6_hw=chip.ipv6_hw)

    hops: list[str] = []
    groups: dict[tuple[str, ...], int] = {}
    lines = []
    count = {4: 0, 6: 0}
    for route in choice.hardware:
        count[route.prefix.family] += 1
        action = route.kind
        known = route.kind == "forward" and all(hop in hosts for hop in route.hops)
        if not offload.followed(route, device) or (route.kind == "forward" and not known):
            action = "cpu"  # a next hop that the chip does not know, a network of its own
        first = 0
        if action == "forward":
            if route.hops not in groups:
                groups[route.hops] = len(hops)
                hops += route.hops
            first = groups[route.hops]
        value = _ROUTE.pack(_ACTIONS[action], first, len(route.hops))
        lines.append(_update(f"l3_ipv{route.prefix.family}", _key(route.prefix), value))
    if device.next_hops is not None and len(hops) > device.next_hops:
        raise BackendError(f"{len(hops)} next hops: the {device.name} has {device.next_hops}")
    for index, hop in enumerate(hops):
        interface = interfaces[hop.rpartition("%")[2]]
        port = _port(interfaces, interface["ifname"])
        assert port is not None
        to, source = (_mac(text) for text in (hosts[hop], interface["address"]))
        value = _HOP.pack(port["ifindex"], interface["mtu"], to, source)
        lines.append(_update("l3_hops", _NUMBER.pack(index), value))
    icmp = _NUMBER.pack(int(chip.icmp_reply_on_error))
    lines.append(_update("l3_settings", _NUMBER.pack(0), icmp))
    return Tables(choice, tuple(lines), count[4], count[6])


def questions(words: LinuxWords) -> str:
    """Shell lines that ask what the tables hold, for a condition with a switch chip."""
    if words.switch_chip is None:
        return ""
    counts = "".join(f"{_COUNT.format(pin=f'{PINS}/l3_ipv{n}')}\n" for n in (4, 6))
    return f"echo '## chip'\n{counts}bpftool map lookup pinned {PINS}/l3_settings key 0 0 0 0\n"


def compare(words: LinuxWords, found: str, wanted: Tables | None) -> Iterator[str]:
    """How the tables differ from what was chosen, a sentence each; `found`: what was answered."""
    if words.switch_chip is None:
        return
    counts = [line for line in found.split() if line.isdigit()][:2]
    if wanted is None or counts != [str(wanted.ipv4), str(wanted.ipv6)]:
        chosen = f"{wanted.ipv4} and {wanted.ipv6}" if wanted else "no"
        yield f"the chip's tables hold {' and '.join(counts) or 'no'} prefixes, not {chosen}"
    said = '"value": 1' in found
    if wanted is not None and said != words.switch_chip.icmp_reply_on_error:
        yield f"the chip's icmp-reply-on-error is {'yes' if said else 'no'}"


def _route(entry: dict[str, Any]) -> Route:
    """A route of the kernel's; a network of the node's own is the CPU's, it asks for neighbours."""
    text = entry["dst"]
    if text == "default":
        via = str(entry.get("gateway") or entry.get("nexthops", [{}])[0].get("gateway", ""))
        text = "::/0" if ":" in via else "0.0.0.0/0"
    there = routes.prefix(text)
    kind = entry.get("type", "unicast")
    if kind == "blackhole":
        return Route(there, "blackhole")
    ways = entry.get("nexthops") or [entry]
    if kind != "unicast" or not all("gateway" in way for way in ways):
        return Route(there, "cpu")
    return Route(there, "forward", tuple(f"{way['gateway']}%{way['dev']}" for way in ways))


def _port(interfaces: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """The port that leads to the neighbours of an interface with addresses; None: several could.

    A switch's addresses stand on an interface above a bridge, its packets leave by a port.
    """
    interface = interfaces.get(name, {})
    if interface.get("linkinfo", {}).get("info_kind") != "bridge":
        return None if not interface or "master" in interface else dict(interface)
    members = [link for link in interfaces.values() if link.get("master") == name]
    return dict(members[0]) if len(members) == 1 else None


def _mac(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", ""))


def _key(prefix: Prefix) -> bytes:
    return _NUMBER.pack(prefix.length) + prefix.packed


def _update(name: str, key: bytes, value: bytes) -> str:
    return f"map update pinned {PINS}/{name} key hex {key.hex(' ')} value hex {value.hex(' ')}"
