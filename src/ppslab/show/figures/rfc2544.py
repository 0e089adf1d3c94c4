"""The figures of RFC 2544: throughput by frame size, the loss curve, latency by percentile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator, FuncFormatter, MultipleLocator

from ppslab.core.text.numbers import percent_text, percentile_text, time_text
from ppslab.core.units import human_rate
from ppslab.judge.port_limits import Stream, stream_of, stream_text, theoretical_rate, theory_line
from ppslab.model.results import Delays, GoalResult, Latency, SuiteRecord
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.style import GREY, THEORY, both_grids, decades, look, style, svg_of, ticks
from ppslab.show.record_tables.rfc2544 import resolution, tolerated


def _svg(draw: Callable[[Axes], None], height: float, across: str, up: str) -> str:
    """The drawing as an `<svg>` element, with its legend beside it."""
    with style():
        plot = Plot(figsize=(9.5, height))
        axes = plot.add_subplot()
        both_grids(axes)
        draw(axes)
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        return svg_of(plot)


def _logarithmic(
    axes: Axes, values: Sequence[float], room: float, text: Callable[[float], str]
) -> None:
    low, high = min(values) / room, max(values) * room
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    marks = decades(low, high)
    ticks(axes.yaxis, marks, map(text, marks))


Points = dict[str, dict[int, tuple[float, GoalResult]]]
"""By condition and frame size: the throughput, and the goal of its search."""


def throughput_figure(record: SuiteRecord, stream: Stream, loss_ratio: float = 0.0) -> Figure:
    """One line a condition for one type of data stream and one tolerated loss ratio.

    A mark shows the throughput, its whisker reaches from the search's lower to its upper bound; a
    hollow mark shows the tester's limit, not the router's.
    """
    points: Points = {}
    for result in record.throughput:
        goal = result.goal(loss_ratio)
        if stream_of(result) == stream and goal and goal.conditional_throughput is not None:
            own = points.setdefault(result.condition, {})
            own[result.frame_size] = goal.conditional_throughput, goal
    points = {condition: dict(sorted(own.items())) for condition, own in points.items()}
    theory = {
        size: rate
        for condition, own in points.items()
        for size in own
        if (rate := theoretical_rate(record, condition, stream, size)) is not None
    }
    rates = {name: {size: rate for size, (rate, _) in own.items()} for name, own in points.items()}
    described = [*rates.items(), *([("the theoretical line", theory)] if theory else [])]
    words = "; ".join(f"{name}: {_ends(line)}" for name, line in described)
    return Figure(
        name=f"throughput-{'-'.join(stream)}-{loss_ratio * 1000:g}",
        title=f"Throughput with {tolerated(loss_ratio)}, by frame size: {stream_text(stream)}",
        svg=_svg(
            partial(_draw_throughput, points, theory), 5.6, "frame size, bytes", "frames a second"
        ),
        alt=f"Throughput against frame size, one line a condition. {words}."
        if points
        else "No throughput was found.",
        lines=tuple(
            f"{condition}, {size} bytes: {human_rate(rate)}"
            f"{' (tester-limited)' if goal.tester_limited else ''}"
            for condition, own in points.items()
            for size, (rate, goal) in own.items()
        ),
        provenance=record.provenance(),
        cannot_show=theory_line(record),
    )


def _ends(rates: Mapping[int, float]) -> str:
    """The rates at the smallest and the largest frame size."""
    sizes = dict.fromkeys((min(rates), max(rates)))
    return ", ".join(f"{human_rate(rates[size])} at {size} bytes" for size in sizes)


def _draw_throughput(points: Points, theory: dict[int, float], axes: Axes) -> None:
    for turn, (condition, own) in enumerate(points.items()):
        shape = look(turn)
        axes.plot([*own], [rate for rate, _ in own.values()], **{**shape, "marker": ""})
        axes.plot([], [], label=condition, **shape)
        for size, (rate, goal) in own.items():
            bounds = [b for b in (goal.relevant_lower_bound, goal.relevant_upper_bound) if b]
            axes.plot([size] * len(bounds), bounds, "-", color=shape["color"], linewidth=1.5)
            fill = "none" if goal.tester_limited else "full"
            axes.plot(size, rate, shape["marker"], color=shape["color"], fillstyle=fill)
    if theory:
        across = sorted(theory)
        axes.plot(across, [theory[size] for size in across], label="theoretical", **THEORY)
    sizes = sorted({size for own in points.values() for size in own})
    axes.set_xscale("log")
    axes.set_yscale("log")
    ticks(axes.xaxis, sizes, map(str, sizes))
    axes.tick_params(axis="x", labelrotation=45 if len(sizes) > 5 else 0)
    rates = [rate for own in points.values() for rate, _ in own.values()]
    if rates:
        _logarithmic(axes, [*rates, *theory.values()], 1.4, human_rate)


Curves = dict[int, list[tuple[float, float]]]
"""By frame size: share of the load, share of the frames lost."""


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
    words = "; ".join(f"{size} bytes: {_loss_words(points)}" for size, points in curves.items())
    return Figure(
        name=f"loss-{condition}-{'-'.join(stream)}",
        title=f"Frame loss rate: {condition}, {stream_text(stream)}",
        svg=_svg(
            partial(_draw_loss, curves),
            5.2,
            "load, share of the most that the tester sends",
            "frames lost",
        ),
        alt=f"Loss against load, one line a frame size, both axes from 0 to 100 %. {words}."
        if curves
        else "No point of the curve has a valid trial.",
        lines=tuple(
            f"{condition}, {size} bytes, at {percent_text(share)} of the maximum rate: "
            f"{percent_text(loss)} lost"
            for size, points in curves.items()
            for share, loss in points
        ),
        provenance=record.provenance(),
        cannot_show=f"Left out, as no trial was valid: {', '.join(spoiled)}." if spoiled else "",
    )


def _loss_words(points: list[tuple[float, float]]) -> str:
    share, loss = points[-1]
    clean = max((share for share, lost in points if lost == 0), default=None)
    least = "loss at every load" if clean is None else f"no loss at {percent_text(clean)}"
    return f"{percent_text(loss)} lost at {percent_text(share)}, {least}"


def _draw_loss(curves: Curves, axes: Axes) -> None:
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
    finest = max(resolution(record, result) or 0.0 for result in shown)
    if finest:
        notes.append(f"Differences below {time_text(finest)} are the tester's noise.")
    lines = tuple(map(_latency_line, shown))
    return Figure(
        name=f"latency-{first.condition}-{first.frame_size}-{'-'.join(stream_of(first))}",
        title=f"Latency by percentile: {what}",
        svg=_svg(
            partial(_draw_latency, shown, finest),
            5.4,
            "percentile of the frames",
            "delay from the intended send time",
        ),
        alt=f"Latency against percentile, one line a load. {'; '.join(lines)}.",
        lines=lines,
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


def _draw_latency(results: Sequence[Latency], finest: float, axes: Axes) -> None:
    times: list[float] = []
    furthest = 0.9
    for turn, result in enumerate(results):
        shape = look(turn)
        marks = points(result.from_intended)
        times += [ns for _, ns, _ in marks]
        furthest = max([furthest, *(share for share, _, _ in marks)])
        line = {"color": shape["color"], "linestyle": shape["linestyle"]}
        for (share, ns, _), (next_share, next_ns, _) in pairwise(marks):
            axes.plot([_place(share), _place(next_share)], [ns, next_ns], **line)
        for share, ns, enough in marks:
            fill = "full" if enough else "none"
            axes.plot(_place(share), ns, shape["marker"], color=shape["color"], fillstyle=fill)
        axes.plot([], [], label=f"{percent_text(result.share)} of throughput", **shape)
    if finest:
        axes.axhline(finest, color=GREY, linestyle=":", linewidth=1.5)
        times.append(finest)
        axes.plot([], [], color=GREY, linestyle=":", label="tester's resolution")
    axes.set_xscale("log")
    shares = [share for share in AXIS if share <= furthest]
    ticks(axes.xaxis, map(_place, shares), map(percentile_text, shares))
    axes.set_xlim(0.9, _place(furthest) * 1.25)
    if times and min(times) > 0:
        _logarithmic(axes, times, 1.3, time_text)
    else:
        axes.yaxis.set_major_locator(FixedLocator([]))
