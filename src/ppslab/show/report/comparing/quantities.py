"""The rows of two records, paired by quantity and subject: one ratio, one band of no difference.

Two conditions of one run were measured alternately: costs and goodputs are paired by round.  Two
runs are not, and the machine may have changed between them as much as the tester alone did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from statistics import median
from typing import cast

from ppslab.core import measures
from ppslab.core.text.numbers import percent_text, short, time_text
from ppslab.core.text.quantities import NOTHING, Content, Quantity
from ppslab.core.units import human_rate
from ppslab.judge import costs
from ppslab.judge.goodput import NAMES
from ppslab.judge.port_limits import Stream, stream_text
from ppslab.model.results import (
    GoalResult,
    Latency,
    Record,
    Run,
    SuiteRecord,
    TcpRecord,
    Trial,
)
from ppslab.model.statistics import (
    Interval,
    fisher_p,
    median_interval,
    permutation_p,
    ratio_of_medians,
    sign_p,
)
from ppslab.model.validity import noisy
from ppslab.show import record_tables, rows
from ppslab.show.record_tables.rfc2544 import resolution
from ppslab.show.record_tables.router_costs import DIGITS
from ppslab.show.report.comparing.comparison import Compared, Side, enough, hull
from ppslab.show.rows import MEDIANS, Row

OTHER_MEASURE = "instructions in one run and time in the other"
UNCHANGED = Interval(1, 1, 1, 1)
NO_A_A = "a run has no A/A trials, so its noise is unknown"
NO_DRIFT = "the tester alone was not measured alike in both"
NO_BAND = "the noise of a run has no bound"
ABSOLUTE = (
    "Goodput itself is not compared between two runs, because the drift of the machine is "
    "unknown; the comparison uses its ratio to the reference of the same run."
)


@dataclass(frozen=True)
class Kind:
    """A quantity that is compared.

    `name`: may hold {cost}, {reference}, {share} and {tolerated}.  `text`: the value of a row.
    `power`: of the machine's speed that it goes with, 1 for a rate, -1 for a time, 0 for a ratio
    within one run.
    """

    group: str
    name: str
    text: Callable[[Row], Content]
    power: int


def _interval_text(row: Row) -> Content:
    digits = {measures.unit(measure): number for measure, number in DIGITS.items()}
    return Quantity(row.estimate.estimate, row.low, row.high, row.unit, digits.get(row.unit, 0))


def _goodput_text(row: Row) -> str:
    return f"{short(row.estimate.estimate / 1e9)} Gbit/s"


def _latency_text(row: Row) -> str:
    values = row.samples.values()
    return f"{time_text(median(values))} (of {len(values)})" if values else NOTHING


def _search_text(row: Row) -> str:
    if row.value is None:
        return NOTHING
    return human_rate(row.value) + (f" ({row.remark})" if row.remark else "")


_COST = Kind("time", "{cost}", _interval_text, -1)
_THROUGHPUT = Kind("throughput", "throughput {tolerated}", _search_text, 1)
_LATENCY = "median latency at {share} of the throughput"

RELATIVE = {
    "cost": Kind("relative", "{cost} relative to {reference}", _interval_text, 0),
    "tcp": Kind("tcp", "goodput relative to {reference}", _interval_text, 0),
}
"""By test: the rows that have a reference."""

KINDS = {
    **{("cost", quantity): _COST for quantity in measures.COSTS.values()},
    ("search", "throughput"): _THROUGHPUT,
    ("throughput", "throughput"): _THROUGHPUT,
    ("latency", MEDIANS): Kind("latency", _LATENCY, _latency_text, -1),
    ("tcp", "goodput"): Kind("tcp", "goodput", _goodput_text, 1),
}
"""By test and quantity: the other rows; those of no kind are not compared."""

GROUPS = list(dict.fromkeys(kind.group for kind in (*RELATIVE.values(), *KINDS.values())))


Key = tuple[Kind, int | None, str, str, float | None, float | None, str]


@dataclass(frozen=True)
class Sides:
    """The row of one subject on each side; None where a side has no result of it."""

    records: tuple[Run, Run]
    rows: tuple[Row | None, Row | None]
    drift: Interval | None
    same_run: bool

    @property
    def seed(self) -> int:
        return self.records[0].seed


def compared(a: Side, b: Side, *, same_run: bool) -> list[Compared]:
    """A row for each quantity and subject, in the order of `Kind`."""
    one, two = records = a.source.record, b.source.record
    left, right = _by_subject(one), _by_subject(two)
    # Searches have sizes of their own, often fewer.
    sizes = [{(key[0].group, key[1]) for _, key in rows} for rows in (left, right)]
    examples = {key: row for (_, key), row in (*left.items(), *right.items())}
    comparisons = []
    for key, example in examples.items():
        kind, size = key[:2]
        if (kind.group, size) not in sizes[0] & sizes[1]:
            continue
        if bool(example.reference) == same_run and (same_run or kind.group == "tcp"):
            continue
        drift = UNCHANGED if same_run else _drift(kind, one, two, size)
        for first, second in _condition_pairs(a, b):
            rows = left.get((first, key)), right.get((second, key))
            if rows == (None, None) or (
                example.reference and (None in rows or example.reference in (first, second))
            ):
                continue
            row = Compared(
                group=kind.group,
                quantity=_name(kind, example, records),
                subject=_subject(example, first, second, same_run=same_run),
                a=kind.text(rows[0]) if rows[0] else NOTHING,
                b=kind.text(rows[1]) if rows[1] else NOTHING,
            )
            comparisons.append(judge(row, Sides(records, rows, drift, same_run)))
    return sorted(comparisons, key=lambda row: GROUPS.index(row.group))


def _by_subject(record: Run) -> dict[tuple[str, Key], Row]:
    """The rows that are compared, by condition and all else that they are of."""
    subjects = {}
    for row in rows.of(record):
        kind = RELATIVE[row.test] if row.reference else KINDS.get((row.test, row.quantity))
        if kind and (kind.group != "throughput" or row.loss_ratio is not None):
            key = (kind, row.frame_size, row.family, row.direction, row.share, row.loss_ratio,
                   row.reference)  # fmt: skip
            subjects[row.condition, key] = row
    return subjects


def _condition_pairs(a: Side, b: Side) -> list[tuple[str, str]]:
    """The pairs of conditions to compare: those that were named, else each with itself."""
    if a.condition and b.condition:
        return [(a.condition, b.condition)]
    named = a.condition or b.condition
    theirs = {condition.name for condition in b.source.record.conditions}
    names = [condition.name for condition in a.source.record.conditions]
    return [(name, name) for name in names if name in theirs and named in (None, name)]


def _name(kind: Kind, row: Row, records: tuple[Run, Run]) -> str:
    """The quantity in words; where two runs have two measures of cost, both."""
    costs_ = (measures.COSTS[run.measure] for run in records if isinstance(run, Record))
    return kind.name.format(
        cost=" or ".join(dict.fromkeys(costs_)),
        reference=row.reference,
        share=percent_text(row.share or 0.0),
        tolerated=f"at {percent_text(row.loss_ratio)} loss" if row.loss_ratio else "without loss",
    )


def _subject(row: Row, first: str, second: str, *, same_run: bool) -> str:
    if row.test == "tcp":
        what = NAMES[row.direction]
    elif row.direction == "lab":
        what = f"{row.frame_size} bytes"
    else:
        what = f"{row.frame_size} bytes, {stream_text(cast(Stream, (row.family, row.direction)))}"
    if same_run:
        return what
    return f"{first if first == second else f'{first} and {second}'}, {what}"


def _drift(kind: Kind, one: Run, two: Run, size: int | None) -> Interval | None:
    """Ratio of a quantity, second run to first, that the machine alone made.

    Times by what the tester alone took, else by the most that it sent; None where that is unknown.
    """
    if kind.power == 0 or size is None:
        return UNCHANGED
    if isinstance(one, Record) and isinstance(two, Record) and kind.power < 0:
        return _drift_of_times(one, two, size)
    limits = one.tester.limit(size), two.tester.limit(size)
    if not limits[0] or not limits[1]:
        return None
    ratio = (limits[1] / limits[0]) ** kind.power
    return Interval(ratio, ratio, ratio, 1)


def _drift_of_times(one: Record, two: Record, size: int) -> Interval | None:
    alone = [
        list(costs.raw_costs(record, None, size, record.baseline).values()) for record in (one, two)
    ]
    alike = (one.baseline, one.measure) == (two.baseline, two.measure)
    if not alone[0] or not alone[1] or not alike:
        return None
    return ratio_of_medians(alone[1], alone[0], seed=one.seed)


def judge(row: Compared, sides: Sides) -> Compared:
    """The row with its ratio, its band, the chance of both, or why it is not judged."""
    first, second = sides.rows
    if not first or not second:
        return replace(row, why_not="one side has no result")
    noises = [each.noise for each in (sides.rows[:1] if sides.same_run else sides.rows) if each]
    row = replace(row, band=hull(sides.drift, sum(noise or 0.0 for noise in noises)))
    unknown = (
        (OTHER_MEASURE if first.unit != second.unit else "")
        or (NO_A_A if None in noises else "")
        or ("" if sides.drift else NO_DRIFT)
        or ("" if row.band.low > 0 else NO_BAND)
    )
    if row.band.low <= 0:
        return replace(row, why_not=unknown)
    if isinstance(first.result, GoalResult) and isinstance(second.result, GoalResult):
        return _searched(row, sides, (first.result, second.result), unknown)
    if sides.same_run and isinstance(sides.records[0], Record | TcpRecord):
        row = _paired(row, first, second, sides.seed)
    else:
        row = _unpaired(row, [*first.samples.values()], [*second.samples.values()], sides.seed)
    return replace(row, why_not=row.why_not or unknown or _indistinct(sides, first, second))


def _paired(row: Compared, first: Row, second: Row, seed: int) -> Compared:
    rounds = [n for n in second.samples if first.samples.get(n, 0) > 0]
    if not rounds:
        return replace(row, why_not="no round has valid trials of both")
    ratios = [second.samples[n] / first.samples[n] for n in rounds]
    ratio = median_interval(ratios, seed=seed)
    p = sign_p(ratios, row.band.edge(ratio.estimate))
    return replace(row, ratio=ratio, p=p, why_not=enough(ratios, ratios))


def _unpaired(row: Compared, first: list[float], second: list[float], seed: int) -> Compared:
    if not first or not second:
        return replace(row, why_not="one side has no result")
    if median(first) <= 0:
        return replace(row, why_not="a ratio to zero")
    ratio = ratio_of_medians(second, first, seed=seed)
    edge = row.band.edge(ratio.estimate)
    p = permutation_p(first, [value / edge for value in second], seed=seed)
    return replace(row, ratio=ratio, p=p, why_not=enough(first, second))


def _indistinct(sides: Sides, first: Row, second: Row) -> str:
    """Reason why the tester cannot tell the two sides apart; empty where it can."""
    medians = [median(each.samples.values()) for each in (first, second)]
    resolved = max(
        (resolution(run, row.result) or 0.0
         for run, row in zip(sides.records, (first, second), strict=True)
         if isinstance(run, SuiteRecord) and isinstance(row.result, Latency)),
        default=-1.0,
    )  # fmt: skip
    if abs(medians[0] - medians[1]) <= resolved:
        return f"closer together than the tester resolves ({time_text(resolved)})"
    return ""


def _searched(
    row: Compared, sides: Sides, goals: tuple[GoalResult, GoalResult], unknown: str
) -> Compared:
    """Two searches: the ratio of their bounds, and the chance of the trials between them."""
    a, b = goals
    lowest, least = a.relevant_lower_bound, b.relevant_lower_bound
    if not (a.conditional_throughput and b.conditional_throughput and lowest and least):
        return replace(row, why_not="one side passed at no load")
    ratio = Interval(
        b.conditional_throughput / a.conditional_throughput,
        least / a.relevant_upper_bound if a.relevant_upper_bound else 0.0,
        b.relevant_upper_bound / lowest if b.relevant_upper_bound else inf,
        1,
    )
    row = replace(row, ratio=ratio, bounds=True)
    lesser = a if a.conditional_throughput <= b.conditional_throughput else b
    if lesser.tester_limited or lesser.relevant_upper_bound is None:
        return replace(row, why_not="the lower one is tester-limited")
    if unknown:
        return replace(row, why_not=unknown)
    # The chance of such trials if B equalled A up to the edge of the band; loads are A's.
    scale = row.band.edge(ratio.estimate)
    if ratio.estimate < 1:
        low, high = (b.relevant_upper_bound or 0.0) / scale, lowest
    else:
        low, high = a.relevant_upper_bound or 0.0, least / scale
    if high <= low:
        return replace(row, p=1.0)
    first, second = [
        _passed_and_failed(record, each, low * by, high * by)
        for record, each, by in zip(sides.records, sides.rows, (1.0, scale), strict=True)
        if each
    ]
    return replace(row, p=fisher_p(first, second))


def _passed_and_failed(record: Run, row: Row, low: float, high: float) -> tuple[int, int]:
    """Count the trials of a search at such loads that passed, and that failed, its loss ratio.

    Those count that the search counted: valid, or spoiled only by momentary noise.
    """
    passed = [
        _loss(trial) <= (row.loss_ratio or 0.0)
        for trial in record.trials
        if trial.purpose == "search"
        and (trial.condition, trial.frame_size) == (row.condition, row.frame_size)
        and (trial.family, trial.direction) == (row.family, row.direction)
        and trial.counts is not None
        and noisy(trial.causes)
        and low * (1 - 1e-6) <= (trial.intended_load or 0.0) <= high * (1 + 1e-6)
    ]
    return passed.count(True), passed.count(False)


def _loss(trial: Trial) -> float:
    """As MLRsearch counts it: frames that were not sent are lost."""
    counts = trial.counts
    assert counts is not None, "counted trials are compared"
    due = max(counts["intended"], counts["offered"])
    return (due - counts["received"]) / due if due else 1.0


UNKNOWN = "How far the machine drifted between the runs is unknown."
CHANGED = (
    "The machine itself changed that much, so smaller changes {}are not reported as differences."
)


def drift_line(one: Run, two: Run) -> str:
    """Sentence on the machine's change between two runs, by the tester alone."""
    match one, two:
        case Record(), Record():
            return _costs_drift_line(one, two)
        case SuiteRecord(), SuiteRecord():
            return _rates_drift_line(one, two)
        case _:
            return ABSOLUTE


def _costs_drift_line(one: Record, two: Record) -> str:
    size = min(set(one.frame_sizes) & set(two.frame_sizes), default=None)
    drift = _drift_of_times(one, two, size) if size is not None else None
    if drift is None or size is None:
        return UNKNOWN
    alone = [
        record_tables.amount(costs.tester_cost(record, size, record.baseline), record.measure)
        for record in (one, two)
    ]
    return (
        f"The tester alone took {alone[0]} a packet in A and {alone[1]} in B ({size} bytes): "
        f"{drift} times. {CHANGED.format('of times ')}"
    )


def _rates_drift_line(one: SuiteRecord, two: SuiteRecord) -> str:
    sizes = sorted({*one.tester.back_to_back} & {*two.tester.back_to_back})
    limits = [(size, one.tester.limit(size), two.tester.limit(size)) for size in sizes]
    known = [(size, first, second) for size, first, second in limits if first and second]
    if not known:
        return UNKNOWN
    ratios = [second / first for _, first, second in known]
    size, first, second = known[0]
    return (
        f"The tester alone sent {human_rate(first)} in A and {human_rate(second)} in "
        f"B at {size} bytes; over all frame sizes {short(min(ratios))} to {short(max(ratios))} "
        f"times as much in B as in A. {CHANGED.format('')}"
    )
