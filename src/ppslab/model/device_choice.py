"""Published rates held against a need: one judge for the terminal and for the page's own Python.

A rate has `mbps`, `at_least` (a port or the tester was the limit) and `when` (the year in words).
A device has a `name`, `cores`, and `port_speeds` [Mbit/s], the fastest first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FAST_PATH = "none (fast path)"
QUEUES = "25 simple queues"
RULES = "25 ip filter rules"
FASTTRACK = "default firewall with FastTrack"
"""A figure that no table has: it is between those with 25 rules and of the fast path."""

ENOUGH = "enough"
TOO_SLOW = "too slow"
UNPUBLISHED = "not in our copies"

MOST = 3
"""Devices that are recommended."""


@dataclass(frozen=True)
class Part:
    """One thing that a need asks of a device: the figure, and whether it is enough.

    `most` is another rate where the true one is between the two: with FastTrack.  `enough` None
    where nothing is published, or where the figures leave it open.
    """

    name: str
    result: Any
    enough: bool | None
    most: Any


@dataclass(frozen=True)
class Judgement:
    """A device's published rates, held against a need.  `ports` None where they are not known."""

    device: Any
    parts: tuple[Part, ...]
    ports: bool | None

    @property
    def answer(self) -> str:
        """`ENOUGH` only where every part is, `TOO_SLOW` where one is too slow."""
        verdicts = [self.ports is not False] + [part.enough for part in self.parts]
        if False in verdicts:
            return TOO_SLOW
        return UNPUBLISHED if None in verdicts else ENOUGH

    @property
    def known(self) -> list[Part]:
        """The parts with a figure."""
        return [part for part in self.parts if part.result or part.most]

    @property
    def least(self) -> float:
        """The smallest of its published rates, in Mbit/s; 0 without."""
        rates = [(part.result or part.most).mbps or 0 for part in self.known]
        return min(rates) if rates else 0


def asked(rules: bool, queues: bool, fasttrack: bool) -> list[str]:
    """The figures of a configuration, all of which count.

    No table has rules and queues at once, so the router is no faster than with the slower of them;
    and what FastTrack lets past the rules it lets past the queues, so that limited packets go
    through both.
    """
    if fasttrack and not queues:
        return [FASTTRACK]
    chosen = ((rules or fasttrack, RULES), (queues, QUEUES))
    return [name for counts, name in chosen if counts] or [FAST_PATH]


def part(name: str, wanted: float, result: Any, most: Any = None) -> Part:
    """A rate held against a need in Mbit/s; that with FastTrack is between `result` and `most`."""
    enough = _enough(result, wanted)
    if name == FASTTRACK and not enough:
        enough = False if _enough(most, wanted) is False else None
    return Part(name, result, enough, most)


def carry(speeds: tuple[int, ...], line: float, port: float = 0) -> bool | None:
    """True if the fastest port carries a line and is as fast as asked, and the others carry it too.

    All in Mbit/s, one way; None without known ports.
    """
    if not speeds:
        return None
    return speeds[0] >= max(line, port) and (len(speeds) == 1 or sum(speeds[1:]) >= line)


def recommended(judged: list[Judgement]) -> list[Judgement]:
    """At most `MOST` devices: those that are enough, then those of which least lacks.

    Each is held against the need alone, so this is no ranking of figures of several years.  Without
    a figure, the one with the most cores comes first.
    """
    best = [one for one in judged if one.answer == ENOUGH]
    best.sort(key=lambda one: (one.least, one.device.name))
    open_ones = [one for one in judged if one.answer == UNPUBLISHED and one.ports]
    open_ones.sort(
        key=lambda one: (
            len(one.parts) - len(one.known),
            -one.least,
            -(one.device.cores or 0),
            one.device.name,
        )
    )
    return (best + open_ones)[:MOST]


def _enough(result: Any, wanted: float) -> bool | None:
    if result is None or result.mbps is None:
        return None
    if result.mbps >= wanted:
        return True
    return None if result.at_least else False
