"""The record of `ppslab rfc2544`: the tests of RFC 2544 section 26, condition by condition.

Rates are frames per second over all streams that were sent.  Every result names its trials, by
their numbers in `trials`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.results.every_frame import Delays, Variation
from ppslab.results.header import Run
from ppslab.results.parts import GoalResult
from ppslab.results.trials import Direction, Family
from ppslab.results.words import Words


class Subject(Words):
    """What a result is of."""

    condition: str
    frame_size: int = Field(description="bytes, with the frame check sequence")
    family: Family
    direction: Direction


class Throughput(Subject):
    """RFC 2544 section 26.1, by MLRsearch (RFC 9971)."""

    goals: tuple[GoalResult, ...] = ()
    failed_because: str | None = None
    trials: int = Field(default=0, description="how many the search took")
    seconds: float = Field(default=0.0, description="of traffic")


class Latency(Subject):
    """RFC 2544 section 26.2, at a share of the throughput."""

    share: float = Field(gt=0, le=1)
    rate: float
    trials: tuple[int, ...]
    from_intended: Delays
    from_actual: Delays
    pdv: Variation
    ipdv: Variation
    medians_ns: tuple[float, ...] = Field(description="each trial's median, from the intended time")
    reordered: int | None = Field(description="null: the tester does not count it")
    duplicates: int | None
    lost: int
    resolution_ns: float | None = Field(
        default=None, description="what the tester's own delay spreads over at this load"
    )
    invalid_because: tuple[str, ...] = ()


class FrameLoss(Subject):
    """One point of the curve of RFC 2544 section 26.3."""

    share: float = Field(description="of the maximum rate")
    rate: float
    loss_ratio: float | None = Field(description="null: no valid trial")
    offered_rate: float | None = None
    forwarding_rate: float | None = None
    trials: tuple[int, ...]
    invalid_because: tuple[str, ...] = ()


class BackToBack(Subject):
    """RFC 2544 section 26.4 with RFC 9004: the longest burst without loss, repeat by repeat."""

    rate: float = Field(description="at which the bursts were sent")
    bursts: tuple[int, ...] = Field(description="longest lossless burst of each repeat, in frames")
    longest_tried: int
    implied_buffer_seconds: float | None = Field(description="RFC 9004 section 6.4")
    corrected_buffer_seconds: float | None = Field(
        description="less what the router forwards meanwhile, RFC 9004 section 6.4"
    )
    why_none: str | None = None
    trials: tuple[int, ...]


class Recovery(Subject):
    """RFC 2544 section 26.5: how long a router loses frames after an overload."""

    overload_rate: float
    recovery_rate: float
    seconds: tuple[float, ...] = Field(
        description="of each repeat: last lost frame after the drop of the load, 0: none was lost"
    )
    not_recovered: int = Field(
        default=0, description="repeats that lost frames up to the trial's end; not in `seconds`"
    )
    why_none: str | None = None
    trials: tuple[int, ...]


class Reset(Subject):
    """RFC 2544 section 26.6 with RFC 6201: how long a reset keeps the router from forwarding."""

    kind: str = Field(description="what was reset, and how")
    rate: float
    by_loss_seconds: tuple[float, ...] = Field(description="lost frames over rate, RFC 6201 1.3")
    by_time_seconds: tuple[float, ...] = Field(description="longest gap between arrivals, 1.3")
    why_none: str | None = None
    trials: tuple[int, ...]


class SuiteRecord(Run):
    """One run of the RFC 2544 suite."""

    schema_version: Literal["ppslab/rfc2544/1"] = Field(alias="schema")
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
    throughput: tuple[Throughput, ...] = ()
    latency: tuple[Latency, ...] = ()
    frame_loss: tuple[FrameLoss, ...] = ()
    back_to_back: tuple[BackToBack, ...] = ()
    recovery: tuple[Recovery, ...] = ()
    reset: tuple[Reset, ...] = ()
