"""One lab, counted and timed: how long an instruction took, condition by condition."""

from __future__ import annotations

from ppslab.analysis import costs as analysis
from ppslab.base.provenance import together
from ppslab.base.text.quantities import quantity
from ppslab.base.text.tables import Cell, Table
from ppslab.presentation.record_tables.router_costs import cost, ratio
from ppslab.results import Record
from ppslab.theory.statistics import Interval


def both_measures(counted: Record, timed: Record) -> Table:
    """A packet's instructions and nanoseconds, nanoseconds an instruction, and both ratios.

    At the smallest frame size that both have.
    """
    size = min(set(counted.frame_sizes) & set(timed.frame_sizes))
    rows = tuple(
        (
            Cell(condition.name),
            Cell(cost(counted, condition.name, size)),
            Cell(cost(timed, condition.name, size)),
            Cell(quantity(nanoseconds_an_instruction(counted, timed, condition.name, size))),
            Cell(ratio(counted, condition.name, counted.reference, size)),
            Cell(ratio(timed, condition.name, timed.reference, size)),
        )
        for condition in counted.conditions
    )
    kernels = [str(record.environment.get("kernel", "unknown")) for record in (counted, timed)]
    notes = ["The interval of the nanoseconds an instruction is the widest that both allow."]
    if kernels[0] != kernels[1]:
        notes.append(
            f"Two kernels: counted in a guest with {kernels[0]}, timed with {kernels[1]}. What one "
            "has and the other lacks is in the nanoseconds an instruction too."
        )
    return Table(
        title=f"One router by both measures, {size} bytes",
        header=(
            "condition",
            "counted",
            "timed",
            "ns an instruction",
            f"times {counted.reference}, counted",
            f"times {timed.reference}, timed",
        ),
        rows=rows,
        notes=tuple(notes),
        provenance=together([counted.provenance(), timed.provenance()]),
        titles=counted.titles,
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
