"""Figures that explain: packets on their way, a pause of the tester, simulated searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FuncFormatter, MaxNLocator

from ppslab.core.measures import Measure
from ppslab.core.text.grouping import count_text
from ppslab.core.units import human_rate
from ppslab.judge import costs as analysis
from ppslab.judge.costs import NoDataError
from ppslab.model.results import Record
from ppslab.model.results.kinds import FaultsRecord
from ppslab.model.results.shapes import CountsShape, DelayKey, DelayWord
from ppslab.show import templates
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.style import (
    BLUE,
    GREEN,
    GREY,
    VERMILION,
    both_grids,
    decades,
    look,
    style,
    svg_of,
    ticks,
)
from ppslab.show.record_tables.faults import pause_counts

RACE_WIDTH, LANE, TOP = 640, 62, 12
LEFT, RIGHT = 8, 632
RADIUS = 7
SLOWER = 4_000_000
"""Slowness of the picture: 1 microsecond of the router takes 4 seconds."""

INSTRUCTIONS_A_SECOND = 500
"""Speed of the router in the picture where its instructions were counted."""

PIXELS_A_SECOND = 22.0


def race_figure(record: Record, conditions: Sequence[str]) -> Figure:
    """The first condition's lane and, below it, one of the others', at the smallest frame size.

    Which of the others is shown the page's buttons choose, by `data-lane` (`lanes` names them).
    NoDataError where none of them has a valid trial.
    """
    size = min(record.frame_sizes)
    pace = f"{SLOWER // 1_000_000} million times slower"
    if record.measure == "counted":
        pace = f"{INSTRUCTIONS_A_SECOND} instructions a second"
    titles = {each.name: each.title for each in record.conditions}
    costs = _race_costs(record, conditions)
    if not costs:
        raise NoDataError(f"no valid rounds of {', '.join(conditions)} at {size} bytes")
    height = TOP + LANE * min(2, len(costs))
    drawn = [
        _lane(min(number, 1), titles[name], cost, record.measure)
        for number, (name, cost) in enumerate(costs.items())
    ]
    place = {"width": RACE_WIDTH, "height": height, "left": LEFT, "right": RIGHT, "radius": RADIUS}
    sentences = tuple(
        f"{titles[name]}: {', '.join(_numbers(cost, record.measure))}"
        for name, cost in costs.items()
    )
    return Figure(
        name="race",
        title=f"{size}-byte packets through one Linux router, {pace}",
        svg=templates.page("figures/race.svg.j2", lanes=drawn, **place),
        alt="; ".join(sentences) + ".",
        lines=sentences,
        provenance=record.provenance(),
    )


def lanes(record: Record, conditions: Sequence[str]) -> list[str]:
    """Names of the lanes below the first, without their common beginning."""
    titles = {each.name: each.title for each in record.conditions}
    named = [titles[name] for name in _race_costs(record, conditions)]
    begin = {title.partition(", ")[0] for title in named}
    return [title.partition(", ")[2] if len(begin) == 1 else title for title in named[1:]]


def _race_costs(record: Record, conditions: Sequence[str]) -> dict[str, float]:
    """Cost of a packet under each of the conditions that have a valid trial."""
    size = min(record.frame_sizes)
    known = {each.name for each in record.conditions}
    return {
        name: cost.estimate for name in conditions
        if name in known and (cost := analysis.or_none(analysis.cost, record, name, size))
    }  # fmt: skip


def _numbers(cost: float, measure: Measure) -> tuple[str, str]:
    """The number in short, for a telephone, and the rest.

    `1260 ns a packet` and `, 0.795 million a second`, or `4326` and ` instructions a packet`.
    """
    if measure == "counted":
        return count_text(float(f"{cost:.4g}")), " instructions a packet"
    text = f"{count_text(float(f'{cost:.3g}'))} ns a packet"
    return text, f", {1000 / cost:.3g} million a second"


def _lane(number: int, title: str, cost: float, measure: Measure) -> dict[str, Any]:
    counted = measure == "counted"
    seconds = cost / INSTRUCTIONS_A_SECOND if counted else cost * 1e-9 * SLOWER
    short, more = _numbers(cost, measure)
    place = {"top": TOP + LANE * number, "apart": seconds * PIXELS_A_SECOND, "seconds": seconds}
    return {"title": title, "short": short, "more": more, **place}


SHARES: tuple[tuple[DelayWord, str], ...] = (
    ("p50", "50 %"),
    ("p90", "90 %"),
    ("p99", "99 %"),
    ("p999", "99.9 %"),
    ("max", "all"),
)
NS_PER_MS = 1e6


def pause_figure(record: FaultsRecord) -> Figure | None:
    """The delays within which shares of the frames came back; None without the late tester."""
    counts = pause_counts(record)
    if counts is None:
        return None
    healthy, broken = counts
    lines = {
        "tester at work": _delays(healthy, "delay_ns"),
        "stopped, from the intended time": _delays(broken, "delay_ns"),
        "stopped, from the actual time": _delays(broken, "delay_actual_ns"),
    }
    sentences = "; ".join(
        f"{name}: {', '.join(f'{share} within {_milliseconds(d)}' for share, d in points.items())}"
        for name, points in lines.items()
    )
    return Figure(
        name="pause",
        title="A pause of the tester, in the delays of its frames",
        svg=_draw_pause(lines),
        alt=f"Delay within which a share of the frames came back: {sentences}.",
        lines=tuple(lines),
        provenance=record.provenance(),
    )


def _delays(counts: CountsShape, key: DelayKey) -> dict[str, float]:
    """Milliseconds by share."""
    return {shown: delay / NS_PER_MS for name, shown in SHARES
            if (delay := counts[key][name]) is not None}  # fmt: skip


def _draw_pause(lines: dict[str, dict[str, float]]) -> str:
    with style():
        plot = Plot(figsize=(9.5, 4.6))
        axes = plot.add_subplot()
        both_grids(axes)
        order = [shown for _, shown in SHARES]
        for turn, (name, points) in enumerate(lines.items()):
            across = [order.index(share) for share in points]
            axes.plot(across, list(points.values()), label=name, **look(turn))
        axes.set_xticks(range(len(order)), order)
        axes.set_yscale("log")
        places = [0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]
        ticks(axes.yaxis, places, [_milliseconds(place) for place in places])
        axes.set_xlabel("share of the frames")
        axes.set_ylabel("came back within")
        axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2)
        return svg_of(plot)


def _milliseconds(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms" if milliseconds >= 1 else f"{1000 * milliseconds:.3g} us"


SIMULATED = "A simulated router with a known throughput; no packet was sent."
CLOSE = 0.01
PASSED = {True: (GREEN, "o", "passed"), False: (VERMILION, "x", "failed")}
"""Colour, mark and name of a trial."""


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
        axes.set_xlabel("throughput found, as a share of the true throughput")
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
            for wanted, (colour, mark, label) in PASSED.items():
                chosen = {number: load for number, (load, passed) in enumerate(trials, start=1)
                          if passed is wanted}  # fmt: skip
                axes.plot([*chosen], [*chosen.values()], mark, color=colour, markeredgewidth=2,
                          label=label)  # fmt: skip
            axes.set_yscale("log")
            axes.set_ylim(low, high)
            ticks(axes.yaxis, places, [human_rate(place) for place in places])
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_title(name, loc="left", fontsize=14)
            line = "" if truth is None else " (dotted line: the true throughput)"
            axes.set_xlabel(f"trial{line}")
            axes.legend(loc="best", ncols=2)
        svg = svg_of(plot)
    lines = []
    for name, trials in searches.items():
        failed = sum(not passed for _, passed in trials)
        passing = [load for load, passed in trials if passed]
        best = human_rate(max(passing)) if passing else "none"
        lines.append(f"{name}: {len(trials)} trials, {failed} failed, highest passed {best}")
    known = "there is no throughput"
    if truth is not None:
        known = f"the true throughput is {human_rate(truth)}"
    alt = f"Load of each trial; {known}. " + "; ".join(lines) + "."
    return Figure("search-trace", title, svg, alt, tuple(lines), cannot_show=SIMULATED)


def goals_figure(
    title: str, points: Sequence[tuple[float, float]], truths: Mapping[float, float | None]
) -> Figure:
    """Loss of single trials by load, logarithmic, and the throughput for each goal.

    `points`: load and loss ratio; those without loss are at the bottom.  `truths`: by tolerated
    loss ratio.
    """
    lossy = [(load, loss) for load, loss in points if loss > 0]
    clean = [load for load, loss in points if loss == 0]
    bottom = min((loss for _, loss in lossy), default=1e-4) / 4
    with style():
        plot = Plot(figsize=(9.5, 5.0))
        axes = plot.add_subplot()
        both_grids(axes)
        loads, losses = [load for load, _ in lossy], [loss for _, loss in lossy]
        axes.plot(loads, losses, "x", color=VERMILION, markeredgewidth=2, label="a trial with loss")
        axes.plot(clean, [bottom] * len(clean), "o", color=GREEN, label="a trial without")
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
