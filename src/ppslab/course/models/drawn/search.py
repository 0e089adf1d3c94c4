"""Two searches drawn: the load of each trial, in its order, and whether it passed."""

from __future__ import annotations

import math
from typing import Any

from ppslab.core.text.language import gettext
from ppslab.core.units import human_rate
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, figure, short

TOP, PANEL, BETWEEN = 30, 170, 66
LEFT, RIGHT = 92, 12

NEAR = 2.0
"""Trials within this factor of the last one are near to it."""
MOSTLY = 0.85
"""Where this share is near, the panel shows their loads and puts the others at its edge."""


def drawn_searches(
    both: list[dict[str, Any]], at: int, truth: float | None, goal: float
) -> dict[str, str]:
    """A panel each, with the first `at` trials; `truth`: the dotted line, None where is none."""
    drawing = Drawing(len(both) * (PANEL + BETWEEN) + 34)
    for number, each in enumerate(both):
        _panel(drawing, each, at, TOP + number * (PANEL + BETWEEN), truth)
    bottom = drawing.height - 14
    drawing.circle(LEFT + 6, bottom - 5, 5, "w-1")
    drawing.text(LEFT + 18, bottom, "passed")
    _cross(drawing, LEFT + 106, bottom - 5)
    drawing.text(LEFT + 118, bottom, "failed")
    if truth is not None:
        drawing.line(LEFT + 196, bottom - 5, LEFT + 226, bottom - 5, "w-dots")
        drawing.text(LEFT + 234, bottom, gettext("true throughput"))
    words = []
    for each in both:
        shown = each["trials"][:at]
        failed = len([trial for trial in shown if not trial[3]])
        words.append(
            gettext("{name}: {shown} trials, {failed} failed").format(
                name=each["name"], shown=len(shown), failed=failed
            )
        )
    known = (
        gettext("there is no true throughput")
        if truth is None
        else gettext("the true throughput is {truth}").format(truth=human_rate(truth))
    )
    loss = "no" if goal == 0 else "0.1 %"
    alt = gettext("Load of each trial, {loss} loss tolerated; {known}. {words}.").format(
        loss=loss, known=known, words="; ".join(words)
    )
    return figure(gettext("Load and result of each trial"), drawing, alt)


def _panel(
    drawing: Drawing, each: dict[str, Any], at: int, top: float, truth: float | None
) -> None:
    bottom, trials = top + PANEL, each["trials"]
    scale = _scale([trial[0] for trial in trials], truth)
    drawing.text(4, top - 12, each["name"], "start", "w-strong")
    for load in scale["ticks"]:
        y = _y(scale, load, bottom)
        drawing.line(LEFT, y, WIDTH - RIGHT, y, "w-grid")
        words = human_rate(load) if scale["log"] else short(load / 1000) + " kpps"
        drawing.text(LEFT - 6, y + 5, words, "end", "w-small")
    drawing.line(LEFT, top, LEFT, bottom)
    drawing.line(LEFT, bottom, WIDTH - RIGHT, bottom)
    if truth is not None and scale["low"] <= truth <= scale["high"]:
        y = _y(scale, truth, bottom)
        drawing.line(LEFT, y, WIDTH - RIGHT, y, "w-dots")
    # Both panels have the same marks for as many trials, however few there were.
    apart = min((WIDTH - LEFT - RIGHT - 16) / max(len(trials), 1), 20)
    every = 5 if apart > 12 else 10 if apart > 5 else 20
    for number, trial in enumerate(trials, start=1):
        x = LEFT + 8 + (number - 0.5) * apart
        if number % every == 0:
            drawing.line(x, bottom, x, bottom + 5)
            drawing.text(x, bottom + 20, str(number), "middle", "w-small")
        if number <= at:
            _mark(drawing, scale, trial, x, bottom, number == at)
    drawing.text(WIDTH - RIGHT, bottom + 36, "trial", "end", "w-small")


def _mark(
    drawing: Drawing, scale: dict[str, Any], trial: Any, x: float, bottom: float, last: bool
) -> None:
    y = _y(scale, trial[0], bottom)
    reach = 5 if last else 4
    if trial[3]:
        drawing.circle(x, y, reach, "w-1")
    else:
        _cross(drawing, x, y, reach)
    if not scale["low"] <= trial[0] <= scale["high"]:
        drawing.text(x + 9, y + 5, "at " + human_rate(trial[0]), "start", "w-small")


def _cross(drawing: Drawing, x: float, y: float, reach: float = 4) -> None:
    drawing.line(x - reach, y - reach, x + reach, y + reach, "w-cross")
    drawing.line(x - reach, y + reach, x + reach, y - reach, "w-cross")


def _scale(loads: list[float], truth: float | None) -> dict[str, Any]:
    """Decades where loads lie far apart; else the range that nearly all of them are in."""
    near = [load for load in loads if 1 / NEAR <= load / loads[-1] <= NEAR]
    if len(near) < MOSTLY * len(loads):
        low, high = min(loads) / 1.6, max(loads) * 1.3
        powers = range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)
        return {"log": True, "low": low, "high": high, "ticks": [10.0**power for power in powers]}
    if truth is not None and 1 / NEAR <= truth / loads[-1] <= NEAR:
        near.append(truth)
    low, high = min(near), max(near)
    room = max(high - low, 0.01 * high)
    low, high = low - 0.15 * room, high + 0.15 * room
    step = 1000.0
    while (high - low) / step > 6:
        step *= 2 if str(step)[0] in "15" else 2.5
    first = math.ceil(low / step)
    marks = [step * number for number in range(first, math.floor(high / step) + 1)]
    return {"log": False, "low": low, "high": high, "ticks": marks}


def _y(scale: dict[str, Any], load: float, bottom: float) -> float:
    low, high = float(scale["low"]), float(scale["high"])
    load = min(max(load, low), high)
    if scale["log"]:
        return bottom - PANEL * math.log10(load / low) / math.log10(high / low)
    return bottom - PANEL * (load - low) / (high - low)
