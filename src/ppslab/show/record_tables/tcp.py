"""The tables of a TCP run, for the command line, a notebook and a report."""

from __future__ import annotations

from ppslab.core.text.numbers import percent_text, time_text
from ppslab.core.text.quantities import PPS, Content, Quantity, Sentence, quantity
from ppslab.core.text.tables import Cell, Table, cells
from ppslab.judge import goodput
from ppslab.judge.costs import NoDataError
from ppslab.judge.goodput import NAMES
from ppslab.model.results import TcpDirection, TcpRecord


def goodput_table(record: TcpRecord) -> Table:
    """Goodput of every condition, and its ratio to the reference, in every direction."""
    directions = goodput.directions(record)
    rows_of = {d: {row.condition: row for row in goodput.rows(record, d)} for d in directions}
    rows = []
    for condition in record.conditions:
        row = [Cell(record.named(condition.name))]
        for direction in directions:
            measured = rows_of[direction].get(condition.name)
            row.append(Cell(quantity(measured.goodput if measured else None, "Gbit/s", scale=1e-9)))
            row.append(Cell(quantity(measured.ratio if measured else None)))
        rows.append(tuple(row))
    header: list[Content] = ["condition"]
    for direction in directions:
        header += [NAMES[direction], times_reference(record)]
    return Table(
        title=f"TCP goodput, median and 95 % interval ({record.profile['name']})",
        header=tuple(header),
        rows=tuple(rows),
        notes=tuple(a_a_line(record, direction) for direction in directions),
        provenance=record.provenance(),
    )


def retransmits(record: TcpRecord) -> Table:
    """Segments sent again, in per cent of the full segments that the goodput needed."""
    directions = goodput.directions(record)
    rows_of = {d: {row.condition: row for row in goodput.rows(record, d)} for d in directions}
    return Table(
        title="Retransmitted segments, median and 95 % interval",
        header=("condition", *(NAMES[d] for d in directions)),
        rows=tuple(
            (
                Cell(record.named(c.name)),
                *(
                    Cell(quantity(row.retransmitted if row else None, "%", scale=100.0))
                    for row in (rows_of[d].get(c.name) for d in directions)
                ),
            )
            for c in record.conditions
        ),
        notes=record.explanations,
        provenance=record.provenance(),
    )


def direction_table(record: TcpRecord, direction: TcpDirection) -> Table:
    """All that was measured in one direction, a row a condition."""
    return Table(
        title=f"TCP {NAMES[direction]}",
        header=(
            "condition",
            "goodput, Gbit/s",
            times_reference(record),
            "retransmitted",
            "round trip",
            "fairness",
            "packets",
            "rounds",
        ),
        rows=tuple(
            cells(
                record.named(row.condition),
                quantity(row.goodput, scale=1e-9),
                quantity(row.ratio),
                percent_text(row.retransmitted.estimate),
                time_text(1000 * row.round_trip_us.estimate),
                f"{row.fairness.estimate:.3f}",
                Quantity(row.packets.estimate, unit=PPS),
                str(row.goodput.count),
            )
            for row in goodput.rows(record, direction)
        ),
        notes=(
            a_a_line(record, direction),
            "Ratios nearer to 1 are noise.",
            "Retransmitted: share of the segments. Round trip: TCP's smoothed time, median of the "
            "streams. Fairness: Jain's index over the streams (RFC 5166); 1 means equal shares. "
            "Packets: packets per second that arrive at the router's ports.",
        ),
    )


def times_reference(record: TcpRecord) -> Content:
    """The title of a column of ratios to the reference."""
    return Sentence(("relative to ", record.named(record.reference)))


def a_a_line(record: TcpRecord, direction: TcpDirection) -> Content:
    """Sentence on the reference against itself: the noise of this run."""
    try:
        a_a = goodput.a_a_interval(record, direction)
    except NoDataError:
        end = f" was not measured against itself, {NAMES[direction]}."
        return Sentence((record.named(record.reference), end))
    words = f", A/A ratio, {NAMES[direction]}: "
    return Sentence((record.named(record.reference), words, Quantity.of(a_a)))
