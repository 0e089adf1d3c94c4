"""The directive that shows where a packet's nanoseconds go."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx

from ppslab import results
from ppslab.directives.nodes import table_nodes
from ppslab.directives.sources import LabDirective, find_kind
from ppslab.figures.stations import stations_figure
from ppslab.profiling.views import stations_table
from ppslab.results import ProfileRecord


class Stations(LabDirective):
    """`{ppslab-stations} LAB`: figure and table of the newest profile."""

    def make(self) -> list[nodes.Node]:
        """The figure and the table, or a note."""
        lab = self.source().lab.name
        found = find_kind(self.env, ProfileRecord, lab)
        if found is None:
            text = f"No profile of {lab} is recorded yet: ppslab profile {lab} makes one."
            return [nodes.note("", nodes.paragraph(text=text))]
        record = results.load_as(found, ProfileRecord)
        if not any(profile.stations for profile in record.profiles):
            text = f"The newest profile of {lab} was not sampled: {record.why_not_perf}."
            return [nodes.note("", nodes.paragraph(text=text))]
        return [self.raw(stations_figure(record).html()), *table_nodes(stations_table(record))]


def setup(app: Sphinx) -> None:
    """Register the directive; called by the extension."""
    app.add_directive("ppslab-stations", Stations)
