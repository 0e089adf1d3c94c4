"""What a tester is: the one class that every instrument fulfils, in the vocabulary of OTG.

The Open Traffic Generator models describe flows by their ports, packets, size, rate and duration;
a `Load` is that for all flows of one trial.  tests/conformance holds every tester to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ppslab.instruments.counts import TrialCounts
from ppslab.instruments.flows import Flow

Ability = Literal["as fast as it can", "ipv6", "delay", "every frame", "second step", "reordering"]
"""What not every tester can: rate None; IPv6 flows; delays; `Load.keep_frames`; `Load.then`."""


@dataclass(frozen=True)
class Step:
    """A second load in the same trial, without a pause: frames per second over all flows."""

    rate: float
    seconds: float


@dataclass(frozen=True)
class Load:
    """What a tester is to send in one trial, and how it is to behave around it.

    `ports`: a port's name in the flows to the interface that it is on the tester.  `size`: bytes,
    with the frame check sequence (OTG flow.size.fixed).  `seconds`: of sending
    (flow.duration.fixed_seconds).  `rate`: frames per second over all flows (flow.rate.pps),
    None: as fast as it can.  `keep_frames`: keep a record of every frame.
    """

    flows: tuple[Flow, ...]
    ports: Mapping[str, str]
    size: int
    seconds: float
    rate: float | None = None
    then: Step | None = None
    learning_frames: int = 0
    settle_seconds: float = 0.05
    drain_seconds: float = 0.2
    tx_cpu: int | None = None
    rx_cpu: int | None = None
    keep_frames: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a trial found.  `frames`: the frames file, where the load asked to keep them."""

    counts: TrialCounts
    frames: bytes | None = field(default=None, repr=False)


class Tester(Protocol):
    """An instrument on the ports of a deployed lab."""

    name: str
    abilities: frozenset[Ability]
    settings: dict[str, str]
    """How it runs here, for the record."""

    def version(self) -> str:
        """The instrument's own version."""

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """Make the ports ready for trials in which the router has a CPU of its own, or not."""

    def trial(self, load: Load) -> Outcome:
        """Run one trial to its end and drain; an aborted one is returned, with the reason.

        UsageError where the load asks for what the tester cannot; CannotHereError where the
        tester cannot run here; BackendError where it failed.
        """
