"""The record of `ppslab calibrate`: what the tester, its receiver and its clocks can do here.

All of it is measured over a cable: the tester's ports joined to each other, no router.  Rates are
frames per second over all streams; every result names its trials, by their numbers in `trials`.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from ppslab.results.every_frame import Delays, Percentile
from ppslab.results.parts import Tester
from ppslab.results.trials import Arrangement, Trial
from ppslab.results.words import Words


class Carried(Words):
    """What the tester carries back to back at one frame size, as fast as it can."""

    frame_size: int = Field(description="bytes, with the frame check sequence")
    arrangement: Arrangement
    rate: float = Field(description="distinct frames received per second of sending: the median")
    lowest: float
    highest: float
    loss_ratio: float = Field(description="of the frames that left it as fast as it can")
    trials: tuple[int, ...]


class Sent(Words):
    """What the sender does alone at one frame size: the far end takes a frame and forgets it.

    A receiver that idles between frames must be woken for each, by the sender; one that shares the
    sender's CPU takes its part of it.  A router that is busy does neither, so this is what the
    tester can send into one.
    """

    frame_size: int = Field(description="bytes, with the frame check sequence")
    rate: float = Field(description="frames per second of sending: the median")
    lowest: float
    highest: float
    trials: tuple[int, ...]


class Paced(Words):
    """What the tester does to the frames of a paced load, from every one of them."""

    frame_size: int
    arrangement: Arrangement
    share: float | None = Field(description="of what it carries; null: the rate was asked for")
    rate: float
    lateness: tuple[Percentile, ...] = Field(
        description="actual minus intended send time: the send jitter"
    )
    latest_ns: int = Field(description="the frame that left latest")
    from_intended: Delays
    from_actual: Delays = Field(description="what the cable and the receiver make of a frame")
    lost: int
    trials: tuple[int, ...]


class Receiver(Words):
    """The highest rate at which the receiver's ring lost nothing, with every sender at work."""

    frame_size: int
    rate: float | None = Field(description="null: it dropped at every rate that was tried")
    dropped_at: float | None = Field(
        description="the lowest rate at which it dropped; null: it never did"
    )
    senders: int
    seconds: float = Field(description="of sending in each trial")
    ring_bytes: int = Field(
        description="of all rings; small, so that they had to be read meanwhile"
    )
    unexplained: int = Field(
        description="frames that left and neither came nor were counted as dropped by the ring"
    )
    trials: tuple[int, ...]


class Timer(Words):
    """How finely a program on the tester's CPU can tell and keep the time."""

    resolution_ns: int = Field(description="clock_getres(2) of CLOCK_MONOTONIC")
    step_ns: int = Field(description="smallest difference between two readings that differ")
    reading_ns: float = Field(description="one reading by the probe, its own time included; median")
    sleep_ns: int = Field(description="how long the sleeps were to last")
    sleep_late: tuple[Percentile, ...] = Field(description="how late they ended")
    spun_seconds: float = Field(description="how long the probe then read the clock unceasingly")
    away: int = Field(description="times that it came back more than `away_ns` later")
    away_ns: int
    away_share: float = Field(ge=0, le=1, description="of the time")
    longest_away_ns: int


class Clocks(Words):
    """The clocks that stamp frames: CLOCK_MONOTONIC the sender's, CLOCK_REALTIME the kernel's."""

    source: str = Field(description="the kernel's clock source")
    uncertainty_ns: float = Field(
        description="half the time that the closest pair of readings of the two clocks took"
    )
    step_ns: int = Field(description="largest change of their offset; below that: nothing seen")
    watched_seconds: float
    slew_ppm: float = Field(description="CLOCK_MONOTONIC against CLOCK_MONOTONIC_RAW")


class NotShown(Words):
    """What this tester or this machine cannot be asked."""

    what: str
    reason: str


class CalibrationRecord(Words):
    """One calibration of one tester on one machine."""

    schema_version: Literal["ppslab/calibration/1"] = Field(alias="schema")
    id: str
    started: datetime
    finished: datetime
    state: Literal["completed", "aborted"]
    ppslab: dict[str, str] = Field(description="version and commit of the harness")
    tester: Tester
    backend: str
    environment: dict[str, Any] = Field(description="kernel, CPU, emulation, the tester's settings")
    cpus: dict[str, int | None] = Field(description="which CPU sends, routes, reads")
    carried: tuple[Carried, ...] = ()
    sent: tuple[Sent, ...] = ()
    paced: tuple[Paced, ...] = ()
    receiver: Receiver | None = None
    timer: Timer | None = None
    clocks: Clocks | None = None
    not_shown: tuple[NotShown, ...] = ()
    trials: tuple[Trial, ...] = ()

    def provenance(self) -> str:
        """One line that stands beside every number."""
        emulation = self.environment.get("emulation")
        where = f"{self.backend} ({emulation} emulation)" if emulation == "tcg" else self.backend
        return (
            f"tester: {self.tester.name} {self.tester.version}; backend: {where}; "
            f"kernel {self.environment.get('kernel', 'unknown')}; "
            f"CPU {self.environment.get('cpu', 'unknown')} x "
            f"{self.environment.get('cpus', 'unknown')}; "
            f"measured {self.started:%Y-%m-%d %H:%M} UTC"
        )
