"""Two records of `ppslab run` compared, or two conditions of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ppslab.analysis import costs
from ppslab.analysis.costs import NoDataError
from ppslab.base import measures
from ppslab.presentation import record_tables
from ppslab.presentation.report.comparing.comparison import Band, Compared, Side, enough, hull
from ppslab.presentation.report.comparing.searches import searched
from ppslab.results import Record
from ppslab.theory.statistics import Interval, median_interval
from ppslab.theory.statistics.difference import permutation_p, ratio_of_medians, sign_p

OTHER_MEASURE = "instructions in one run and time in the other"
NO_NULL = "a run has no A/A trials, so its noise is unknown"


def within(record: Record, a: str, b: str) -> Iterator[Compared]:
    """Two conditions of one run: paired, round by round."""
    for size in record.frame_sizes:
        above = costs.router_costs(record, b, size)
        below = costs.router_costs(record, a, size)
        rounds = [n for n in above if n in below and below[n] > 0]
        texts = (record_tables.cost(record, a, size), record_tables.cost(record, b, size))
        row = Compared("time", measures.COSTS[record.measure], f"{size} bytes", *texts)
        if not rounds:
            yield replace(row, why_not="no round has valid trials of both")
            continue
        ratios = [above[n] / below[n] for n in rounds]
        noise = _noise(record, size)
        ratio = median_interval(ratios, seed=record.seed)
        band = hull(None, noise or 0.0, "A/A")
        yield replace(
            row,
            ratio=ratio,
            band=band,
            p=sign_p(ratios, band.edge(ratio.estimate)),
            why_not=enough(ratios, ratios) or (NO_NULL if noise is None else ""),
        )
    for size in sorted({search.frame_size for search in record.searches}):
        yield from searched(
            record, record, (a, b), size, "ipv4", "lab", f"{size} bytes", hull(None, 0.0, "")
        )


def across(a: Side, b: Side, one: Record, two: Record) -> Iterator[Compared]:
    """Two runs: relative to the reference of each run first, then the times themselves."""
    pairs = _pairs(a, b, one, two)
    for size in (size for size in one.frame_sizes if size in two.frame_sizes):
        for first, second in pairs:
            yield from _across(one, two, first, second, size)
    searched_sizes = {s.frame_size for s in one.searches} & {s.frame_size for s in two.searches}
    for size in sorted(searched_sizes):
        band = _drift_of_rates(one, two, size)
        for first, second in pairs:
            subject = _subject(first, second, size)
            yield from searched(one, two, (first, second), size, "ipv4", "lab", subject, band)


def _across(one: Record, two: Record, first: str, second: str, size: int) -> Iterator[Compared]:
    subject = _subject(first, second, size)
    noises = [_noise(one, size), _noise(two, size)]
    known = [noise for noise in noises if noise is not None]
    lacking = "" if len(known) == 2 else NO_NULL
    if one.reference == two.reference and one.reference not in (first, second):
        row = Compared(
            group="relative",
            quantity=f"{_quantity(one, two)} relative to {one.reference}",
            subject=subject,
            a=record_tables.ratio(one, first, one.reference, size),
            b=record_tables.ratio(two, second, two.reference, size),
            band=hull(None, sum(known), "A/A of both runs"),
            why_not=lacking,
        )
        yield _unpaired(row, _ratios(one, first, size), _ratios(two, second, size), one.seed)
    drift = _drift(one, two, size)
    row = Compared(
        group="time",
        quantity=_quantity(one, two),
        subject=subject,
        a=record_tables.cost(one, first, size),
        b=record_tables.cost(two, second, size),
        band=hull(drift, sum(known), "A/A of both runs, and the tester alone"),
        why_not=("" if one.measure == two.measure else OTHER_MEASURE)
        or lacking
        or ("" if drift else "the tester alone was not measured alike in both"),
    )
    yield _unpaired(row, _times(one, first, size), _times(two, second, size), one.seed)


def _quantity(one: Record, two: Record) -> str:
    """The quantity that is compared; where the measures differ, both."""
    return " or ".join(dict.fromkeys(measures.COSTS[run.measure] for run in (one, two)))


def _times(record: Record, name: str, size: int) -> list[float]:
    """The router's time of a packet in each round."""
    return list(costs.router_costs(record, name, size).values())


def _ratios(record: Record, name: str, size: int) -> list[float]:
    """The ratio to the reference in each round."""
    above = costs.router_costs(record, name, size)
    below = costs.router_costs(record, record.reference, size)
    return [above[n] / below[n] for n in above if n in below and below[n] > 0]


def _unpaired(row: Compared, first: list[float], second: list[float], seed: int) -> Compared:
    if not first or not second:
        return replace(row, why_not="no valid rounds on one side")
    try:
        ratio = ratio_of_medians(second, first, seed=seed)
    except ValueError:
        return replace(row, why_not="it costs no more than the baseline in A")
    edge = row.band.edge(ratio.estimate)
    return replace(
        row,
        ratio=ratio,
        p=permutation_p(first, [value / edge for value in second], seed=seed),
        why_not=enough(first, second) or row.why_not,
    )


def _pairs(a: Side, b: Side, one: Record, two: Record) -> list[tuple[str, str]]:
    """The pairs of conditions to compare: those that were named, else each with itself."""
    if a.condition and b.condition:
        return [(a.condition, b.condition)]
    named = a.condition or b.condition
    theirs = {condition.name for condition in two.conditions}
    return [
        (condition.name, condition.name)
        for condition in one.conditions
        if condition.name in theirs and named in (None, condition.name)
    ]


def _subject(first: str, second: str, size: int) -> str:
    name = first if first == second else f"{first} and {second}"
    return f"{name}, {size} bytes"


def _noise(record: Record, size: int) -> float | None:
    try:
        return costs.noise(record, size)
    except NoDataError:
        return None


def _drift(one: Record, two: Record, size: int) -> Interval | None:
    """How much longer the tester alone took in the second run: the machine, not the router."""
    alone = [
        list(costs.raw_costs(record, None, size, record.baseline).values()) for record in (one, two)
    ]
    alike = (one.baseline, one.measure) == (two.baseline, two.measure)
    if not alone[0] or not alone[1] or not alike:
        return None
    return ratio_of_medians(alone[1], alone[0], seed=one.seed)


def _drift_of_rates(one: Record, two: Record, size: int) -> Band | None:
    """The same for rates, by the tester's own limit; None where a run has none."""
    limits = [record.tester.limit(size) for record in (one, two)]
    if limits[0] and limits[1]:
        ratio = limits[1] / limits[0]
        return hull(Interval(ratio, ratio, ratio, 1), 0.0, "the tester alone")
    return None


def drift_line(one: Record, two: Record) -> str:
    """How much the machine changed between the runs, by the tester alone."""
    size = min(set(one.frame_sizes) & set(two.frame_sizes), default=None)
    drift = _drift(one, two, size) if size is not None else None
    if drift is None:
        return "How far the machine drifted between the runs is unknown."
    assert size is not None
    each = [
        record_tables.amount(costs.tester_cost(record, size, record.baseline), record.measure)
        for record in (one, two)
    ]
    return (
        f"The tester alone took {each[0]} a packet in A and {each[1]} in B ({size} bytes): "
        f"{drift} times. The machine itself changed that much, so times that changed no more "
        "than that are not called different."
    )
