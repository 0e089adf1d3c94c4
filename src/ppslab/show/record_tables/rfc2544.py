"""The tables that RFC 2544 section 26 asks for, with what RFC 9004, 6201 and 5481 add.

A table has a row for each result of a test under one condition.  Its columns are a dictionary,
from a title to the function that writes a result's cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median, stdev
from typing import TypeVar

from ppslab.core.text.grouping import count_text
from ppslab.core.text.numbers import percent_text, percentile_text, plural, seconds_text, time_text
from ppslab.core.text.quantities import NOTHING, Content, Sentence
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.core.units import frame_bits_per_second, human_rate
from ppslab.judge.port_limits import stream_of, stream_text, theoretical_rate
from ppslab.model.results import (
    Delays,
    FrameLoss,
    GoalResult,
    Latency,
    Subject,
    SuiteRecord,
    Throughput,
)
from ppslab.model.statistics import FEWEST
from ppslab.show import rows

Of = TypeVar("Of", bound=Subject)


def sorted_of(results: Iterable[Of], condition: str) -> list[Of]:
    """The results of one condition: by stream type in the record's order, then by frame size."""
    own = [result for result in results if result.condition == condition]
    order = list(dict.fromkeys(stream_of(result) for result in own))
    return sorted(own, key=lambda r: (order.index(stream_of(r)), r.frame_size))


def _table(
    title: str,
    record: SuiteRecord,
    condition: str,
    results: Iterable[Of],
    columns: Mapping[Content, Callable[[Of], Content | Cell]],
    *notes: str,
) -> Table:
    """The rows of a condition: frame size and stream type, then a cell for each of `columns`."""
    named: dict[Content, Callable[[Of], Content | Cell]] = {
        "bytes": lambda result: str(result.frame_size),
        "streams": lambda result: stream_text(stream_of(result)),
        **columns,
    }
    title_of = Sentence((f"{title}: ", record.named(condition)))
    return Table.of(title_of, sorted_of(results, condition), named, *notes)


def _without(
    results: Iterable[Of], condition: str, reason: Callable[[Of], str | None]
) -> Iterable[str]:
    """Sentences on the subjects without a result, each once, with the reason."""
    return dict.fromkeys(
        f"{result.frame_size} bytes, {stream_text(stream_of(result))}: {why}."
        for result in sorted_of(results, condition)
        if (why := reason(result))
    )


def _invalid(results: Iterable[Latency | FrameLoss], condition: str) -> Iterable[str]:
    """Sentences on the loads without a valid trial, each once."""
    return dict.fromkeys(
        f"{r.frame_size} bytes at {percent_text(r.share)}: {'; '.join(r.invalid_because)}."
        for r in sorted_of(results, condition)
        if r.invalid_because
    )


def _or_dash(text: Callable[[float], str], value: float | None) -> str:
    return NOTHING if value is None else text(value)


def throughput_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.1: by frame size and stream type, beside the ports' theoretical rate."""
    own = sorted_of(record.throughput, condition)
    ratios = sorted({goal.loss_ratio for result in own for goal in result.goals})

    def theory(result: Throughput) -> str:
        rate = theoretical_rate(record, condition, stream_of(result), result.frame_size)
        return _or_dash(human_rate, rate)

    def megabits(result: Throughput) -> str:
        goal = result.goal(ratios[0]) if ratios else None
        if goal is None or goal.conditional_throughput is None:
            return NOTHING
        return f"{frame_bits_per_second(goal.conditional_throughput, result.frame_size) / 1e6:.1f}"

    def rate(ratio: float) -> Callable[[Throughput], str]:
        return lambda result: goal_text(result.goal(ratio))

    return _table(
        "Throughput", record, condition, own,
        {
            "theoretical": theory,
            **{tolerated(ratio): rate(ratio) for ratio in ratios},
            ", ".join(["Mbit/s", *map(tolerated, ratios[:1])]): megabits,
            "search": lambda r: f"{plural(r.trials, 'trial')}, {r.seconds:.3g} s",
        },
        "In brackets: the lower and the upper bound of the search. The throughput is between them.",
        "A rate within 10 % of the tester's own limit is marked tester-limited: "
        "the router may forward more.",
        *_without(own, condition, lambda r: r.failed_because),
    )  # fmt: skip


def tolerated(loss_ratio: float) -> str:
    return f"{percent_text(loss_ratio)} loss" if loss_ratio else "no loss"


def goal_text(goal: GoalResult | None) -> str:
    """`890 kpps (890 to 920)`, with `tester-limited` where it is."""
    if goal is None or goal.conditional_throughput is None:
        return NOTHING
    rate = human_rate(goal.conditional_throughput)
    unit = rate.split(" ")[1]
    low, high = (
        human_rate(bound).removesuffix(f" {unit}") if bound is not None else ""
        for bound in (goal.relevant_lower_bound, goal.relevant_upper_bound)
    )
    bounds = f"{low or NOTHING} to {high}" if high else "no load failed"
    limited = ", tester-limited" if goal.tester_limited else ""
    return f"{rate} ({bounds}{limited})"


TAIL = (0.99, 0.999, 0.9999)


def latency_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.2: by frame size and load, from when each frame was due to be sent."""
    return _table(
        "Latency", record, condition, _by_load(record),
        {
            "load": lambda r: percent_text(r.share),
            "rate": lambda r: human_rate(r.rate),
            "median": lambda r: _median(r.medians_ns, record.seed),
            "trials": lambda r: str(len(r.trials)),
            "mean": lambda r: _or_dash(time_text, r.from_intended.mean),
            **{percentile_text(share): _tail(share) for share in TAIL},
            "most": lambda r: _or_dash(time_text, r.from_intended.max),
            "resolved": lambda r: _or_dash(time_text, resolution(record, r)),
        },
        "Load: share of the throughput with no loss.",
        "Median: of the trials' medians; in square brackets its 95 % interval (bootstrap), in "
        f"round ones the range where there are fewer than {FEWEST} trials. "
        "All other columns cover the frames of all trials.",
        "Delays are counted from a frame's intended send time, so a late tester cannot hide "
        "a slow router. Resolved: the spread of the tester's own delay; smaller differences "
        "are noise.",
        *_invalid(_by_load(record), condition),
    )  # fmt: skip


def _by_load(record: SuiteRecord) -> list[Latency]:
    return sorted(record.latency, key=lambda result: -result.share)


def resolution(record: SuiteRecord, result: Latency) -> float | None:
    """The resolution of a result's delays in nanoseconds; None where it is unknown."""
    return result.resolution_ns or record.delay_resolution_ns or None


def _median(medians: Sequence[float], seed: int) -> str:
    """`28.2 µs [27.9, 28.4 µs]`; in round brackets where the ends are those of a range."""
    row = rows.of_medians(rows.Row("latency"), medians, seed)
    if row.value is None:
        return NOTHING
    ends = _range(row.estimate.low, row.estimate.high)
    return f"{time_text(row.value)} " + (f"[{ends}]" if row.interval == "95 %" else f"({ends})")


def _range(low: float, high: float) -> str:
    """Both ends of an interval; a unit that they share is written once."""
    below, above = time_text(low), time_text(high)
    number, unit = below.split(" ")
    return f"{number}, {above}" if above.endswith(f" {unit}") else f"{below}, {above}"


def _percentile(delays: Delays, share: float) -> str:
    return _or_dash(time_text, next((p.ns for p in delays.percentiles if p.share == share), None))


def _tail(share: float) -> Callable[[Latency], str]:
    return lambda result: _percentile(result.from_intended, share)


def variation_table(record: SuiteRecord, condition: str) -> Table:
    """Table beyond section 26.2: variation (RFC 5481), disorder, loss, tester's share."""
    return _table(
        "Delay variation and reordering", record, condition, _by_load(record),
        {
            "load": lambda r: percent_text(r.share),
            "p50 due": lambda r: _percentile(r.from_intended, 0.5),
            "p50 sent": lambda r: _percentile(r.from_actual, 0.5),
            "p99.9 sent": lambda r: _percentile(r.from_actual, 0.999),
            "PDV p99.9": lambda r: _or_dash(time_text, r.pdv.at.get(0.999)),
            "IPDV p99.9": lambda r: _or_dash(time_text, r.ipdv.at.get(0.999)),
            "reordered": lambda r: _or_dash(count_text, r.reordered),
            "duplicates": lambda r: _or_dash(count_text, r.duplicates),
            "lost": lambda r: count_text(r.lost),
        },
        "Due: counted from the intended send time; sent: counted from the actual send time. "
        "If the two differ, the tester was late.",
        "PDV: delay minus the lowest delay; IPDV: delay minus that of the previous frame "
        "(RFC 5481). Reordered: RFC 4737 section 3.3.",
    )  # fmt: skip


def loss_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.3: a row a load, a column a frame size and stream type."""
    results = sorted_of(record.frame_loss, condition)
    columns = list(dict.fromkeys((r.frame_size, stream_of(r)) for r in results))
    points = {(r.frame_size, stream_of(r), r.share): r for r in results}
    one = len({stream for _, stream in columns}) == 1
    kind = f", {stream_text(columns[0][1])}" if one else ""
    return Table(
        title=Sentence(("Frame loss rate: ", record.named(condition), kind)),
        header=(
            "load",
            *(f"{size} bytes" + ("" if one else f", {stream_text(s)}") for size, s in columns),
        ),
        rows=tuple(
            cells(percent_text(share), *(_loss(points.get((*each, share))) for each in columns))
            for share in sorted({r.share for r in results}, reverse=True)
        ),
        notes=(
            "Load: share of the tester's highest rate. Frames that the tester could not send "
            "count as lost.",
            *_invalid(record.frame_loss, condition),
        ),
    )


def _loss(point: FrameLoss | None) -> str:
    if point is None:
        return NOTHING
    return "not valid" if point.loss_ratio is None else percent_text(point.loss_ratio)


def bursts_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.4 with RFC 9004 section 6: burst lengths and the buffer time they imply."""
    return _table(
        "Back-to-back frames", record, condition, record.back_to_back,
        {
            "sent at": lambda r: human_rate(r.rate),
            "average burst": lambda r: count_text(mean(r.bursts)) if r.bursts else NOTHING,
            "least": lambda r: count_text(min(r.bursts)) if r.bursts else NOTHING,
            "most": lambda r: _or_dash(count_text, max(r.bursts, default=None))
            + (" (longest tried)" if max(r.bursts, default=0) >= r.longest_tried else ""),
            "deviation": lambda r: count_text(stdev(r.bursts)) if r.bursts[1:] else NOTHING,
            "repeats": lambda r: str(len(r.bursts) or NOTHING),
            "buffer time": lambda r: _or_dash(seconds_text, r.implied_buffer_seconds),
            "corrected": lambda r: _or_dash(seconds_text, r.corrected_buffer_seconds),
        },
        "Burst: the longest burst without loss, in frames. Buffer time: average burst "
        "divided by the rate; corrected: less the frames that the router forwarded meanwhile "
        "(RFC 9004 section 6.4).",
        "A burst as long as the longest one tried was not limited by a buffer.",
        *_without(record.back_to_back, condition, lambda r: r.why_none),
    )  # fmt: skip


def _over(of: Callable[[Sequence[float]], float], seconds: Sequence[float]) -> str:
    return seconds_text(of(seconds)) if seconds else NOTHING


def recovery_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.5: how long frames are lost after an overload."""
    return _table(
        "System recovery", record, condition, record.recovery,
        {
            "overload": lambda r: human_rate(r.overload_rate),
            "then": lambda r: human_rate(r.recovery_rate),
            "recovery time": lambda r: _over(median, r.seconds),
            "least": lambda r: _over(min, r.seconds),
            "most": lambda r: _over(max, r.seconds),
            "repeats": lambda r: str(len(r.seconds)),
        },
        "From the drop of the load to the last lost frame: median of the repeats; 0 s if no "
        "frame was lost after the drop.",
        *_without(record.recovery, condition, lambda r: r.why_none),
    )  # fmt: skip


def reset_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.6 by both methods of RFC 6201 section 1.3."""
    return _table(
        "Reset", record, condition, record.reset,
        {
            "rate": lambda r: human_rate(r.rate),
            "by frame loss": lambda r: _over(median, r.by_loss_seconds),
            "least": lambda r: _over(min, r.by_loss_seconds),
            "most": lambda r: _over(max, r.by_loss_seconds),
            "by timestamps": lambda r: _over(median, r.by_time_seconds),
            "repeats": lambda r: str(len(r.by_loss_seconds)),
        },
        "By frame loss: lost frames divided by the rate. By timestamps: the longest time "
        "between two forwarded frames (RFC 6201 section 1.3). Medians of the repeats.",
        *_without(record.reset, condition, lambda r: r.why_none),
    )  # fmt: skip


def reset_sentences(record: SuiteRecord, condition: str) -> tuple[str, ...]:
    """The statements that RFC 2544 asks for, one for each kind of reset."""
    sentences: dict[str, str] = {}
    for result in sorted_of(record.reset, condition):
        if result.by_loss_seconds:
            sentence = (
                f"{result.kind[:1].upper()}{result.kind[1:]}: the router did not forward for "
                f"{_over(median, result.by_loss_seconds)} "
                f"({result.frame_size} bytes, {human_rate(result.rate)})."
            )
            sentences.setdefault(result.kind, sentence)
    return tuple(sentences.values())


@dataclass(frozen=True)
class Test:
    """A test of section 26: its title, and its tables of one condition."""

    title: str
    tables: tuple[Callable[[SuiteRecord, str], Table], ...]


TESTS = {
    "throughput": Test("Throughput (RFC 2544 section 26.1)", (throughput_table,)),
    "latency": Test("Latency (section 26.2)", (latency_table, variation_table)),
    "frame_loss": Test("Frame loss rate (section 26.3)", (loss_table,)),
    "back_to_back": Test("Back-to-back frames (section 26.4, RFC 9004)", (bursts_table,)),
    "recovery": Test("System recovery (section 26.5)", (recovery_table,)),
    "reset": Test("Reset (section 26.6, RFC 6201)", (reset_table,)),
}
"""By the field of the record that has the results of a test."""
