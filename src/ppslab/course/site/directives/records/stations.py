"""Directives that show where a packet's nanoseconds go."""

from __future__ import annotations

from abc import abstractmethod

from docutils import nodes
from sphinx.application import Sphinx

from ppslab.core.errors import UsageError
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective, find_kind
from ppslab.model import results
from ppslab.model.results import ProfileRecord
from ppslab.show.figures.flamegraph import graph, inline
from ppslab.show.figures.stations import stations_figure
from ppslab.show.record_tables.stations import stations_table


class _Profiled(LabDirective):
    """A directive that shows the newest profile of a lab, or a note."""

    def make(self) -> list[nodes.Node]:
        """What `shown` makes of the record, or a note."""
        lab = self.source().lab.name
        path = find_kind(self.env, ProfileRecord, lab)
        if path is None:
            text = f"No profile of {lab} is recorded yet: ppslab profile {lab} makes one."
            return [nodes.note("", nodes.paragraph(text=text))]
        record = results.load_as(path, ProfileRecord)
        if not any(profile.stations for profile in record.profiles):
            text = f"The newest profile of {lab} was not sampled: {record.why_not_perf}."
            return [nodes.note("", nodes.paragraph(text=text))]
        return self.shown(record)

    @abstractmethod
    def shown(self, record: ProfileRecord) -> list[nodes.Node]:
        """The nodes for a record that has samples."""


class Flame(_Profiled):
    """`{ppslab-flame} LAB CONDITION [AGAINST]`: a flame graph, or the difference of two."""

    def shown(self, record: ProfileRecord) -> list[nodes.Node]:
        """The graph in a frame that scrolls."""
        if len(self.arguments) < 2:
            raise UsageError("which condition? ppslab-flame LAB CONDITION [AGAINST]")
        _, condition, *against = self.arguments
        svg = graph(record, condition, *against)
        drawn = inline(svg, "-".join(["flame", condition, *against]))
        return [
            self.raw(
                '<figure class="ppslab ppslab-figure"><div class="ppslab-scroll" tabindex="0" '
                f'role="region" aria-label="flame graph of {condition}">{drawn}</div></figure>'
            )
        ]


class Stations(_Profiled):
    """`{ppslab-stations} LAB`: figure and table of the newest profile."""

    def shown(self, record: ProfileRecord) -> list[nodes.Node]:
        """The figure and the table."""
        return [self.raw(stations_figure(record).html()), *table_nodes(stations_table(record))]


def setup(app: Sphinx) -> None:
    """Register the directives; called by the extension."""
    app.add_directive("ppslab-stations", Stations)
    app.add_directive("ppslab-flame", Flame)
