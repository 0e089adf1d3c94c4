"""Tables of a packet's cost, counted, timed and both; and of the throughput."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ppslab.core import measures
from ppslab.core.measures import Measure
from ppslab.core.provenance import together
from ppslab.core.text.quantities import NOTHING, PPS, Content, Quantity, Sentence, quantity
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.judge import costs as analysis
from ppslab.model.results import Record, Search
from ppslab.model.statistics import Interval

DIGITS = {"counted": 4, "timed": 3}
"""Of a cost, by measure: as many as two runs agree in."""


def amount(interval: Interval, measure: Measure) -> Quantity:
    """`213 [205, 222] ns` or `4332 [4331, 4334] instructions`: what a packet costs."""
    return Quantity.of(interval, measures.unit(measure), digits=DIGITS[measure])


def cost(record: Record, condition: str, size: int) -> Quantity | str:
    """Cost of a packet in the router, or a dash where no trial was valid."""
    interval = analysis.or_none(analysis.cost, record, condition, size)
    return amount(interval, record.measure) if interval else NOTHING


def ratio(record: Record, numerator: str, denominator: str, size: int) -> Quantity | str:
    """Ratio of a packet's times, or a dash where no trial was valid."""
    return quantity(analysis.or_none(analysis.ratio, record, numerator, denominator, size))


def costs(record: Record) -> Table:
    """Table of a packet's cost by condition and size, and its ratio to the reference."""
    smallest = min(record.frame_sizes)
    rows = [
        cells(
            record.named(condition.name),
            ratio(record, condition.name, record.reference, smallest),
            *(cost(record, condition.name, size) for size in record.frame_sizes),
        )
        for condition in record.conditions
    ]
    notes: list[Content] = [a_a_line(record, smallest), baseline_line(record, smallest)]
    if record.measure == "counted":
        notes.append(measures.BLIND)
    notes += [f"Not measured: {s.condition}: {s.reason}." for s in record.skipped]
    return Table(
        title=f"{measures.cost_title(record.measure)}, median and 95 % interval "
        f"({record.profile['name']})",
        header=(
            "condition",
            Sentence(("relative to ", record.named(record.reference), f", {smallest} bytes")),
            *(f"{size} bytes" for size in record.frame_sizes),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=replace(record.provenance(), clock=record.clock),
    )


def a_a_line(record: Record, size: int) -> Content:
    """Sentence on the reference against itself: the noise of this run."""
    try:
        null = analysis.a_a_interval(record, size)
    except analysis.NoDataError:
        why = "against itself"
        if record.reference not in [condition.name for condition in record.conditions]:
            why = "in this run, so nothing is relative to it"
        reference = record.named(record.reference)
        return Sentence(("The reference condition ", reference, f" was not measured {why}."))
    begins = ("A/A ratio of ", record.named(record.reference), f" at {size} bytes: ")
    return Sentence((*begins, Quantity.of(null), ". Ratios nearer to 1 are noise."))


BASELINES = {
    "cable": "with its ports cabled to each other",
    "drop": "while the router drops every frame as it comes in",
    "none": "not part of the time from one forwarded packet to the next",
}


def baseline_line(record: Record, size: int) -> Content:
    """Sentence on the tester's own time, which was subtracted."""
    how = BASELINES[record.baseline]
    if record.baseline == "none":
        return (
            "The router is a separate device: the tester sends at full speed, and the time per "
            "packet is 1 over the rate at which the router forwards. Nothing is subtracted."
        )
    try:
        own = analysis.tester_cost(record, size, record.baseline)
    except analysis.NoDataError:
        return f"The tester alone ({how}) was not measured, so nothing is subtracted."
    return Sentence(
        (
            f"The tester's own cost ({how}) is subtracted: ",
            amount(own, record.measure),
            f" at {size} bytes.",
        )
    )


def both_measures(counted: Record, timed: Record) -> Table:
    """A packet's instructions and nanoseconds, nanoseconds an instruction, and both ratios.

    At the smallest frame size that both have.
    """
    size = min(set(counted.frame_sizes) & set(timed.frame_sizes))
    columns: dict[Content, Callable[[str], Content | Cell]] = {
        "condition": counted.named,
        "counted": lambda name: cost(counted, name, size),
        "timed": lambda name: cost(timed, name, size),
        "ns per instruction": lambda name: quantity(
            nanoseconds_an_instruction(counted, timed, name, size)
        ),
        Sentence(("relative to ", counted.named(counted.reference), ", counted")): lambda name: (
            ratio(counted, name, counted.reference, size)
        ),
        Sentence(("relative to ", timed.named(timed.reference), ", timed")): lambda name: ratio(
            timed, name, timed.reference, size
        ),
    }
    kernels = [str(record.environment.get("kernel", "unknown")) for record in (counted, timed)]
    notes = ["The nanoseconds per instruction have the widest interval that both measures allow."]
    if kernels[0] != kernels[1]:
        notes.append(
            f"Two kernels: counted in a guest with {kernels[0]}, timed with {kernels[1]}. The "
            "nanoseconds per instruction include the differences between them."
        )
    return Table.of(
        f"The same router, counted and timed, {size} bytes",
        [condition.name for condition in counted.conditions],
        columns,
        *notes,
        provenance=together([counted.provenance(), timed.provenance()]),
    )


def nanoseconds_an_instruction(
    counted: Record, timed: Record, condition: str, size: int
) -> Interval | None:
    """The time of an instruction under a condition; None where a measure has no data."""
    try:
        count = analysis.cost(counted, condition, size)
        time = analysis.cost(timed, condition, size)
    except analysis.NoDataError:
        return None
    if count.low <= 0:
        return None
    return Interval(
        time.estimate / count.estimate,
        time.low / count.high,
        time.high / count.low,
        min(count.count, time.count),
    )


LIMITED = (
    "A rate within 10 % of the tester's own limit is the limit of the tester, not of the router."
)


def throughputs(record: Record) -> Table:
    """The results of the searches: packets per second by tolerated loss ratio."""
    ratios = sorted({goal.loss_ratio for search in record.searches for goal in search.goals})
    columns: dict[Content, Callable[[Search], Content | Cell]] = {
        "condition": lambda search: record.named(search.condition),
        "bytes": lambda search: str(search.frame_size),
        **{f"{ratio * 100:g} % loss": partial(_rate, ratio) for ratio in ratios},
    }
    notes: list[Content] = [LIMITED]
    for size in sorted({search.frame_size for search in record.searches}):
        limit = record.tester.limit(size)
        if limit:
            words = f"The tester alone at {size} bytes: "
            notes.append(Sentence((words, Quantity(limit, unit=PPS), ".")))
    failed = {search.failed_because for search in record.searches if search.failed_because}
    notes += [f"{reason[:1].upper()}{reason[1:]}." for reason in sorted(failed)]
    title = f"Throughput by tolerated loss ({record.profile['name']})"
    provenance = record.provenance()
    return Table.of(title, record.searches, columns, *notes, provenance=provenance)


def _rate(ratio: float, search: Search) -> Quantity | str:
    goal = search.goal(ratio)
    if goal is None or goal.conditional_throughput is None:
        return NOTHING
    remark = "(tester-limited)" if goal.tester_limited else ""
    return Quantity(goal.conditional_throughput, unit=PPS, remark=remark)
