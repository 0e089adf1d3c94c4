"""TCP goodput by condition, one mark a direction, with 95 % intervals."""

from __future__ import annotations

from ppslab.analysis import goodput
from ppslab.analysis.goodput import NAMES
from ppslab.base.text.quantities import Quantity, Sentence
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.rows import rows_svg
from ppslab.results import TcpDirection, TcpRecord
from ppslab.theory.statistics import Interval

GIGABITS = "Gbit/s"


def goodput_figure(record: TcpRecord) -> Figure:
    """Every measured condition of a TCP run, in the lab's order from top to bottom."""
    titles = {condition.name: condition.title for condition in record.conditions}
    goodputs: dict[tuple[str, TcpDirection], Interval] = {}
    for direction in NAMES:
        for row in goodput.rows(record, direction):
            goodputs[row.condition, direction] = row.goodput
    measured = {condition for condition, _ in goodputs}
    tried = {direction for _, direction in goodputs}
    lines = tuple(
        Sentence((f"{name}, {NAMES[direction]}: ", Quantity.of(interval, GIGABITS, scale=1e-9)))
        for (name, direction), interval in goodputs.items()
    )
    return Figure(
        name="goodput",
        title=f"TCP goodput by condition and direction ({record.profile['name']})",
        svg=rows_svg(
            {name: title for name, title in titles.items() if name in measured},
            {direction: label for direction, label in NAMES.items() if direction in tried},
            {key: _scaled(interval) for key, interval in goodputs.items()},
            f"goodput over all streams, {GIGABITS} (right is faster)",
        ),
        alt="Median goodput with its 95 % interval: " + "; ".join(map(str, lines)) + ".",
        lines=lines,
        provenance=record.provenance(),
    )


def _scaled(interval: Interval) -> Interval:
    """In Gbit/s."""
    return Interval(
        interval.estimate / 1e9, interval.low / 1e9, interval.high / 1e9, interval.count
    )
