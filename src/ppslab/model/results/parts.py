"""The parts of records of every kind: frames, trials, tester, conditions, and their head."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from pydantic import AwareDatetime, ConfigDict, Field

from ppslab.core import measures
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError
from ppslab.core.measures import Measure
from ppslab.core.provenance import MINUTE, UNKNOWN, Provenance
from ppslab.core.text.quantities import Named
from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import LabSpec
from ppslab.model.metrics import Percentile
from ppslab.model.results import shapes
from ppslab.model.validity import Cause


class Delays(StrictModel):
    """One-way delay of the distinct frames (RFC 7679), in nanoseconds.

    Of one trial, percentiles are exact; of several together, at most 0.1 % too high.
    """

    count: int = Field(description="frames that have a delay")
    min: int | None = Field(description="the shortest; null: no frame came")
    mean: float | None = Field(description="the mean; null: no frame came")
    max: int | None = Field(description="the longest; null: no frame came")
    percentiles: tuple[Percentile, ...] = Field(default=(), description="by rising share")
    histogram: str = Field(default="", description="HdrHistogram V2, compressed, base64")


class Variation(StrictModel):
    """Percentiles of a quantity by their share; in nanoseconds, unless its field says otherwise."""

    count: int = Field(description="how many values there are")
    at: dict[float, int] = Field(default_factory=dict, description="share to value")
    min: int | None = Field(default=None, description="the least value")
    max: int | None = Field(default=None, description="the largest value")


class Reordering(StrictModel):
    """Disorder, by flow and then summed: a stream of packets is of one flow (RFC 4737 Type-P)."""

    # Records before 2026-11-29 have `ratio`, `extent`, `late_ns`, `gaps`, `free_runs`,
    # `n_reordering`, `density` and `buffer_density` too, which no page ever showed.
    model_config = ConfigDict(extra="ignore")

    reordered: int = Field(description="type-P-reordered, RFC 4737 section 3.4")
    max_extent: int = Field(
        default=0, description="the largest reordering extent, in frames, section 4.2.3"
    )


class PortToPort(StrictModel):
    """The fate of the frames from one port to another."""

    sent_from: str = Field(description="the tester's port that sent")
    received_at: str = Field(description="the tester's port that received")
    intended: int = Field(description="frames that were due")
    received: int = Field(description="distinct frames")
    lost: int = Field(description="intended frames that did not come")
    duplicates: int = Field(description="frames that came once more")
    reordered: int = Field(description="frames that came after one with a higher number")
    from_intended: Delays = Field(description="delays from when a frame was due")
    from_actual: Delays = Field(description="delays from when a frame was sent")


class EveryFrame(StrictModel):
    """One trial, from a record of each of its frames."""

    intended: int = Field(description="frames that were due")
    offered: int = Field(description="frames that were sent")
    received: int = Field(description="distinct frames")
    lost: int = Field(description="intended frames that did not come")
    duplicates: int = Field(description="frames that came once more")
    reordering: Reordering = Field(description="in which order they came")
    from_intended: Delays = Field(
        description="from when a frame was due: a late tester cannot hide a slow router"
    )
    from_actual: Delays = Field(description="from when a frame was sent")
    pdv: Variation = Field(
        description="delay minus the least one of its flow, from when sent; RFC 5481 section 4.2"
    )
    ipdv: Variation = Field(
        description="delay minus that of the frame before in its flow, section 4.1"
    )
    first_lost_seconds: float | None = Field(
        default=None, description="when the first lost frame was due, from the trial's start"
    )
    last_lost_seconds: float | None = Field(
        default=None, description="when the last lost frame was due"
    )
    longest_gap_seconds: float | None = Field(
        default=None, description="longest time between two arrivals, over all flows"
    )
    by_ports: tuple[PortToPort, ...] = Field(
        default=(), description="by the ports of the flows, where they are more than one pair"
    )


Arrangement = Literal["coupled", "separate"]
Purpose = Literal[
    "choose", "cost", "a-a", "drop", "cable", "tester", "search",
    "latency", "frame-loss", "back-to-back", "recovery", "reset", "profile",
]  # fmt: skip
"""The purpose of a trial.

choose: to find the way to attach a BPF program; cost: the router's time per packet; a-a: the
reference condition once more, for the A/A interval; drop: frames dropped at the router's ingress;
cable: the tester's ports cabled to each other; tester: the same, for the tester's limit; search:
the throughput.  latency, frame-loss, back-to-back, recovery, reset: the tests of RFC 2544 sections
26.2 to 26.6.  profile: while the sender was being sampled; no cost is read from it.
"""

Family = Literal["ipv4", "ipv6"]

Direction = Literal["lab", "one-way", "both-ways"]
"""The streams of a lab that are sent.

lab: all of them; one-way: the first; both-ways: the first and its return (RFC 2544 section 14).
"""


Clock = Literal["cpu", "wall"]

WHOLE_SHARE = 0.9
"""A busy sender that ever had this share of its CPU shows that the kernel counts all its work."""

_THREADS: Final = "kernel_thread_seconds"
"""The key of the CPU time of the kernel's own threads in a trial's counts."""


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

    def nanoseconds_each(self, clock: Clock, *, threads: bool = False) -> float:
        """Time per offered frame in nanoseconds, by one of two clocks.

        wall: from the first to the last send.  cpu: what the sending thread used of its CPU; in a
        coupled trial that holds the router's work too, as it runs in the sender's system calls.
        `threads`: with what the kernel's own threads used, where the tester read that.
        """
        counts = self.counts
        assert counts is not None
        seconds = counts["send_seconds"]
        if clock == "cpu":
            assert counts["send_cpu_seconds"] is not None, "the tester read no CPU time"
            seconds = counts["send_cpu_seconds"]
            if threads:
                seconds += counts.get(_THREADS) or 0.0
        return seconds * 1e9 / counts["offered"]

    @property
    def sender_share(self) -> float | None:
        """The sender's part of what it and the kernel's threads used; None: nobody read them."""
        assert self.counts is not None
        sender, threads = self.counts["send_cpu_seconds"], self.counts.get(_THREADS)
        if sender is None or threads is None or not sender + threads:
            return None
        return sender / (sender + threads)

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
        return self.counts["received"] / self.counts["send_seconds"]


def clock_of(trials: Iterable[Trial], measure: Measure = "timed") -> Clock:
    """The clock that counts a packet's time best on the machine of these trials.

    On a machine that others use too, the sender waits for its CPU and the wall clock counts that:
    at a load of six on two CPUs it read up to twenty times too much, where the CPU's clock stayed
    within a tenth.  But a kernel that takes interrupt time off a thread's account (Linux's
    IRQ_TIME_ACCOUNTING) takes the router's work off too.  Then no busy sender ever has the whole
    of its CPU, and the wall clock is left.  So it is with a tester that does not say what it used.

    Where instructions are counted, what the sender has not used of its one CPU may be the router's
    work all the same: threads of the kernel's do it, as WireGuard's and some ciphers' do.  The
    tester counts those too (`costs.works_in_threads`).  Of records older than that, one
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
            threads_known = threads_known and _THREADS in (trial.counts or {})
    if not shares:
        return "wall"
    # Something else may take the CPU of one trial; the threads of a condition take it of all.
    best = [max(each) for each in shares.values()]
    if measure == "counted":
        return "cpu" if threads_known or min(best) >= WHOLE_SHARE else "wall"
    return "cpu" if max(best) >= WHOLE_SHARE else "wall"


TESTER_SHARE = 0.9
"""A rate above this share of what the tester can says nothing of the router."""


class GoalResult(StrictModel):
    """MLRsearch's result for one tolerated loss ratio; rates in frames per second, all flows."""

    loss_ratio: float = Field(
        description="Goal Loss Ratio (RFC 9971): the tolerated share of lost frames"
    )
    conditional_throughput: float | None = Field(description="RFC 9971 conditional throughput")
    relevant_lower_bound: float | None = Field(
        description="highest load that passed, below all that did not; null: none passed"
    )
    relevant_upper_bound: float | None = Field(description="null: the highest load passed")
    tester_limited: bool = Field(description="within 10 % of the tester's own limit")


class Searched(StrictModel):
    """The outcome of a search for the throughput."""

    goals: tuple[GoalResult, ...] = Field(
        default=(), description="one result for each tolerated loss ratio"
    )
    failed_because: str | None = Field(
        default=None, description="why the search has no result; null where it has one"
    )

    def goal(self, loss_ratio: float) -> GoalResult | None:
        """The result for one tolerated loss ratio."""
        return next((goal for goal in self.goals if goal.loss_ratio == loss_ratio), None)


class Search(Searched):
    """The search of one condition at one frame size."""

    condition: str = Field(description="the condition's name in the lab")
    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")


class ConditionRecord(StrictModel):
    """A condition as it was measured: its words, its configuration, its read-back."""

    name: str = Field(description="the condition's name in the lab")
    title: str = Field(description="its title")
    description: str = Field(default="", description="what it does")
    needs: tuple[str, ...] = Field(default=(), description="features that it needs of the kernel")
    delivers: Literal["all", "none"] = Field(
        default="all", description="none: a router that works as it should forwards no frame"
    )
    bpf_mode: str | None = Field(
        default=None, description="how its BPF program was attached; null: it has none"
    )
    configuration: dict[str, str] = Field(description="file name to text")
    read_back: str = Field(description="what the router said of itself before the first trial")


class Skipped(StrictModel):
    """A condition that this run could not measure, and why."""

    condition: str = Field(description="the condition's name in the lab")
    reason: str = Field(description="why it could not be measured")


class Tester(StrictModel):
    """The tester and its own limit by frame size, in frames per second over all flows."""

    name: str = Field(description="which tester")
    version: str = Field(description="its own version")
    back_to_back: dict[int, float] = Field(
        default_factory=dict, description="received with its ports cabled to each other"
    )
    into_the_router: dict[int, float] = Field(
        default_factory=dict,
        description="the most that it sent into a router, whatever the router made of it",
    )

    def limit(self, size: int) -> float | None:
        """The highest rate that the tester was seen to keep up at this frame size.

        A receiver that idles between frames must be woken for each, which slows the sender down; a
        busy router is awake.  So the cable alone can read too low.
        """
        tables = (self.back_to_back, self.into_the_router)
        seen = [table[size] for table in tables if size in table]
        return max(seen) if seen else None


class Lease(StrictModel):
    """The machine's turn under which time was taken: one at a time, or they measure each other."""

    holder: str = Field(description="the user, or in a class the seat, and what was measured")
    since: AwareDatetime = Field(description="when the turn was taken")
    cpus: tuple[int, ...] = Field(description="those of this machine that the run could use")
    kept_free: tuple[int, ...] = Field(
        default=(),
        description="those of them that a class kept for timed runs, in older records",
    )
    workshop: str = Field(default="", description="the class whose queue it was, in older records")


class Measurement(StrictModel):
    """The words that a run of a lab and a calibration share."""

    id: str = Field(description="the record's name, as its file's")
    started: AwareDatetime = Field(description="when it began")
    finished: AwareDatetime = Field(description="when it ended")
    state: Literal["completed", "aborted"] = Field(
        description="aborted: it was stopped before its end"
    )
    ppslab: dict[str, str] = Field(description="version and commit of the harness")
    tester: Tester = Field(description="what sent and received, and its own limit")
    backend: str = Field(description="where it was measured; bench: a router of the reader's own")
    environment: shapes.Environment = Field(description="kernel, CPU, emulation, programs, steal")
    cpus: dict[str, int | None] = Field(description="which CPU sends, routes, reads")


class Run(Measurement):
    """One run of one lab: the words that records of every measuring command share."""

    lab: str = Field(description="the lab's name")
    title: str = Field(description="the lab's title")
    router: shapes.Router = Field(description="name, and what it cannot show")
    measure: Measure = Field(
        default="timed", description="counted: what a clock of the guest showed is instructions"
    )
    lease: Lease | None = Field(
        default=None,
        description="the machine's turn; null: instructions were counted, or before 2026-11-23",
    )
    profile: shapes.Profile = Field(
        description="how thoroughly it was measured, as profiles.yml had it"
    )
    deviations: tuple[str, ...] = Field(
        description="where the method is not the RFCs', as sentences"
    )
    seed: int = Field(description="of the order of the trials and of the bootstrap")
    conditions: tuple[ConditionRecord, ...] = Field(
        description="the conditions as they were measured"
    )
    skipped: tuple[Skipped, ...] = Field(
        default=(), description="conditions that could not be measured"
    )
    trials: tuple[Trial, ...] = Field(description="every trial, in the order in which they ran")

    def in_its_unit(self, nanoseconds: float) -> float:
        """Nanoseconds of a router's clock in the unit of this run: instructions where counted."""
        return measures.of_nanoseconds(nanoseconds, self.measure)

    def named(self, condition: str) -> Named:
        """A condition's id with its title, where the run has that condition."""
        return Named(condition, self.titles.get(condition, ""))

    @property
    def titles(self) -> dict[str, str]:
        """The readers' names of its conditions, by the ids that commands take."""
        return {condition.name: condition.title for condition in self.conditions}

    @property
    def unit(self) -> str:
        """The unit of a packet's cost: "instructions" or "ns"."""
        return measures.unit(self.measure)

    @property
    def emulated(self) -> bool:
        """True where its CPU was emulated: then its clock says nothing of rates."""
        return self.environment.get("emulation", "none") not in ("none", "kvm", "")

    @property
    def licence_level(self) -> str | None:
        """RouterOS's licence level, such as free or p1; None where the router has no licence."""
        level = self.environment.get("routeros", {}).get("level")
        return str(level) if level else None

    def lab_now(self) -> LabSpec | None:
        """Load its lab as it is now; None where a file of the lab is wrong.

        UsageError where there is no such lab any more.
        """
        try:
            return labs.find(self.lab).spec
        except FileError:
            return None

    def provenance(self) -> Provenance:
        """The origin of its numbers: router, backend, kernel, profile, date."""
        environment = self.environment
        device = environment.get("routeros", {})
        return Provenance(
            started=f"{self.started:{MINUTE}}",
            subject="router",
            name=self.router["name"],
            version=device.get("version", ""),
            board=device.get("board-name", ""),
            measure=self.measure,
            backend=self.backend,
            emulation=environment.get("emulation") or "none",
            kernel=environment.get("kernel", UNKNOWN),
            cpu=environment.get("cpu", UNKNOWN),
            cpus=environment.get("cpus"),
            profile=self.profile["name"],
            cannot_show=self.router["cannot_show"],
        )
