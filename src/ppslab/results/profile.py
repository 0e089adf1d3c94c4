"""The record of `ppslab profile`: where a condition's nanoseconds go."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.results.header import Run
from ppslab.results.trials import Clock
from ppslab.results.words import Words


class Estimate(Words):
    """A median over rounds with its bootstrap 95 % interval, and the number of rounds."""

    estimate: float
    low: float
    high: float
    count: int


class StationTime(Words):
    """One station of a packet's way through tester and router."""

    name: str
    title: str
    samples: int
    nanoseconds: float = Field(
        description="its share of the samples times the time per packet; "
        "the binomial standard error of the share is in `error`"
    )
    error: float


class CpuCounters(Words):
    """What one CPU of the machine counted during the profiled trials of a condition."""

    cpu: int
    seconds: dict[str, float] = Field(description="by /proc/stat: user, system, softirq, ...")
    softirqs: dict[str, int] = Field(description="by /proc/softirqs; none that did not occur")
    processed: int = Field(description="packets taken from the backlog (softnet_stat)")
    dropped: int = Field(description="packets that found the backlog full")
    squeezed: int = Field(description="times that softirq ran out of its time or budget")


class ConditionProfile(Words):
    """One condition; times in nanoseconds per packet, at one frame size."""

    condition: str
    total: Estimate = Field(description="tester and router together, unsampled trials")
    router: Estimate | None = Field(description="less the record's baseline in the same rounds")
    ratio: Estimate | None = Field(description="router time over that of the reference")
    sampled_total: float | None = Field(description="the same time while it was being sampled")
    samples: int = Field(ge=0)
    stations: tuple[StationTime, ...] = ()
    unknown: dict[str, int] = Field(
        default_factory=dict, description="innermost functions of no station, with their samples"
    )
    stacks: dict[str, int] = Field(
        default_factory=dict, description="outermost function first, `;` between, with samples"
    )
    counters: tuple[CpuCounters, ...] = ()


class ProfileRecord(Run):
    """One run of `ppslab profile`."""

    schema_version: Literal["ppslab/profile/1"] = Field(alias="schema")
    baseline: Literal["cable", "drop"]
    clock: Clock
    reference: str
    frame_size: int
    sampler: Literal["perf", "counters"]
    sampler_version: str
    why_not_perf: str | None = Field(default=None, description="null: perf was used")
    frequency: int | None = Field(description="samples per second of the sender's CPU time")
    profiles: tuple[ConditionProfile, ...]
