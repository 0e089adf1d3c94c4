"""Figures: SVG made from records and topology files, each with its words and its provenance."""

from ppslab.show.figures.conditions import beside_figure, goodput_figure
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.gains import gains_figure
from ppslab.show.figures.links import links_figure
from ppslab.show.figures.wiring import lab_wiring_figure, wiring_figure

__all__ = [
    "Figure",
    "beside_figure",
    "gains_figure",
    "goodput_figure",
    "lab_wiring_figure",
    "links_figure",
    "wiring_figure",
]
