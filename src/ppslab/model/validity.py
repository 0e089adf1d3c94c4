"""Typed causes that make a trial invalid, from which everything is decided.

The sentence beside a cause is for the reader only.  What the machine's noise spoiled is repeated;
what the router is, or will not be, is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final, Literal


class Cause(StrEnum):
    """A cause that spoiled a trial; records hold its value."""

    ABORTED = "aborted"  # a port went down, or the trial was interrupted
    ROUTER_STATE = "router-state"  # the router is not what it was configured to be
    STEAL = "steal"  # the hypervisor took a CPU of the trial away
    CHORES = "chores"  # the kernel's housekeeping ran among what was counted
    TESTER_LATE = "tester-late"
    NOTHING_SENT = "nothing-sent"  # the tester sent no frame, or all at once: there is no rate
    RECEIVER_DROPPED = "receiver-dropped"  # frames came, and the tester's ring had no room
    NOT_FORWARDED = "not-forwarded"  # lost where nothing can overflow: they are dropped by rule
    NOT_DROPPED = "not-dropped"  # frames came through where all were to be dropped
    OUTLASTED = "outlasted"  # an act in mid-stream lasted longer than the stream
    CPU_QUEUES = "cpu-queues"  # other programs' packets filled the queues of a transfer
    IPERF3 = "iperf3"  # an instance of iperf3 failed


class Problem:
    """A cause with its figures, and `words` for them."""

    cause: ClassVar[Cause]
    words: ClassVar[str]

    @property
    def sentence(self) -> str:
        """The problem as a sentence for the record's reader."""
        return self.words.format_map(vars(self))


NOISE: Final = frozenset({Cause.STEAL, Cause.TESTER_LATE, Cause.NOTHING_SENT})
"""Causes of the moment, not of the router: a trial spoiled by them alone can still be counted."""

PASSING: Final = NOISE | {
    Cause.CHORES,
    Cause.RECEIVER_DROPPED,
    Cause.OUTLASTED,
    Cause.CPU_QUEUES,
    Cause.IPERF3,
}
"""Causes that may be gone in the next trial, whatever the router is."""

_DECIDED: Final = frozenset({Cause.ABORTED, Cause.NOT_FORWARDED, Cause.NOT_DROPPED})
"""Causes that the next trial, seconds later, would only show again."""


def noisy(causes: Iterable[Cause]) -> bool:
    """True if the moment's noise alone spoiled the trial, or nothing did."""
    return NOISE.issuperset(causes)


def worth_repeating(causes: Iterable[Cause]) -> bool:
    """True if a repetition may go better: noise passes, a rule set that drops a stream stays."""
    return _DECIDED.isdisjoint(causes)


def lasting(causes: Iterable[Cause]) -> bool:
    """True if the router itself is the reason, so that waiting would change nothing.

    Frames that are lost while the hypervisor had the CPU tell nothing of the router; a read-back
    that says no tells all.
    """
    seen = frozenset(causes)
    return Cause.ROUTER_STATE in seen or (bool(seen) and seen.isdisjoint(PASSING))


def sentences(problems: Iterable[Problem]) -> tuple[str, ...]:
    """Sentences of the problems for a record's reader, each once."""
    return tuple(dict.fromkeys(problem.sentence for problem in problems))


def causes(problems: Iterable[Problem]) -> tuple[Cause, ...]:
    """Causes of the problems, by which a record decides, each once."""
    return tuple(dict.fromkeys(problem.cause for problem in problems))


@dataclass(frozen=True)
class Aborted(Problem):
    """The trial came to no end of its own."""

    cause = Cause.ABORTED
    words = "aborted"


@dataclass(frozen=True)
class NotAsConfigured(Problem):
    """The router is not what it was configured to be; `difference`: in the read-back's words."""

    cause = Cause.ROUTER_STATE
    words = "router state not as configured: {difference}"
    difference: str


@dataclass(frozen=True)
class WrongConnections(Problem):
    """The router tracks or offloads `entries` connections where it should not, or none of them."""

    cause = Cause.ROUTER_STATE
    what: Literal["tracked", "offloaded"]
    entries: int

    @property
    def sentence(self) -> str:
        many = f"{self.entries} connections are" if self.entries else "no connection is"
        return NotAsConfigured(f"{many} {self.what}").sentence


@dataclass(frozen=True)
class NothingSent(Problem):
    """There is no rate: no frame was sent, or so few that they took no time."""

    cause = Cause.NOTHING_SENT
    words = "tester sent {offered} frames, all at once"
    offered: int


@dataclass(frozen=True)
class ReceiverDropped(Problem):
    """Frames for which the receiver's ring had no room."""

    cause = Cause.RECEIVER_DROPPED
    words = "receiver dropped {frames} frames"
    frames: int


@dataclass(frozen=True)
class CaughtUp(Problem):
    """A late tester sent so many frames at once to catch up."""

    cause = Cause.TESTER_LATE
    words = "tester late: {frames:.0f} frames at once"
    frames: float


@dataclass(frozen=True)
class Starved(Problem):
    """The sender had its CPU for this share of the time (0 to 1), and left frames unsent."""

    cause = Cause.TESTER_LATE
    words = "tester late: it had its CPU for {cpu_share:.0%} of the time, {unsent} frames unsent"
    cpu_share: float
    unsent: int


@dataclass(frozen=True)
class Chores(Problem):
    """The kernel's housekeeping took this share of what was counted (0 to 1)."""

    cause = Cause.CHORES
    words = "the kernel's housekeeping took {share:.0%} of the counted instructions"
    share: float


@dataclass(frozen=True)
class Outlasted(Problem):
    """An act in mid-stream took longer than the stream."""

    cause = Cause.OUTLASTED
    words = "the change that should have ended during the stream lasted longer than the stream"


@dataclass(frozen=True)
class BaselineLeaks(Problem):
    """The drop baseline forwarded so many frames."""

    cause = Cause.NOT_DROPPED
    words = "the drop baseline let {frames} frames through"
    frames: int


@dataclass(frozen=True)
class NotDropped(Problem):
    """A condition that is to drop everything dropped only this share (0 to 1)."""

    cause = Cause.NOT_DROPPED
    words = "only {dropped:.1%} of the frames were dropped"
    dropped: float


@dataclass(frozen=True)
class NotForwarded(Problem):
    """Only this share (0 to 1) came through, though nothing can overflow."""

    cause = Cause.NOT_FORWARDED
    words = "only {forwarded:.1%} of the frames came through"
    forwarded: float


@dataclass(frozen=True)
class QueuesOverflowed(Problem):
    """CPUs dropped so many packets that were not of the transfer."""

    cause = Cause.CPU_QUEUES
    words = "CPU queues overflowed: {packets} packets of other traffic"
    packets: int


@dataclass(frozen=True)
class Iperf3Failed(Problem):
    """An instance of iperf3 failed, with its own words."""

    cause = Cause.IPERF3
    words = "iperf3 from {client} to {server}: {said}"
    client: str
    server: str
    said: str


# Linux counts what a hypervisor gave to others for each CPU in ticks of USER_HZ (/proc/stat,
# proc(5): the eighth number of a line `cpuN`).  A difference of n ticks stands for anything between
# n - 1 and n + 1 of them.

STEAL_LIMIT: Final = 0.05
"""Share of one CPU's time that the hypervisor may take before the trial is repeated."""

FEWEST_TICKS: Final = 3
"""Fewer say too little: one tick at each end of a trial may be the time before or after it.

A trial of the quick profile lasts ten ticks.  5 % of it is half a tick, which nobody can see.
"""

USER_HZ: Final = 100


@dataclass(frozen=True)
class Stolen(Problem):
    """One CPU lost so many ticks of USER_HZ in so many seconds."""

    cause = Cause.STEAL
    cpu: int
    ticks: int
    seconds: float

    @property
    def sentence(self) -> str:
        share = worst_steal({self.cpu: self.ticks}, self.seconds)
        return (
            f"CPU steal: the hypervisor took CPU {self.cpu} for {share:.0%} of the time "
            f"({self.ticks} ticks in {self.seconds:.2f} s)"
        )


def worst_steal(
    ticks: Mapping[int, int], seconds: float, cpus: Collection[int] | None = None
) -> float:
    """The largest share of its time that one of the CPUs lost, 0 to 1.

    `ticks`: of USER_HZ, by CPU; one that is not in it lost none.  `seconds`: in which they were
    counted.  `cpus`: those that matter; None: all.
    """
    most = max((n for cpu, n in ticks.items() if cpus is None or cpu in cpus), default=0)
    return min(1.0, most / USER_HZ / seconds) if seconds > 0 else 0.0


def steal_of(
    ticks: Mapping[int, int] | None, seconds: float, cpus: Collection[int] | None = None
) -> Stolen | None:
    """The problem where a CPU lost for certain more than `STEAL_LIMIT`; arguments as above.

    CPUs are judged one by one: two that lost 3 % each have not lost 6 %.  None as well where a
    tester cannot see the steal.
    """
    certain = [
        (n, cpu)
        for cpu, n in (ticks or {}).items()
        if (cpus is None or cpu in cpus)
        and n >= FEWEST_TICKS
        and (n - 1) / USER_HZ > STEAL_LIMIT * seconds
    ]
    if not certain or seconds <= 0:
        return None
    most, cpu = max(certain)
    return Stolen(cpu, most, seconds)
