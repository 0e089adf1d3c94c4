"""What a packet costs the router, by condition and frame size."""

from __future__ import annotations

from dataclasses import replace

from ppslab.analysis import costs as analysis
from ppslab.base import measures
from ppslab.base.measures import Measure
from ppslab.base.text.quantities import NOTHING, Content, Quantity, Sentence
from ppslab.base.text.tables import Cell, Table
from ppslab.results import Record
from ppslab.theory.statistics import Interval

DIGITS = {"counted": 4, "timed": 3}
"""Of a cost, by measure: as many as two runs agree in."""


def amount(interval: Interval, measure: Measure) -> Quantity:
    """`213 [205, 222] ns` or `4332 [4331, 4334] instructions`: what a packet costs."""
    return Quantity.of(interval, measures.unit(measure), digits=DIGITS[measure])


def cost(record: Record, condition: str, size: int) -> Quantity | str:
    """What a packet costs the router, or a dash where no trial was valid."""
    try:
        return amount(analysis.cost(record, condition, size), record.measure)
    except analysis.NoDataError:
        return NOTHING


def ratio(record: Record, numerator: str, denominator: str, size: int) -> Quantity | str:
    """How many times as long a packet takes, or a dash where no trial was valid."""
    try:
        return Quantity.of(analysis.ratio(record, numerator, denominator, size))
    except analysis.NoDataError:
        return NOTHING


def costs(record: Record) -> Table:
    """What a packet costs the router by condition and size, and its ratio to the reference."""
    smallest = min(record.frame_sizes)
    rows = [
        (
            Cell(condition.name),
            Cell(ratio(record, condition.name, record.reference, smallest)),
            *(Cell(cost(record, condition.name, size)) for size in record.frame_sizes),
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
            f"times {record.reference}, {smallest} bytes",
            *(f"{size} bytes" for size in record.frame_sizes),
        ),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=replace(record.provenance(), clock=record.clock),
        titles=record.titles,
    )


def a_a_line(record: Record, size: int) -> Content:
    """How much the reference condition differs from itself: the noise of this run."""
    try:
        null = analysis.a_a_interval(record, size)
    except analysis.NoDataError:
        return f"The reference condition {record.reference} was not measured against itself."
    begins = f"{record.reference} against itself (A/A) at {size} bytes: "
    return Sentence((begins, Quantity.of(null), "; a ratio nearer to 1 than that is noise."))


BASELINES = {
    "cable": "with its ports cabled to each other",
    "drop": "while the router drops every frame as it comes in",
    "none": "which is no part of the time from one forwarded packet to the next",
}


def baseline_line(record: Record, size: int) -> Content:
    """How much of the tester's own time was subtracted."""
    how = BASELINES[record.baseline]
    if record.baseline == "none":
        return (
            "The router is a device of its own: a packet's time is 1 over the rate at which it "
            "forwards what the tester sends as fast as it can, and nothing is subtracted."
        )
    try:
        own = analysis.tester_cost(record, size, record.baseline)
    except analysis.NoDataError:
        return f"The tester alone, {how}, was not measured: there is nothing to subtract."
    return Sentence(
        (
            f"Subtracted: what the tester takes {how}, ",
            amount(own, record.measure),
            f" at {size} bytes.",
        )
    )
