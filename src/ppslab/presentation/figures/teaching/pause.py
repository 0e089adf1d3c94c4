"""One pause of the tester, and the delays of its frames counted from two times."""

from __future__ import annotations

from matplotlib.figure import Figure as Plot

from ppslab.presentation.figures.figure import Figure
from ppslab.presentation.figures.lines import both_grids, look, ticks
from ppslab.presentation.figures.style import style, svg_of
from ppslab.results import Trial
from ppslab.results.kinds.faults import FaultsRecord
from ppslab.results.shapes import DelayKey, DelayWord

SHARES: tuple[tuple[DelayWord, str], ...] = (
    ("p50", "50 %"),
    ("p90", "90 %"),
    ("p99", "99 %"),
    ("p999", "99.9 %"),
    ("max", "all"),
)
SINCE: dict[DelayKey, str] = {"delay_ns": "intended", "delay_actual_ns": "actual"}
NS_PER_MS = 1e6


def pause_figure(record: FaultsRecord) -> Figure | None:
    """The delays within which shares of the frames came back; None without the late tester."""
    fault = record.fault("late-tester")
    if fault is None:
        return None
    trials = {trial.number: trial for trial in record.trials}
    healthy, broken = trials[fault.healthy[-1]], trials[fault.trials[-1]]
    lines = {
        "tester at work": _delays(healthy, "delay_ns"),
        "stopped, from the intended time": _delays(broken, "delay_ns"),
        "stopped, from the actual time": _delays(broken, "delay_actual_ns"),
    }
    sentences = "; ".join(
        f"{name}: " + ", ".join(f"{share} within {_text(delay)}" for share, delay in points.items())
        for name, points in lines.items()
    )
    return Figure(
        name="pause",
        title="A pause of the tester, in the delays of its frames",
        svg=_draw(lines),
        alt=f"Delay within which a share of the frames came back: {sentences}.",
        lines=tuple(lines),
        provenance=record.provenance(),
    )


def _delays(trial: Trial, key: DelayKey) -> dict[str, float]:
    """Milliseconds by share."""
    if trial.counts is None:
        return {}
    printed = trial.counts[key]
    delays = {shown: printed[name] for name, shown in SHARES}
    return {shown: delay / NS_PER_MS for shown, delay in delays.items() if delay is not None}


def _draw(lines: dict[str, dict[str, float]]) -> str:
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
        ticks(axes.yaxis, places, [_text(place) for place in places])
        axes.set_xlabel("share of the frames")
        axes.set_ylabel("came back within")
        axes.legend(loc="lower center", bbox_to_anchor=(0.45, 1.0), ncols=2)
        return svg_of(plot)


def _text(milliseconds: float) -> str:
    return f"{milliseconds:.3g} ms" if milliseconds >= 1 else f"{1000 * milliseconds:.3g} us"
