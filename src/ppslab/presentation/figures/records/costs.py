"""What a packet costs the router, by condition, one mark a frame size, with 95 % intervals."""

from __future__ import annotations

from ppslab.analysis import costs
from ppslab.base import measures
from ppslab.base.text.quantities import Sentence
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.rows import rows_svg
from ppslab.presentation.record_tables import a_a_line, amount
from ppslab.results import Record
from ppslab.theory.statistics import Interval


def costs_figure(record: Record, *, on_slide: bool = False) -> Figure:
    """Every measured condition of a run, in the lab's order from top to bottom."""
    titles = {condition.name: condition.title for condition in record.conditions}
    names = costs.measured_conditions(record)
    sizes = sorted(record.frame_sizes)
    intervals: dict[tuple[str, int], Interval] = {}
    for name in names:
        for size in sizes:
            try:
                intervals[name, size] = costs.cost(record, name, size)
            except costs.NoDataError:
                continue
    return Figure(
        name="costs",
        title=f"{measures.cost_title(record.measure)}, by condition and frame size "
        f"({record.profile['name']})",
        svg=rows_svg(
            {name: titles[name] for name in names},
            {size: f"{size} bytes" for size in sizes},
            intervals,
            _axis(record),
            on_slide,
        ),
        alt=_words(record, titles, sizes, intervals),
        lines=(
            *(
                Sentence((f"{name}, {size} bytes: ", amount(interval, record.measure)))
                for (name, size), interval in intervals.items()
            ),
            a_a_line(record, sizes[0]),
        ),
        provenance=record.provenance(),
    )


def _axis(record: Record) -> str:
    if record.measure == "counted":
        return "router instructions per packet (left is cheaper)"
    return "router time per packet, nanoseconds (left is faster)"


def _words(
    record: Record,
    titles: dict[str, str],
    sizes: list[int],
    intervals: dict[tuple[str, int], Interval],
) -> str:
    smallest = sizes[0]
    ranked = sorted(
        (
            (interval, titles[name])
            for (name, size), interval in intervals.items()
            if size == smallest
        ),
        key=lambda pair: pair[0].estimate,
    )
    if not ranked:
        return "No condition was measured."
    ranking = "; ".join(f"{title} {amount(interval, record.measure)}" for interval, title in ranked)
    return (
        f"Median {measures.COSTS[record.measure]} with its 95 % interval, at {smallest} bytes, "
        f"from the cheapest condition to the most expensive: {ranking}."
    )
