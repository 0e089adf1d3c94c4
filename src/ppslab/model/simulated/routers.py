"""Simulated routers without a buffer: a tester in front of each, a seed, and a meter.

They forward so many frames a second and drop the rest.
"""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ppslab.model.simulated.trial import Counts, FlowFrames, Frames, Row

NANOSECONDS = 1_000_000_000
DELAY_NS = 50_000
"""The delay of a router that is idle."""

FRAME_SIZE = 64
MOST_FRAMES = 2_000_000
"""More rows than that are a slip: use `measure`."""


class Router(ABC):
    """A router and the tester before it.

    `tester_limit`: frames per second that the tester can send; what it cannot send is intended,
    but not offered.  `trials` and `traffic_seconds` count what was asked of the router.
    """

    flows: tuple[str, ...] = ("there",)

    def __init__(self, *, seed: int = 1, tester_limit: float = math.inf) -> None:
        self.tester_limit = positive("tester_limit", tester_limit)
        self.random = random.Random(seed)
        self.trials = 0
        self.traffic_seconds = 0.0

    def measure(self, seconds: float, load: float) -> Counts:
        """One trial.  ValueError where `seconds` or `load` is not positive."""
        intended, sendable = self._begin(seconds, load)
        offered, forwarded, duplicates = self._count(seconds, intended, sendable)
        return Counts(seconds, load, intended, offered, forwarded, duplicates)

    def frames(self, seconds: float, load: float) -> Frames:
        """One trial, frame by frame; flows take turns.  ValueError above two million frames."""
        if seconds * load > MOST_FRAMES:
            raise ValueError(
                f"{seconds:g} s at {load:g} frames/s are more than {MOST_FRAMES} frames: "
                "shorten the trial, or only count it (measure)"
            )
        intended, sendable = self._begin(seconds, load)
        due = [round(i * NANOSECONDS / load) for i in range(intended)]
        rows = self._rows(seconds, due, sendable)
        flows, offered = len(self.flows), self._offered_of(rows, sendable)
        return Frames(
            size=FRAME_SIZE,
            load=load,
            flows=tuple(
                FlowFrames(name, len(range(k, intended, flows)), len(range(k, offered, flows)))
                for k, name in enumerate(self.flows)
            ),
            rows=tuple(sorted(rows, key=lambda row: row.received_ns)),
        )

    def throughput(
        self, loss_ratio: float = 0.0, *, seconds: float = 1.0, exceed_ratio: float = 0.5
    ) -> float | None:
        """The truth: above this load, more than `exceed_ratio` of all trials lose too much.

        Too much is more than `loss_ratio` of the intended frames of a trial of `seconds`; that is
        what a search with this goal looks for (RFC 9971).  None where no load passes.  Where a
        router is the same in every trial, `exceed_ratio` says nothing.

        This is a load.  RFC 9971's conditional throughput is a forwarding rate: it comes out at
        1 - loss_ratio of this load, as that much is lost there.
        """
        if not 0 <= loss_ratio < 1 or not 0 <= exceed_ratio < 1:
            raise ValueError("loss_ratio and exceed_ratio are shares: 0 or more, less than 1")
        own = self._throughput(loss_ratio, positive("seconds", seconds), exceed_ratio)
        # What the tester cannot send is lost too.
        return None if own is None else min(own, self.tester_limit / (1 - loss_ratio))

    def _begin(self, seconds: float, load: float) -> tuple[int, int]:
        """Count the trial in; how many frames are due, and how many the tester can send."""
        positive("seconds", seconds)
        positive("load", load)
        self.trials += 1
        self.traffic_seconds += seconds
        intended = max(1, round(load * seconds))
        if math.isinf(self.tester_limit):
            return intended, intended
        return intended, min(intended, max(1, round(self.tester_limit * seconds)))

    @property
    def _pace_ns(self) -> float:
        """The least time between two frames of the tester."""
        return 0.0 if math.isinf(self.tester_limit) else NANOSECONDS / self.tester_limit

    def _sent(self, due: Sequence[int], sendable: int) -> list[int]:
        """Times at which the tester sends; one at its limit falls behind its schedule."""
        return [max(due[i], round(i * self._pace_ns)) for i in range(sendable)]

    def _offered_of(self, rows: Sequence[Row], sendable: int) -> int:
        return sendable

    @abstractmethod
    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        """Frames offered, forwarded (distinct), and copies."""

    @abstractmethod
    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        """A row for each frame that arrives; `due`: the intended times of all frames, ns."""

    @abstractmethod
    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        """The truth of the router alone."""


def positive(name: str, value: float) -> float:
    """The value; ValueError where it is not above 0."""
    if not value > 0:
        raise ValueError(f"{name} is {value:g}: it must be more than 0")
    return value


@dataclass(frozen=True)
class _Second:
    """The fate of the frames `first` to `last` (not included), which are sent in one second."""

    first: int
    last: int
    spike: int  # so many of them are lost in a row, around the middle, at any load
    room: int  # so many of the rest are forwarded

    @property
    def forwarded(self) -> int:
        return min(self.last - self.first - self.spike, self.room)


class HardLimit(Router):
    """Forwards at most `capacity` frames per second, evenly, and drops the rest.

    Truth: the throughput for a tolerated loss ratio r is capacity / (1 - r).  One of infinite
    capacity forwards all that the tester can send: what a search finds there is the tester.
    """

    def __init__(self, capacity: float, *, seed: int = 1, tester_limit: float = math.inf) -> None:
        super().__init__(seed=seed, tester_limit=tester_limit)
        self.capacity = positive("capacity", capacity)

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        return self.capacity / (1 - loss_ratio)

    def _capacity_now(self) -> float:
        """The capacity in the next second."""
        return self.capacity

    def _spike_now(self, length: float) -> float:
        """The share of the frames of the next `length` seconds that is lost at any load."""
        return 0.0

    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        return sendable, sum(s.forwarded for s in self._plan(seconds, sendable)), 0

    def _plan(self, seconds: float, count: int) -> Iterator[_Second]:
        start, first = 0.0, 0
        while start < seconds:
            length = min(1.0, seconds - start)
            start += length
            last = round(count * start / seconds)
            spike = min(last - first, math.ceil(self._spike_now(length) * (last - first)))
            # A frame whose service has begun is forwarded.
            room = min(self._capacity_now() * length, last - first)
            yield _Second(first, last, spike, math.ceil(room))
            first = last

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        sent = self._sent(due, sendable)
        rows = []
        for second in self._plan(seconds, sendable):
            middle = (second.first + second.last - second.spike) // 2
            spiked = range(middle, middle + second.spike)
            left = [i for i in range(second.first, second.last) if i not in spiked]
            rows += [
                Row(0, i, due[i], sent[i], sent[i] + DELAY_NS)
                for i in evenly(left, second.forwarded)
            ]
        return rows


class NoisyCapacity(HardLimit):
    """Has another capacity in every second: normal, `deviation` of `capacity` around it.

    Every trial begins a second.  Truth, for trials of at most a second: half of them lose more
    than r at capacity / (1 - r), as half of all seconds have less capacity than the middle one.
    A longer trial meets its worst second: with zero loss tolerated, a trial of 60 s passes half
    of the time only 2.27 deviations lower.
    """

    def __init__(self, capacity: float, deviation: float = 0.01, *, seed: int = 1) -> None:
        super().__init__(capacity, seed=seed)
        if not 0 <= deviation <= 0.2:
            raise ValueError(f"deviation is {deviation:g}: it is a share from 0 to 0.2")
        self.deviation = deviation

    def _capacity_now(self) -> float:
        return max(0.0, self.random.gauss(self.capacity, self.deviation * self.capacity))

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        return self._quantile(1 - exceed_ratio, loss_ratio, seconds)

    def _quantile(self, share: float, loss_ratio: float, seconds: float) -> float | None:
        """The load at which noise lets this share of the trials pass."""
        if seconds > 1 and loss_ratio > 0:
            raise ValueError(
                "the throughput of a noisy router is known for trials of at most a second, "
                "or for zero loss: ask for one of these"
            )
        if share >= 1:
            return None
        if self.deviation == 0:
            return self.capacity / (1 - loss_ratio)
        of_a_second = share ** (1 / math.ceil(seconds))
        below = NormalDist(1.0, self.deviation).inv_cdf(1 - of_a_second)
        return self.capacity * below / (1 - loss_ratio)


class LossSpikes(NoisyCapacity):
    """In a second out of `1 / chance`, the share `loss` of its frames is lost, at any load.

    What an interrupt, a timer or a neighbour on the same CPU does to a software router.  Truth,
    for trials of at most a second: goals that tolerate `loss` do not see the spikes; others pass
    in 1 - chance of the cases at a low load, and half of the time a little below `capacity`.  Of
    trials of 60 s with zero loss tolerated, hardly one passes at any load (0.9 ** 60 is 0.2 %).
    """

    def __init__(
        self,
        capacity: float,
        chance: float = 0.1,
        loss: float = 0.0008,
        deviation: float = 0.01,
        *,
        seed: int = 1,
    ) -> None:
        super().__init__(capacity, deviation, seed=seed)
        if not 0 <= chance < 1 or not 0 <= loss <= 1:
            raise ValueError("chance and loss are shares: from 0 to 1")
        self.chance, self.loss = chance, loss

    def _spike_now(self, length: float) -> float:
        return self.loss if self.random.random() < self._seen(length) else 0.0

    def _seen(self, seconds: float) -> float:
        """The chance of a spike within so many seconds."""
        return 1 - math.pow(1 - self.chance, seconds)

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        seen = self._seen(seconds) if self.loss > loss_ratio else 0.0
        # Both must let a trial pass: no spike that shows, and capacity enough.
        return self._quantile((1 - exceed_ratio) / (1 - seen), loss_ratio, seconds)


class FailsAtAnyRate(Router):
    """Loses the share `loss` of the frames at any load, at least one frame a trial.

    Truth: no throughput for goals that tolerate less than `loss`; any load passes the others.
    """

    def __init__(self, loss: float = 0.02, *, seed: int = 1) -> None:
        super().__init__(seed=seed)
        if not 0 < loss <= 1:
            raise ValueError(f"loss is {loss:g}: it is a share above 0, up to 1")
        self.loss = loss

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        return math.inf if loss_ratio >= self.loss else None

    def _forwarded(self, offered: int) -> int:
        return offered - max(1, round(offered * self.loss))

    def _count(self, seconds: float, intended: int, sendable: int) -> tuple[int, int, int]:
        return sendable, self._forwarded(sendable), 0

    def _rows(self, seconds: float, due: Sequence[int], sendable: int) -> list[Row]:
        sent = self._sent(due, sendable)
        kept = evenly(range(sendable), self._forwarded(sendable))
        return [Row(0, i, due[i], sent[i], sent[i] + DELAY_NS) for i in kept]


def evenly(items: Sequence[int], count: int) -> list[int]:
    """`count` of the items, evenly spread."""
    return [items[k * len(items) // count] for k in range(count)] if count else []
