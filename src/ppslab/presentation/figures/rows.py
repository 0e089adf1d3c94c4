"""Conditions as rows from top to bottom; each row has one mark per series, with its interval.

On a page a row's title is above its marks: beside them it left a phone no room for the marks.
On a slide it is beside them, or the figure would be twice as high as the screen.
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

ABREAST = 3
"""Series in a line of the legend: a line wider than the plot makes all letters smaller."""

SLIDE_HEIGHT = 4.6
"""Inches: then the letters are those of a slide; many rows make it higher, and them smaller."""

SLIDE_ROW = 0.3
SLIDE_SHAPE = 1.95
"""Width by height, of the room that a slide has (slides.css)."""

APART = 0.19
"""From one mark to the next of the same condition, where a row has room for its title."""

LONG = 100_000
"""Ticks from here on have so many digits that only half as many fit beside each other."""


def rows_svg(
    titles: Mapping[str, str],
    series: Mapping[Key, str],
    intervals: Mapping[tuple[str, Key], Interval],
    axis: str,
    on_slide: bool = False,
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
    if on_slide:
        apart, height = 0.7 / (marks + 1), max(SLIDE_HEIGHT, 1.1 + SLIDE_ROW * len(titles))
        size = (SLIDE_SHAPE * height, height)
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
        if on_slide:
            axes.set_yticks(range(len(titles)), list(titles.values()))
        else:
            axes.set_yticks([])
            for row, title in enumerate(titles.values()):
                place = axes.get_yaxis_transform()
                axes.text(0.01, row - above, title, transform=place, va="center")
        axes.set_ylim(len(titles) - 0.5, -0.5 if on_slide else -0.7)
        # What is left after subtracting a baseline may be negative.
        axes.set_xlim(left=min(0.0, min((each.low for each in intervals.values()), default=0.0)))
        if axes.get_xlim()[1] >= LONG:
            axes.locator_params(axis="x", nbins=4)
        axes.set_xlabel(axis)
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0),
                    ncols=max(1, min(ABREAST, len(series))),
                    columnspacing=1, handletextpad=0.2, borderaxespad=0)  # fmt: skip
        return svg_of(plot).replace("<svg", '<svg class="ppslab-rows"', 1)
