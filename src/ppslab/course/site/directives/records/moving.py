"""The directive of the front page's moving figure."""

from __future__ import annotations

from html import escape

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.course.site.directives.sources import LabDirective, no_record
from ppslab.show.figures.teaching import lanes, race_figure

STOP = "Stop the packets"
ADD = "Give the router more to do"


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
        conditions = self.arguments[1].split()
        shown = race_figure(source.record, conditions).html()
        switch = f'<label><input type="checkbox"> {STOP}</label>'
        choices = "".join(
            f'<label><input type="radio" name="ppslab-race" value="{number}"'
            f"{' checked' if number == 1 else ''}> {escape(name)}</label>"
            for number, name in enumerate(lanes(source.record, conditions), start=1)
        )
        chosen = f'<fieldset class="ppslab-race-add"><legend>{ADD}</legend>{choices}</fieldset>'
        return [self.raw(f'<div class="ppslab-moving">{chosen}{shown}{switch}</div>')]


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-race", Race)
