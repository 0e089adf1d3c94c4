"""A trial on a simulated router: its counts, or every frame of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Counts:
    """Frames of one trial: `seconds` long, at the intended load `load` (frames per second).

    `forwarded` are distinct frames; copies of them are `duplicates` (RFC 4737 section 3.6).
    """

    seconds: float
    load: float
    intended: int
    offered: int
    forwarded: int
    duplicates: int = 0

    @property
    def lost(self) -> int:
        """Frames that did not come back; a frame that was not sent is lost (FD.io CSIT)."""
        return self.intended - self.forwarded

    @property
    def loss_ratio(self) -> float:
        """`lost` as a share of the intended frames."""
        return self.lost / self.intended


class Row(NamedTuple):
    """One frame that arrived; times in nanoseconds since the trial's start."""

    flow: int
    sequence: int
    intended_ns: int
    sent_ns: int
    received_ns: int


@dataclass(frozen=True)
class FlowFrames:
    """A flow by name; how many of its frames were due and how many were sent."""

    name: str
    intended: int
    offered: int


@dataclass(frozen=True)
class Frames:
    """A trial's frames: `rows` in order of arrival, copies among them; lost ones have no row."""

    size: int
    load: float
    flows: tuple[FlowFrames, ...]
    rows: tuple[Row, ...]

    @property
    def intended(self) -> int:
        return sum(flow.intended for flow in self.flows)

    @property
    def offered(self) -> int:
        return sum(flow.offered for flow in self.flows)

    @property
    def forwarded(self) -> int:
        return len({(row.flow, row.sequence) for row in self.rows})
