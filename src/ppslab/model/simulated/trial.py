"""A trial on a simulated router: its counts, or every frame of it.

Frames are rows, and the frames file of ppstraffic (traffic/README.md).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

_MAGIC = b"PPSFRAME"
_VERSION = 2
_HEADER = struct.Struct("<8s3I2HQ2IQdQdQ")
_PORT = struct.Struct("<32s")
_FLOW = struct.Struct("<32s2QI2BH")
_RECORD = struct.Struct("<qQ3IH2B")
_DUPLICATE, _REORDERED = 1, 2
_LATEST = 2**32 - 1


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

    @property
    def arrived(self) -> int:
        """The count of a counter without sequence numbers: copies hide losses in it."""
        return self.forwarded + self.duplicates


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

    def file(self) -> bytes:
        """As a frames file (traffic/src/receiving/record.h): flow k goes from port 2k to 2k + 1."""
        ports = [name for k in range(len(self.flows)) for name in (f"tx{k + 1}", f"rx{k + 1}")]
        size = _HEADER.size + _PORT.size * len(ports) + _FLOW.size * len(self.flows)
        parts = [
            _HEADER.pack(
                _MAGIC, _VERSION, size, _RECORD.size, len(ports), len(self.flows), len(self.rows),
                self.size, 0, 0, self.load, self.intended, 0.0, 0,
            )
        ]  # fmt: skip
        parts += [_PORT.pack(name.encode()) for name in ports]
        parts += [
            _FLOW.pack(flow.name.encode(), flow.intended, flow.offered, 1, 2 * k, 2 * k + 1, 0)
            for k, flow in enumerate(self.flows)
        ]
        seen: set[tuple[int, int]] = set()
        highest = [-1] * len(self.flows)
        for row in self.rows:
            flags = 0
            if (row.flow, row.sequence) in seen:
                flags = _DUPLICATE
            else:
                seen.add((row.flow, row.sequence))
                if row.sequence < highest[row.flow]:
                    flags = _REORDERED
                highest[row.flow] = max(highest[row.flow], row.sequence)
            lateness = min(row.sent_ns - row.intended_ns, _LATEST)
            parts.append(
                _RECORD.pack(
                    row.received_ns, row.intended_ns, lateness, row.sequence,
                    self.size, flags, row.flow, 2 * row.flow + 1,
                )
            )  # fmt: skip
        return b"".join(parts)
