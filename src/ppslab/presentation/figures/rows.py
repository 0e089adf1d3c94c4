"""Conditions as rows from top to bottom; each row has one mark per series, with its interval.

A row's title stands above its marks: beside them it left a phone no room for the marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from matplotlib.figure import Figure as Plot

from ppslab.presentation.figures.style import SERIES, style, svg_of, whisker
from ppslab.theory.statistics import Interval

Key = TypeVar("Key")

WIDTH = 6.0
"""Inches: as wide as a phone, with the letters of a page (book.css has the most on a screen)."""


def rows_svg(
    titles: Mapping[str, str],
    series: Mapping[Key, str],
    intervals: Mapping[tuple[str, Key], Interval],
    axis: str,
) -> str:
    """The plot as an `<svg>` element.

    `titles`: of the rows, by condition; `series`: what the legend calls each; `intervals`: by
    condition and series, where there is one; `axis`: the quantity, its unit and which way is
    better.
    """
    with style():
        plot = Plot(figsize=(WIDTH, 1.6 + 0.8 * len(titles)))
        axes = plot.add_subplot()
        for turn, (key, label) in enumerate(series.items()):
            colour, mark = SERIES[turn % len(SERIES)]
            shift = 0.19 * (turn - (len(series) - 1) / 2)
            for row, name in enumerate(titles):
                interval = intervals.get((name, key))
                if interval is None:
                    continue
                whisker(axes, interval.low, interval.high, row + shift, colour)
                axes.plot(interval.estimate, row + shift, mark, color=colour, linestyle="none")
            axes.plot([], [], mark, color=colour, label=label)
        axes.set_yticks([])
        for row, title in enumerate(titles.values()):
            axes.text(0.01, row - 0.52, title, transform=axes.get_yaxis_transform(), va="center")
        axes.set_ylim(len(titles) - 0.5, -0.7)
        # What is left after subtracting a baseline may be negative.
        axes.set_xlim(left=min(0.0, min((each.low for each in intervals.values()), default=0.0)))
        axes.set_xlabel(axis)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=max(1, len(series)),
                    columnspacing=1, handletextpad=0.2, borderaxespad=0)  # fmt: skip
        return svg_of(plot).replace("<svg", '<svg class="ppslab-rows"', 1)
