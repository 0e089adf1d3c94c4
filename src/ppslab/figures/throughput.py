"""Throughput against frame size, with the theoretical line (RFC 2544 section 26.1)."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot

from ppslab.figures.figure import Figure
from ppslab.figures.lines import THEORY, both_grids, decades, look, ticks
from ppslab.figures.style import style, svg_of
from ppslab.results import GoalResult, SuiteRecord, Throughput
from ppslab.theory import Stream, stream_of, stream_text, theoretical_rate, theory_line
from ppslab.units import human_rate

Points = dict[str, dict[int, GoalResult]]


def throughput_figure(record: SuiteRecord, stream: Stream, loss_ratio: float = 0.0) -> Figure:
    """One line a condition for one type of data stream and one tolerated loss ratio.

    A mark stands on the throughput, its whisker from the search's lower to its upper bound; a
    hollow mark is the tester's limit and not the router's.
    """
    found: Points = {}
    for result in record.throughput:
        goal = goal_of(result, loss_ratio)
        if stream_of(result) == stream and goal and goal.throughput is not None:
            found.setdefault(result.condition, {})[result.frame_size] = goal
    theory = {
        size: rate
        for condition, goals in found.items()
        for size in goals
        if (rate := theoretical_rate(record, condition, stream, size)) is not None
    }
    lines = tuple(_sentences(found))
    tolerated = f"{loss_ratio * 100:g} % loss" if loss_ratio else "no loss"
    return Figure(
        name=f"throughput-{'-'.join(stream)}-{loss_ratio * 1000:g}",
        title=f"Throughput with {tolerated}, by frame size: {stream_text(stream)}",
        svg=_draw(found, theory),
        alt=_alt(found, theory),
        lines=lines,
        provenance=record.provenance(),
        cannot_show=theory_line(record),
    )


def goal_of(result: Throughput, loss_ratio: float) -> GoalResult | None:
    """What a search found for one tolerated loss ratio."""
    return next((goal for goal in result.goals if goal.loss_ratio == loss_ratio), None)


def _draw(found: Points, theory: dict[int, float]) -> str:
    with style():
        plot = Plot(figsize=(9.5, 5.6))
        axes = plot.add_subplot()
        both_grids(axes)
        sizes = sorted({size for goals in found.values() for size in goals})
        rates = [goal.throughput or 0.0 for goals in found.values() for goal in goals.values()]
        for turn, (condition, goals) in enumerate(found.items()):
            seen = sorted(goals.items())
            shape = look(turn)
            axes.plot(
                [size for size, _ in seen],
                [goal.throughput or 0.0 for _, goal in seen],
                **{**shape, "marker": ""},
            )
            axes.plot([], [], label=condition, **shape)
            for size, goal in seen:
                bounds = [b for b in (goal.lower_bound, goal.upper_bound) if b]
                axes.plot([size] * len(bounds), bounds, "-", color=shape["color"], linewidth=1.5)
                fill = "none" if goal.tester_limited else "full"
                axes.plot(
                    size,
                    goal.throughput or 0.0,
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


def _sentences(found: Points) -> list[str]:
    said = []
    for condition, goals in found.items():
        for size, goal in sorted(goals.items()):
            limited = " (tester-limited)" if goal.tester_limited else ""
            said.append(f"{condition}, {size} bytes: {human_rate(goal.throughput or 0.0)}{limited}")
    return said


def _alt(found: Points, theory: dict[int, float]) -> str:
    if not found:
        return "No throughput was found."
    parts = []
    for condition, goals in found.items():
        ends = [min(goals), max(goals)] if len(goals) > 1 else [min(goals)]
        shown = ", ".join(f"{human_rate(goals[s].throughput or 0.0)} at {s} bytes" for s in ends)
        parts.append(f"{condition}: {shown}")
    if theory:
        ends = list(dict.fromkeys((min(theory), max(theory))))
        shown = ", ".join(f"{human_rate(theory[s])} at {s} bytes" for s in ends)
        parts.append(f"the theoretical line: {shown}")
    return "Throughput against frame size, one line a condition. " + "; ".join(parts) + "."
