"""The kinds of record, one for each measuring command, and parts of one as if all of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

from pydantic import AwareDatetime, Field

from ppslab.core.documents.strict import StrictModel
from ppslab.core.measures import Measure
from ppslab.core.provenance import MINUTE, UNKNOWN, Provenance
from ppslab.model.lab.lab import LabSpec
from ppslab.model.lab.tcp import TcpDirection
from ppslab.model.metrics import Percentile
from ppslab.model.results.parts import (
    Arrangement,
    Clock,
    Delays,
    Direction,
    Family,
    Measurement,
    Run,
    Search,
    Searched,
    Trial,
    Variation,
)
from ppslab.model.validity import Cause


class Record(Run):
    """One run of one lab: cost rounds, and searches."""

    schema_version: Literal["ppslab/record/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    baseline: Literal["cable", "drop", "none"] = Field(
        description="which of the tester's own costs is subtracted from a condition's; "
        "none: the router's work is in nobody's time, a cost is 1 over its forwarding rate"
    )
    clock: Clock = Field(description="by which the time per packet is counted")
    reference: str = Field(description="the condition that all others are compared with")
    frame_sizes: tuple[int, ...] = Field(
        description="bytes of a frame, with the frame check sequence"
    )
    searches: tuple[Search, ...] = Field(default=(), description="the searches for the throughput")

    def is_first_choice(self, spec: LabSpec | None) -> bool:
        """True where pages show it before any run of another measure; `spec`: of `lab_now`."""
        return self.router["name"] != "linux" or spec is None or self.measure == spec.measure

    def is_whole(self, spec: LabSpec | None) -> bool:
        """True where it has all conditions and frame sizes of its lab; `spec`: of `lab_now`."""
        if spec is None:
            return True
        tried = {c.name for c in self.conditions} | {s.condition for s in self.skipped}
        every = {condition.name for condition in spec.conditions if condition.flows}
        return every <= tried and set(spec.frame_sizes) <= set(self.frame_sizes)


# `ppslab rfc2544`: the tests of RFC 2544 section 26, condition by condition.  Rates are frames per
# second over all streams that were sent.  Every result names its trials, by their numbers in
# `trials`.


class Subject(StrictModel):
    """The subject of a result: condition, frame size, family, direction."""

    condition: str = Field(description="the condition's name in the lab")
    frame_size: int = Field(description="bytes, with the frame check sequence")
    family: Family = Field(description="the flows' address family")
    direction: Direction = Field(description="which of the lab's flows were sent")


class Throughput(Searched, Subject):
    """RFC 2544 section 26.1, by MLRsearch (RFC 9971)."""

    trials: int = Field(default=0, description="how many the search took")
    seconds: float = Field(default=0.0, description="of traffic")


class Latency(Subject):
    """RFC 2544 section 26.2, at a share of the throughput."""

    share: float = Field(gt=0, le=1, description="of the throughput")
    rate: float = Field(description="frames per second over all flows")
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")
    from_intended: Delays = Field(description="delays from when a frame was due")
    from_actual: Delays = Field(description="delays from when a frame was sent")
    pdv: Variation = Field(description="delay minus the least of its flow (RFC 5481 section 4.2)")
    ipdv: Variation = Field(
        description="delay minus that of the frame before in its flow (section 4.1)"
    )
    medians_ns: tuple[float, ...] = Field(description="each trial's median, from the intended time")
    reordered: int | None = Field(description="null: the tester does not count it")
    duplicates: int | None = Field(
        description="frames that came once more; null: the tester does not count them"
    )
    lost: int = Field(description="intended frames that did not come")
    resolution_ns: float | None = Field(
        default=None, description="what the tester's own delay spreads over at this load"
    )
    invalid_because: tuple[str, ...] = Field(
        default=(), description="why no trial of it is valid, as sentences"
    )


class FrameLoss(Subject):
    """One point of the curve of RFC 2544 section 26.3."""

    share: float = Field(description="of the maximum rate")
    rate: float = Field(description="intended load in frames per second over all flows")
    loss_ratio: float | None = Field(description="null: no valid trial")
    offered_rate: float | None = Field(default=None, description="frames per second that were sent")
    forwarding_rate: float | None = Field(
        default=None, description="distinct frames received, per second of sending"
    )
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")
    invalid_because: tuple[str, ...] = Field(
        default=(), description="why no trial of it is valid, as sentences"
    )


class BackToBack(Subject):
    """RFC 2544 section 26.4 with RFC 9004: the longest burst without loss, repeat by repeat."""

    rate: float = Field(description="at which the bursts were sent")
    bursts: tuple[int, ...] = Field(description="longest lossless burst of each repeat, in frames")
    longest_tried: int = Field(description="frames of the longest burst that was sent")
    implied_buffer_seconds: float | None = Field(description="RFC 9004 section 6.4")
    corrected_buffer_seconds: float | None = Field(
        description="less what the router forwards meanwhile, RFC 9004 section 6.4"
    )
    why_none: str | None = Field(
        default=None, description="why there is no result; null where there is one"
    )
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Recovery(Subject):
    """RFC 2544 section 26.5: how long a router loses frames after an overload."""

    overload_rate: float = Field(description="frames per second of the overload")
    recovery_rate: float = Field(description="frames per second after it")
    seconds: tuple[float, ...] = Field(
        description="of each repeat: last lost frame after the drop of the load, 0: none was lost"
    )
    not_recovered: int = Field(
        default=0, description="repeats that lost frames up to the trial's end; not in `seconds`"
    )
    why_none: str | None = Field(
        default=None, description="why there is no result; null where there is one"
    )
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Reset(Subject):
    """RFC 2544 section 26.6 with RFC 6201: how long a reset keeps the router from forwarding."""

    kind: str = Field(description="what was reset, and how")
    rate: float = Field(description="frames per second around the reset")
    by_loss_seconds: tuple[float, ...] = Field(description="lost frames over rate, RFC 6201 1.3")
    by_time_seconds: tuple[float, ...] = Field(description="longest gap between arrivals, 1.3")
    why_none: str | None = Field(
        default=None, description="why there is no result; null where there is one"
    )
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class SuiteRecord(Run):
    """One run of the RFC 2544 suite."""

    schema_version: Literal["ppslab/rfc2544/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    port_speed: int | None = Field(description="bits per second of a port on the lab's hardware")
    maximum_rate: dict[int, float] = Field(
        description="by frame size, what counts as 100 %: the most the tester sends"
    )
    warnings: tuple[str, ...] = Field(description="what RFC 6815 wants said")
    calibration: str | None = Field(description="id of the calibration of the tester, if any")
    delay_resolution_ns: float | None = Field(
        default=None,
        description="what the calibration says of delays: smaller differences are noise",
    )
    throughput: tuple[Throughput, ...] = Field(default=(), description="section 26.1")
    latency: tuple[Latency, ...] = Field(default=(), description="section 26.2")
    frame_loss: tuple[FrameLoss, ...] = Field(default=(), description="section 26.3")
    back_to_back: tuple[BackToBack, ...] = Field(default=(), description="section 26.4")
    recovery: tuple[Recovery, ...] = Field(default=(), description="section 26.5")
    reset: tuple[Reset, ...] = Field(default=(), description="section 26.6")


# `ppslab tcp`: goodput, retransmits, round-trip time and fairness by condition.


class RoundTrip(StrictModel):
    """TCP's own smoothed round-trip time over all streams of a way, in microseconds."""

    min: float = Field(description="the least, in microseconds")
    median: float = Field(description="the median, in microseconds")
    p95: float = Field(description="95 % were at most this, in microseconds")
    max: float = Field(description="the largest, in microseconds")
    count: int = Field(description="how many values there are")


class Way(StrictModel):
    """One way of a transfer: all instances and streams from one host to another.

    The tuples of streams have one value each, in the same order.
    """

    client: str = Field(description="the host that sends")
    server: str = Field(description="the host that receives")
    seconds: float = Field(gt=0, description="how long the receivers received")
    congestion: str = Field(description="the senders' congestion control")
    received_bytes: tuple[int, ...] = Field(description="read by the receiving programs")
    retransmits: tuple[int, ...] = Field(description="segments that the senders sent again")
    rtt_us: tuple[float, ...] = Field(description="a stream's median smoothed round-trip time")
    round_trip: RoundTrip = Field(description="the round-trip time over all streams")
    cpu_sender: float = Field(description="of the sending programs together, in CPUs")
    cpu_receiver: float = Field(description="of the receiving programs together, in CPUs")
    segment_size: int | None = Field(
        default=None, description="bytes of data in a full segment, as the senders' TCP has it"
    )
    addresses: tuple[str, str] | None = Field(default=None, description="client, server")
    ports: tuple[tuple[int, int], ...] = Field(
        default=(), description="a stream's TCP ports: the client's, the server's"
    )

    @property
    def goodput(self) -> float:
        """Bits per second that arrived once and in order (RFC 2647 section 3.17)."""
        return 8.0 * sum(self.received_bytes) / self.seconds

    @property
    def fairness(self) -> float:
        """Jain's index over the streams, 1/n to 1 (RFC 5166 section 2.3)."""
        values = self.received_bytes
        squares = len(values) * sum(value * value for value in values)
        return sum(values) ** 2 / squares if squares else 0.0


class LinkCounts(StrictModel):
    """The counters of one of the router's ports."""

    rx_packets: int = Field(description="packets received")
    rx_bytes: int = Field(description="bytes received")
    tx_packets: int = Field(description="packets sent")
    tx_bytes: int = Field(description="bytes sent")


class RouterCounts(StrictModel):
    """The counters of the router and the CPUs between the start and the end of a transfer.

    Packets are as the kernel hands them around: with segmentation offload one of them may be many
    frames.  `dropped`: by the backlog queue of a CPU, which is the machine's and not one node's.
    """

    packets: int = Field(description="received by the router's ports")
    bytes: int = Field(description="received by the router's ports")
    port_drops: int = Field(description="receive and transmit drops of the router's ports")
    dropped: dict[str, int] = Field(description="CPU number to packets (softnet_stat)")
    links: dict[str, LinkCounts] = Field(default_factory=dict, description="by the router's port")
    busy: dict[str, float] = Field(
        default_factory=dict, description="CPU number to the share of the time that it worked"
    )


class Transfer(StrictModel):
    """One transfer: its state, its validity, and only then its measurement."""

    number: int = Field(ge=0, description="order in which the transfers ran")
    purpose: Literal["transfer", "a-a"] = Field(
        description="a-a: the reference condition once more, for the A/A interval"
    )
    condition: str = Field(description="the condition's name in the lab")
    direction: TcpDirection = Field(description="which ways data went")
    round: int = Field(description="transfers of one round are paired")
    attempt: int = Field(default=1, description="1, or more where it was repeated")
    at_seconds: float = Field(description="start, seconds after the run's start")
    state: Literal["completed", "aborted"] = Field(description="aborted: it ended early")
    valid: bool = Field(description="whether it says something of the router")
    invalid_because: tuple[str, ...] = Field(default=(), description="why not, as sentences")
    causes: tuple[Cause, ...] = Field(
        default=(), description="what invalid_because says, for programs"
    )
    steal: float | None = Field(
        default=None, description="share that the hypervisor took of the CPU that lost most"
    )
    ways: tuple[Way, ...] = Field(
        default=(), description="each way that data went; both ways are two"
    )
    router: RouterCounts | None = Field(
        default=None, description="what the router counted; null: the transfer did not end"
    )
    counters: dict[str, int] = Field(
        default_factory=dict, description="by how much the condition's counters grew"
    )

    @property
    def goodput(self) -> float:
        """Bits per second over all ways."""
        return sum(way.goodput for way in self.ways)

    @property
    def retransmits(self) -> int:
        """Segments that were sent again, over all ways."""
        return sum(sum(way.retransmits) for way in self.ways)


class TcpRecord(Run):
    """One run of `ppslab tcp`; `trials` is empty, `transfers` has what was measured."""

    schema_version: Literal["ppslab/tcp/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    reference: str = Field(description="the condition that all others are compared with")
    arrangement: Arrangement = Field(
        description="separate: the router has a CPU of its own; coupled: whoever sends routes"
    )
    instances: int = Field(description="of iperf3 on each host; a condition may have others")
    streams: int = Field(description="connections of each instance; a condition may have others")
    seconds: int = Field(description="of one transfer, slow start included")
    segment_size: int = Field(description="bytes of data in a full segment, by the hosts' links")
    offloads: bool = Field(
        description="segmentation and receive offload on hosts and router; "
        "off: a packet is a frame of the wire"
    )
    explanations: tuple[str, ...] = Field(description="how to read the retransmits")
    transfers: tuple[Transfer, ...] = Field(
        description="every transfer, in the order in which they ran"
    )

    def of_the_labs(self) -> int:
        """Count its conditions among those that its lab measures with TCP now."""
        spec = self.lab_now()
        if spec is None:
            return len(self.conditions)
        every = {condition.name for condition in spec.conditions}
        asked = set(spec.tcp.conditions) if spec.tcp and spec.tcp.conditions else every
        return len(asked & {condition.name for condition in self.conditions})


# `ppslab profile`: where a condition's nanoseconds go.


class Estimate(StrictModel):
    """A median over rounds with its bootstrap 95 % interval, and the number of rounds."""

    estimate: float = Field(description="the median")
    low: float = Field(description="the interval's lower end")
    high: float = Field(description="the interval's upper end")
    count: int = Field(description="rounds")


class StationTime(StrictModel):
    """One station of a packet's way through tester and router."""

    name: str = Field(description="the station's name")
    title: str = Field(description="its title")
    samples: int = Field(description="samples that were taken there")
    nanoseconds: float = Field(
        description="its share of the samples times the time per packet; "
        "the binomial standard error of the share is in `error`"
    )
    error: float = Field(description="standard error of `nanoseconds`")


class ConditionProfile(StrictModel):
    """One condition; times in nanoseconds per packet, at one frame size."""

    condition: str = Field(description="the condition's name in the lab")
    total: Estimate = Field(description="tester and router together, unsampled trials")
    router: Estimate | None = Field(description="less the record's baseline in the same rounds")
    ratio: Estimate | None = Field(description="router time over that of the reference")
    sampled_total: float | None = Field(description="the same time while it was being sampled")
    samples: int = Field(ge=0, description="samples of all stations together")
    stations: tuple[StationTime, ...] = Field(
        default=(), description="the stations, in the order of a packet's way"
    )
    unknown: dict[str, int] = Field(
        default_factory=dict, description="innermost functions of no station, with their samples"
    )
    stacks: dict[str, int] = Field(
        default_factory=dict, description="outermost function first, `;` between, with samples"
    )
    counters: tuple[dict[str, Any], ...] = Field(
        default=(), description="counters of the CPUs, in older records"
    )


class ProfileRecord(Run):
    """One run of `ppslab profile`."""

    schema_version: Literal["ppslab/profile/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    baseline: Literal["cable", "drop"] = Field(
        description="which of the tester's own costs is subtracted"
    )
    clock: Clock = Field(description="by which the time per packet is counted")
    reference: str = Field(description="the condition that all others are compared with")
    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")
    sampler: Literal["perf", "counters"] = Field(
        description="perf: the program that sampled the stacks; counters: none, in older records"
    )
    sampler_version: str = Field(description="the sampler's own version")
    why_not_perf: str | None = Field(default=None, description="null; in older records the reason")
    frequency: int = Field(description="samples per second of the sender's CPU time")
    profiles: tuple[ConditionProfile, ...] = Field(description="one for each condition")


# `ppslab break`: an instrument broken on purpose, and whether it noticed.


FaultName = Literal[
    "late-tester", "small-ring", "rules-gone", "offload-on", "slow-tester", "stopped-trial"
]
FAULT_NAMES: tuple[FaultName, ...] = get_args(FaultName)

Outcome = Literal["caught", "missed", "not broken"]
"""missed: the fault was there and nobody said so.  not broken: it had no effect here, or the
machine had the same fault by itself."""


class FaultFound(StrictModel):
    """One fault: what was broken, what the instrument said without it and with it."""

    name: FaultName = Field(description="the fault's name")
    title: str = Field(description="its title")
    broken: str = Field(description="what was done to the instrument")
    believed: str = Field(description="what a reader of the numbers alone would have believed")
    healthy: tuple[int, ...] = Field(description="numbers of the trials just before, unbroken")
    trials: tuple[int, ...] = Field(description="numbers of the trials with the fault")
    outcome: Outcome = Field(description="whether the instrument noticed")
    said: tuple[str, ...] = Field(description="what the instrument said of the last of them")


class FaultsRecord(Run):
    """One run through the faults."""

    schema_version: Literal["ppslab/faults/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")
    faults: tuple[FaultFound, ...] = Field(description="every fault that was tried")

    def is_whole(self) -> bool:
        """True where every fault was tried."""
        return set(FAULT_NAMES) <= {fault.name for fault in self.faults}

    def fault(self, name: FaultName) -> FaultFound | None:
        """The fault of that name, None where it was not tried."""
        return next((fault for fault in self.faults if fault.name == name), None)


# `ppslab calibrate`: what the tester, its receiver and its clocks can do here.  All of it is
# measured over a cable: the tester's ports joined to each other, no router.  Rates are frames per
# second over all streams; every result names its trials, by their numbers in `trials`.


class Carried(StrictModel):
    """The rate that the tester carries back to back at one frame size, as fast as it can."""

    frame_size: int = Field(description="bytes, with the frame check sequence")
    arrangement: Arrangement = Field(description="whether sender and receiver share a CPU")
    rate: float = Field(description="distinct frames received per second of sending: the median")
    lowest: float = Field(description="the slowest trial's rate")
    highest: float = Field(description="the fastest trial's rate")
    loss_ratio: float = Field(description="of the frames that left it as fast as it can")
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Sent(StrictModel):
    """The rate of the sender alone at one frame size: the far end takes a frame and forgets it.

    A receiver that idles between frames must be woken for each, by the sender; one that shares the
    sender's CPU takes its part of it.  A router that is busy does neither, so this is what the
    tester can send into one.
    """

    frame_size: int = Field(description="bytes, with the frame check sequence")
    rate: float = Field(description="frames per second of sending: the median")
    lowest: float = Field(description="the slowest trial's rate")
    highest: float = Field(description="the fastest trial's rate")
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Paced(StrictModel):
    """The lateness and delay of a paced load over the cable, from every one of its frames."""

    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")
    arrangement: Arrangement = Field(description="whether sender and receiver share a CPU")
    share: float | None = Field(description="of what it carries; null: the rate was asked for")
    rate: float = Field(description="frames per second that were asked for")
    lateness: tuple[Percentile, ...] = Field(
        description="actual minus intended send time: the send jitter"
    )
    latest_ns: int = Field(description="the frame that left latest")
    from_intended: Delays = Field(description="delays from when a frame was due")
    from_actual: Delays = Field(description="what the cable and the receiver make of a frame")
    lost: int = Field(description="intended frames that did not come")
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Receiver(StrictModel):
    """The highest rate at which the receiver's ring lost nothing, with every sender at work."""

    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")
    rate: float | None = Field(description="null: it dropped at every rate that was tried")
    dropped_at: float | None = Field(
        description="the lowest rate at which it dropped; null: it never did"
    )
    senders: int = Field(description="sending threads or processes at work")
    seconds: float = Field(description="of sending in each trial")
    ring_bytes: int = Field(
        description="of all rings; small, so that they had to be read meanwhile"
    )
    unexplained: int = Field(
        description="frames that left and neither came nor were counted as dropped by the ring"
    )
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Timer(StrictModel):
    """The fineness with which a program on the tester's CPU can tell and keep the time."""

    resolution_ns: int = Field(description="clock_getres(2) of CLOCK_MONOTONIC")
    step_ns: int = Field(description="smallest difference between two readings that differ")
    reading_ns: float = Field(description="one reading by the probe, its own time included; median")
    sleep_ns: int = Field(description="how long the sleeps were to last")
    sleep_late: tuple[Percentile, ...] = Field(description="how late they ended")
    spun_seconds: float = Field(description="how long the probe then read the clock unceasingly")
    away: int = Field(description="times that it came back more than `away_ns` later")
    away_ns: int = Field(
        description="nanoseconds between two readings from which the probe counts as away"
    )
    away_share: float = Field(ge=0, le=1, description="of the time")
    longest_away_ns: int = Field(description="nanoseconds of the longest time away")


class Clocks(StrictModel):
    """The clocks that stamp frames: CLOCK_MONOTONIC the sender's, CLOCK_REALTIME the kernel's."""

    source: str = Field(description="the kernel's clock source")
    uncertainty_ns: float = Field(
        description="half the time that the closest pair of readings of the two clocks took"
    )
    step_ns: int = Field(description="largest change of their offset; below that: nothing seen")
    watched_seconds: float = Field(description="for how long they were compared")
    slew_ppm: float = Field(description="CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW")


class NotShown(StrictModel):
    """A quantity that this tester or this machine cannot measure."""

    what: str = Field(description="what could not be measured")
    reason: str = Field(description="why not")


class CalibrationRecord(Measurement):
    """One calibration of one tester on one machine."""

    schema_version: Literal["ppslab/calibration/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    carried: tuple[Carried, ...] = Field(
        default=(), description="what the tester carries, by frame size"
    )
    sent: tuple[Sent, ...] = Field(
        default=(), description="what the sender does alone, by frame size"
    )
    paced: tuple[Paced, ...] = Field(
        default=(), description="what paced loads show, by frame size and load"
    )
    receiver: Receiver | None = Field(
        default=None, description="what the receiver bears; null: not measured"
    )
    timer: Timer | None = Field(
        default=None, description="how finely time is told; null: not measured"
    )
    clocks: Clocks | None = Field(
        default=None, description="how the clocks agree; null: not measured"
    )
    not_shown: tuple[NotShown, ...] = Field(default=(), description="what could not be measured")
    trials: tuple[Trial, ...] = Field(
        default=(), description="every trial, in the order in which they ran"
    )

    def provenance(self) -> Provenance:
        """The origin of its numbers: tester, backend, kernel, CPU, date."""
        return Provenance(
            started=f"{self.started:{MINUTE}}",
            subject="tester",
            name=self.tester.name,
            version=self.tester.version,
            backend=self.backend,
            emulation=self.environment.get("emulation") or "none",
            kernel=self.environment.get("kernel", UNKNOWN),
            cpu=self.environment.get("cpu", UNKNOWN),
            cpus=self.environment.get("cpus"),
        )


# A measurement that failed: what was asked for, when, why, and what to do.


Command = Literal["run", "rfc2544", "tcp", "break", "calibrate"]
"""The measurements that `make book` makes."""


class Failure(StrictModel):
    """One measurement that `make book` could not make."""

    schema_version: Literal["ppslab/failure/1"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    command: Command = Field(description="which of ppslab's commands")
    lab: str = Field(description="of a calibration: the tester")
    measure: Measure | None = Field(default=None, description="of `ppslab run`: which one")
    when: AwareDatetime = Field(description="when it failed")
    exit_code: int = Field(description="of ppslab; negative: the signal that ended it")
    reason: str = Field(max_length=2000, description="what ppslab said last")
    to_do: str = Field(description="what measures it again")

    @property
    def measurement(self) -> str:
        """The command as a reader types it."""
        named = self.command if self.command == "calibrate" else f"{self.command} {self.lab}"
        return f"ppslab {named}" + (f" --measure {self.measure}" if self.measure else "")


# A record as if only some conditions and frame sizes had been measured.  A notebook that measures a
# part of a lab shows the same part of a recorded run: without the reference nothing is measured
# against itself either.


def only(
    record: Record,
    conditions: Sequence[str] = (),
    sizes: Sequence[int] = (),
    *,
    search: bool = True,
) -> Record:
    """The part of a record of `ppslab run`; empty means all of it."""
    names, update = _only(record, conditions)
    kept = [size for size in record.frame_sizes if not sizes or size in sizes]
    update["frame_sizes"] = tuple(kept)
    update["trials"] = tuple(
        trial
        for trial in record.trials
        if trial.frame_size in kept and (trial.condition in names or trial.condition is None)
    )
    update["searches"] = tuple(
        one
        for one in record.searches
        if search and one.condition in names and one.frame_size in kept
    )
    return record.model_copy(update=update)


def only_tcp(record: TcpRecord, conditions: Sequence[str] = ()) -> TcpRecord:
    """The part of a record of `ppslab tcp`; empty means all of it."""
    names, update = _only(record, conditions)
    update["transfers"] = tuple(one for one in record.transfers if one.condition in names)
    return record.model_copy(update=update)


def _only(record: Run, conditions: Sequence[str]) -> tuple[set[str], dict[str, Any]]:
    """The names of the conditions that are kept, and what of every run is."""
    names = set(conditions) or {condition.name for condition in record.conditions}
    return names, {
        "conditions": tuple(c for c in record.conditions if c.name in names),
        "skipped": tuple(s for s in record.skipped if not conditions or s.condition in names),
    }
