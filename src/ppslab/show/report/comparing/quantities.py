"""What is compared, quantity by quantity: costs, searched throughputs, the suite's tests, goodput.

For each kind of record there are two questions: two conditions of one run, whose values are paired
by round, and two runs, whose values are not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import TypeVar

from ppslab.core import measures
from ppslab.core.text.grouping import count_text
from ppslab.core.text.numbers import percent_text, seconds_text, short, time_text
from ppslab.core.text.quantities import Quantity
from ppslab.core.units import human_rate
from ppslab.judge import costs, goodput
from ppslab.judge.goodput import NAMES
from ppslab.judge.port_limits import stream_of, stream_text
from ppslab.model.results import (
    Direction,
    Family,
    GoalResult,
    Record,
    Subject,
    SuiteRecord,
    TcpDirection,
    TcpRecord,
    Trial,
)
from ppslab.model.statistics import (
    Interval,
    difference_of_medians,
    fisher_p,
    median_interval,
    permutation_p,
    ratio_of_medians,
    sign_p,
)
from ppslab.model.validity import noisy
from ppslab.show import record_tables
from ppslab.show.record_tables.rfc2544 import resolution
from ppslab.show.report.comparing.comparison import Band, Compared, Side, enough, hull

OTHER_MEASURE = "instructions in one run and time in the other"
NO_A_A_TRIALS = "a run has no A/A trials, so its noise is unknown"


def costs_within(record: Record, a: str, b: str) -> Iterator[Compared]:
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
        noise = costs.or_none(costs.noise, record, size)
        ratio = median_interval(ratios, seed=record.seed)
        band = hull(None, noise or 0.0, "A/A")
        yield replace(
            row,
            ratio=ratio,
            band=band,
            p=sign_p(ratios, band.edge(ratio.estimate)),
            why_not=enough(ratios, ratios) or (NO_A_A_TRIALS if noise is None else ""),
        )
    for size in sorted({search.frame_size for search in record.searches}):
        yield from searched(
            record, record, (a, b), size, "ipv4", "lab", f"{size} bytes", hull(None, 0.0, "")
        )


def costs_across(a: Side, b: Side, one: Record, two: Record) -> Iterator[Compared]:
    """Two runs: relative to the reference of each run first, then the times themselves."""
    pairs = _condition_pairs(a, b, one, two)
    for size in (size for size in one.frame_sizes if size in two.frame_sizes):
        for first, second in pairs:
            yield from _costs_across(one, two, first, second, size)
    searched_sizes = {s.frame_size for s in one.searches} & {s.frame_size for s in two.searches}
    for size in sorted(searched_sizes):
        band = _drift_of_rates(one, two, size)
        for first, second in pairs:
            subject = _subject(first, second, size)
            yield from searched(one, two, (first, second), size, "ipv4", "lab", subject, band)


def _costs_across(
    one: Record, two: Record, first: str, second: str, size: int
) -> Iterator[Compared]:
    subject = _subject(first, second, size)
    noises = [costs.or_none(costs.noise, record, size) for record in (one, two)]
    known = [noise for noise in noises if noise is not None]
    lacking = "" if len(known) == 2 else NO_A_A_TRIALS
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
        yield _unpaired(
            row, _cost_ratios(one, first, size), _cost_ratios(two, second, size), one.seed
        )
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


def _cost_ratios(record: Record, name: str, size: int) -> list[float]:
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


def _condition_pairs(a: Side, b: Side, one: Record, two: Record) -> list[tuple[str, str]]:
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


def costs_drift_line(one: Record, two: Record) -> str:
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
        f"{drift} times. The machine itself changed that much, so smaller changes of times are "
        "not reported as differences."
    )


Searched = Record | SuiteRecord

NO_DRIFT = "the tester's own limit is not known in both runs"


def searched(
    one: Searched,
    two: Searched,
    names: tuple[str, str],
    size: int,
    family: Family,
    direction: Direction,
    subject: str,
    band: Band | None,
) -> Iterator[Compared]:
    """A row for each tolerated loss ratio that both sides searched.

    `names`: the condition on side A and on side B.  `band` None: how far the machine drifted is
    not known, so nothing is judged.
    """
    sides = [
        _SearchSide(record, name, size, family, direction)
        for record, name in zip((one, two), names, strict=True)
    ]
    ratios = [ratio for ratio in sides[0].goals if ratio in sides[1].goals]
    for ratio in sorted(ratios):
        yield _search_row(sides, ratio, subject, band)


class _SearchSide:
    """One condition of one record, at one frame size and stream type: its goals and trials."""

    def __init__(
        self, record: Searched, name: str, size: int, family: Family, direction: Direction
    ) -> None:
        self.goals = {
            goal.loss_ratio: goal for goal in _goals(record, name, size, family, direction)
        }
        self.trials = [
            trial
            for trial in record.trials
            if trial.purpose == "search"
            and (trial.condition, trial.frame_size) == (name, size)
            and (trial.family, trial.direction) == (family, direction)
            and _counted_trial(trial)
        ]

    def between(
        self, low: float, high: float, loss_ratio: float, scale: float = 1.0
    ) -> tuple[int, int]:
        """How many trials at loads from `low` to `high`, times `scale`, passed and failed."""
        passed = failed = 0
        for trial in self.trials:
            rate = (trial.intended_load or 0.0) / scale
            if low * (1 - 1e-6) <= rate <= high * (1 + 1e-6):
                if _trial_loss(trial) <= loss_ratio:
                    passed += 1
                else:
                    failed += 1
        return passed, failed


def _goals(
    record: Searched, name: str, size: int, family: Family, direction: Direction
) -> Sequence[GoalResult]:
    if isinstance(record, SuiteRecord):
        for result in record.throughput:
            same = (result.condition, result.frame_size) == (name, size)
            if same and (result.family, result.direction) == (family, direction):
                return result.goals
        return ()
    for search in record.searches:
        if (search.condition, search.frame_size) == (name, size):
            return search.goals
    return ()


def _counted_trial(trial: Trial) -> bool:
    """Whether the search counted it: valid, or spoiled only by momentary noise."""
    return trial.counts is not None and noisy(trial.causes)


def _trial_loss(trial: Trial) -> float:
    """As MLRsearch counts it: frames that were not sent are lost."""
    counts = trial.counts
    assert counts is not None, "counted trials are compared"
    wanted = max(counts["intended"], counts["offered"])
    return (wanted - counts["received"]) / wanted if wanted else 1.0


def _search_rate(goal: GoalResult) -> str:
    if goal.conditional_throughput is None:
        return "-"
    return human_rate(goal.conditional_throughput) + (
        " (tester-limited)" if goal.tester_limited else ""
    )


def _search_row(
    sides: Sequence[_SearchSide], loss_ratio: float, subject: str, band: Band | None
) -> Compared:
    a, b = (side.goals[loss_ratio] for side in sides)
    tolerated = f"at {percent_text(loss_ratio)} loss" if loss_ratio else "without loss"
    about = ("throughput", f"throughput {tolerated}", subject, _search_rate(a), _search_rate(b))
    if (
        a.conditional_throughput is None
        or b.conditional_throughput is None
        or not a.relevant_lower_bound
        or not b.relevant_lower_bound
    ):
        return Compared(*about, why_not="one side passed at no load")
    ratio = Interval(
        b.conditional_throughput / a.conditional_throughput,
        b.relevant_lower_bound / a.relevant_upper_bound if a.relevant_upper_bound else 0.0,
        b.relevant_upper_bound / a.relevant_lower_bound if b.relevant_upper_bound else float("inf"),
        1,
    )
    lesser = a if a.conditional_throughput <= b.conditional_throughput else b
    if lesser.tester_limited or lesser.relevant_upper_bound is None:
        return Compared(*about, ratio=ratio, bounds=True, why_not="the lower one is tester-limited")
    if band is None:
        return Compared(*about, ratio=ratio, bounds=True, why_not=NO_DRIFT)
    return Compared(
        *about, ratio=ratio, band=band, p=_chance(sides, loss_ratio, ratio, band), bounds=True
    )


def _chance(sides: Sequence[_SearchSide], loss_ratio: float, ratio: Interval, band: Band) -> float:
    """The chance of such trials if B equalled A up to the edge of the band; loads are A's."""
    a, b = (side.goals[loss_ratio] for side in sides)
    scale = band.edge(ratio.estimate)
    if ratio.estimate < 1:
        low, high = (b.relevant_upper_bound or 0.0) / scale, a.relevant_lower_bound or 0.0
    else:
        low, high = a.relevant_upper_bound or 0.0, (b.relevant_lower_bound or 0.0) / scale
    if high <= low:
        return 1.0
    return fisher_p(
        sides[0].between(low, high, loss_ratio), sides[1].between(low, high, loss_ratio, scale)
    )


Of = TypeVar("Of", bound=Subject)


def suites_compared(a: Side, b: Side, one: SuiteRecord, two: SuiteRecord) -> Iterator[Compared]:
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
        yield _seconds_row(pairs, "recovery", "recovery time", (before, after),
                       before.seconds, after.seconds)  # fmt: skip
    for old, new in pairs.of(one.reset, two.reset):
        yield _seconds_row(pairs, "reset", "reset time by frame loss", (old, new),
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
            a=_median_text(time_text, medians[0]),
            b=_median_text(time_text, medians[1]),
        )
        resolved = max(resolution(one, first) or 0.0, resolution(two, second) or 0.0)
        yield _resolved(_ratio(row, *medians, pairs.times(first.frame_size)), resolved, *medians)


def _bursts(pairs: _Pairs, one: SuiteRecord, two: SuiteRecord) -> Iterator[Compared]:
    for first, second in pairs.of(one.back_to_back, two.back_to_back):
        row = Compared(
            group="bursts",
            quantity="the longest burst without loss",
            subject=pairs.subject(first, second),
            a=_median_text(count_text, first.bursts),
            b=_median_text(count_text, second.bursts),
        )
        ratio_row = _ratio(row, first.bursts, second.bursts, pairs.rates(first.frame_size))
        lesser = first if _middle(first.bursts) <= _middle(second.bursts) else second
        capped = bool(lesser.bursts) and max(lesser.bursts) >= lesser.longest_tried
        yield (
            replace(ratio_row, why_not="the shorter one is the longest tried")
            if capped
            else ratio_row
        )


def _seconds_row(
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
        a=_median_text(seconds_text, first),
        b=_median_text(seconds_text, second),
    )
    return _ratio_or_difference(row, first, second, pairs.times(subjects[0].frame_size))


class _Pairs:
    """The pairs of results to compare, and how far the machine drifted between the two runs."""

    def __init__(self, a: Side, b: Side, one: SuiteRecord, two: SuiteRecord) -> None:
        self.named = (a.condition, b.condition)
        self.records = (one, two)
        self.same_run = a.source.sha256 == b.source.sha256

    def of(self, first: Sequence[Of], second: Sequence[Of]) -> Iterator[tuple[Of, Of]]:
        """Results of the same stream type and frame size, and of the conditions that were named.

        Where fewer than two were named, each condition is suites_compared with itself.
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
        """The pair that is suites_compared, in words."""
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


def _median_text(text: Callable[[float], str], values: Sequence[float]) -> str:
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


def _ratio_or_difference(
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


def suites_drift_line(one: SuiteRecord, two: SuiteRecord) -> str:
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
        "times as much in B as in A. The machine itself changed that much, so smaller changes "
        "are not reported as differences."
    )


NO_A_A_TRANSFERS = "a run has no A/A transfers, so its noise is unknown"
ABSOLUTE = (
    "Goodput itself is not compared between two runs, because the drift of the machine is "
    "unknown; the comparison uses its ratio to the reference of the same run."
)


def tcp_within(record: TcpRecord, a: str, b: str) -> Iterator[Compared]:
    """Two conditions of one run: paired, round by round."""
    for direction, name in NAMES.items():
        above, below = (_goodputs(record, each, direction) for each in (b, a))
        ratios = [above[n] / below[n] for n in above if below.get(n, 0) > 0]
        if not ratios:
            continue
        row = Compared("tcp", "goodput", name, _goodput_text(record, a, direction),
                       _goodput_text(record, b, direction))  # fmt: skip
        noise = _goodput_noise(record, direction)
        ratio = median_interval(ratios, seed=record.seed)
        band = hull(None, noise or 0.0, "A/A")
        yield replace(
            row,
            ratio=ratio,
            band=band,
            p=sign_p(ratios, band.edge(ratio.estimate)),
            why_not=enough(ratios, ratios) or (NO_A_A_TRANSFERS if noise is None else ""),
        )


def tcp_across(a: Side, b: Side, one: TcpRecord, two: TcpRecord) -> Iterator[Compared]:
    """Two runs: each condition's goodput relative to the reference of its run."""
    if one.reference != two.reference:
        return
    named = a.condition or b.condition
    for condition in (each.name for each in one.conditions):
        if condition == one.reference or named not in (None, condition):
            continue
        for direction, name in NAMES.items():
            first, second = (_goodput_ratios(record, condition, direction) for record in (one, two))
            if not first or not second:
                continue
            noises = [_goodput_noise(one, direction), _goodput_noise(two, direction)]
            known = [noise for noise in noises if noise is not None]
            ratio = ratio_of_medians(second, first, seed=one.seed)
            band = hull(None, sum(known), "A/A of both runs")
            edge = band.edge(ratio.estimate)
            yield Compared(
                group="tcp",
                quantity=f"goodput relative to {one.reference}",
                subject=f"{condition}, {name}",
                a=Quantity.of(median_interval(first, seed=one.seed)),
                b=Quantity.of(median_interval(second, seed=two.seed)),
                ratio=ratio,
                band=band,
                p=permutation_p(first, [value / edge for value in second], seed=one.seed),
                why_not=enough(first, second) or ("" if len(known) == 2 else NO_A_A_TRANSFERS),
            )


def _goodputs(record: TcpRecord, condition: str, direction: TcpDirection) -> dict[int, float]:
    return {
        number: transfer.goodput
        for number, transfer in goodput.rounds(record, condition, direction).items()
    }


def _goodput_ratios(record: TcpRecord, condition: str, direction: TcpDirection) -> list[float]:
    above = _goodputs(record, condition, direction)
    below = _goodputs(record, record.reference, direction)
    return [above[n] / below[n] for n in above if below.get(n, 0) > 0]


def _goodput_text(record: TcpRecord, condition: str, direction: TcpDirection) -> str:
    interval: Interval = goodput.goodput(record, condition, direction)
    return f"{short(interval.estimate / 1e9)} Gbit/s"


def _goodput_noise(record: TcpRecord, direction: TcpDirection) -> float | None:
    null = costs.or_none(goodput.a_a_interval, record, direction)
    if null is None:
        return None
    return max(abs(null.low - 1), abs(null.high - 1))
