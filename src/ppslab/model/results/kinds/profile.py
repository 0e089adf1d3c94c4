"""The record of `ppslab profile`: where a condition's nanoseconds go."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.core.documents.strict import StrictModel
from ppslab.model.results.header import Run
from ppslab.model.results.trials import Clock


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


class CpuCounters(StrictModel):
    """What one CPU of the machine counted during the profiled trials of a condition."""

    cpu: int = Field(description="the CPU's number")
    seconds: dict[str, float] = Field(description="by /proc/stat: user, system, softirq, ...")
    softirqs: dict[str, int] = Field(description="by /proc/softirqs; none that did not occur")
    processed: int = Field(description="packets taken from the backlog (softnet_stat)")
    dropped: int = Field(description="packets that found the backlog full")
    squeezed: int = Field(description="times that softirq ran out of its time or budget")


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
    counters: tuple[CpuCounters, ...] = Field(default=(), description="by CPU")


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
        description="perf: stacks were sampled; counters: only the kernel's counters were read"
    )
    sampler_version: str = Field(description="the sampler's own version")
    why_not_perf: str | None = Field(default=None, description="null: perf was used")
    frequency: int | None = Field(description="samples per second of the sender's CPU time")
    profiles: tuple[ConditionProfile, ...] = Field(description="one for each condition")
