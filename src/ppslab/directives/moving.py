"""The directive of the front page's moving figure."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.directives.sources import LabDirective, no_record
from ppslab.figures.race import race_figure

STOP = "Stop the packets"


class Race(LabDirective):
    """`{ppslab-race} LAB CONDITION ...`: packets on their way, a lane for each condition."""

    required_arguments = 2
    optional_arguments = 0
    final_argument_whitespace = True

    def make(self) -> list[nodes.Node]:
        """The figure with a switch that stops it (WCAG 2.2, 2.2.2), or a note."""
        source = self.source()
        if source.record is None:
            return no_record(source.lab.name)
        shown = race_figure(source.record, self.arguments[1].split()).html()
        switch = f'<label><input type="checkbox"> {STOP}</label>'
        return [self.raw(f'<div class="ppslab-moving">{shown}{switch}</div>')]


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-race", Race)
