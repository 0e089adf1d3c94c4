"""Directives that draw: the wiring of a lab or a topology, the figures of its newest record."""

from __future__ import annotations

from docutils import nodes

from ppslab.core import paths
from ppslab.core.errors import UsageError
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective, no_record
from ppslab.model.lab import topology
from ppslab.show import record_tables
from ppslab.show.figures import (
    beside_figure,
    costs_figure,
    lab_wiring_figure,
    wiring_figure,
)
from ppslab.testbed.routers.wires import needs_table, start_file, wires_table

# What a node is for the reader, by its kind and by its image's name.
KINDS = {topology.ROUTEROS: "MikroTik CHR", "keysight_ixia-c-one": "Ixia-c-one"}
SLIDES = "revealjs"
"""The builder of sphinx-revealjs."""
IMAGES = {"ppslab/generator": "generator", "ppslab/linux-router": "Linux router"}


class Wiring(LabDirective):
    """`{ppslab-wiring} LAB`: drawn from the topology file."""

    def make(self) -> list[nodes.Node]:
        """The drawing."""
        lab = self.source().lab
        self.env.note_dependency(str(topology.find(lab.spec.topology).path))
        return [self.raw(lab_wiring_figure(lab).html())]


class Topology(LabDirective):
    """`{ppslab-topology} NAME`: a topology file as a picture and a table of its wires."""

    optional_arguments = 0

    def make(self) -> list[nodes.Node]:
        """The drawing and the table."""
        wiring = self.topology(self.arguments[0])
        called = {
            node.name: KINDS.get(node.kind) or IMAGES.get((node.image or "").split(":")[0], "")
            for node in wiring.nodes.values()
        }
        return [self.raw(wiring_figure(wiring, called).html()), *table_nodes(wires_table(wiring))]

    def topology(self, name: str) -> topology.Topology:
        """The topology, its file and its start files noted as parts of this page."""
        wiring = topology.find(name, foreign=True)
        starts = (start_file(wiring, node) for node in wiring.nodes.values())
        for path in (wiring.path, *filter(None, starts)):
            self.env.note_dependency(str(path))
        return wiring


class Topologies(Topology):
    """`{ppslab-topologies}`: what each topology file of the project takes to stand up."""

    required_arguments = 0

    def make(self) -> list[nodes.Node]:
        """The table."""
        folder = paths.project_root() / "topologies"
        names = sorted(
            path.name.removesuffix(topology.SUFFIX) for path in folder.glob(f"*{topology.SUFFIX}")
        )
        return table_nodes(needs_table(self.topology(name) for name in names))


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
            on_slide = self.env.app.builder.name == SLIDES
            return [self.raw(costs_figure(source.record, on_slide=on_slide).html())]
        pairs = record_tables.beside(source.lab, source.published, source.record)
        return [self.raw(beside_figure(pairs, source.record).html())]
