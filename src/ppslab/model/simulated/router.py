"""What all simulated routers have in common: a tester in front of them, a seed, and a meter."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Sequence

from ppslab.model.simulated.counts import Counts
from ppslab.model.simulated.frames import FlowFrames, Frames, Row

NANOSECONDS = 1_000_000_000
DELAY_NS = 50_000
"""How long a frame takes through a router that is idle."""

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
        """When the tester sends; one at its limit falls behind its schedule."""
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
