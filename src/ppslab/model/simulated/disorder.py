"""Routers that deliver frames late, twice, or each direction in its own way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ppslab.model.simulated.capacity import HardLimit, evenly
from ppslab.model.simulated.frames import Row
from ppslab.model.simulated.router import DELAY_NS, NANOSECONDS, Router, positive


class Reordering(HardLimit):
    """Overtakes: every `every`-th frame is held until `extent` later ones have left.

    Truth up to `capacity`: `reordered(count)` frames of a trial are reordered (RFC 4737 section
    3.3), each with reordering extent `extent` (section 4.2.3) and n-reordering `extent` (section
    5.3); nothing is lost.  A frame that `extent` others cannot follow any more keeps its place.
    """

    def __init__(
        self,
        capacity: float,
        every: int = 100,
        extent: int = 3,
        *,
        seed: int = 1,
        tester_limit: float = math.inf,
    ) -> None:
        super().__init__(capacity, seed=seed, tester_limit=tester_limit)
        if not 1 <= extent < every:
            raise ValueError("extent is 1 or more and less than every: else holds overlap")
        self.every, self.extent = every, extent

    def reordered(self, count: int) -> int:
        """How many of a trial's `count` frames are reordered."""
        return len(self._held(count))

    def late_ns(self, load: float) -> int:
        """Late time offset of a held frame at `load`, within 2 ns (RFC 4737 section 4.3.3)."""
        return round((self.extent - 1) * NANOSECONDS / load)

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
    lost frames: see `Counts.arrived`.
    """

    def __init__(
        self,
        capacity: float,
        every: int = 100,
        after_ns: int = 10_000,
        *,
        seed: int = 1,
        tester_limit: float = math.inf,
    ) -> None:
        super().__init__(capacity, seed=seed, tester_limit=tester_limit)
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

    def __init__(
        self, there: Path, back: Path, *, seed: int = 1, tester_limit: float = math.inf
    ) -> None:
        super().__init__(seed=seed, tester_limit=tester_limit)
        for path in (there, back):
            positive("capacity", path.capacity)
        self.paths = (there, back)

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        less, more = sorted(path.capacity for path in self.paths)
        # The lesser path alone loses load / 2 - less.
        alone = less / (0.5 - loss_ratio) if loss_ratio < 0.5 else math.inf
        return alone if alone <= 2 * more else (less + more) / (1 - loss_ratio)

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
