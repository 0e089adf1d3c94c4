"""Figures: SVG made from records and topology files, each with its words and its provenance."""

from ppslab.figures.beside import beside_figure
from ppslab.figures.costs import costs_figure
from ppslab.figures.figure import Figure
from ppslab.figures.goodput import goodput_figure
from ppslab.figures.links import links_figure
from ppslab.figures.wiring import wiring_figure

__all__ = [
    "Figure",
    "beside_figure",
    "costs_figure",
    "goodput_figure",
    "links_figure",
    "wiring_figure",
]
