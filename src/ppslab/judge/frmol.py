"""Forwarding rate at the maximum offered load, RFC 2285 section 3.6.2: what came through when the
tester sent as fast as it could.

On network cards the router's work is in nobody else's time, so a record has no cost of the router
there, but this rate.  Rates of one round are paired.
"""

from __future__ import annotations

from ppslab.core.text.quantities import Content, Quantity, Sentence
from ppslab.core.text.tables import Table, cells
from ppslab.judge.costs import NoDataError, forwarding_rates, paired_ratio
from ppslab.model.results import Record
from ppslab.model.statistics import Interval, median_interval


def rate(record: Record, condition: str, size: int) -> Interval:
    """Median over the rounds with its 95 % interval; NoDataError where there is none."""
    rates = forwarding_rates(record, condition, size)
    if not rates:
        raise NoDataError(f"no valid rounds of {condition} at {size} bytes")
    return median_interval(list(rates.values()), seed=record.seed)


def ratio(record: Record, condition: str, size: int, purpose: str = "cost") -> Interval:
    """How many times the rate of the reference of the same rounds."""
    return paired_ratio(
        record,
        forwarding_rates(record, condition, size, purpose),
        forwarding_rates(record, record.reference, size),
        f"{condition} at {size} bytes",
    )


def table(record: Record) -> Table:
    """Every condition's rate and its ratio to the reference, at the smallest frame size.

    The ratio is an aside: where emulated CPUs share the host's, it differs from run to run.
    """
    size = min(record.frame_sizes)
    times_reference = f"times {record.reference}"
    rows = []
    for condition in record.conditions:
        try:
            interval = rate(record, condition.name, size)
            times = ratio(record, condition.name, size)
        except NoDataError:
            continue
        kpps = Quantity.of(interval, "kpps", scale=1e-3)
        rows.append(cells(condition.name, kpps, Quantity.of(times)))
    return Table(
        title=f"Forwarded at the highest load, {size} bytes, median and 95 % interval",
        header=("condition", "forwarded", times_reference),
        rows=tuple(rows),
        notes=_null(record, size),
        provenance=record.provenance(),
        titles=record.titles,
        asides=frozenset({times_reference}),
    )


def _null(record: Record, size: int) -> tuple[Content, ...]:
    try:
        null = ratio(record, record.reference, size, "a-a")
    except NoDataError:
        return ()
    end = "; a smaller difference means nothing."
    return (Sentence(("A/A: the reference against itself ", Quantity.of(null), end)),)
