"""Drawings: wirings and topologies, the newest record's figures, and where nanoseconds go."""

from __future__ import annotations

from html import escape

from docutils import nodes

from ppslab.core import paths
from ppslab.core.text.tables import Table
from ppslab.course.notebook import notebook
from ppslab.course.site.directives.nodes import raw
from ppslab.course.site.directives.sources import LabDirective, NotRecordedError
from ppslab.course.site.directives.views import figure, table
from ppslab.model.lab import topology
from ppslab.model.lab.topology import Topology
from ppslab.model.results import ProfileRecord
from ppslab.show.figures import (
    Figure,
    gains,
    gains_figure,
    lab_wiring_figure,
    wiring_figure,
)
from ppslab.show.figures.flamegraph import graph, inline
from ppslab.show.figures.stations import stations_figure
from ppslab.show.figures.teaching import lanes, race_figure
from ppslab.show.record_tables.stations import stations_table
from ppslab.testbed.routers.wires import needs_table, start_file, wires_table

# What a node is for the reader, by its kind and by its image's name.
KINDS = {topology.ROUTEROS: "MikroTik CHR", "keysight_ixia-c-one": "Ixia-c-one"}
IMAGES = {"ppslab/generator": "generator", "ppslab/linux-router": "Linux router"}
SLIDES = "revealjs"
"""The builder of sphinx-revealjs."""


@figure("wiring")
def wiring(page: LabDirective, lab: str) -> Figure:
    """The wiring of a lab, drawn from its topology file."""
    found = page.source(lab).lab
    page.env.note_dependency(str(topology.find(found.spec.topology).path))
    return lab_wiring_figure(found)


@figure("topology")
def topology_drawn(page: LabDirective, name: str) -> list[Figure | Table]:
    """A topology file as a picture and a table of its wires."""
    found = _topology(page, name)
    called = {
        node.name: KINDS.get(node.kind) or IMAGES.get((node.image or "").split(":")[0], "")
        for node in found.nodes.values()
    }
    return [wiring_figure(found, called), wires_table(found)]


@table("topologies")
def topologies(page: LabDirective) -> Table:
    """Table of the requirements of each topology file."""
    folder = paths.project_root() / "topologies"
    names = sorted(
        path.name.removesuffix(topology.SUFFIX) for path in folder.glob(f"*{topology.SUFFIX}")
    )
    return needs_table(_topology(page, name) for name in names)


def _topology(page: LabDirective, name: str) -> Topology:
    """The topology, its file and its start files noted as parts of this page."""
    found = topology.find(name, foreign=True)
    starts = (start_file(found, node) for node in found.nodes.values())
    for path in (found.path, *filter(None, starts)):
        page.env.note_dependency(str(path))
    return found


@figure("costs")
def costs(page: LabDirective, lab: str, finding: str = "") -> list[Figure | nodes.Node]:
    """What a packet costs without a thing and with it, of the newest run.

    `finding`: the condition of the title, where the chapter asks for another than the longest bar.
    """
    source = page.source(lab)
    on_slide = page.env.app.builder.name == SLIDES
    counted = nodes.paragraph(text=gains.counted(source.newest))
    return [counted, gains_figure(source.newest, source.lab, on_slide=on_slide, finding=finding)]


@figure("published")
def published(page: LabDirective, lab: str) -> Figure:
    """Published ratios beside those of the newest run."""
    source = page.source(lab)
    return notebook.Run.figures["published"](source.lab, source.newest)


@figure("race")
def race(page: LabDirective, lab: str, *conditions: str) -> list[Figure | nodes.Node]:
    """Packets on their way, a lane for each condition, and a switch that stops them.

    The switch is asked for by WCAG 2.2, 2.2.2.
    """
    record = page.source(lab).newest
    choices = "".join(
        f'<label><input type="radio" name="ppslab-race" value="{number}"'
        f"{' checked' if number == 1 else ''}> {escape(name)}</label>"
        for number, name in enumerate(lanes(record, list(conditions)), start=1)
    )
    opening = (
        '<div class="ppslab-moving"><fieldset class="ppslab-race-add">'
        f"<legend>Give the router more to do</legend>{choices}</fieldset>"
    )
    closing = '<label><input type="checkbox"> Stop the packets</label></div>'
    return [raw(opening), race_figure(record, list(conditions)), raw(closing)]


@figure("stations")
def stations(page: LabDirective, lab: str) -> list[Figure | Table]:
    """Figure and table of the stations where a packet's nanoseconds go."""
    record = _profile(page, lab)
    return [stations_figure(record), stations_table(record)]


@figure("flame")
def flame(page: LabDirective, lab: str, condition: str, *against: str) -> nodes.Node:
    """A flame graph, or the difference of two, in a frame that scrolls."""
    svg = graph(_profile(page, lab), condition, *against)
    drawn = inline(svg, "-".join(["flame", condition, *against]))
    return raw(
        '<figure class="ppslab ppslab-figure"><div class="ppslab-scroll" tabindex="0" '
        f'role="region" aria-label="flame graph of {condition}">{drawn}</div></figure>'
    )


def _profile(page: LabDirective, lab: str) -> ProfileRecord:
    name = page.source(lab).lab.name
    record = page.newest(ProfileRecord, name, f"profile {name}")
    if not any(profile.stations for profile in record.profiles):
        raise NotRecordedError(f"The newest profile of {name} has no samples.")
    return record
