"""Figures with a row a condition, or a pair of them, and a mark with its interval for each series.

On a phone a row's title is above its marks: beside them it left no room for the marks.  On a wide
page and on a slide it is beside them, or the figure would be twice as high as the screen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from ppslab.core.text.quantities import Quantity, Sentence, quantity
from ppslab.judge.goodput import NAMES
from ppslab.model.results import Record, TcpRecord
from ppslab.model.statistics import Interval
from ppslab.show import rows
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.style import LINUX, ROUTEROS, SERIES, style, svg_of, whisker
from ppslab.show.record_tables import Beside

Key = TypeVar("Key")

WIDTH = 6.0
"""Inches: as wide as a phone, with the letters of a page (book.css has the most on a screen)."""

WIDE = 7.2
"""Inches without the titles: beside them the letters are those of a page."""

WIDE_ROW, WIDE_MARK = 0.25, 0.13
"""Inches of a row, and of each of its marks."""

ABREAST = 3
"""Series in a line of the legend: a line wider than the plot makes all letters smaller."""

APART = 0.19
"""From one mark to the next of the same condition, where a row has room for its title."""

LONG = 100_000
"""Ticks from here on have so many digits that only half as many fit beside each other."""


def rows_svg(
    titles: Mapping[str, str],
    series: Mapping[Key, str],
    intervals: Mapping[tuple[str, Key], Interval],
    axis: str,
    *,
    wide: bool = False,
) -> str:
    """The plot as an `<svg>` element.

    `titles`: of the rows, by condition; `series`: what the legend calls each; `intervals`: by
    condition and series, where there is one; `axis`: the quantity, its unit and which way is
    better.
    """
    # A row grows with its marks, or the last of them would lie on the next row's title.
    marks = max(ABREAST, len(series)) - 1
    grown = 0.62 + APART * marks
    apart, above = APART / grown, (APART * marks / 2 + 0.33) / grown
    size = (WIDTH, 1.6 + 0.8 * grown * len(titles))
    if wide:
        apart = 0.7 / (marks + 1)
        size = (WIDE, 1.2 + (WIDE_ROW + WIDE_MARK * len(series)) * len(titles))
    with style():
        plot = Plot(figsize=size)
        axes = plot.add_subplot()
        for turn, (key, label) in enumerate(series.items()):
            colour, mark = SERIES[turn % len(SERIES)]
            shift = apart * (turn - (len(series) - 1) / 2)
            for row, name in enumerate(titles):
                interval = intervals.get((name, key))
                if interval is None:
                    continue
                whisker(axes, interval.low, interval.high, row + shift, colour)
                axes.plot(interval.estimate, row + shift, mark, color=colour, linestyle="none")
            axes.plot([], [], mark, color=colour, label=label)
        if wide:
            axes.set_yticks(range(len(titles)), list(titles.values()))
        else:
            axes.set_yticks([])
            for row, title in enumerate(titles.values()):
                place = axes.get_yaxis_transform()
                axes.text(0.01, row - above, title, transform=place, va="center")
        axes.set_ylim(len(titles) - 0.5, -0.5 if wide else -0.7)
        # What is left after subtracting a baseline may be negative.
        axes.set_xlim(left=min(0.0, min((each.low for each in intervals.values()), default=0.0)))
        if axes.get_xlim()[1] >= LONG:
            axes.locator_params(axis="x", nbins=4)
        axes.set_xlabel(axis)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0),
                    ncols=max(1, min(ABREAST, len(series))),
                    columnspacing=1, handletextpad=0.2, borderaxespad=0)  # fmt: skip
        kind = "ppslab-wide" if wide else "ppslab-rows"
        return svg_of(plot).replace("<svg", f'<svg class="{kind}"', 1)


GIGABITS = "Gbit/s"


def goodput_figure(record: TcpRecord) -> Figure:
    """Every measured condition of a TCP run, in the lab's order from top to bottom."""
    titles = {condition.name: condition.title for condition in record.conditions}
    goodputs = {(row.condition, row.direction): row.estimate
                for row in rows.of(record) if row.quantity == "goodput"}  # fmt: skip
    measured = {condition for condition, _ in goodputs}
    tried = {direction for _, direction in goodputs}
    lines = tuple(
        Sentence((f"{name}, {NAMES[direction]}: ", Quantity.of(interval, GIGABITS, scale=1e-9)))
        for (name, direction), interval in goodputs.items()
    )
    drawn = (
        {name: title for name, title in titles.items() if name in measured},
        {direction: label for direction, label in NAMES.items() if direction in tried},
        {key: _in_gigabits(interval) for key, interval in goodputs.items()},
        f"goodput over all streams, {GIGABITS} (right is faster)",
    )
    return Figure(
        name="goodput",
        title=f"TCP goodput by condition and direction ({record.profile['name']})",
        svg=rows_svg(*drawn),
        wide=rows_svg(*drawn, wide=True),
        alt="Median goodput with its 95 % interval: " + "; ".join(map(str, lines)) + ".",
        lines=lines,
        provenance=record.provenance(),
    )


def _in_gigabits(interval: Interval) -> Interval:
    return Interval(
        interval.estimate / 1e9, interval.low / 1e9, interval.high / 1e9, interval.count
    )


_PUBLISHED: dict[str, Any] = {"color": ROUTEROS, "fillstyle": "none", "markeredgewidth": 2.2,
                              "linestyle": "none"}  # fmt: skip
_BESIDE_TICKS = (0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30)


def beside_figure(pairs: Sequence[Beside], record: Record | None) -> Figure:
    """One row for each pair of published numbers that a claim compares."""
    lines = []
    for pair in pairs:
        about = f"{pair.condition} against {pair.base}, {pair.size} bytes, {pair.hardware}: "
        words = f"{about}published {pair.published_text}, measured "
        lines.append(Sentence((words, quantity(pair.measured))))
    return Figure(
        name="beside",
        title="Relative cost of a packet: published and measured",
        svg=_draw_beside(pairs),
        alt="; ".join(map(str, lines)) + "." if lines else "The sources print no pair of rates.",
        lines=tuple(lines),
        provenance=record.provenance() if record else None,
    )


def _draw_beside(pairs: Sequence[Beside]) -> str:
    with style():
        plot = Plot(figsize=(9.5, 1.6 + 0.75 * max(len(pairs), 1)))
        axes = plot.add_subplot()
        for row, pair in enumerate(pairs):
            ends = pair.published.ends
            if len(ends) == 2:
                whisker(axes, *ends, row - 0.13, ROUTEROS)
            axes.plot(ends, [row - 0.13] * len(ends), _published_marker(pair), **_PUBLISHED)
            if pair.measured is None:
                continue
            low, high = pair.measured.low, pair.measured.high
            whisker(axes, low, high, row + 0.13, LINUX)
            axes.plot(pair.measured.estimate, row + 0.13, "o", color=LINUX)
        axes.plot([], [], "D", **_PUBLISHED, label="published: rates of a RouterOS router")
        axes.plot([], [], ">", **_PUBLISHED, label="published: at least this much")
        if any(pair.published.at_most for pair in pairs):
            axes.plot([], [], "<", **_PUBLISHED, label="published: at most this much")
        axes.plot([], [], "o", color=LINUX, label="measured: time per packet of a Linux router")
        axes.set_yticks(range(len(pairs)), [f"{pair.condition}\n/ {pair.base}" for pair in pairs])
        axes.set_ylim(max(len(pairs), 1) - 0.5, -0.5)
        axes.set_xscale("log")
        values = [end for pair in pairs for end in pair.published.ends]
        values += [v for p in pairs if p.measured for v in p.measured.finite if v is not None]
        # On an axis of ratios an interval that reaches 0 has no end.
        low = 0.85 * min([1.0, *(value for value in values if value > 0)])
        high = 1.15 * max([2.0, *values])
        axes.set_xlim(low, high)
        axes.xaxis.set_major_locator(FixedLocator([t for t in _BESIDE_TICKS if low <= t <= high]))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("ratio (further right costs more)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.3, 1.0), ncols=1)
        return svg_of(plot)


def _published_marker(pair: Beside) -> str:
    """An arrow that points to where the ratio may lie."""
    if pair.published.at_least:
        return ">"
    return "<" if pair.published.at_most else "D"
