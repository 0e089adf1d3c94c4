"""Forwarding rate at the maximum offered load, RFC 2285 section 3.6.2: what came through when the
tester sent as fast as it could.

On network cards the router's work is in nobody else's time, so a record has no cost of the router
there, but this rate.  Rates of one round are paired.
"""

from __future__ import annotations

from ppslab.analysis import NoDataError, forwarding_rates, paired_ratio
from ppslab.results import Record
from ppslab.statistics import Interval, median_interval
from ppslab.tables import Table, cells


def rate(record: Record, condition: str, size: int) -> Interval:
    """Median over the rounds with its 95 % interval; NoDataError where there is none."""
    found = forwarding_rates(record, condition, size)
    if not found:
        raise NoDataError(f"no valid rounds of {condition} at {size} bytes")
    return median_interval(list(found.values()), seed=record.seed)


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
            found = rate(record, condition.name, size)
            times = str(ratio(record, condition.name, size))
        except NoDataError:
            continue
        thousands = Interval(found.estimate / 1e3, found.low / 1e3, found.high / 1e3, found.count)
        rows.append(cells(condition.name, f"{thousands} kpps", times))
    return Table(
        title=f"Forwarded at the highest load, {size} bytes, median and 95 % interval",
        header=("condition", "forwarded", times_reference),
        rows=tuple(rows),
        notes=_null(record, size),
        provenance=record.provenance(),
        asides=frozenset({times_reference}),
    )


def _null(record: Record, size: int) -> tuple[str, ...]:
    try:
        null = ratio(record, record.reference, size, "null")
    except NoDataError:
        return ()
    return (f"A/A: the reference against itself {null}; a smaller difference means nothing.",)
