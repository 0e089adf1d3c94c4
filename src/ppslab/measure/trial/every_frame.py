"""The statistics of one trial's frames: the frames file in, every statistic out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ppslab.core.errors import FileError
from ppslab.model.metrics import arrivals, delays
from ppslab.model.results.parts import (
    Delays,
    EveryFrame,
    PortToPort,
    Reordering,
    Variation,
)
from ppslab.testbed.testers import frames as frames_file
from ppslab.testbed.testers.frames import Frames

Integers = npt.NDArray[np.int64]

_NONE = np.empty(0, dtype=np.int64)


def count(frames: bytes) -> EveryFrame:
    """Every statistic of a frames file (traffic/README.md); FileError where it is none."""
    return of(frames_file.read(frames))


def of(frames: Frames) -> EveryFrame:
    """Every statistic of the frames of a trial.

    FileError where a flow received a frame that it was not to send.
    """
    flows = [_Flow.of(frames, *rows) for rows in _by_flow(frames)]
    received = sum(len(flow.sequence) for flow in flows)
    intended = sum(flow.intended for flow in frames.flows)
    lost_at = np.concatenate([flow.lost_at for flow in flows])
    extents = _together([arrivals.extents(flow.sequence) for flow in flows])
    # Nearly in order already, and of one port wholly: what a stable sort is quick with.
    times = np.sort(np.concatenate([flow.received_ns for flow in flows]), kind="stable")
    return EveryFrame(
        intended=intended,
        offered=sum(flow.offered for flow in frames.flows),
        received=received,
        lost=intended - received,
        duplicates=sum(flow.duplicates for flow in flows),
        reordering=Reordering(reordered=len(extents), max_extent=int(extents.max(initial=0))),
        from_intended=_delays([flow.from_intended for flow in flows]),
        from_actual=_delays([flow.from_actual for flow in flows]),
        pdv=_variation([delays.pdv(flow.from_actual) for flow in flows]),
        ipdv=_variation([delays.ipdv(flow.sequence, flow.from_actual) for flow in flows]),
        first_lost_seconds=lost_at.min() / 1e9 if len(lost_at) else None,
        last_lost_seconds=lost_at.max() / 1e9 if len(lost_at) else None,
        longest_gap_seconds=np.diff(times).max() / 1e9 if received > 1 else None,
        by_ports=_by_ports(frames, flows),
    )


def merge(parts: Sequence[Delays]) -> Delays:
    """The delays of several trials together, by their histograms.

    FileError where a histogram is not one of ours.
    """
    parts = [one for one in parts if one.count]
    if not parts:
        return _delays([])
    histogram = _histogram(parts[0])
    for one in parts[1:]:
        histogram = histogram + _histogram(one)
    total = sum(one.count for one in parts)
    least = min(one.min for one in parts if one.min is not None)
    most = max(one.max for one in parts if one.max is not None)
    return Delays(
        count=total,
        min=least,
        mean=sum(one.mean * one.count for one in parts if one.mean is not None) / total,
        max=most,
        percentiles=tuple(
            one.model_copy(update={"ns": min(max(one.ns, least), most)})
            for one in histogram.percentiles()
        ),
        histogram=histogram.encode(),
    )


@dataclass(frozen=True)
class _Flow:
    """The distinct frames of one flow in the order of arrival, and when the lost ones were due."""

    sequence: Integers
    received_ns: Integers
    from_intended: Integers
    from_actual: Integers
    lost_at: Integers
    duplicates: int

    @classmethod
    def of(cls, frames: Frames, number: int, rows: npt.NDArray[np.void]) -> _Flow:
        flow = frames.flows[number]
        sequence = rows["sequence"].astype(np.int64)
        if len(sequence) and sequence.max() >= flow.intended:
            raise FileError(
                "frames", None, f"flow {flow.name}: frame {sequence.max()} of {flow.intended}"
            )
        copies = len(sequence)
        first = arrivals.first_copies(sequence, flow.intended)
        if not first.all():
            rows, sequence = rows[first], sequence[first]
        received = rows["received_ns"].astype(np.int64)
        from_intended = received - rows["intended_ns"]
        return cls(
            sequence=sequence,
            received_ns=received,
            from_intended=from_intended,
            from_actual=from_intended - rows["lateness_ns"],
            lost_at=_lost_at(frames, number, sequence, rows["intended_ns"]),
            duplicates=copies - len(sequence),
        )


def _by_flow(frames: Frames) -> list[tuple[int, npt.NDArray[np.void]]]:
    """The rows that count, flow by flow, each in the order of arrival."""
    rows = frames.rows
    ours = (rows["flags"] & frames_file.NOT_COUNTED) == 0
    if not ours.all():
        rows = rows[ours]
    if len(frames.flows) == 1:
        return [(0, rows)]
    order = np.argsort(rows["flow"], kind="stable")
    ends = np.cumsum(np.bincount(rows["flow"], minlength=len(frames.flows)))
    parts = np.split(order, ends[:-1])
    return [(number, rows[part]) for number, part in enumerate(parts)]


def _lost_at(
    frames: Frames, number: int, sequence: Integers, intended_ns: npt.NDArray[np.int64]
) -> Integers:
    """Due times of a flow's lost frames, ns; by their neighbours where there is no schedule."""
    missing = arrivals.missing(sequence, frames.flows[number].intended)
    if len(missing) == 0:
        return _NONE
    due = frames.due(number, missing)
    if due is not None:
        return due
    if len(sequence) == 0:
        return _NONE
    order = np.argsort(sequence, kind="stable")
    between = np.interp(missing, sequence[order], intended_ns[order].astype(np.float64))
    return between.astype(np.int64)


def _by_ports(frames: Frames, flows: Sequence[_Flow]) -> tuple[PortToPort, ...]:
    pairs = sorted({(flow.tx, flow.rx) for flow in frames.flows})
    if len(pairs) < 2:
        return ()
    rows = []
    for tx, rx in pairs:
        mine = [n for n, flow in enumerate(frames.flows) if (flow.tx, flow.rx) == (tx, rx)]
        intended = sum(frames.flows[n].intended for n in mine)
        received = sum(len(flows[n].sequence) for n in mine)
        rows.append(
            PortToPort(
                sent_from=frames.ports[tx],
                received_at=frames.ports[rx],
                intended=intended,
                received=received,
                lost=intended - received,
                duplicates=sum(flows[n].duplicates for n in mine),
                reordered=sum(int(arrivals.reordered(flows[n].sequence).sum()) for n in mine),
                from_intended=_delays([flows[n].from_intended for n in mine]),
                from_actual=_delays([flows[n].from_actual for n in mine]),
            )
        )
    return tuple(rows)


def _together(parts: Sequence[Integers]) -> Integers:
    return np.concatenate(parts) if parts else _NONE


def _delays(parts: Sequence[Integers]) -> Delays:
    values = np.sort(_together(parts))
    if len(values) == 0:
        return Delays(count=0, min=None, mean=None, max=None)
    return Delays(
        count=len(values),
        min=int(values[0]),
        mean=float(values.mean()),
        max=int(values[-1]),
        percentiles=delays.percentiles(values),
        histogram=delays.Histogram.of(values).encode(),
    )


def _histogram(part: Delays) -> delays.Histogram:
    try:
        return delays.Histogram.decode(part.histogram)
    except ValueError as error:
        raise FileError("delays", None, f"histogram: {error}") from None


def _variation(parts: Sequence[Integers]) -> Variation:
    values = np.sort(_together(parts))
    if len(values) == 0:
        return Variation(count=0)
    return Variation(
        count=len(values),
        at={one.share: one.ns for one in delays.percentiles(values)},
        min=int(values[0]),
        max=int(values[-1]),
    )
