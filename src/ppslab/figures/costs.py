"""The router's time per packet by condition, one mark a frame size, with 95 % intervals."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot

from ppslab import analysis
from ppslab.figures.figure import Figure
from ppslab.figures.style import SERIES, style, svg_of, whisker
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
        svg=_draw(names, titles, sizes, found),
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


def _draw(
    names: list[str],
    titles: dict[str, str],
    sizes: list[int],
    found: dict[tuple[str, int], Interval],
) -> str:
    with style():
        plot = Plot(figsize=(9.5, 1.6 + 0.62 * len(names)))
        axes = plot.add_subplot()
        for turn, size in enumerate(sizes):
            colour, mark = SERIES[turn % len(SERIES)]
            shift = 0.24 * (turn - (len(sizes) - 1) / 2)
            for row, name in enumerate(names):
                interval = found.get((name, size))
                if interval is None:
                    continue
                whisker(axes, interval.low, interval.high, row + shift, colour)
                axes.plot(
                    interval.estimate,
                    row + shift,
                    mark,
                    color=colour,
                    linestyle="none",
                )
            axes.plot([], [], mark, color=colour, label=f"{size} bytes")
        axes.set_yticks(range(len(names)), [titles[name] for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(left=min(0.0, min((i.low for i in found.values()), default=0.0)))
        axes.set_xlabel("router time per packet, nanoseconds (left is faster)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=len(sizes))
        return svg_of(plot)


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
