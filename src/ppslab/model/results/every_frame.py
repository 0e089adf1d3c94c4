"""What the frames of a trial say, counted from every single one of them."""

from __future__ import annotations

from pydantic import Field

from ppslab.core.documents.strict import StrictModel

MOST = 1000
"""Extents, displacements and occupancies above this share one key, 1001 (or -1001)."""


class Percentile(StrictModel):
    """The smallest delay that `share` of the frames did not exceed."""

    share: float = Field(gt=0, le=1, description="of the frames")
    ns: int = Field(description="nanoseconds")
    beyond: int = Field(ge=0, description="frames that took longer: how much stands behind it")


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

    reordered: int = Field(description="type-P-reordered, RFC 4737 section 3.4")
    ratio: float = Field(description="of the distinct frames received, section 4.1.3")
    extent: dict[int, int] = Field(
        default_factory=dict, description="reordering extent in frames to count, section 4.2.3"
    )
    max_extent: int = Field(default=0, description="the largest extent, in frames")
    late_ns: Variation = Field(description="late time offset, section 4.3.3")
    gaps: Variation | None = Field(
        default=None, description="between reordering discontinuities, section 4.5.4; in frames"
    )
    free_runs: Variation | None = Field(
        default=None, description="lengths of runs in order, section 4.6.3; in frames"
    )
    n_reordering: dict[int, float] = Field(
        default_factory=dict,
        description="n, up to 100, to the degree of n-reordering, section 5.3",
    )
    density: dict[int, float] = Field(
        default_factory=dict, description="displacement to share, RFC 5236 section 3.6 (RD)"
    )
    buffer_density: dict[int, float] = Field(
        default_factory=dict, description="buffer occupancy to share, section 3.11 (RBD)"
    )


class PortToPort(StrictModel):
    """What became of the frames from one port to another."""

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
