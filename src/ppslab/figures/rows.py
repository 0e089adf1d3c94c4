"""Conditions as rows from top to bottom: in each one mark a series, with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from matplotlib.figure import Figure as Plot

from ppslab.figures.style import SERIES, style, svg_of, whisker
from ppslab.statistics import Interval

Key = TypeVar("Key")


def rows_svg(
    titles: Mapping[str, str],
    series: Mapping[Key, str],
    found: Mapping[tuple[str, Key], Interval],
    axis: str,
) -> str:
    """The plot as an `<svg>` element.

    `titles`: of the rows, by condition; `series`: what the legend calls each; `found`: by
    condition and series, where there is one; `axis`: the quantity, its unit and which way is
    better.
    """
    with style():
        plot = Plot(figsize=(9.5, 1.6 + 0.62 * len(titles)))
        axes = plot.add_subplot()
        for turn, (key, label) in enumerate(series.items()):
            colour, mark = SERIES[turn % len(SERIES)]
            shift = 0.24 * (turn - (len(series) - 1) / 2)
            for row, name in enumerate(titles):
                interval = found.get((name, key))
                if interval is None:
                    continue
                whisker(axes, interval.low, interval.high, row + shift, colour)
                axes.plot(interval.estimate, row + shift, mark, color=colour, linestyle="none")
            axes.plot([], [], mark, color=colour, label=label)
        axes.set_yticks(range(len(titles)), list(titles.values()))
        axes.set_ylim(len(titles) - 0.5, -0.5)
        # A baseline that is taken away may leave less than nothing.
        axes.set_xlim(left=min(0.0, min((each.low for each in found.values()), default=0.0)))
        axes.set_xlabel(axis)
        axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=max(1, len(series)))
        return svg_of(plot)
