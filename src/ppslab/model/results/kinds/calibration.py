"""The record of `ppslab calibrate`: what the tester, its receiver and its clocks can do here.

All of it is measured over a cable: the tester's ports joined to each other, no router.  Rates are
frames per second over all streams; every result names its trials, by their numbers in `trials`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from ppslab.core.documents.strict import StrictModel
from ppslab.core.provenance import UNKNOWN, Provenance
from ppslab.model.results import shapes
from ppslab.model.results.every_frame import Delays, Percentile
from ppslab.model.results.parts import Tester
from ppslab.model.results.trials import Arrangement, Trial


class Carried(StrictModel):
    """What the tester carries back to back at one frame size, as fast as it can."""

    frame_size: int = Field(description="bytes, with the frame check sequence")
    arrangement: Arrangement = Field(description="whether sender and receiver share a CPU")
    rate: float = Field(description="distinct frames received per second of sending: the median")
    lowest: float = Field(description="the slowest trial's rate")
    highest: float = Field(description="the fastest trial's rate")
    loss_ratio: float = Field(description="of the frames that left it as fast as it can")
    trials: tuple[int, ...] = Field(description="numbers of its trials in the record's `trials`")


class Sent(StrictModel):
    """What the sender does alone at one frame size: the far end takes a frame and forgets it.

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
    """What the tester does to the frames of a paced load, from every one of them."""

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
    """How finely a program on the tester's CPU can tell and keep the time."""

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
    """What this tester or this machine cannot be asked."""

    what: str = Field(description="what could not be measured")
    reason: str = Field(description="why not")


class CalibrationRecord(StrictModel):
    """One calibration of one tester on one machine."""

    schema_version: Literal["ppslab/calibration/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    id: str = Field(description="the record's name, as its file's")
    started: AwareDatetime = Field(description="when it began")
    finished: AwareDatetime = Field(description="when it ended")
    state: Literal["completed", "aborted"] = Field(
        description="aborted: it was stopped before its end"
    )
    ppslab: dict[str, str] = Field(description="version and commit of the harness")
    tester: Tester = Field(description="the tester, and its own limit")
    backend: str = Field(description="where the tester stood")
    environment: shapes.Environment = Field(
        description="kernel, CPU, emulation, the tester's settings"
    )
    cpus: dict[str, int | None] = Field(description="which CPU sends, routes, reads")
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
        """What stands beside every number: tester, backend, kernel, CPU, date."""
        return Provenance(
            started=self.started,
            subject="tester",
            name=self.tester.name,
            version=self.tester.version,
            backend=self.backend,
            emulation=self.environment.get("emulation") or "none",
            kernel=self.environment.get("kernel", UNKNOWN),
            cpu=self.environment.get("cpu", UNKNOWN),
            cpus=self.environment.get("cpus"),
        )
