"""One trial in a record, and the clock that a record's trials are read by."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from ppslab.core.documents.strict import StrictModel
from ppslab.core.measures import Measure
from ppslab.model import recorded
from ppslab.model.results import shapes
from ppslab.model.results.every_frame import EveryFrame
from ppslab.model.validity import Cause

Arrangement = Literal["coupled", "separate"]
Purpose = Literal[
    "choose", "cost", "a-a", "drop", "cable", "tester", "search",
    "latency", "frame-loss", "back-to-back", "recovery", "reset", "profile",
]  # fmt: skip
"""Why a trial was run.

choose: to find the way to attach a BPF program; cost: the router's time per packet; a-a: the
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


class Step(StrictModel):
    """A second load in the same trial, without a pause (RFC 2544 section 26.5)."""

    rate: float = Field(gt=0, description="frames per second over all flows")
    seconds: float = Field(gt=0, description="seconds of sending")


class Trial(StrictModel):
    """One trial: its state, its validity, and only then its measurement."""

    number: int = Field(ge=0, description="order in which the trials ran")
    purpose: Purpose = Field(description="why it was run")
    condition: str | None = Field(description="null: the tester alone")
    frame_size: int = Field(description="bytes, with the frame check sequence")
    arrangement: Arrangement = Field(
        description="coupled: one CPU sends and routes; separate: the router has a CPU of its own"
    )
    round: int | None = Field(default=None, description="trials of one round are paired")
    attempt: int = Field(default=1, description="1, or more where it was repeated")
    bpf_mode: str | None = Field(
        default=None, description="how the condition's BPF program was attached; null: it has none"
    )
    family: Family = Field(default="ipv4", description="the flows' address family")
    direction: Direction = Field(default="lab", description="which of the lab's flows were sent")
    intended_load: float | None = Field(description="frames per second; null: as fast as it can")
    intended_duration: float = Field(description="seconds of sending that were asked for")
    then: Step | None = Field(default=None, description="what followed in the same trial")
    at_seconds: float = Field(description="start of the trial, seconds after the run's start")
    state: Literal["completed", "aborted"] = Field(description="aborted: it ended early")
    valid: bool = Field(description="whether its counts say something of the router")
    invalid_because: tuple[str, ...] = Field(default=(), description="why not, as sentences")
    causes: tuple[Cause, ...] = Field(
        default=(), description="what invalid_because says, for programs"
    )
    counts: shapes.Counts | None = Field(description="what the tester printed")
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
        return self.counts["send_cpu_seconds"] / self.counts["send_seconds"]

    @property
    def forwarding_rate(self) -> float:
        """Distinct frames received, per second of the sending (RFC 2285 section 3.6.1)."""
        assert self.counts is not None
        return recorded.forwarding_rate(self.counts)


def clock_of(trials: Iterable[Trial], measure: Measure = "timed") -> Clock:
    """The clock that counts a packet's time best on the machine of these trials.

    On a machine that others use too, the sender waits for its CPU and the wall clock counts that:
    at a load of six on two CPUs it read up to twenty times too much, where the CPU's clock stayed
    within a tenth.  But a kernel that takes interrupt time off a thread's account (Linux's
    IRQ_TIME_ACCOUNTING) takes the router's work off too.  Then no busy sender ever has the whole
    of its CPU, and the wall clock is left.  So it is with a tester that does not say what it used.

    Where instructions are counted, what the sender has not used of its one CPU may be the router's
    work all the same: threads of the kernel's do it, as WireGuard's and some ciphers' do.  The
    tester counts those too (`rounds.works_in_threads`).  Of records older than that, one
    condition with such threads, and the wall clock is right for all; it counts whatever else ran.
    """
    shares: dict[str | None, list[float]] = {}
    threads_known = True
    for trial in trials:
        if (
            trial.valid
            and trial.arrangement == "coupled"
            and trial.intended_load is None
            and trial.cpu_share is not None
        ):
            shares.setdefault(trial.condition, []).append(trial.cpu_share)
            threads_known = threads_known and recorded.KERNEL_THREADS in (trial.counts or {})
    if not shares:
        return "wall"
    # Something else may take the CPU of one trial; the threads of a condition take it of all.
    best = [max(each) for each in shares.values()]
    if measure == "counted":
        return "cpu" if threads_known or min(best) >= WHOLE_SHARE else "wall"
    return "cpu" if max(best) >= WHOLE_SHARE else "wall"
