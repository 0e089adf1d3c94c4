"""One trial in a record, and the clock that a record's trials are read by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import Field

from ppslab import recorded
from ppslab.results.every_frame import EveryFrame
from ppslab.results.words import Words

Arrangement = Literal["coupled", "separate"]
Purpose = Literal[
    "choose", "cost", "null", "drop", "cable", "tester", "search",
    "latency", "frame-loss", "back-to-back", "recovery", "reset", "profile",
]  # fmt: skip
"""Why a trial was run.

choose: to find the way to attach a BPF program; cost: the router's time per packet; null: the
reference condition once more, for the A/A interval; drop: frames dropped at the router's ingress;
cable: the tester's ports cabled to each other; tester: the same, for the tester's limit; search:
the throughput.  latency, frame-loss, back-to-back, recovery, reset: the tests of RFC 2544 sections
26.2 to 26.6.  profile: while the sender was being sampled; no cost is read from it.
"""

Family = Literal["ipv4", "ipv6"]

Direction = Literal["lab", "one-way", "both-ways"]
"""Which of a lab's streams are sent.

lab: all of them; one-way: the first; both-ways: the first and its return (RFC 2544 section 14).
"""


Clock = Literal["cpu", "wall"]

WHOLE_SHARE = 0.9
"""A busy sender that ever had this share of its CPU shows that the kernel counts all its work."""


class Step(Words):
    """A second load in the same trial, without a pause (RFC 2544 section 26.5)."""

    rate: float = Field(gt=0, description="frames per second over all flows")
    seconds: float = Field(gt=0)


class Trial(Words):
    """One trial: its state, its validity, and only then its measurement."""

    number: int = Field(ge=0, description="order in which the trials ran")
    purpose: Purpose
    condition: str | None = Field(description="null: the tester alone")
    frame_size: int = Field(description="bytes, with the frame check sequence")
    arrangement: Arrangement = Field(
        description="coupled: one CPU sends and routes; separate: the router has a CPU of its own"
    )
    round: int | None = Field(default=None, description="trials of one round are paired")
    attempt: int = 1
    bpf_mode: str | None = None
    family: Family = "ipv4"
    direction: Direction = "lab"
    intended_rate: float | None = Field(description="frames per second; null: as fast as it can")
    intended_seconds: float
    then: Step | None = Field(default=None, description="what followed in the same trial")
    at_seconds: float = Field(description="start of the trial, seconds after the run's start")
    state: Literal["completed", "aborted"]
    valid: bool
    invalid_because: tuple[str, ...] = ()
    counts: dict[str, Any] | None = Field(description="what the tester printed")
    counters: dict[str, int] = Field(
        default_factory=dict,
        description="by how much the condition's counters grew, of other nodes as `NODE counter`; "
        "learning frames are in them",
    )
    every_frame: EveryFrame | None = Field(
        default=None, description="null: the frames were counted, not kept"
    )

    def nanoseconds_each(self, clock: Clock) -> float:
        """Time per offered frame in nanoseconds, by one of two clocks.

        wall: from the first to the last send.  cpu: what the sending thread used of its CPU; in a
        coupled trial that holds the router's work too, as it runs in the sender's system calls.
        """
        assert self.counts is not None
        return recorded.nanoseconds_each(self.counts, clock)

    @property
    def cpu_share(self) -> float | None:
        """The part of the sending time in which the sender had its CPU; None: it does not say."""
        assert self.counts is not None
        if self.counts["send_cpu_seconds"] is None:
            return None
        return float(self.counts["send_cpu_seconds"]) / float(self.counts["send_seconds"])

    @property
    def forwarding_rate(self) -> float:
        """Distinct frames received, per second of the sending (RFC 2285 section 3.6.1)."""
        assert self.counts is not None
        return recorded.forwarding_rate(self.counts)


def clock_of(trials: Iterable[Trial]) -> Clock:
    """The clock that counts a packet's time best on the machine of these trials.

    On a machine that others use too, the sender waits for its CPU and the wall clock counts that:
    at a load of six on two CPUs it read up to twenty times too much, where the CPU's clock stayed
    within a tenth.  But a kernel that takes interrupt time off a thread's account (Linux's
    IRQ_TIME_ACCOUNTING) takes the router's work off too.  Then no busy sender ever has the whole
    of its CPU, and the wall clock is left.  So it is with a tester that does not say what it used.
    """
    shares = [
        trial.cpu_share
        for trial in trials
        if trial.valid
        and trial.arrangement == "coupled"
        and trial.intended_rate is None
        and trial.cpu_share is not None
    ]
    return "cpu" if shares and max(shares) >= WHOLE_SHARE else "wall"
