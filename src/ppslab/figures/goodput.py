"""TCP goodput by condition, one mark a direction, with 95 % intervals."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot

from ppslab import goodput
from ppslab.figures.figure import Figure
from ppslab.figures.style import SERIES, style, svg_of, whisker
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
    names = [name for name in titles if any(name == condition for condition, _ in found)]
    lines = tuple(
        f"{name}, {NAMES[direction]}: {_giga(interval)}"
        for (name, direction), interval in found.items()
    )
    return Figure(
        name="goodput",
        title=f"TCP goodput by condition and direction ({record.profile['name']})",
        svg=_draw(names, titles, found),
        alt="Median goodput with its 95 % interval: " + "; ".join(lines) + ".",
        lines=lines,
        provenance=record.provenance(),
        cannot_show=record.router["cannot_show"],
    )


def _draw(
    names: list[str],
    titles: dict[str, str],
    found: dict[tuple[str, TcpDirection], Interval],
) -> str:
    shown = [d for d in NAMES if any(d == direction for _, direction in found)]
    with style():
        plot = Plot(figsize=(9.5, 1.6 + 0.62 * len(names)))
        axes = plot.add_subplot()
        for turn, direction in enumerate(shown):
            colour, mark = SERIES[turn % len(SERIES)]
            shift = 0.24 * (turn - (len(shown) - 1) / 2)
            for row, name in enumerate(names):
                interval = found.get((name, direction))
                if interval is None:
                    continue
                low, middle, high = (
                    value / 1e9 for value in (interval.low, interval.estimate, interval.high)
                )
                whisker(axes, low, high, row + shift, colour)
                axes.plot(middle, row + shift, mark, color=colour, linestyle="none")
            axes.plot([], [], mark, color=colour, label=NAMES[direction])
        axes.set_yticks(range(len(names)), [titles[name] for name in names])
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlim(left=0.0)
        axes.set_xlabel("goodput over all streams, Gbit/s (right is faster)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=max(1, len(shown)))
        return svg_of(plot)


def _giga(found: Interval) -> str:
    values = (short(value / 1e9) for value in (found.estimate, found.low, found.high))
    estimate, low, high = values
    return f"{estimate} [{low}, {high}] Gbit/s"
