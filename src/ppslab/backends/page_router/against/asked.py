"""What both machines are asked, and what they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Round(NamedTuple):
    """Instructions a packet in one round, each step of a string instruction counted, or none."""

    routed: float
    dropped: float
    routed_steps: float
    dropped_steps: float
    """Of those instructions, the steps of string instructions after each one's first."""


@dataclass(frozen=True)
class Asked:
    """One condition: its name, and the scripts before its rounds."""

    name: str
    before: tuple[str, ...]
    round: str
    after: str


@dataclass(frozen=True)
class Counted:
    """What a machine counted of a condition."""

    rounds: tuple[Round, ...]
    escaped: bool
    """Packets came through that were to be dropped: something takes them before."""


class Mark(NamedTuple):
    """A burst begins or ends here."""

    what: str
    packets: int
    instructions: int
    steps: int


def round_of(marks: Sequence[Mark]) -> Round:
    """Of the two longest bursts of a kind, what a packet more takes."""
    routed, routed_steps = _slope([mark for mark in marks if mark.what == "routed"])
    dropped, dropped_steps = _slope([mark for mark in marks if mark.what == "dropped"])
    return Round(routed, dropped, routed_steps, dropped_steps)


def _slope(marks: Sequence[Mark]) -> tuple[float, float]:
    (short, short_end, long, long_end) = marks[-4:]
    more = long.packets - short.packets
    instructions = (long_end.instructions - long.instructions) - (
        short_end.instructions - short.instructions
    )
    steps = (long_end.steps - long.steps) - (short_end.steps - short.steps)
    return instructions / more, steps / more


def escaped(output: str) -> bool:
    """Whether packets arrived in the bursts that were to be dropped; `output`: of a round."""
    _, after, end = map(int, output.split())
    return end > after
