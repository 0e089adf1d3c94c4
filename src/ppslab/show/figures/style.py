"""One look for all plots: large type, colours that everybody can tell apart, no background.

Colours are near Okabe and Ito's palette, with at least 3 : 1 against white and against a dark page
(WCAG 2.2, 1.4.11); what belongs to the page (text, axes) takes the page's own colour.
Shapes differ too, so that a copy in grey can be read.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import isinf
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure as Plot
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

from ppslab.core.text.grouping import grouped

_PLACES = re.compile(r"(?<=[ \"(,-])\d+\.\d{4,}")
"""A place in a drawing, not a number of its text."""

BLUE = "#1a80bf"
VERMILION = "#d55e00"
GREEN = "#008f68"
PURPLE = "#a65fa8"
OCHRE = "#9c7a00"
LINUX, ROUTEROS = BLUE, VERMILION
"""The marks of the one and of the other where a figure has both; the pages' are book.css's."""
SERIES = ((BLUE, "o"), (VERMILION, "s"), (GREEN, "^"), (PURPLE, "D"), (OCHRE, "v"))

# No plot uses this colour for anything else; in the SVG it becomes the page's text colour.
_PAGE_COLOUR = "#010203"
_GRID_COLOUR = "#808182"

_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "ppslab",
    "font.family": "sans-serif",
    "font.size": 14,
    "axes.edgecolor": _PAGE_COLOUR,
    "axes.labelcolor": _PAGE_COLOUR,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "grid.color": _GRID_COLOUR,
    "grid.alpha": 0.35,
    "text.color": _PAGE_COLOUR,
    "xtick.color": _PAGE_COLOUR,
    "ytick.color": _PAGE_COLOUR,
    "ytick.left": False,
    "legend.frameon": False,
    "lines.linewidth": 2.5,
    "lines.markersize": 7,
}


@contextmanager
def style() -> Iterator[None]:
    """Plot in the house style; the caller's own settings are restored afterwards."""
    with mpl.rc_context(_SETTINGS):
        yield


def svg_of(plot: Plot) -> str:
    """The plot as an `<svg>` element, the same text for the same data, transparent."""
    out = io.StringIO()
    with mpl.rc_context(_SETTINGS):
        plot.savefig(
            out, format="svg", bbox_inches="tight", transparent=True, metadata={"Date": None}
        )
    text = out.getvalue()
    text = text[text.index("<svg") :].rstrip()
    text = text.replace(_PAGE_COLOUR, "currentColor").replace(_GRID_COLOUR, "currentColor")
    text = re.sub(r">(\d{5,})</text>", lambda tick: f">{grouped(tick[1])}</text>", text)
    # Of six decimals the last differs between CPUs; a half is always rounded up.
    text = _PLACES.sub(lambda place: f"{float(place[0]) + 1e-5:.3f}", text)
    # The page sets font and width: only the view box is kept.
    text = re.sub(r"font-family: [^;\"]*sans-serif", "font-family: inherit", text)
    opening = re.match(r"<svg[^>]*>", text)
    assert opening is not None
    return re.sub(r' (width|height)="[^"]*"', "", opening[0]) + text[opening.end() :]


def whisker(axes: Axes, low: float, high: float, row: float, colour: str) -> None:
    """An interval as a line with end marks behind its mark; an arrow where it has no upper end."""
    if isinf(high):
        axes.plot([low], [row], "|", color=colour, markersize=9, markeredgewidth=2)
        axes.annotate(
            "", xy=(1.0, row), xytext=(low, row), xycoords=("axes fraction", "data"),
            textcoords="data", arrowprops={"arrowstyle": "->", "color": colour},
        )  # fmt: skip
        return
    axes.plot([low, high], [row, row], color=colour)
    axes.plot([low, high], [row, row], "|", color=colour, markersize=9, markeredgewidth=2)


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
    """Style of the line number `turn`."""
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
