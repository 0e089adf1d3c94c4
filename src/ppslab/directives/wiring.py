"""Directives that draw: the wiring of a lab, the figures of its newest record."""

from __future__ import annotations

from docutils import nodes

from ppslab import topology, views
from ppslab.directives.sources import LabDirective, no_record
from ppslab.errors import UsageError
from ppslab.figures import beside_figure, costs_figure, wiring_figure


class Wiring(LabDirective):
    """`{ppslab-wiring} LAB`: drawn from the topology file."""

    def make(self) -> list[nodes.Node]:
        """The drawing."""
        words = self.source().lab.words
        found = topology.find(words.topology)
        self.env.note_dependency(str(found.path))
        called = {words.router: "router under test", words.tester: "traffic generator"}
        return [self.raw(wiring_figure(found, called).html())]


class RecordFigure(LabDirective):
    """`{ppslab-figure} LAB costs|published`."""

    def make(self) -> list[nodes.Node]:
        """The figure, or a note."""
        source = self.source()
        kind = self.arguments[1] if len(self.arguments) > 1 else "costs"
        if kind not in ("costs", "published"):
            raise UsageError(f"no figure {kind!r}: there are costs and published")
        if source.record is None:
            return no_record(source.lab.name)
        if kind == "costs":
            return [self.raw(costs_figure(source.record).html())]
        pairs = views.beside(source.lab, source.published, source.record)
        return [self.raw(beside_figure(pairs, source.record).html())]
