"""TCP goodput by condition, one mark a direction, with 95 % intervals."""

from __future__ import annotations

from ppslab import goodput
from ppslab.figures.figure import Figure
from ppslab.figures.rows import rows_svg
from ppslab.goodput import NAMES
from ppslab.results import TcpDirection, TcpRecord
from ppslab.statistics import Interval, short


def goodput_figure(record: TcpRecord) -> Figure:
    """Every measured condition of a TCP run, in the lab's order from top to bottom."""
    titles = {condition.name: condition.title for condition in record.conditions}
    found: dict[tuple[str, TcpDirection], Interval] = {}
    for direction in NAMES:
        for row in goodput.rows(record, direction):
            found[row.condition, direction] = row.goodput
    measured = {condition for condition, _ in found}
    tried = {direction for _, direction in found}
    lines = tuple(
        f"{name}, {NAMES[direction]}: {_giga(interval)}"
        for (name, direction), interval in found.items()
    )
    return Figure(
        name="goodput",
        title=f"TCP goodput by condition and direction ({record.profile['name']})",
        svg=rows_svg(
            {name: title for name, title in titles.items() if name in measured},
            {direction: said for direction, said in NAMES.items() if direction in tried},
            {key: _scaled(interval) for key, interval in found.items()},
            "goodput over all streams, Gbit/s (right is faster)",
        ),
        alt="Median goodput with its 95 % interval: " + "; ".join(lines) + ".",
        lines=lines,
        provenance=record.provenance(),
        cannot_show=record.router["cannot_show"],
    )


def _scaled(found: Interval) -> Interval:
    """In Gbit/s."""
    return Interval(found.estimate / 1e9, found.low / 1e9, found.high / 1e9, found.count)


def _giga(found: Interval) -> str:
    giga = _scaled(found)
    estimate, low, high = (short(value) for value in (giga.estimate, giga.low, giga.high))
    return f"{estimate} [{low}, {high}] Gbit/s"
