"""The results of a record as tidy rows: one row a result, one column a property of it.

Reports, comparisons and the tables and figures of TCP read them.  A table or a figure of a single
quantity asks the judge for that one, since all rows of a cost run take twice as long.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf
from typing import Any

from ppslab.core import measures
from ppslab.judge import costs, goodput
from ppslab.model.results import (
    Delays,
    GoalResult,
    Latency,
    ProfileRecord,
    Record,
    Run,
    Subject,
    SuiteRecord,
    TcpRecord,
)
from ppslab.model.results.kinds import FaultsRecord
from ppslab.model.statistics import FEWEST, Interval, median_interval


@dataclass(frozen=True)
class Row:
    """One result.

    `low`, `high`: `interval` says of what kind: "95 %" (bootstrap), "bounds" (of a search),
    "range" (least and most of the repeats).  `share`: of the throughput (latency) or of the
    maximum rate (frame loss).  `loss_ratio`: what a throughput tolerates.  Empty: does not apply.

    Of no column, for comparisons: the `samples` behind `value`, by round or repeat; the `reference`
    that they are relative to; the `noise`, from 1 to the farther end of the A/A interval (0: the
    test has none, None: it was not measured); the `result` that the row is made of.
    """

    test: str
    quantity: str = ""
    unit: str = ""
    condition: str = ""
    frame_size: int | None = None
    family: str = ""
    direction: str = ""
    share: float | None = None
    loss_ratio: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    count: int | None = None
    remark: str = ""
    samples: Mapping[int, float] = field(default_factory=dict)
    reference: str = ""
    noise: float | None = 0.0
    result: GoalResult | Latency | None = None

    @property
    def estimate(self) -> Interval:
        """The value of a row that has one, with both ends."""
        assert self.value is not None
        low, high = self.low, self.high
        return Interval(
            self.value, -inf if low is None else low, inf if high is None else high, self.count or 0
        )


COLUMNS = tuple(each.name for each in fields(Row))
COLUMNS = COLUMNS[: COLUMNS.index("samples")]


def of(record: Run) -> Iterator[Row]:
    """Every result of a record, a row each."""
    return KINDS[type(record)](record)


def plain(row: Row) -> dict[str, Any]:
    return {name: getattr(row, name) for name in COLUMNS}


def as_csv(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """RFC 4180 with a header; numbers in full, empty where a column does not apply."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def of_costs(record: Record) -> Iterator[Row]:
    """Costs, ratios to the reference, the A/A interval and the searches of `ppslab run`."""
    for size in record.frame_sizes:
        reference = costs.or_none(costs.router_costs, record, record.reference, size) or {}
        null = costs.or_none(costs.a_a_interval, record, size)
        noise = null.noise if null else None
        for each in record.conditions:
            about = Row("cost", "", "", each.name, size, "ipv4", "lab")
            by_round = costs.or_none(costs.router_costs, record, each.name, size) or {}
            if cost := costs.or_none(costs.cost, record, each.name, size):
                name = measures.COSTS[record.measure]
                row = replace(about, quantity=name, unit=record.unit, samples=by_round, noise=noise)
                yield of_interval(row, cost)
            if ratio := costs.or_none(costs.ratio, record, each.name, record.reference, size):
                row = replace(about, samples=by_round, noise=noise)
                yield _relative(row, record.reference, reference, ratio)
            # Where instructions were counted the clock is theirs, and no rate is one.
            rate = costs.or_none(costs.forwarding_rate, record, each.name, size)
            if rate and record.measure != "counted":
                about = replace(about, quantity="forwarding rate", unit="frames/s")
                yield of_interval(about, rate)
        if null:
            about = Row("a-a", "A/A ratio", "", record.reference, size, "ipv4", "lab")
            yield of_interval(about, null)
    for search in record.searches:
        about = Row("search", "", "", search.condition, search.frame_size, "ipv4", "lab")
        yield from _of_goals(about, search.goals, search.failed_because)


def _relative(row: Row, reference: str, below: costs.Rounds, ratio: Interval) -> Row:
    """The row of a ratio to the reference, with the ratios of the rounds that have both."""
    samples = {n: row.samples[n] / below[n] for n in row.samples if below.get(n, 0) > 0}
    name = f"times {reference}"
    row = replace(row, quantity=name, unit="", reference=reference, samples=samples)
    return of_interval(row, ratio)


def of_suite(record: SuiteRecord) -> Iterator[Row]:
    for searched in record.throughput:
        about = _about("throughput", searched)
        yield from _of_goals(about, searched.goals, searched.failed_because)
    for latency in record.latency:
        yield from _of_latency(latency, record.seed)
    for point in record.frame_loss:
        remark, count = "; ".join(point.invalid_because), len(point.trials)
        about = replace(_about("frame-loss", point), share=point.share, remark=remark, count=count)
        for name, unit, value in (
            ("loss ratio", "", point.loss_ratio),
            ("intended rate", "frames/s", point.rate),
            ("offered rate", "frames/s", point.offered_rate),
            ("forwarding rate", "frames/s", point.forwarding_rate),
        ):
            yield replace(about, quantity=name, unit=unit, value=value)
    for bursts in record.back_to_back:
        about = replace(_about("back-to-back", bursts), remark=bursts.why_none or "")
        yield _of_repeats(replace(about, quantity="longest burst", unit="frames"), bursts.bursts)
        for name, value in (
            ("implied buffer time", bursts.implied_buffer_seconds),
            ("corrected buffer time", bursts.corrected_buffer_seconds),
        ):
            yield replace(about, quantity=name, unit="s", value=value)
    for recovery in record.recovery:
        about = replace(_about("recovery", recovery), remark=recovery.why_none or "")
        yield _of_repeats(replace(about, quantity="recovery time", unit="s"), recovery.seconds)
    for reset in record.reset:
        about = replace(_about("reset", reset), remark=reset.why_none or reset.kind, unit="s")
        for name, values in (
            ("reset time by loss", reset.by_loss_seconds),
            ("reset time by timestamps", reset.by_time_seconds),
        ):
            yield _of_repeats(replace(about, quantity=name), values)


MEDIANS = "median of trials, from intended"


def _of_latency(latency: Latency, seed: int) -> Iterator[Row]:
    about = replace(
        _about("latency", latency), share=latency.share, remark="; ".join(latency.invalid_because)
    )
    yield replace(about, quantity="rate", unit="frames/s", value=latency.rate)
    samples = dict(enumerate(latency.medians_ns))
    medians = replace(about, quantity=MEDIANS, unit="ns", samples=samples, result=latency)
    yield of_medians(medians, latency.medians_ns, seed)
    yield from _of_delays(about, latency.from_intended, "intended")
    yield from _of_delays(about, latency.from_actual, "actual")
    for name, variation in (("PDV", latency.pdv), ("IPDV", latency.ipdv)):
        for share, ns in sorted(variation.at.items()):
            quantity = f"{name} p{round(100 * share, 6):g}"
            yield replace(about, quantity=quantity, unit="ns", value=ns, count=variation.count)
    for name in ("reordered", "duplicates", "lost"):
        yield replace(about, quantity=name, unit="frames", value=getattr(latency, name))


def _about(test: str, subject: Subject) -> Row:
    return Row(
        test, "", "", subject.condition, subject.frame_size, subject.family, subject.direction
    )


def of_interval(about: Row, interval: Interval) -> Row:
    low, high = interval.finite
    return replace(about, value=interval.estimate, low=low, high=high, interval="95 %",
                   count=interval.count)  # fmt: skip


def _of_goals(about: Row, goals: Sequence[GoalResult], failed: str | None) -> Iterator[Row]:
    about = replace(about, quantity="throughput", unit="frames/s")
    if failed:
        yield replace(about, remark=failed)
    for goal in goals:
        yield replace(
            about, loss_ratio=goal.loss_ratio, result=goal, value=goal.conditional_throughput,
            low=goal.relevant_lower_bound, high=goal.relevant_upper_bound, interval="bounds",
            remark="tester-limited" if goal.tester_limited else "",
        )  # fmt: skip


def of_medians(about: Row, values: Sequence[float], seed: int) -> Row:
    """The median of `values`; of few their range, which is all that a bootstrap gives of them."""
    if len(values) < FEWEST:
        return _of_repeats(about, values)
    return of_interval(about, median_interval(values, seed=seed))


def _of_delays(about: Row, delays: Delays, since: str) -> Iterator[Row]:
    about = replace(about, unit="ns", count=delays.count)
    for name, value in (("least", delays.min), ("mean", delays.mean), ("most", delays.max)):
        yield replace(about, quantity=f"{name} delay, from {since}", value=value)
    for each in delays.percentiles:
        quantity = f"p{round(100 * each.share, 6):g} delay, from {since}"
        yield replace(about, quantity=quantity, value=each.ns)


def _of_repeats(about: Row, values: Sequence[float]) -> Row:
    if not values:
        return replace(about, count=0)
    middle = median_interval(values).estimate
    return replace(about, value=middle, low=min(values), high=max(values), interval="range",
                   count=len(values), samples=dict(enumerate(values)))  # fmt: skip


def of_tcp(record: TcpRecord) -> Iterator[Row]:
    """Every condition that has a valid transfer, direction by direction."""
    for direction in goodput.directions(record):
        null = costs.or_none(goodput.a_a_interval, record, direction)
        noise = null.noise if null else None
        reference = goodput.goodputs(record, record.reference, direction)
        for condition in (each.name for each in record.conditions):
            by_round = goodput.goodputs(record, condition, direction)
            if not by_round:
                continue
            about = Row("tcp", condition=condition, direction=direction)
            row = replace(about, quantity="goodput", unit="bit/s", samples=by_round, noise=noise)
            yield of_interval(row, goodput.goodput(record, condition, direction))
            if ratio := costs.or_none(
                goodput.ratio, record, condition, record.reference, direction
            ):
                yield _relative(row, record.reference, reference, ratio)
            for quantity, unit, interval in goodput.others(record, condition, direction):
                yield of_interval(replace(about, quantity=quantity, unit=unit), interval)


def of_profile(record: ProfileRecord) -> Iterator[Row]:
    """Time of a packet at each station, in each condition; the interval is two errors wide."""
    for profile in record.profiles:
        for station in profile.stations:
            value, reach = station.nanoseconds, 2 * station.error
            yield Row("profile", station.title, "ns", profile.condition, record.frame_size,
                      value=value, low=value - reach, high=value + reach, interval="95 %",
                      count=station.samples)  # fmt: skip


def of_faults(record: FaultsRecord) -> Iterator[Row]:
    """The fate of each fault, as a remark."""
    for fault in record.faults:
        yield Row("fault", fault.title, "", remark=fault.outcome)


KINDS: dict[type[Any], Callable[[Any], Iterator[Row]]] = {
    Record: of_costs,
    SuiteRecord: of_suite,
    TcpRecord: of_tcp,
    ProfileRecord: of_profile,
    FaultsRecord: of_faults,
}
"""The rows of each kind of record."""
