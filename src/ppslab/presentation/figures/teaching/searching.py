"""Searches on a simulated router: where they ended, how they went, and what they looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ppslab.base.units import human_rate
from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.lines import GREY, both_grids, decades, ticks
from ppslab.presentation.figures.style import BLUE, GREEN, VERMILION, style, svg_of

SIMULATED = "A simulated router with a known throughput; no packet was sent."
CLOSE = 0.01
PASSED, FAILED = "passed", "failed"


def spread_figure(title: str, found: Mapping[str, Sequence[float]]) -> Figure:
    """Every search as a mark: `found` holds, by method, the throughputs as shares of the truth."""
    with style():
        plot = Plot(figsize=(9.5, 1.5 + 0.75 * len(found)))
        axes = plot.add_subplot()
        axes.axvline(1.0, color=GREY, linestyle=":", label="the truth")
        for row, (_, shares) in enumerate(found.items()):
            for number, share in enumerate(shares):
                # Marks at the same value would hide each other.
                shift = 0.32 * ((number + 0.5) / len(shares) * 2 - 1)
                close = abs(share - 1) <= CLOSE
                colour, mark = (GREEN, "o") if close else (VERMILION, "x")
                axes.plot(share, row + shift, mark, color=colour, markeredgewidth=2)
        axes.plot([], [], "o", color=GREEN, label="within 1 %")
        axes.plot([], [], "x", color=VERMILION, label="not", markeredgewidth=2)
        axes.set_yticks(range(len(found)), list(found))
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_xlim(-0.02, 1.08)
        axes.set_xlabel("throughput that was found, as a share of the truth")
        axes.legend(loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=3)
        svg = svg_of(plot)
    lines = tuple(
        f"{name}: from {min(shares):.3f} to {max(shares):.3f} of the truth, "
        f"{sum(abs(s - 1) <= CLOSE for s in shares)} of {len(shares)} within 1 %"
        for name, shares in found.items()
    )
    alt = "Where each search ended, as a share of the true throughput: " + "; ".join(lines) + "."
    return Figure("search-spread", title, svg, alt, lines, cannot_show=SIMULATED)


def trace_figure(
    title: str, searches: Mapping[str, Sequence[tuple[float, bool]]], truth: float | None
) -> Figure:
    """One panel a search: the load of each trial, in its order, and whether it passed.

    `truth` None: the router has no throughput, and there is no line for it.
    """
    with style():
        plot = Plot(figsize=(9.5, 0.6 + 3.2 * len(searches)), layout="constrained")
        loads = [load for trials in searches.values() for load, _ in trials]
        loads += [] if truth is None else [truth]
        low, high = min(loads) / 1.3, max(loads) * 1.3
        places = [place for place in decades(low, high) if f"{place:e}"[0] == "1"]
        for panel, (name, trials) in enumerate(searches.items(), start=1):
            axes = plot.add_subplot(len(searches), 1, panel)
            both_grids(axes)
            if truth is not None:
                axes.axhline(truth, color=GREY, linestyle=":")
            for colour, mark, said in ((GREEN, "o", True), (VERMILION, "x", False)):
                chosen = [
                    (number, load)
                    for number, (load, passed) in enumerate(trials, start=1)
                    if passed is said
                ]
                axes.plot(
                    [number for number, _ in chosen],
                    [load for _, load in chosen],
                    mark,
                    color=colour,
                    markeredgewidth=2,
                    label=PASSED if said else FAILED,
                )
            axes.set_yscale("log")
            axes.set_ylim(low, high)
            ticks(axes.yaxis, places, [human_rate(place) for place in places])
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_title(name, loc="left", fontsize=14)
            axes.set_xlabel("trial" if truth is None else "trial (dotted line: the truth)")
            axes.legend(loc="best", ncols=2)
        svg = svg_of(plot)
    lines = []
    for name, trials in searches.items():
        failed = sum(not passed for _, passed in trials)
        passing = [load for load, passed in trials if passed]
        best = human_rate(max(passing)) if passing else "none"
        lines.append(f"{name}: {len(trials)} trials, {failed} failed, highest passed {best}")
    known = "there is no throughput" if truth is None else f"the truth is {human_rate(truth)}"
    alt = f"Load of each trial; {known}. " + "; ".join(lines) + "."
    return Figure("search-trace", title, svg, alt, tuple(lines), cannot_show=SIMULATED)


def goals_figure(
    title: str,
    points: Sequence[tuple[float, float]],
    truths: Mapping[float, float | None],
) -> Figure:
    """Loss of single trials by load, logarithmic, and the throughput for each goal.

    `points`: load and loss ratio; those without loss are at the bottom.  `truths`: by tolerated
    loss ratio.
    """
    lossy = [loss for _, loss in points if loss > 0]
    bottom = min(lossy, default=1e-4) / 4
    with style():
        plot = Plot(figsize=(9.5, 5.0))
        axes = plot.add_subplot()
        both_grids(axes)
        axes.plot(
            [load for load, loss in points if loss > 0],
            lossy,
            "x",
            color=VERMILION,
            markeredgewidth=2,
            label="a trial with loss",
        )
        axes.plot(
            [load for load, loss in points if loss == 0],
            [bottom for _, loss in points if loss == 0],
            "o",
            color=GREEN,
            label="a trial without",
        )
        for goal in truths:
            if goal > 0:
                axes.axhline(goal, color=BLUE, linestyle="--")
                axes.text(0, goal * 1.08, f" tolerated: {_percent(goal)}", fontsize=12, va="bottom")
        axes.set_yscale("log")
        places = [bottom, *(p for p in decades(bottom * 2, 1.0) if f"{p:e}"[0] == "1")]
        ticks(axes.yaxis, places, ["none", *(_percent(place) for place in places[1:])])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda load, _: human_rate(load or 0.0)))
        axes.set_xlim(left=0)
        axes.set_xlabel("load")
        axes.set_ylabel("lost frames of a trial")
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
        svg = svg_of(plot)
    lines = tuple(
        f"{_percent(goal)} tolerated: throughput " + (human_rate(truth) if truth else "none")
        for goal, truth in truths.items()
    )
    alt = (
        f"Loss ratio of {len(points)} trials of a second at rising load, {len(lossy)} of them with "
        "loss; " + "; ".join(lines) + "."
    )
    return Figure("search-goals", title, svg, alt, lines, cannot_show=SIMULATED)


def _percent(share: float) -> str:
    return f"{100 * share:g} %"
