"""Two sides compared: ratios with their intervals, beside the band that counts as no difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from ppslab.base.provenance import Provenance
from ppslab.base.text.numbers import short
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.style import BLUE, VERMILION, style, svg_of, whisker
from ppslab.theory.statistics import Interval

_TICKS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 3, 5, 10, 20,
          50, 100)  # fmt: skip


@dataclass(frozen=True)
class Mark:
    """One row: side B over side A; ratios from `low` to `high` count as no difference."""

    label: str
    ratio: Interval
    low: float
    high: float
    real: bool


def ab_figure(
    name: str,
    title: str,
    marks: Sequence[Mark],
    labels: tuple[str, str],
    provenance: Provenance | None,
) -> Figure:
    """A row a quantity; `labels` name the sides.  ValueError without marks."""
    if not marks:
        raise ValueError("nothing to draw")
    lines = tuple(
        f"{mark.label}: {mark.ratio} times; {short(mark.low)} to {short(mark.high)} is none: "
        f"{'a difference' if mark.real else 'no difference shown'}"
        for mark in marks
    )
    real = sum(mark.real for mark in marks)
    return Figure(
        name=name,
        title=title,
        svg=_draw(marks, labels),
        alt=f"{labels[1]} over {labels[0]} in {len(marks)} rows, of which {real} differ. "
        + "; ".join(lines)
        + ".",
        lines=lines,
        provenance=provenance,
    )


def _draw(marks: Sequence[Mark], labels: tuple[str, str]) -> str:
    with style():
        lines = max(mark.label.count("\n") for mark in marks) + 1
        plot = Plot(figsize=(9.5, 1.7 + (0.2 + 0.3 * lines) * len(marks)))
        axes = plot.add_subplot()
        ends = [v for m in marks for v in (m.ratio.low, m.ratio.high, m.low, m.high, 1.0)]
        ends = [value for value in ends if isfinite(value) and value > 0]
        low, high = 0.93 * min(ends), 1.07 * max(ends)
        for row, mark in enumerate(marks):
            axes.fill_between(
                [mark.low, mark.high], row - 0.38, row + 0.38, color="#808182", alpha=0.3, lw=0
            )
            colour = VERMILION if mark.real else BLUE
            whisker(axes, max(low, mark.ratio.low), min(high, mark.ratio.high), row, colour)
            fill = "full" if mark.real else "none"
            axes.plot(mark.ratio.estimate, row, "D" if mark.real else "o", color=colour,
                      fillstyle=fill, markeredgewidth=2)  # fmt: skip
        axes.axvline(1.0, color="#010203", linewidth=1.2)
        axes.plot([], [], "D", color=VERMILION, label="a difference", linestyle="none")
        axes.plot([], [], "o", color=BLUE, fillstyle="none", markeredgewidth=2,
                  label="none shown", linestyle="none")  # fmt: skip
        axes.fill_between([], [], [], color="#808182", alpha=0.3, label="noise and drift")
        axes.set_yticks(range(len(marks)), [mark.label for mark in marks])
        axes.set_ylim(len(marks) - 0.5, -0.5)
        axes.set_xscale("log")
        axes.set_xlim(low, high)
        places = [tick for tick in _TICKS if low <= tick <= high]
        axes.xaxis.set_major_locator(FixedLocator(places))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel(f"{labels[1]} over {labels[0]}, times")
        axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=3)
        return svg_of(plot)
