"""The tables of a TCP run, for the command line, a notebook and a report."""

from __future__ import annotations

from collections import defaultdict

from ppslab.core.text.numbers import percent_text, time_text
from ppslab.core.text.quantities import PPS, Content, Quantity, Sentence, quantity
from ppslab.core.text.tables import Table, cells
from ppslab.judge import goodput
from ppslab.judge.costs import NoDataError
from ppslab.judge.goodput import NAMES
from ppslab.model.results import TcpDirection, TcpRecord
from ppslab.model.statistics import Interval
from ppslab.show import rows


def _measured(record: TcpRecord) -> dict[tuple[str, str], dict[str, Interval]]:
    """The quantities of each direction and condition, by their names in `rows`."""
    measured: dict[tuple[str, str], dict[str, Interval]] = defaultdict(dict)
    for row in rows.of(record):
        name = TIMES if row.reference else row.quantity
        measured[row.direction, row.condition][name] = row.estimate
    return measured


TIMES = "times the reference"


def goodput_table(record: TcpRecord) -> Table:
    """Goodput of every condition, and its ratio to the reference, in every direction."""
    directions = goodput.directions(record)
    measured = _measured(record)
    shown = []
    for condition in record.conditions:
        row: list[Content] = [record.named(condition.name)]
        for direction in directions:
            own = measured[direction, condition.name]
            row += [quantity(own.get("goodput"), "Gbit/s", scale=1e-9), quantity(own.get(TIMES))]
        shown.append(cells(*row))
    header: list[Content] = ["condition"]
    for direction in directions:
        header += [NAMES[direction], times_reference(record)]
    return Table(
        title=f"TCP goodput, median and 95 % interval ({record.profile['name']})",
        header=tuple(header),
        rows=tuple(shown),
        notes=tuple(a_a_line(record, direction) for direction in directions),
        provenance=record.provenance(),
    )


def retransmits(record: TcpRecord) -> Table:
    """Segments sent again, in per cent of the full segments that the goodput needed."""
    directions = goodput.directions(record)
    measured = _measured(record)
    return Table(
        title="Retransmitted segments, median and 95 % interval",
        header=("condition", *(NAMES[d] for d in directions)),
        rows=tuple(
            cells(
                record.named(c.name),
                *(
                    quantity(measured[d, c.name].get("segments sent again"), "%", scale=100.0)
                    for d in directions
                ),
            )
            for c in record.conditions
        ),
        notes=record.explanations,
        provenance=record.provenance(),
    )


def direction_tables(record: TcpRecord) -> list[Table]:
    """All that was measured, a table a direction, a row a condition."""
    measured = _measured(record)
    return [
        Table(
            title=f"TCP {NAMES[direction]}",
            header=(
                "condition", "goodput, Gbit/s", times_reference(record), "retransmitted",
                "round trip", "fairness", "packets", "rounds",
            ),
            rows=tuple(
                cells(
                    record.named(condition.name),
                    quantity(own["goodput"], scale=1e-9),
                    quantity(own.get(TIMES)),
                    percent_text(own["segments sent again"].estimate),
                    time_text(1000 * own["round-trip time"].estimate),
                    f"{own['fairness'].estimate:.3f}",
                    Quantity(own["packets"].estimate, unit=PPS),
                    str(own["goodput"].count),
                )
                for condition in record.conditions
                if (own := measured[direction, condition.name])
            ),
            notes=(
                a_a_line(record, direction),
                "Ratios nearer to 1 are noise.",
                "Retransmitted: share of the segments. Round trip: TCP's smoothed time, median of "
                "the streams. Fairness: Jain's index over the streams (RFC 5166); 1 means equal "
                "shares. Packets: packets per second that arrive at the router's ports.",
            ),
        )
        for direction in goodput.directions(record)
    ]  # fmt: skip


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
