"""What a profile says of the tests of RFC 2544."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ppslab.core.documents.strict import StrictModel


class Variant(StrictModel):
    """Streams over an address family in a direction (RFC 2544 section 14, RFC 5180)."""

    family: Literal["ipv4", "ipv6"] = Field(description="the flows' address family")
    direction: Literal["lab", "one-way", "both-ways"] = Field(
        description="which of the lab's flows are sent"
    )
    sizes: Literal["all", "ends"] = Field(description="ends: the smallest and 1518 bytes")
    tests: Literal["all", "throughput"] = Field(
        default="all", description="whether all tests are done, or the throughput alone"
    )


class LatencySpec(StrictModel):
    """RFC 2544 section 26.2: streams of `seconds` at `shares` of the throughput."""

    shares: tuple[float, ...]
    seconds: float = Field(gt=0)
    repeats: int = Field(ge=1, description="how often each stream is sent")


class FrameLossSpec(StrictModel):
    """Section 26.3: from the maximum rate down in steps of `step` of it."""

    step: float = Field(gt=0, le=0.1)
    seconds: float = Field(gt=0, description="seconds of sending at each step")


class BackToBackSpec(StrictModel):
    """Section 26.4 and RFC 9004: bursts of at most `seconds`."""

    seconds: float = Field(gt=0)
    repeats: int = Field(ge=1, description="how often the longest burst is searched")
    resolution: float = Field(gt=0, lt=1, description="the search ends at this share of a burst")


class RecoverySpec(StrictModel):
    """Section 26.5: `seconds` at 110 % of the throughput, `after_seconds` at half of that."""

    seconds: float = Field(gt=0)
    after_seconds: float = Field(gt=0)
    repeats: int = Field(ge=1, description="how often the overload is repeated")


class ResetSpec(StrictModel):
    """Section 26.6 and RFC 6201: a reset in mid-stream, at `share` of the throughput."""

    share: float = Field(gt=0, le=1)
    seconds: float = Field(gt=0, description="seconds of sending around the reset")
    repeats: int = Field(ge=1, description="how often the router is reset")


class Suite(StrictModel):
    """What `ppslab rfc2544` does beside the search (RFC 2544 section 26)."""

    sizes: tuple[Annotated[int, Field(ge=64, le=9216)], ...] = Field(
        min_length=1, description="bytes of a frame, with the frame check sequence"
    )
    sizes_of_other_tests: tuple[int, ...] = Field(
        min_length=1, description="of latency, bursts and recovery"
    )
    variants: tuple[Variant, ...] = Field(
        min_length=1, description="address families and directions"
    )
    latency: LatencySpec = Field(description="the latency test")
    frame_loss: FrameLossSpec = Field(description="the frame loss test")
    back_to_back: BackToBackSpec = Field(description="the test of bursts")
    recovery: RecoverySpec = Field(description="the test of recovery from an overload")
    reset: ResetSpec = Field(description="the reset test")
