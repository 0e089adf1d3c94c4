"""Two runs of the RFC 2544 suite compared, or two conditions of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import TypeVar

from ppslab.analysis.port_limits import stream_of, stream_text
from ppslab.base.text.grouping import count_text
from ppslab.base.text.numbers import percent_text, seconds_text, short, time_text
from ppslab.base.units import human_rate
from ppslab.presentation.latency_tables import resolution
from ppslab.presentation.report.comparing.comparison import Band, Compared, Side, enough, hull
from ppslab.presentation.report.comparing.searches import NO_DRIFT, searched
from ppslab.results import Subject, SuiteRecord
from ppslab.theory.statistics import Interval
from ppslab.theory.statistics.difference import (
    difference_of_medians,
    permutation_p,
    ratio_of_medians,
)

Of = TypeVar("Of", bound=Subject)


def compared(a: Side, b: Side, one: SuiteRecord, two: SuiteRecord) -> Iterator[Compared]:
    """Every quantity that both sides have, test by test."""
    pairs = _Pairs(a, b, one, two)
    for first, second in pairs.of(one.throughput, two.throughput):
        names = first.condition, second.condition
        size = first.frame_size
        subject, band = pairs.subject(first, second), pairs.rates(size)
        family, direction = stream_of(first)
        yield from searched(one, two, names, size, family, direction, subject, band)
    yield from _latencies(pairs, one, two)
    yield from _bursts(pairs, one, two)
    for before, after in pairs.of(one.recovery, two.recovery):
        yield _seconds(pairs, "recovery", "recovery time", (before, after),
                       before.seconds, after.seconds)  # fmt: skip
    for old, new in pairs.of(one.reset, two.reset):
        yield _seconds(pairs, "reset", "reset time by frame loss", (old, new),
                       old.by_loss_seconds, new.by_loss_seconds)  # fmt: skip


def _latencies(pairs: _Pairs, one: SuiteRecord, two: SuiteRecord) -> Iterator[Compared]:
    for first, second in pairs.of(one.latency, two.latency):
        if first.share != second.share:
            continue
        medians = first.medians_ns, second.medians_ns
        row = Compared(
            group="latency",
            quantity=f"median latency at {percent_text(first.share)} of the throughput",
            subject=pairs.subject(first, second),
            a=_of(time_text, medians[0]),
            b=_of(time_text, medians[1]),
        )
        resolved = max(resolution(one, first) or 0.0, resolution(two, second) or 0.0)
        yield _resolved(_ratio(row, *medians, pairs.times(first.frame_size)), resolved, *medians)


def _bursts(pairs: _Pairs, one: SuiteRecord, two: SuiteRecord) -> Iterator[Compared]:
    for first, second in pairs.of(one.back_to_back, two.back_to_back):
        row = Compared(
            group="bursts",
            quantity="the longest burst without loss",
            subject=pairs.subject(first, second),
            a=_of(count_text, first.bursts),
            b=_of(count_text, second.bursts),
        )
        ratio_row = _ratio(row, first.bursts, second.bursts, pairs.rates(first.frame_size))
        lesser = first if _middle(first.bursts) <= _middle(second.bursts) else second
        capped = bool(lesser.bursts) and max(lesser.bursts) >= lesser.longest_tried
        yield (
            replace(ratio_row, why_not="the shorter one is the longest tried")
            if capped
            else ratio_row
        )


def _seconds(
    pairs: _Pairs,
    group: str,
    quantity: str,
    subjects: tuple[Subject, Subject],
    first: Sequence[float],
    second: Sequence[float],
) -> Compared:
    row = Compared(
        group=group,
        quantity=quantity,
        subject=pairs.subject(*subjects),
        a=_of(seconds_text, first),
        b=_of(seconds_text, second),
    )
    return _times(row, first, second, pairs.times(subjects[0].frame_size))


class _Pairs:
    """The pairs of results to compare, and how far the machine drifted between the two runs."""

    def __init__(self, a: Side, b: Side, one: SuiteRecord, two: SuiteRecord) -> None:
        self.named = (a.condition, b.condition)
        self.records = (one, two)
        self.same_run = a.source.sha256 == b.source.sha256

    def of(self, first: Sequence[Of], second: Sequence[Of]) -> Iterator[tuple[Of, Of]]:
        """Results of the same stream type and frame size, and of the conditions that were named.

        Where fewer than two were named, each condition is compared with itself.
        """
        name_a, name_b = self.named
        for left in first:
            if (name_a or name_b) not in (None, left.condition):
                continue
            wanted = name_b or left.condition
            for right in second:
                same = (right.frame_size, stream_of(right)) == (left.frame_size, stream_of(left))
                if same and right.condition == wanted:
                    yield left, right

    def subject(self, first: Subject, second: Subject) -> str:
        """The pair that is compared, in words."""
        what = f"{first.frame_size} bytes, {stream_text(stream_of(first))}"
        if self.same_run:
            return what
        if first.condition == second.condition:
            return f"{first.condition}, {what}"
        return f"{first.condition} and {second.condition}, {what}"

    def rates(self, size: int) -> Band | None:
        """How much rates may change by themselves: as much as the tester's maximum rate did."""
        ratio = self._drift(size)
        return hull(Interval(ratio, ratio, ratio, 1), 0.0, "the tester alone") if ratio else None

    def times(self, size: int) -> Band | None:
        """The same for times: a machine of half the speed takes twice as long."""
        ratio = self._drift(size)
        if not ratio:
            return None
        return hull(Interval(1 / ratio, 1 / ratio, 1 / ratio, 1), 0.0, "the tester alone")

    def _drift(self, size: int) -> float | None:
        if self.same_run:
            return 1.0
        limits = [record.tester.limit(size) for record in self.records]
        return limits[1] / limits[0] if limits[0] and limits[1] else None


def _middle(values: Sequence[float]) -> float:
    return median(values) if values else 0.0


def _of(text: Callable[[float], str], values: Sequence[float]) -> str:
    """The median as text, with the number of its values."""
    if not values:
        return "-"
    return f"{text(median(values))} (of {len(values)})"


def _ratio(
    row: Compared, first: Sequence[float], second: Sequence[float], band: Band | None
) -> Compared:
    if not first or not second:
        return replace(row, why_not="one side has no result")
    if median(first) <= 0:
        return replace(row, why_not="a ratio to zero")
    ratio = ratio_of_medians(second, first)
    edge = (band or Band()).edge(ratio.estimate)
    return replace(
        row,
        ratio=ratio,
        band=band or Band(),
        p=permutation_p(first, [value / edge for value in second]),
        why_not=enough(first, second) or ("" if band else NO_DRIFT),
    )


def _resolved(
    row: Compared, resolved: float, first: Sequence[float], second: Sequence[float]
) -> Compared:
    """A difference of delays below the tester's resolution is not judged."""
    if row.ratio is None or row.why_not or abs(median(first) - median(second)) > resolved:
        return row
    return replace(row, why_not=f"closer together than the tester resolves ({time_text(resolved)})")


def _times(
    row: Compared, first: Sequence[float], second: Sequence[float], band: Band | None
) -> Compared:
    """By ratio; by difference where one side is 0, which no slower machine explains."""
    if first and second and 0 in (median(first), median(second)):
        return replace(
            row,
            scale="difference",
            unit="s",
            ratio=difference_of_medians(second, first),
            band=Band(0.0, 0.0),
            p=permutation_p(first, second),
            why_not=enough(first, second),
        )
    return _ratio(row, first, second, band)


def drift_line(one: SuiteRecord, two: SuiteRecord) -> str:
    """How much the machine changed between the runs, by the tester alone."""
    sizes = sorted({*one.tester.back_to_back} & {*two.tester.back_to_back})
    limits = [(size, one.tester.limit(size), two.tester.limit(size)) for size in sizes]
    ratios = [second / first for _, first, second in limits if first and second]
    if not ratios:
        return "How far the machine drifted between the runs is unknown."
    size, first, second = next(limit for limit in limits if limit[1] and limit[2])
    return (
        f"The tester alone sent {human_rate(first or 0.0)} in A and {human_rate(second or 0.0)} in "
        f"B at {size} bytes; over all frame sizes {short(min(ratios))} to {short(max(ratios))} "
        "times as much in B as in A. The machine itself changed that much, so what changed no "
        "more than that is not called different."
    )
