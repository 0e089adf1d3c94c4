"""Routes that a switch chip holds and those left to the CPU, by RouterOS's documented rule.

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

from ppslab.model.switch_chip import route_table
from ppslab.model.switch_chip.chips import Chip
from ppslab.model.switch_chip.routes import Prefix, Route


@dataclass(frozen=True)
class Choice:
    """The choice of routes: `hardware` in the chip's table, `cpu` left out, longest prefix first.

    `used` of `room`, in IPv4 prefixes.
    """

    chip: Chip
    hardware: tuple[Route, ...]
    cpu: tuple[Route, ...]
    used: int
    room: int

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


def choose(
    routes: Iterable[Route],
    chip: Chip,
    *,
    ipv6_hw: bool = True,
    hosts: int = 0,
    room: int | None = None,
) -> Choice:
    """Choose the `routes` for the chip's table.

    `hosts`: so many neighbours beside them, which take room where the chip has no table for them.

    Of routes with the same prefix the first counts.  `ipv6_hw` False (RouterOS's default): IPv6 is
    left to the CPU.  A route that the chip cannot follow (kind cpu) takes its room all the same: it
    must keep a shorter prefix from answering.  `room`: of how many IPv4 prefixes, where that is
    another than the chip's printed one.
    """
    has = chip.room if room is None else room
    routes = tuple(routes)
    six = any(route.prefix.family == 6 for route in routes)
    takes = (chip.takes(4), chip.takes(6) if six else 1)
    before = 0 if chip.ipv4_hosts else min(hosts, has)
    hardware, cpu, used = route_table.choose(routes, takes, (has, before), ipv6_hw)
    return Choice(chip, tuple(hardware), tuple(cpu), used, has)


def followed(route: Route) -> bool:
    """True if the chip forwards or drops the route's packets by itself, once it has the route.

    One with more next hops than the chip has ways too: it takes the first (`l3hw-ecmp-first`).
    """
    return route.kind != "cpu"


def ways(route: Route, chip: Chip) -> tuple[str, ...]:
    """The next hops that the chip spreads over: the first, as many as it has ways."""
    return route.hops[: chip.ecmp_ways]


def share_of_cpu(choice: Choice, within: Prefix) -> float:
    """The share of the addresses of `within` whose packets the CPU routes, 0 to 1.

    Exact, whatever lies in what: a packet goes to the CPU where no prefix in hardware holds its
    address, or where the longest one is one that the chip cannot follow.
    """
    intervals = [
        (*_span(route.prefix), route.prefix.length, followed(route))
        for route in choice.hardware
        if route.prefix.family == within.family
    ]
    return route_table.share_of_cpu(intervals, *_span(within))


def _span(prefix: Prefix) -> tuple[int, int]:
    """A prefix's first address, and the one behind its last."""
    return prefix.address, prefix.address + (1 << (route_table.BITS[prefix.family] - prefix.length))
