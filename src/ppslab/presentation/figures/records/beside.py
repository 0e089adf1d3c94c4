"""Published ratios beside measured ones: how many times as much a packet costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator, NullFormatter, StrMethodFormatter

from ppslab.base.text.quantities import Sentence, quantity
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.style import BLUE, VERMILION, style, svg_of, whisker
from ppslab.presentation.record_tables import Beside
from ppslab.results import Record

PUBLISHED: dict[str, Any] = {
    "color": VERMILION,
    "fillstyle": "none",
    "markeredgewidth": 2.2,
    "linestyle": "none",
}
_TICKS = (0.5, 1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30)


def beside_figure(pairs: Sequence[Beside], record: Record | None) -> Figure:
    """One row for each pair of published numbers that a claim compares."""
    lines = tuple(
        Sentence(
            (
                f"{pair.condition} against {pair.base}, {pair.size} bytes, {pair.hardware}: "
                f"published {pair.published_text}, measured ",
                quantity(pair.measured),
            )
        )
        for pair in pairs
    )
    return Figure(
        name="beside",
        title="How many times as much a packet costs: published and measured",
        svg=_draw(pairs),
        alt="; ".join(map(str, lines)) + "." if lines else "The sources print no pair of rates.",
        lines=lines,
        provenance=record.provenance() if record else None,
    )


def _draw(pairs: Sequence[Beside]) -> str:
    with style():
        plot = Plot(figsize=(9.5, 1.6 + 0.75 * max(len(pairs), 1)))
        axes = plot.add_subplot()
        for row, pair in enumerate(pairs):
            ends = pair.published.ends
            if len(ends) == 2:
                whisker(axes, *ends, row - 0.13, VERMILION)
            axes.plot(ends, [row - 0.13] * len(ends), _marker(pair), **PUBLISHED)
            if pair.measured is None:
                continue
            low, high = pair.measured.low, pair.measured.high
            whisker(axes, low, high, row + 0.13, BLUE)
            axes.plot(pair.measured.estimate, row + 0.13, "o", color=BLUE)
        axes.plot([], [], "D", **PUBLISHED, label="published: rates of a RouterOS router")
        axes.plot([], [], ">", **PUBLISHED, label="published: at least so much")
        if any(pair.published.at_most for pair in pairs):
            axes.plot([], [], "<", **PUBLISHED, label="published: at most so much")
        axes.plot([], [], "o", color=BLUE, label="measured: time per packet of a Linux router")
        axes.set_yticks(range(len(pairs)), [f"{pair.condition}\n/ {pair.base}" for pair in pairs])
        axes.set_ylim(max(len(pairs), 1) - 0.5, -0.5)
        axes.set_xscale("log")
        values = [end for pair in pairs for end in pair.published.ends]
        values += [v for p in pairs if p.measured for v in p.measured.finite if v is not None]
        # On an axis of ratios an interval that reaches 0 has no end.
        low = 0.85 * min([1.0, *(value for value in values if value > 0)])
        high = 1.15 * max([2.0, *values])
        axes.set_xlim(low, high)
        axes.xaxis.set_major_locator(FixedLocator([t for t in _TICKS if low <= t <= high]))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_xlabel("times as much (right costs more)")
        axes.legend(loc="lower center", bbox_to_anchor=(0.3, 1.0), ncols=1)
        return svg_of(plot)


def _marker(pair: Beside) -> str:
    """An arrow that points to where the ratio may lie."""
    if pair.published.at_least:
        return ">"
    return "<" if pair.published.at_most else "D"
