"""The router's time per packet by condition, one mark a frame size, with 95 % intervals."""

from __future__ import annotations

from ppslab import analysis
from ppslab.figures.figure import Figure
from ppslab.figures.rows import rows_svg
from ppslab.results import Record
from ppslab.statistics import Interval
from ppslab.views import nanoseconds, null_line


def costs_figure(record: Record) -> Figure:
    """Every measured condition of a run, in the lab's order from top to bottom."""
    titles = {condition.name: condition.title for condition in record.conditions}
    names = analysis.measured_conditions(record)
    sizes = sorted(record.frame_sizes)
    found: dict[tuple[str, int], Interval] = {}
    for name in names:
        for size in sizes:
            try:
                found[name, size] = analysis.cost(record, name, size)
            except analysis.NoDataError:
                continue
    return Figure(
        name="costs",
        title=f"Router time per packet, by condition and frame size ({record.profile['name']})",
        svg=rows_svg(
            {name: titles[name] for name in names},
            {size: f"{size} bytes" for size in sizes},
            found,
            "router time per packet, nanoseconds (left is faster)",
        ),
        alt=_words(titles, sizes, found),
        lines=(
            *(
                f"{name}, {size} bytes: {nanoseconds(interval)}"
                for (name, size), interval in found.items()
            ),
            null_line(record, sizes[0]),
        ),
        provenance=record.provenance(),
        cannot_show=record.router["cannot_show"],
    )


def _words(titles: dict[str, str], sizes: list[int], found: dict[tuple[str, int], Interval]) -> str:
    smallest = sizes[0]
    ranked = sorted(
        ((interval, titles[name]) for (name, size), interval in found.items() if size == smallest),
        key=lambda pair: pair[0].estimate,
    )
    if not ranked:
        return "No condition was measured."
    said = "; ".join(f"{title} {nanoseconds(interval)}" for interval, title in ranked)
    return (
        f"Median router time per packet with its 95 % interval, at {smallest} bytes, "
        f"from the cheapest condition to the dearest: {said}."
    )
