"""The picture that a social network shows for a link to the site: 1200 by 630, a PNG."""

from __future__ import annotations

import io
from typing import Any

from matplotlib.figure import Figure as Plot

from ppslab.core import measures
from ppslab.core.provenance import LABELS
from ppslab.core.text.grouping import count_text
from ppslab.judge import costs
from ppslab.model.results import Record
from ppslab.show.figures.style import BLUE, VERMILION, style

SIZE = (1200, 630)
TITLE = "Packets per second, and why"
LINE = (
    "How fast does a MikroTik RouterOS router forward packets?\nMeasured again, with the evidence."
)
ROWS = 6
"""Bars that can still be read where the card is as wide as a phone."""

_GROUND, _TEXT, _ACCENT = "#0c2329", "#ffffff", "#8fd9e5"
_DPI = 100


def card(record: Record | None) -> bytes:
    """The title over what some of a record's conditions cost, a bar each; without one the title."""
    with style():
        plot = Plot(figsize=(SIZE[0] / _DPI, SIZE[1] / _DPI), dpi=_DPI, facecolor=_GROUND)
        plot.text(0.06, 0.87, "ppslab", color=_ACCENT, fontsize=24, weight="bold")
        plot.text(0.06, 0.74, TITLE, color=_TEXT, fontsize=43, weight="bold")
        plot.text(0.06, 0.585, LINE, color=_TEXT, fontsize=21, linespacing=1.5)
        bars = _bars(record) if record is not None else {}
        if bars and record is not None:
            axes = plot.add_axes((0.36, 0.12, 0.5, 0.4))
            most = max(bars.values())
            colours = [VERMILION if cost == most else BLUE for cost in bars.values()]
            axes.barh(range(len(bars)), list(bars.values()), color=colours, height=0.66)
            axes.set(xlim=(0, most), ylim=(len(bars) - 0.5, -0.5))
            axes.set_axis_off()
            for row, (title, cost) in enumerate(bars.items()):
                around: Any = {"color": _TEXT, "fontsize": 17, "va": "center"}
                axes.text(-0.6 * most, row, title, **around)
                axes.text(cost + 0.02 * most, row, count_text(cost), **around)
            made = f"{measures.COSTS[record.measure]} ({LABELS[record.provenance().kind]})"
            plot.text(0.06, 0.05, made, color=_ACCENT, fontsize=17)
        out = io.BytesIO()
        plot.savefig(out, format="png", facecolor=_GROUND, metadata={"Software": None})
    return out.getvalue()


def _bars(record: Record) -> dict[str, float]:
    """Costs by title, at the smallest frames; of the first conditions alone."""
    size = min(record.frame_sizes)
    costs_known = {
        condition.title: found.estimate
        for condition in record.conditions
        if (found := costs.or_none(costs.cost, record, condition.name, size))
    }
    return dict(list(costs_known.items())[:ROWS])
