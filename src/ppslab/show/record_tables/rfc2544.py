"""The tables that RFC 2544 section 26 asks for, with what RFC 9004, 6201 and 5481 add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean, median, stdev
from typing import TypeVar

from ppslab.core.text.grouping import count_text
from ppslab.core.text.numbers import percent_text, percentile_text, plural, seconds_text, time_text
from ppslab.core.text.quantities import Sentence
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.core.units import frame_bits_per_second, human_rate
from ppslab.judge.port_limits import stream_of, stream_text, theoretical_rate
from ppslab.model.results import (
    BackToBack,
    Delays,
    FrameLoss,
    GoalResult,
    Latency,
    Recovery,
    Reset,
    Subject,
    SuiteRecord,
    Throughput,
)
from ppslab.model.statistics import FEWEST, median_interval

NOTHING = "-"

SECTIONS = {
    "throughput": "Throughput (RFC 2544 section 26.1)",
    "latency": "Latency (section 26.2)",
    "frame_loss": "Frame loss rate (section 26.3)",
    "back_to_back": "Back-to-back frames (section 26.4, RFC 9004)",
    "recovery": "System recovery (section 26.5)",
    "reset": "Reset (section 26.6, RFC 6201)",
}
"""Title of a test, by the field of the record that has its results."""

Of = TypeVar("Of", bound=Subject)


def sorted_of(results: Iterable[Of], condition: str) -> list[Of]:
    """The results of one condition: by stream type in the record's order, then by frame size."""
    own = [result for result in results if result.condition == condition]
    order = list(dict.fromkeys(stream_of(result) for result in own))
    return sorted(own, key=lambda r: (order.index(stream_of(r)), r.frame_size))


def head(result: Subject) -> tuple[str, str]:
    """The first two cells of a row: frame size and stream type."""
    return str(result.frame_size), stream_text(stream_of(result))


def throughput_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.1: by frame size and stream type, beside the ports' theoretical rate."""
    results = sorted_of(record.throughput, condition)
    ratios = sorted({goal.loss_ratio for result in results for goal in result.goals})
    rows = [_throughput_row(record, condition, result, ratios) for result in results]
    notes = [
        "In brackets: the lower and the upper bound of the search. The throughput is between them.",
        "A rate within 10 % of the tester's own limit is marked tester-limited: "
        "the router may forward more.",
    ]
    failed = dict.fromkeys(
        f"{result.frame_size} bytes, {stream_text(stream_of(result))}: {result.failed_because}."
        for result in results
        if result.failed_because
    )
    return Table(
        title=Sentence(("Throughput: ", record.named(condition))),
        header=(
            "bytes", "streams", "theoretical", *(_tolerated(ratio) for ratio in ratios),
            f"Mbit/s, {_tolerated(ratios[0])}" if ratios else "Mbit/s", "search",
        ),
        rows=tuple(rows),
        notes=(*notes, *failed),
    )  # fmt: skip


def _tolerated(ratio: float) -> str:
    return f"{percent_text(ratio)} loss" if ratio else "no loss"


def _throughput_row(
    record: SuiteRecord, condition: str, result: Throughput, ratios: Sequence[float]
) -> tuple[Cell, ...]:
    theory = theoretical_rate(record, condition, stream_of(result), result.frame_size)
    goals = {goal.loss_ratio: goal for goal in result.goals}
    first = goals.get(ratios[0]) if ratios else None
    bits = NOTHING
    if first and first.conditional_throughput is not None:
        bits = f"{frame_bits_per_second(first.conditional_throughput, result.frame_size) / 1e6:.1f}"
    return cells(
        *head(result),
        human_rate(theory) if theory else NOTHING,
        *(goal_text(goals.get(ratio)) for ratio in ratios),
        bits,
        f"{plural(result.trials, 'trial')}, {result.seconds:.3g} s",
    )


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


def loss_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.3: a row a load, a column a frame size and stream type."""
    results = sorted_of(record.frame_loss, condition)
    columns = list(dict.fromkeys((r.frame_size, stream_of(r)) for r in results))
    shares = sorted({r.share for r in results}, reverse=True)
    points = {(r.frame_size, stream_of(r), r.share): r for r in results}
    one = len({stream for _, stream in columns}) == 1
    rows = tuple(
        (
            Cell(percent_text(share)),
            *(Cell(_loss(points.get((*column, share)))) for column in columns),
        )
        for share in shares
    )
    kind = f", {stream_text(columns[0][1])}" if columns and one else ""
    return Table(
        title=Sentence(("Frame loss rate: ", record.named(condition), kind)),
        header=(
            "load",
            *(f"{size} bytes" + ("" if one else f", {stream_text(s)}") for size, s in columns),
        ),
        rows=rows,
        notes=(
            "Load: share of the tester's highest rate. Frames that the tester could not send "
            "count as lost.",
            *invalid(results),
        ),
    )


def _loss(point: FrameLoss | None) -> str:
    if point is None:
        return NOTHING
    return "not valid" if point.loss_ratio is None else percent_text(point.loss_ratio)


def bursts_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.4 with RFC 9004 section 6: burst lengths and the buffer time they imply."""
    results = sorted_of(record.back_to_back, condition)
    return Table(
        title=Sentence(("Back-to-back frames: ", record.named(condition))),
        header=(
            "bytes", "streams", "sent at", "average burst", "least", "most", "deviation",
            "repeats", "buffer time", "corrected",
        ),
        rows=tuple(_bursts_row(result) for result in results),
        notes=(
            "Burst: the longest burst without loss, in frames. Buffer time: average burst "
            "divided by the rate; corrected: less the frames that the router forwarded meanwhile "
            "(RFC 9004 section 6.4).",
            "A burst as long as the longest one tried was not limited by a buffer.",
            *_none(results),
        ),
    )  # fmt: skip


def _bursts_row(result: BackToBack) -> tuple[Cell, ...]:
    bursts = result.bursts
    if not bursts:
        return cells(*head(result), human_rate(result.rate), *[NOTHING] * 7)
    longest = " (longest tried)" if max(bursts) >= result.longest_tried else ""
    return cells(
        *head(result),
        human_rate(result.rate),
        count_text(mean(bursts)),
        count_text(min(bursts)),
        count_text(max(bursts)) + longest,
        count_text(stdev(bursts)) if len(bursts) > 1 else NOTHING,
        str(len(bursts)),
        *(
            seconds_text(value) if value is not None else NOTHING
            for value in (result.implied_buffer_seconds, result.corrected_buffer_seconds)
        ),
    )


def recovery_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.5: how long frames are lost after an overload."""
    results = sorted_of(record.recovery, condition)
    return Table(
        title=Sentence(("System recovery: ", record.named(condition))),
        header=("bytes", "streams", "overload", "then", "recovery time", "least", "most",
                "repeats"),
        rows=tuple(
            cells(
                *head(result),
                human_rate(result.overload_rate),
                human_rate(result.recovery_rate),
                *_spread(result.seconds),
            )
            for result in results
        ),
        notes=(
            "From the drop of the load to the last lost frame: median of the repeats; 0 s if no "
            "frame was lost after the drop.",
            *_none(results),
        ),
    )  # fmt: skip


def reset_table(record: SuiteRecord, condition: str) -> Table:
    """Section 26.6 by both methods of RFC 6201 section 1.3."""
    results = sorted_of(record.reset, condition)
    return Table(
        title=Sentence(("Reset: ", record.named(condition))),
        header=("bytes", "streams", "rate", "by frame loss", "least", "most", "by timestamps",
                "repeats"),
        rows=tuple(
            cells(
                *head(result),
                human_rate(result.rate),
                *_spread(result.by_loss_seconds)[:3],
                _spread(result.by_time_seconds)[0],
                str(len(result.by_loss_seconds)),
            )
            for result in results
        ),
        notes=(
            "By frame loss: lost frames divided by the rate. By timestamps: the longest time "
            "between two forwarded frames (RFC 6201 section 1.3). Medians of the repeats.",
            *_none(results),
        ),
    )  # fmt: skip


def reset_sentences(record: SuiteRecord, condition: str) -> tuple[str, ...]:
    """The statements that RFC 2544 asks for, one for each kind of reset."""
    sentences = {}
    for result in sorted_of(record.reset, condition):
        if result.by_loss_seconds and result.kind not in sentences:
            sentences[result.kind] = (
                f"{result.kind[:1].upper()}{result.kind[1:]}: the router did not forward for "
                f"{seconds_text(median(result.by_loss_seconds))} "
                f"({result.frame_size} bytes, {human_rate(result.rate)})."
            )
    return tuple(sentences.values())


def _spread(seconds: Sequence[float]) -> tuple[str, str, str, str]:
    if not seconds:
        return NOTHING, NOTHING, NOTHING, "0"
    return (
        seconds_text(median(seconds)),
        seconds_text(min(seconds)),
        seconds_text(max(seconds)),
        str(len(seconds)),
    )


def _none(results: Iterable[BackToBack | Recovery | Reset]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            f"{r.frame_size} bytes, {stream_text(stream_of(r))}: {r.why_none}."
            for r in results
            if r.why_none
        )
    )


def invalid(results: Iterable[Latency | FrameLoss]) -> tuple[str, ...]:
    """The points that have invalid trials, and why."""
    return tuple(
        dict.fromkeys(
            f"{r.frame_size} bytes at {percent_text(r.share)}: {'; '.join(r.invalid_because)}."
            for r in results
            if r.invalid_because
        )
    )


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
        title=Sentence(("Latency: ", record.named(condition))),
        header=(
            "bytes", "streams", "load", "rate", "median", "trials", "mean",
            *(percentile_text(share) for share in TAIL), "most", "resolved",
        ),
        rows=tuple(rows),
        notes=(
            "Load: share of the throughput with no loss.",
            "Median: of the trials' medians; in square brackets its 95 % interval (bootstrap), in "
            f"round ones the range where there are fewer than {FEWEST} trials. "
            "All other columns cover the frames of all trials.",
            "Delays are counted from a frame's intended send time, so a late tester cannot hide "
            "a slow router. Resolved: the spread of the tester's own delay; smaller differences "
            "are noise.",
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
    """Table beyond section 26.2: variation (RFC 5481), disorder, loss, tester's share."""
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
        title=Sentence(("Delay variation and reordering: ", record.named(condition))),
        header=(
            "bytes", "streams", "load", "p50 due", "p50 sent", "p99.9 sent", "PDV p99.9",
            "IPDV p99.9", "reordered", "duplicates", "lost",
        ),
        rows=tuple(rows),
        notes=(
            "Due: counted from the intended send time; sent: counted from the actual send time. "
            "If the two differ, the tester was late.",
            "PDV: delay minus the lowest delay; IPDV: delay minus that of the previous frame "
            "(RFC 5481). Reordered: RFC 4737 section 3.3.",
        ),
    )  # fmt: skip


def _percentile(delays: Delays, share: float) -> str:
    percentile = next((p for p in delays.percentiles if p.share == share), None)
    return time_text(percentile.ns) if percentile else NOTHING


def _by_load(record: SuiteRecord, condition: str) -> list[Latency]:
    results = sorted_of(record.latency, condition)
    order = list(dict.fromkeys(stream_of(r) for r in results))
    return sorted(results, key=lambda r: (order.index(stream_of(r)), r.frame_size, -r.share))
