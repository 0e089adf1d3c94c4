"""Throughput against frame size, with the theoretical line (RFC 2544 section 26.1)."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot

from ppslab.analysis.port_limits import (
    Stream,
    stream_of,
    stream_text,
    theoretical_rate,
    theory_line,
)
from ppslab.base.units import human_rate
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.lines import THEORY, both_grids, decades, look, ticks
from ppslab.presentation.figures.style import style, svg_of
from ppslab.results import GoalResult, SuiteRecord, Throughput

Points = dict[str, dict[int, GoalResult]]


def throughput_figure(record: SuiteRecord, stream: Stream, loss_ratio: float = 0.0) -> Figure:
    """One line a condition for one type of data stream and one tolerated loss ratio.

    A mark shows the throughput, its whisker reaches from the search's lower to its upper bound; a
    hollow mark shows the tester's limit, not the router's.
    """
    points: Points = {}
    for result in record.throughput:
        goal = goal_of(result, loss_ratio)
        if stream_of(result) == stream and goal and goal.conditional_throughput is not None:
            points.setdefault(result.condition, {})[result.frame_size] = goal
    theory = {
        size: rate
        for condition, goals in points.items()
        for size in goals
        if (rate := theoretical_rate(record, condition, stream, size)) is not None
    }
    lines = tuple(_sentences(points))
    tolerated = f"{loss_ratio * 100:g} % loss" if loss_ratio else "no loss"
    return Figure(
        name=f"throughput-{'-'.join(stream)}-{loss_ratio * 1000:g}",
        title=f"Throughput with {tolerated}, by frame size: {stream_text(stream)}",
        svg=_draw(points, theory),
        alt=_alt(points, theory),
        lines=lines,
        provenance=record.provenance(),
        cannot_show=theory_line(record),
    )


def goal_of(result: Throughput, loss_ratio: float) -> GoalResult | None:
    """What a search found for one tolerated loss ratio."""
    return next((goal for goal in result.goals if goal.loss_ratio == loss_ratio), None)


def _draw(points: Points, theory: dict[int, float]) -> str:
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


def _sentences(points: Points) -> list[str]:
    sentences = []
    for condition, goals in points.items():
        for size, goal in sorted(goals.items()):
            limited = " (tester-limited)" if goal.tester_limited else ""
            rate = human_rate(goal.conditional_throughput or 0.0)
            sentences.append(f"{condition}, {size} bytes: {rate}{limited}")
    return sentences


def _alt(points: Points, theory: dict[int, float]) -> str:
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
