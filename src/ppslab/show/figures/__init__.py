"""Figures: SVG made from records and topology files, each with its words and its provenance."""

from ppslab.show.figures.conditions import beside_figure as beside_figure
from ppslab.show.figures.conditions import goodput_figure as goodput_figure
from ppslab.show.figures.figure import Figure as Figure
from ppslab.show.figures.gains import gains_figure as gains_figure
from ppslab.show.figures.links import links_figure as links_figure
from ppslab.show.figures.wiring import lab_wiring_figure as lab_wiring_figure
from ppslab.show.figures.wiring import wiring_figure as wiring_figure
