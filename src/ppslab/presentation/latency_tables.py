"""The tables of latency: RFC 2544 section 26.2, beside statistics over every frame."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ppslab.analysis.port_limits import stream_of
from ppslab.base.text.grouping import count_text
from ppslab.base.text.numbers import percent_text, percentile_text, time_text
from ppslab.base.text.tables import Table, cells
from ppslab.base.units import human_rate
from ppslab.presentation.suite_tables import NOTHING, head, invalid, sorted_of
from ppslab.results import Delays, Latency, SuiteRecord
from ppslab.theory.statistics import median_interval
from ppslab.theory.statistics.difference import FEWEST

TAIL = (0.99, 0.999, 0.9999)


def latency_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.2: by frame size and load, from when each frame was due to be sent."""
    rows = []
    for result in _by_load(record, condition):
        due = result.from_intended
        rows.append(
            cells(
                *head(result),
                percent_text(result.share),
                human_rate(result.rate),
                _median(result.medians_ns, record.seed),
                str(len(result.trials)),
                time_text(due.mean) if due.mean is not None else NOTHING,
                *(_percentile(due, share) for share in TAIL),
                time_text(due.max) if due.max is not None else NOTHING,
                time_text(finest) if (finest := resolution(record, result)) else NOTHING,
            )
        )
    return Table(
        title=f"Latency: {condition}",
        titles=record.titles,
        header=(
            "bytes", "streams", "load", "rate", "median", "trials", "mean",
            *(percentile_text(share) for share in TAIL), "most", "resolved",
        ),
        rows=tuple(rows),
        notes=(
            "Load: share of the throughput with no loss.",
            "Median: of the trials' medians; in square brackets its 95 % interval (bootstrap), in "
            f"round ones the range where there are fewer than {FEWEST} trials. "
            "All else is over the frames of all trials.",
            "Delays count from when a frame was due, so a late tester cannot hide a slow router. "
            "Resolved: the spread of the tester's own delay; smaller differences say nothing.",
            *invalid(_by_load(record, condition)),
        ),
    )  # fmt: skip


def resolution(record: SuiteRecord, result: Latency) -> float | None:
    """The resolution of a result's delays in nanoseconds; None where it is unknown."""
    return result.resolution_ns or record.delay_resolution_ns


def _median(medians: Sequence[float], seed: int) -> str:
    """With few values a bootstrap gives their range, not a 95 % interval."""
    if not medians:
        return NOTHING
    if len(medians) < FEWEST:
        return f"{time_text(median(medians))} ({_range(min(medians), max(medians))})"
    interval = median_interval(medians, seed=seed)
    return f"{time_text(interval.estimate)} [{_range(interval.low, interval.high)}]"


def _range(low: float, high: float) -> str:
    """Both ends of an interval; a unit that they share is written once."""
    below, above = time_text(low), time_text(high)
    number, unit = below.split(" ")
    return f"{number}, {above}" if above.endswith(f" {unit}") else f"{below}, {above}"


def variation_table(record: SuiteRecord, condition: str) -> Table:
    """What section 26.2 does not ask for: variation (RFC 5481), disorder, loss, tester's share."""
    rows = []
    for result in _by_load(record, condition):
        rows.append(
            cells(
                *head(result),
                percent_text(result.share),
                _percentile(result.from_intended, 0.5),
                _percentile(result.from_actual, 0.5),
                _percentile(result.from_actual, 0.999),
                *(
                    time_text(value.at[0.999]) if 0.999 in value.at else NOTHING
                    for value in (result.pdv, result.ipdv)
                ),
                *(
                    NOTHING if n is None else count_text(n)
                    for n in (result.reordered, result.duplicates, result.lost)
                ),
            )
        )
    return Table(
        title=f"Delay variation and disorder: {condition}",
        titles=record.titles,
        header=(
            "bytes", "streams", "load", "p50 due", "p50 sent", "p99.9 sent", "PDV p99.9",
            "IPDV p99.9", "reordered", "duplicates", "lost",
        ),
        rows=tuple(rows),
        notes=(
            "Due: from the intended send time; sent: from the actual one. "
            "Where they differ, the tester was late.",
            "PDV: delay minus the least one; IPDV: minus that of the frame before (RFC 5481). "
            "Reordered: RFC 4737 section 3.3.",
        ),
    )  # fmt: skip


def _percentile(delays: Delays, share: float) -> str:
    percentile = next((p for p in delays.percentiles if p.share == share), None)
    return time_text(percentile.ns) if percentile else NOTHING


def _by_load(record: SuiteRecord, condition: str) -> list[Latency]:
    results = sorted_of(record.latency, condition)
    order = list(dict.fromkeys(stream_of(r) for r in results))
    return sorted(results, key=lambda r: (order.index(stream_of(r)), r.frame_size, -r.share))
