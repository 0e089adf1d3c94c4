"""A queue in front of a router that stands still now and then: it loses, it delays, or it blocks.

The router serves frames in order, `capacity` a second.  In the middle of every `stall_every`
seconds it stands still for `stall_seconds`, as if its CPU had something else to do.  The first
period begins with the trial.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence

from ppslab.model.simulated.routers import DELAY_NS, NANOSECONDS, Router, positive
from ppslab.model.simulated.trial import Row

GRACE_SECONDS = 0.010
"""Seconds after a trial in which a blocked sender still sends what was due (as ppstraffic)."""


class Buffered(Router):
    """Holds `buffer` frames; one that finds the buffer full is dropped.

    Truth: a longer trial needs a lower load, as the buffer carries a trial only once: without
    stalls, `buffer` frames more than capacity * seconds pass without loss.  With stalls, no frame
    is lost up to min(buffer / stall_seconds, capacity * running share), or a little above in a
    short trial.  A frame waits at most for `buffer` others, and for a stall in each running share.
    A burst at `rate` above capacity, without stalls, is passed up to
    buffer / (1 - capacity / rate) frames (RFC 9004 section 6.4).
    """

    def __init__(
        self,
        capacity: float,
        buffer: int,
        stall_seconds: float = 0.0,
        stall_every: float = 0.1,
        *,
        seed: int = 1,
    ) -> None:
        super().__init__(seed=seed)
        self.capacity = positive("capacity", capacity)
        self.buffer = int(positive("buffer", buffer))
        if not 0 <= stall_seconds < stall_every:
            raise ValueError("stall_seconds is 0 or more and less than stall_every")
        self.stall_seconds, self.stall_every = stall_seconds, stall_every

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        """By bisection on the loss, which grows with the load."""
        low, high = 0.0, self._never(seconds) / (1 - loss_ratio)
        while high - low > 1e-9 * high:
            middle = (low + high) / 2
            if self._lost(seconds, middle) <= loss_ratio * middle * seconds + 1e-9:
                low = middle
            else:
                high = middle
        return low

    def _never(self, seconds: float) -> float:
        """A load at which frames are lost for certain."""
        return 2 * (self.capacity * (seconds + GRACE_SECONDS) + self.buffer) / seconds

    def _phases(self, seconds: float) -> Iterator[tuple[float, float]]:
        """Spans of time with the frames per second that it serves, until the end of a trial."""
        half = (self.stall_every - self.stall_seconds) / 2
        phases = (half, self.capacity), (self.stall_seconds, 0.0), (half, self.capacity)
        left = seconds
        while left > 0:
            for length, rate in phases:
                yield max(0.0, min(length, left)), rate
                left -= length

    def _lost(self, seconds: float, load: float) -> float:
        """Frames that find the buffer full, as a fluid that flows in and out."""
        queue = lost = 0.0
        for length, rate in self._phases(seconds):
            queue = max(0.0, queue + (load - rate) * length)
            lost, queue = lost + max(0.0, queue - self.buffer), min(queue, self.buffer)
        return lost

    def _running(self, seconds: float) -> float:
        """The time that the router serves frames in the first `seconds` of a trial."""
        run = self.stall_every - self.stall_seconds
        periods, rest = divmod(seconds, self.stall_every)
        return periods * run + min(rest, run / 2) + max(0.0, rest - run / 2 - self.stall_seconds)

    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        return sendable, sendable - round(self._lost(seconds, sendable / seconds)), 0

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        return [
            Row(0, i, due[i], sent, served + DELAY_NS)
            for i, (sent, served) in enumerate(self._queue(due[:sendable], block=False))
            if served is not None
        ]

    def _queue(self, due: Sequence[int], *, block: bool) -> Iterator[tuple[int, int | None]]:
        """Yield each frame's times of sending and service (None: dropped), in nanoseconds."""
        service = 1 / self.capacity
        inside: deque[int] = deque()
        worked = 0.0  # running time of the router when it has served all that is inside
        before: float = -self._pace_ns
        for at in due:
            sent = max(at, math.ceil(before + self._pace_ns))
            while inside and inside[0] <= sent:
                inside.popleft()
            if len(inside) >= self.buffer:
                if not block:
                    before = sent
                    yield sent, None
                    continue
                # The send succeeds when the first in the queue has left it.
                sent = inside.popleft()
            worked = max(worked, self._running(sent / NANOSECONDS)) + service
            served = round(self._after(worked) * NANOSECONDS)
            inside.append(served)
            before = sent
            yield sent, served

    def _after(self, running: float) -> float:
        """The time at which the router has run for so long."""
        run = self.stall_every - self.stall_seconds
        periods, rest = divmod(running, run)
        return periods * self.stall_every + rest + (self.stall_seconds if rest > run / 2 else 0.0)


class BackPressure(Buffered):
    """A full buffer makes the send wait or fail: no frame is lost that was sent.

    A veth pair of a recent Linux and many virtual switches do this.  Truth: offered equals
    forwarded at any load, and only `intended` shows the limit.  From the actual send time no
    frame is delayed by more than the longest wait; from the intended one the delay grows for as
    long as the sender is behind.
    """

    def _lost(self, seconds: float, load: float) -> float:
        """Frames that are not sent in time; until then they wait in the sender."""
        waiting = 0.0
        for length, rate in self._phases(seconds):
            waiting = max(0.0, waiting + (load - rate) * length)
        grace = self._running(seconds + GRACE_SECONDS) - self._running(seconds)
        return max(0.0, waiting - self.capacity * grace - self.buffer)

    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        offered = sendable - round(self._lost(seconds, sendable / seconds))
        return offered, offered, 0

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        end = round((seconds + GRACE_SECONDS) * NANOSECONDS)
        return [
            Row(0, i, due[i], sent, served + DELAY_NS)
            for i, (sent, served) in enumerate(self._queue(due[:sendable], block=True))
            if served is not None and sent <= end
        ]

    def _offered_of(self, rows: Sequence[Row], sendable: int) -> int:
        return len(rows)
