"""Simulated paths that overtake, copy, or treat each direction in its own way.

Their truth holds the statistics of frames and the searches; no page shows them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ppslab.model import simulated
from ppslab.model.simulated import Frames, HardLimit, Router, Row
from ppslab.model.simulated.routers import DELAY_NS, evenly, positive

_MAGIC = b"PPSFRAME"
_VERSION = 2
_HEADER = struct.Struct("<8s3I2HQ2IQdQdQ")
_PORT = struct.Struct("<32s")
_FLOW = struct.Struct("<32s2QI2BH")
_RECORD = struct.Struct("<qQ3IH2B")
_DUPLICATE, _REORDERED = 1, 2
_LATEST = 2**32 - 1


def file_of(frames: Frames) -> bytes:
    """A frames file (traffic/src/receiving/record.h): flow k goes from port 2k to 2k + 1."""
    ports = [name for k in range(len(frames.flows)) for name in (f"tx{k + 1}", f"rx{k + 1}")]
    size = _HEADER.size + _PORT.size * len(ports) + _FLOW.size * len(frames.flows)
    parts = [
        _HEADER.pack(
            _MAGIC, _VERSION, size, _RECORD.size, len(ports), len(frames.flows), len(frames.rows),
            frames.size, 0, 0, frames.load, frames.intended, 0.0, 0,
        )
    ]  # fmt: skip
    parts += [_PORT.pack(name.encode()) for name in ports]
    parts += [
        _FLOW.pack(flow.name.encode(), flow.intended, flow.offered, 1, 2 * k, 2 * k + 1, 0)
        for k, flow in enumerate(frames.flows)
    ]
    seen: set[tuple[int, int]] = set()
    highest = [-1] * len(frames.flows)
    for row in frames.rows:
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
                frames.size, flags, row.flow, 2 * row.flow + 1,
            )
        )  # fmt: skip
    return b"".join(parts)


class Reordering(HardLimit):
    """Overtakes: every `every`-th frame is held until `extent` later ones have left.

    Truth up to `capacity`: `reordered(count)` frames of a trial are reordered (RFC 4737 section
    3.3), each with reordering extent `extent` (section 4.2.3); nothing is lost.  A frame that
    `extent` others cannot follow any more keeps its place.
    """

    def __init__(
        self, capacity: float, every: int = 100, extent: int = 3, *, seed: int = 1
    ) -> None:
        super().__init__(capacity, seed=seed)
        if not 1 <= extent < every:
            raise ValueError("extent is 1 or more and less than every: else holds overlap")
        self.every, self.extent = every, extent

    def reordered(self, count: int) -> int:
        """Return the number of a trial's `count` frames that are reordered."""
        return len(self._held(count))

    def _held(self, count: int) -> range:
        return range(self.every - 1, count - self.extent, self.every)

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        rows = super()._rows(seconds, due, sendable)
        for k in self._held(len(rows)):
            behind = rows[k + self.extent].received_ns
            rows[k] = rows[k]._replace(received_ns=behind + 1)
        return rows


class Duplicating(HardLimit):
    """Sends every `every`-th forwarded frame twice, the copy `after_ns` behind.

    Truth: floor(forwarded / every) duplicates; distinct frames as the hard limit has them.  A
    counter without sequence numbers counts the copies as forwarded, and with them hides as many
    lost frames.
    """

    def __init__(
        self, capacity: float, every: int = 100, after_ns: int = 10_000, *, seed: int = 1
    ) -> None:
        super().__init__(capacity, seed=seed)
        self.every = int(positive("every", every))
        self.after_ns = int(positive("after_ns", after_ns))

    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        offered, forwarded, _ = super()._count(seconds, intended, sendable)
        return offered, forwarded, forwarded // self.every

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        rows = super()._rows(seconds, due, sendable)
        copies = rows[self.every - 1 :: self.every]
        return rows + [row._replace(received_ns=row.received_ns + self.after_ns) for row in copies]


@dataclass(frozen=True)
class Path:
    """One direction: frames per second that it forwards, and its one-way delay."""

    capacity: float
    delay_ns: int = DELAY_NS


class Asymmetric(Router):
    """Two flows, `there` and `back`, of half the load each, over paths of their own.

    Truth: no loss up to twice the lesser capacity (RFC 2544 section 14: the same rate both ways);
    above, one direction loses and the other does not.  Each flow has its path's one-way delay:
    half of a round trip is neither.
    """

    flows = ("there", "back")

    def __init__(self, there: Path, back: Path, *, seed: int = 1) -> None:
        super().__init__(seed=seed)
        for path in (there, back):
            positive("capacity", path.capacity)
        self.paths = (there, back)

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        less, more = sorted(path.capacity for path in self.paths)
        # The lesser path alone loses load / 2 - less.
        alone = less / (0.5 - loss_ratio) if loss_ratio < 0.5 else math.inf
        return min(alone, (less + more) / (1 - loss_ratio))

    def _forwarded(self, seconds: float, sendable: int) -> list[int]:
        return [
            min(len(range(k, sendable, 2)), math.ceil(path.capacity * seconds))
            for k, path in enumerate(self.paths)
        ]

    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        return sendable, sum(self._forwarded(seconds, sendable)), 0

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        sent = self._sent(due, sendable)
        return [
            Row(k, i // 2, due[i], sent[i], sent[i] + path.delay_ns)
            for k, path in enumerate(self.paths)
            for i in evenly(range(k, sendable, 2), self._forwarded(seconds, sendable)[k])
        ]


EXAMPLES: Mapping[str, Callable[[int], Router]] = {
    **simulated.EXAMPLES,
    "reordering": lambda seed: Reordering(1_000_000, every=100, extent=3, seed=seed),
    "duplicates": lambda seed: Duplicating(1_000_000, every=100, seed=seed),
    "asymmetric paths": lambda seed: Asymmetric(
        Path(600_000, 200_000), Path(400_000, 3_000_000), seed=seed
    ),
}
"""Those that a reader has too, and one of each kind here."""
