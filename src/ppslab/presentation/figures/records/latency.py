"""Latency by percentile, on a logarithmic percentile axis, one line a load."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator

from ppslab.analysis.port_limits import stream_of, stream_text
from ppslab.base.text.numbers import percent_text, percentile_text, time_text
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.lines import GREY, both_grids, decades, look, ticks
from ppslab.presentation.figures.style import style, svg_of
from ppslab.results import Delays, Latency, SuiteRecord

ENOUGH = 10
"""Frames beyond a percentile below which it rests on too few of them to be trusted."""

AXIS = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)


def latency_figure(record: SuiteRecord, results: Sequence[Latency]) -> Figure:
    """Delay from the intended send time, one line for each of `results`: one subject's loads.

    ValueError without results.
    """
    if not results:
        raise ValueError("no latency to draw")
    first = results[0]
    what = f"{first.condition}, {first.frame_size} bytes, {stream_text(stream_of(first))}"
    shown = sorted(results, key=lambda result: result.share)
    notes = [
        f"Hollow: fewer than {ENOUGH} frames took longer, so the percentile rests on few of them."
    ]
    # By load where the calibration knows it, and then the coarsest of those that are drawn.
    finest = max((r.resolution_ns or record.delay_resolution_ns or 0.0 for r in shown), default=0)
    if finest:
        notes.append(f"Differences below {time_text(finest)} are the tester's noise.")
    return Figure(
        name=f"latency-{first.condition}-{first.frame_size}-{'-'.join(stream_of(first))}",
        title=f"Latency by percentile: {what}",
        svg=_draw(shown, finest),
        alt=f"Latency against percentile, one line a load. {'; '.join(map(_said, shown))}.",
        lines=tuple(_said(result) for result in shown),
        provenance=record.provenance(),
        cannot_show=" ".join(notes),
    )


def _said(result: Latency) -> str:
    delays = ", ".join(
        f"{percentile_text(p.share)} {time_text(p.ns)}" for p in result.from_intended.percentiles
    )
    return f"at {percent_text(result.share)} of the throughput: {delays or 'no frame came'}"


def points(delays: Delays) -> list[tuple[float, float, bool]]:
    """(share, nanoseconds, whether enough frames took longer), by share."""
    if delays.min is None or delays.max is None:
        return []
    curve = [(0.0, float(delays.min), True)]
    curve += [(p.share, float(p.ns), p.beyond >= ENOUGH) for p in delays.percentiles if p.share < 1]
    return sorted(curve)


def _place(share: float) -> float:
    """1 / (1 - share): 90 % lies at 10, 99 % at 100."""
    return 1 / (1 - share)


def _draw(results: Sequence[Latency], resolution: float) -> str:
    with style():
        plot = Plot(figsize=(9.5, 5.4))
        axes = plot.add_subplot()
        both_grids(axes)
        seen: list[float] = []
        furthest = 0.9
        for turn, result in enumerate(results):
            shape = look(turn)
            marks = points(result.from_intended)
            seen += [ns for _, ns, _ in marks]
            furthest = max([furthest, *(share for share, _, _ in marks)])
            for (share, ns, _), (next_share, next_ns, _) in pairwise(marks):
                axes.plot(
                    [_place(share), _place(next_share)],
                    [ns, next_ns],
                    color=shape["color"],
                    linestyle=shape["linestyle"],
                )
            for share, ns, enough in marks:
                fill = "full" if enough else "none"
                axes.plot(_place(share), ns, shape["marker"], color=shape["color"], fillstyle=fill)
            axes.plot([], [], label=f"{percent_text(result.share)} of throughput", **shape)
        if resolution:
            axes.axhline(resolution, color=GREY, linestyle=":", linewidth=1.5)
            seen.append(resolution)
            axes.plot([], [], color=GREY, linestyle=":", label="tester's resolution")
        axes.set_xscale("log")
        shares = [share for share in AXIS if share <= furthest]
        ticks(axes.xaxis, map(_place, shares), map(percentile_text, shares))
        axes.set_xlim(0.9, _place(furthest) * 1.25)
        if seen and min(seen) > 0:
            low, high = min(seen) / 1.3, max(seen) * 1.3
            axes.set_yscale("log")
            axes.set_ylim(low, high)
            marks_y = decades(low, high)
            ticks(axes.yaxis, marks_y, [time_text(mark) for mark in marks_y])
        else:
            axes.yaxis.set_major_locator(FixedLocator([]))
        axes.set_xlabel("percentile of the frames")
        axes.set_ylabel("delay from the intended send time")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return svg_of(plot)
