"""Which prefixes a switch chip holds, and which share of a network the CPU is left with.

The rule and its source are in offload.py, which fills the tables of the lab by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def stays(family: int, length: int, address: int) -> tuple[int, int, int]:
    """What to sort prefixes by so that those come first which stay longest in a full table."""
    return -length, family, address


def fill(
    runs: list[tuple[int, int]], takes: tuple[int, int], room: int, used: int, ipv6_hw: bool
) -> tuple[list[int], int]:
    """How many prefixes of each run are in the table, and how much of its room is then used.

    `runs`: family and count, sorted by `stays`; `takes`: the room of an IPv4 and of an IPv6
    prefix; `used`: what is used before.
    """
    held: list[int] = []
    full = False
    for family, count in runs:
        if family == 6 and not ipv6_hw:
            held.append(0)
            continue
        each = takes[0] if family == 4 else takes[1]
        # The first that does not fit ends it, for both families: a shorter one may hold it.
        fits = 0 if full else min(count, (room - used) // each)
        full = full or fits < count
        used += fits * each
        held.append(fits)
    return held, used


def choose(
    routes: Iterable[Any], takes: tuple[int, int], room: tuple[int, int], ipv6_hw: bool
) -> tuple[list[Any], list[Any], int]:
    """The routes in the table, those left to the CPU, and how much of its room is then used.

    `routes`: anything with a `prefix` of family, address and length; of those with the same one the
    first counts.  `takes`: the room of an IPv4 and of an IPv6 prefix; `room`: all of it, and what
    is used before.
    """
    first: dict[Any, Any] = {}
    for route in routes:
        first.setdefault(tuple(route.prefix), route)
    known = sorted(first, key=lambda each: stays(each[0], each[2], each[1]))
    held, used = fill([(each[0], 1) for each in known], takes, room[0], room[1], ipv6_hw)
    hardware: list[Any] = []
    cpu: list[Any] = []
    for at, each in enumerate(known):
        (hardware if held[at] else cpu).append(first[each])
    return hardware, cpu, used


def share_of_cpu(intervals: list[tuple[int, int, int, bool]], start: int, end: int) -> float:
    """The share of the addresses from `start` to `end` whose packets the CPU routes, 0 to 1.

    An interval: first address, the one behind the last, prefix length, whether the chip can follow
    the route; those of one length do not overlap.  Exact, whatever lies in what: a packet goes to
    the CPU where nothing in the table holds its address, or where the longest prefix is one that
    the chip cannot follow.
    """
    changes: list[tuple[int, int, bool, bool]] = []
    for low, high, length, follows in intervals:
        if high > start and low < end:
            changes.append((max(low, start), length, True, follows))
            changes.append((min(high, end), length, False, follows))
    # At one address the ends come before the beginnings: the next of a row begins where one ends.
    changes.sort(key=lambda change: (change[0], change[2]))
    lengths = sorted({change[1] for change in changes}, reverse=True)
    place = {length: index for index, length in enumerate(lengths)}
    # By place of the length: 0 nothing there, 1 the CPU, 2 the chip.
    there = [0] * len(lengths)
    by_chip, at, top = 0, start, len(lengths)
    for address, length, begins, follows in changes:
        if top < len(lengths) and there[top] == 2:
            by_chip += address - at
        at = address
        index = place[length]
        there[index] = (2 if follows else 1) if begins else 0
        if begins:
            top = min(top, index)
        while top < len(lengths) and not there[top]:
            top += 1
    return 1 - by_chip / (end - start)
