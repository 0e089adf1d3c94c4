"""Routers that forward so many frames a second and drop the rest: they have no buffer."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist

from ppslab.model.searching.noisy_router import capacity_now, chance_in, parts, room, spiked
from ppslab.model.simulated.frames import Row
from ppslab.model.simulated.router import DELAY_NS, Router, positive


@dataclass(frozen=True)
class _Second:
    """What happens to the frames `first` to `last` (not included), which are sent in one second."""

    first: int
    last: int
    spike: int
    """So many of them are lost in a row, around the middle, at any load."""
    room: int
    """So many of the rest are forwarded."""

    @property
    def forwarded(self) -> int:
        return min(self.last - self.first - self.spike, self.room)


class HardLimit(Router):
    """Forwards at most `capacity` frames per second, evenly, and drops the rest.

    Truth: the throughput for a tolerated loss ratio r is capacity / (1 - r).
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
        for first, last, length in parts(seconds, count):
            spike = spiked(last - first, self._spike_now(length))
            yield _Second(first, last, spike, room(self._capacity_now(), length))

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

    def __init__(
        self,
        capacity: float,
        deviation: float = 0.01,
        *,
        seed: int = 1,
        tester_limit: float = math.inf,
    ) -> None:
        super().__init__(capacity, seed=seed, tester_limit=tester_limit)
        if not 0 <= deviation <= 0.2:
            raise ValueError(f"deviation is {deviation:g}: it is a share from 0 to 0.2")
        self.deviation = deviation

    def _capacity_now(self) -> float:
        return capacity_now(self.random, self.capacity, self.deviation)

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
        tester_limit: float = math.inf,
    ) -> None:
        super().__init__(capacity, deviation, seed=seed, tester_limit=tester_limit)
        if not 0 <= chance < 1 or not 0 <= loss <= 1:
            raise ValueError("chance and loss are shares: from 0 to 1")
        self.chance, self.loss = chance, loss

    def _spike_now(self, length: float) -> float:
        return self.loss if self.random.random() < chance_in(self.chance, length) else 0.0

    def _throughput(self, loss_ratio: float, seconds: float, exceed_ratio: float) -> float | None:
        seen = chance_in(self.chance, seconds) if self.loss > loss_ratio else 0.0
        # Both must let a trial pass: no spike that shows, and capacity enough.
        return self._quantile((1 - exceed_ratio) / (1 - seen), loss_ratio, seconds)


class FailsAtAnyRate(Router):
    """Loses the share `loss` of the frames at any load, at least one frame a trial.

    Truth: no throughput for goals that tolerate less than `loss`; any load passes the others.
    """

    def __init__(
        self, loss: float = 0.02, *, seed: int = 1, tester_limit: float = math.inf
    ) -> None:
        super().__init__(seed=seed, tester_limit=tester_limit)
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


class FasterThanTheTester(HardLimit):
    """Forwards all that the tester can send.

    Truth: of the router nothing is known but that it forwards `tester_limit`; what a search finds
    here is the tester.  Its frames leave late, and at the trial's end some are unsent.
    """

    def __init__(self, tester_limit: float, *, seed: int = 1) -> None:
        super().__init__(math.inf, seed=seed, tester_limit=tester_limit)

    def _plan(self, seconds: float, count: int) -> Iterator[_Second]:
        yield _Second(0, count, 0, count)


def evenly(items: Sequence[int], count: int) -> list[int]:
    """`count` of the items, evenly spread."""
    return [items[k * len(items) // count] for k in range(count)] if count else []
