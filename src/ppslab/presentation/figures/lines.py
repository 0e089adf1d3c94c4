"""What figures with several lines share: eight styles of a line, and readable scales."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from ppslab.presentation.figures.style import BLUE, GREEN, VERMILION

GREY = "#7d8083"

LOOKS = (
    (BLUE, "o", "-"),
    (VERMILION, "s", "-"),
    (GREEN, "^", "-"),
    ("#b35ea0", "D", "-"),
    ("#9a7d00", "v", "--"),
    ("#7a6fd0", "P", "--"),
    ("#c0504d", "X", "--"),
    (GREY, "<", "--"),
)
"""Colour, mark and dash of a line: each has 3 : 1 on white and on a dark page, and a shape."""

THEORY: dict[str, Any] = {"color": GREY, "linestyle": ":"}
"""A line of what a port could carry, which nobody measured."""


def look(turn: int) -> dict[str, Any]:
    """How the line number `turn` looks."""
    colour, mark, dash = LOOKS[turn % len(LOOKS)]
    return {"color": colour, "marker": mark, "linestyle": dash}


def both_grids(axes: Axes) -> None:
    """Lines across as well as up: the house's other figures are read along one axis only."""
    axes.grid(visible=True, axis="both")


def ticks(axis: Axis, places: Iterable[float], texts: Iterable[str]) -> None:
    """Ticks at exactly these places, with exactly these labels."""
    shown = dict(zip(places, texts, strict=True))
    axis.set_major_locator(FixedLocator(list(shown)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: shown.get(value, "")))
    axis.set_minor_locator(NullLocator())
    axis.set_minor_formatter(NullFormatter())


def decades(low: float, high: float) -> list[float]:
    """Round numbers for a logarithmic axis from `low` to `high`: 1, 2, 5 of each power of ten.

    Only the powers where there would be more than twelve.
    """
    if low <= 0 or high < low:
        return []
    fine = [m * 10.0**e for e in range(-12, 13) for m in (1, 2, 5) if low <= m * 10.0**e <= high]
    powers = [10.0**e for e in range(-12, 13) if low <= 10.0**e <= high]
    return fine if len(fine) <= 12 else powers
