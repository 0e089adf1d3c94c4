"""The figures of RFC 2544: throughput by frame size, the loss curve, latency by percentile."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator, FuncFormatter, MultipleLocator

from ppslab.core.text.numbers import percent_text, percentile_text, time_text
from ppslab.core.units import human_rate
from ppslab.judge.port_limits import (
    Stream,
    stream_of,
    stream_text,
    theoretical_rate,
    theory_line,
)
from ppslab.model.results import Delays, GoalResult, Latency, SuiteRecord
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.style import (
    GREY,
    THEORY,
    both_grids,
    decades,
    look,
    style,
    svg_of,
    ticks,
)

Points = dict[str, dict[int, GoalResult]]


def throughput_figure(record: SuiteRecord, stream: Stream, loss_ratio: float = 0.0) -> Figure:
    """One line a condition for one type of data stream and one tolerated loss ratio.

    A mark shows the throughput, its whisker reaches from the search's lower to its upper bound; a
    hollow mark shows the tester's limit, not the router's.
    """
    points: Points = {}
    for result in record.throughput:
        goal = result.goal(loss_ratio)
        if stream_of(result) == stream and goal and goal.conditional_throughput is not None:
            points.setdefault(result.condition, {})[result.frame_size] = goal
    theory = {
        size: rate
        for condition, goals in points.items()
        for size in goals
        if (rate := theoretical_rate(record, condition, stream, size)) is not None
    }
    lines = tuple(_throughput_lines(points))
    tolerated = f"{loss_ratio * 100:g} % loss" if loss_ratio else "no loss"
    return Figure(
        name=f"throughput-{'-'.join(stream)}-{loss_ratio * 1000:g}",
        title=f"Throughput with {tolerated}, by frame size: {stream_text(stream)}",
        svg=_draw_throughput(points, theory),
        alt=_throughput_words(points, theory),
        lines=lines,
        provenance=record.provenance(),
        cannot_show=theory_line(record),
    )


def _draw_throughput(points: Points, theory: dict[int, float]) -> str:
    with style():
        plot = Plot(figsize=(9.5, 5.6))
        axes = plot.add_subplot()
        both_grids(axes)
        sizes = sorted({size for goals in points.values() for size in goals})
        rates = [
            goal.conditional_throughput or 0.0
            for goals in points.values()
            for goal in goals.values()
        ]
        for turn, (condition, goals) in enumerate(points.items()):
            seen = sorted(goals.items())
            shape = look(turn)
            axes.plot(
                [size for size, _ in seen],
                [goal.conditional_throughput or 0.0 for _, goal in seen],
                **{**shape, "marker": ""},
            )
            axes.plot([], [], label=condition, **shape)
            for size, goal in seen:
                bounds = [b for b in (goal.relevant_lower_bound, goal.relevant_upper_bound) if b]
                axes.plot([size] * len(bounds), bounds, "-", color=shape["color"], linewidth=1.5)
                fill = "none" if goal.tester_limited else "full"
                axes.plot(
                    size,
                    goal.conditional_throughput or 0.0,
                    shape["marker"],
                    color=shape["color"],
                    fillstyle=fill,
                )
        if theory:
            across = sorted(theory)
            axes.plot(across, [theory[s] for s in across], label="theoretical", **THEORY)
            rates += theory.values()
        axes.set_xscale("log")
        axes.set_yscale("log")
        ticks(axes.xaxis, sizes, [str(size) for size in sizes])
        axes.tick_params(axis="x", labelrotation=45 if len(sizes) > 5 else 0)
        if rates:
            low, high = min(rates) / 1.4, max(rates) * 1.4
            axes.set_ylim(low, high)
            marks = decades(low, high)
            ticks(axes.yaxis, marks, [human_rate(mark) for mark in marks])
        axes.set_xlabel("frame size, bytes")
        axes.set_ylabel("frames a second")
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return svg_of(plot)


def _throughput_lines(points: Points) -> list[str]:
    sentences = []
    for condition, goals in points.items():
        for size, goal in sorted(goals.items()):
            limited = " (tester-limited)" if goal.tester_limited else ""
            rate = human_rate(goal.conditional_throughput or 0.0)
            sentences.append(f"{condition}, {size} bytes: {rate}{limited}")
    return sentences


def _throughput_words(points: Points, theory: dict[int, float]) -> str:
    if not points:
        return "No throughput was found."
    parts = []
    for condition, goals in points.items():
        ends = [min(goals), max(goals)] if len(goals) > 1 else [min(goals)]
        shown = ", ".join(
            f"{human_rate(goals[s].conditional_throughput or 0.0)} at {s} bytes" for s in ends
        )
        parts.append(f"{condition}: {shown}")
    if theory:
        ends = list(dict.fromkeys((min(theory), max(theory))))
        shown = ", ".join(f"{human_rate(theory[s])} at {s} bytes" for s in ends)
        parts.append(f"the theoretical line: {shown}")
    return "Throughput against frame size, one line a condition. " + "; ".join(parts) + "."


Curves = dict[int, list[tuple[float, float]]]


def loss_figure(record: SuiteRecord, condition: str, stream: Stream) -> Figure:
    """One line a frame size, for one condition and one type of data stream.

    Across: the load as a share of the most that the tester sends, as RFC 2544 takes it of what the
    medium carries.  Points without a valid trial are left out.
    """
    curves: Curves = {}
    spoiled: list[str] = []
    for point in record.frame_loss:
        if point.condition != condition or stream_of(point) != stream:
            continue
        if point.loss_ratio is None:
            spoiled.append(f"{point.frame_size} bytes at {percent_text(point.share)}")
        else:
            curves.setdefault(point.frame_size, []).append((point.share, point.loss_ratio))
    curves = {size: sorted(points) for size, points in sorted(curves.items())}
    lines = tuple(
        f"{condition}, {size} bytes, at {percent_text(share)} of the maximum rate: "
        f"{percent_text(loss)} lost"
        for size, points in curves.items()
        for share, loss in points
    )
    return Figure(
        name=f"loss-{condition}-{'-'.join(stream)}",
        title=f"Frame loss rate: {condition}, {stream_text(stream)}",
        svg=_draw_loss(curves),
        alt=_loss_words(curves),
        lines=lines,
        provenance=record.provenance(),
        cannot_show=f"Left out, as no trial was valid: {', '.join(spoiled)}." if spoiled else "",
    )


def _draw_loss(curves: Curves) -> str:
    with style():
        plot = Plot(figsize=(9.5, 5.2))
        axes = plot.add_subplot()
        both_grids(axes)
        for turn, (size, points) in enumerate(curves.items()):
            axes.plot(
                [100 * share for share, _ in points],
                [100 * loss for _, loss in points],
                label=f"{size} bytes",
                # Where two sizes lose the same, both lines stay visible.
                linewidth=3.5 - 0.3 * turn,
                **look(turn),
            )
        axes.set_xlim(0, 102)
        axes.set_ylim(-2, 102)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MultipleLocator(20))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0f} %"))
        axes.set_xlabel("load, share of the most that the tester sends")
        axes.set_ylabel("frames lost")
        if curves:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return svg_of(plot)


def _loss_words(curves: Curves) -> str:
    if not curves:
        return "No point of the curve has a valid trial."
    sentences = []
    for size, points in curves.items():
        share, loss = points[-1]
        clean = [s for s, lost in points if lost == 0]
        sentences.append(
            f"{size} bytes: {percent_text(loss)} lost at {percent_text(share)}, "
            + (f"no loss at {percent_text(max(clean))}" if clean else "loss at every load")
        )
    return "Loss against load, one line a frame size, both axes from 0 to 100 %. " + (
        "; ".join(sentences) + "."
    )


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
        svg=_draw_latency(shown, finest),
        alt=f"Latency against percentile, one line a load. {'; '.join(map(_latency_line, shown))}.",
        lines=tuple(_latency_line(result) for result in shown),
        provenance=record.provenance(),
        cannot_show=" ".join(notes),
    )


def _latency_line(result: Latency) -> str:
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


def _draw_latency(results: Sequence[Latency], resolution: float) -> str:
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
