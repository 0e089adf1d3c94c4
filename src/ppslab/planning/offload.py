"""Which routes a switch chip holds and which are left to the CPU, by RouterOS's documented rule.

MikroTik's manual, "L3 Hardware Offloading": where the table is full, the routes with shorter
prefixes are left to the CPU, and IPv4 and IPv6 share the table's memory.  It must be the shorter
ones: the chip answers with the longest prefix that it has, so a packet that a longer prefix would
have sent elsewhere would go wrong if that one had been left out.

The manual does not say which family leaves first.  Here both stand in one list, and the numerically
shorter prefix leaves; at the same length IPv6, which takes more room.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ppslab.planning import route_lines, route_table
from ppslab.planning.chips import Chip
from ppslab.planning.routes import Prefix, Route


@dataclass(frozen=True)
class Choice:
    """What is where: `hardware` in the chip's table, `cpu` left out of it, longest prefix first.

    `used` of the chip's `room`, in IPv4 prefixes.
    """

    chip: Chip
    hardware: tuple[Route, ...]
    cpu: tuple[Route, ...]
    used: int

    def shortest(self, family: int) -> int | None:
        """The shortest prefix in hardware (RouterOS: ipv4-shortest-hw-prefix); None: none."""
        lengths = [r.prefix.length for r in self.hardware if r.prefix.family == family]
        return min(lengths, default=None)

    def lengths(self) -> list[tuple[int, int, int, int]]:
        """Family, prefix length, how many in hardware, how many left to the CPU."""
        there = Counter((r.prefix.family, r.prefix.length) for r in self.hardware)
        left = Counter((r.prefix.family, r.prefix.length) for r in self.cpu)
        keys = sorted({*there, *left}, key=lambda key: (key[0], -key[1]))
        return [(*key, there[key], left[key]) for key in keys]


def choose(routes: Iterable[Route], chip: Chip, *, ipv6_hw: bool = True, hosts: int = 0) -> Choice:
    """What of `routes` is in the chip's table.

    `hosts`: so many neighbours beside them, which take room where the chip has no table for them.

    Of routes with the same prefix the first counts.  `ipv6_hw` False (RouterOS's default): IPv6 is
    left to the CPU.  A route that the chip cannot follow (kind cpu, or more next hops than it
    has ways) takes its room all the same: it must keep a shorter prefix from answering.
    """
    first: dict[Prefix, Route] = {}
    for route in routes:
        first.setdefault(route.prefix, route)
    ordered = sorted(first.values(), key=_stays)
    six = any(route.prefix.family == 6 for route in ordered)
    held, used = route_table.fill(
        [(route.prefix.family, 1) for route in ordered],
        (chip.takes(4), chip.takes(6) if six else 1),
        chip.room,
        0 if chip.ipv4_hosts else min(hosts, chip.room),
        ipv6_hw,
    )
    hardware = [route for route, here in zip(ordered, held, strict=True) if here]
    cpu = [route for route, here in zip(ordered, held, strict=True) if not here]
    return Choice(chip, tuple(hardware), tuple(cpu), used)


def _stays(route: Route) -> tuple[int, int, int]:
    prefix = route.prefix
    return route_table.stays(prefix.family, prefix.length, prefix.address)


def followed(route: Route, chip: Chip) -> bool:
    """Whether the chip forwards or drops the route's packets by itself, once it has the route."""
    if route.kind == "cpu":
        return False
    return chip.ecmp_ways is None or len(route.hops) <= chip.ecmp_ways


def share_of_cpu(choice: Choice, within: Prefix) -> float:
    """The share of the addresses of `within` whose packets the CPU routes, 0 to 1.

    Exact, whatever lies in what: a packet goes to the CPU where no prefix in hardware holds its
    address, or where the longest one is one that the chip cannot follow.
    """
    intervals = [
        (*_span(route.prefix), route.prefix.length, followed(route, choice.chip))
        for route in choice.hardware
        if route.prefix.family == within.family
    ]
    return route_table.share_of_cpu(intervals, *_span(within))


def _span(prefix: Prefix) -> tuple[int, int]:
    """A prefix's first address, and the one behind its last."""
    return prefix.address, prefix.address + (1 << (route_lines.BITS[prefix.family] - prefix.length))
