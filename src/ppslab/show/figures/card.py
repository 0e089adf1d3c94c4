"""The picture that a social network shows for a link to the site: 1200 by 630, a PNG."""

from __future__ import annotations

import io

from matplotlib.figure import Figure as Plot

from ppslab.core import measures
from ppslab.core.text.grouping import count_text
from ppslab.judge import costs
from ppslab.model.results import Record
from ppslab.show.figures.style import BLUE, VERMILION, style

SIZE = (1200, 630)
TITLE = "Packets per second, and why"
LINE = (
    "How fast does a MikroTik RouterOS router forward packets?\nMeasured again, with the evidence."
)
_GROUND, _TEXT = "#10222f", "#ffffff"
_DPI = 100


def card(record: Record | None) -> bytes:
    """The title over the costs of a record's conditions as bars; without a record the title."""
    with style():
        plot = Plot(figsize=(SIZE[0] / _DPI, SIZE[1] / _DPI), dpi=_DPI, facecolor=_GROUND)
        plot.text(0.06, 0.85, "ppslab", color="#f0a35c", fontsize=26, weight="bold")
        plot.text(0.06, 0.72, TITLE, color=_TEXT, fontsize=44, weight="bold")
        plot.text(0.06, 0.57, LINE, color=_TEXT, fontsize=22, linespacing=1.5)
        bars = _bars(record) if record is not None else {}
        if bars and record is not None:
            axes = plot.add_axes((0.06, 0.1, 0.88, 0.4))
            colours = [VERMILION if cost == max(bars.values()) else BLUE for cost in bars.values()]
            axes.bar(range(len(bars)), list(bars.values()), color=colours, width=0.72)
            axes.set_axis_off()
            ends = " to ".join(count_text(end(bars.values())) for end in (min, max))
            plot.text(
                0.06, 0.04, f"{measures.COSTS[record.measure]} in {len(bars)} configurations, "
                f"{ends} {record.unit}",
                color=_TEXT, fontsize=18,
            )  # fmt: skip
        out = io.BytesIO()
        plot.savefig(out, format="png", facecolor=_GROUND, metadata={"Software": None})
    return out.getvalue()


def _bars(record: Record) -> dict[str, float]:
    size = min(record.frame_sizes)
    return {
        condition.name: found.estimate
        for condition in record.conditions
        if (found := costs.or_none(costs.cost, record, condition.name, size))
    }
