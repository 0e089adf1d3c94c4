"""The record of `ppslab rfc2544`: the tests of RFC 2544 section 26, condition by condition.

Rates are frames per second over all streams that were sent.  Every result names its trials, by
their numbers in `trials`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.core.documents.strict import StrictModel
from ppslab.model.results.every_frame import Delays, Variation
from ppslab.model.results.header import Run
from ppslab.model.results.parts import GoalResult
from ppslab.model.results.trials import Direction, Family


class Subject(StrictModel):
    """What a result is of."""

    condition: str = Field(description="the condition's name in the lab")
    frame_size: int = Field(description="bytes, with the frame check sequence")
    family: Family = Field(description="the flows' address family")
    direction: Direction = Field(description="which of the lab's flows were sent")


class Throughput(Subject):
    """RFC 2544 section 26.1, by MLRsearch (RFC 9971)."""

    goals: tuple[GoalResult, ...] = Field(
        default=(), description="one result for each tolerated loss ratio"
    )
    failed_because: str | None = Field(
        default=None, description="why the search has no result; null where it has one"
    )
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
