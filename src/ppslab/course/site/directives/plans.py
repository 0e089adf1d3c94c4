"""The planner on a page: its tables, its placements, and its numbers in a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.environment import BuildEnvironment

from ppslab.core import paths
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.tables import Table
from ppslab.course.site.directives.nodes import table_nodes
from ppslab.course.site.directives.sources import LabDirective, NumberRole
from ppslab.model.planning.nics import cards, grouping, lstopo
from ppslab.model.planning.nics.grouping import Plan
from ppslab.model.planning.nics.pcie import Link, line_frames
from ppslab.model.planning.nics.placement import place
from ppslab.show import nic_tables

FORMS = (
    "INVENTORY ports|bond|guest-cpus|guest-memory, "
    "link GENERATION LANES, frames GENERATION LANES SIZE, wire GBITS SIZE, socket CPU"
)
OF_PLAN: dict[str, Callable[[Plan], Table]] = {
    "nodes": nic_tables.node_table,
    "links": nic_tables.card_table,
    "bonds": nic_tables.bond_table,
    "placement": lambda plan: nic_tables.placement_table(place(plan)),
}
PARTS = (*OF_PLAN, "libvirt")


class PlanNics(LabDirective):
    """`{ppslab-plan-nics} INVENTORY nodes|links|bonds|placement|libvirt`.

    `:node:` places the guest on another node.
    """

    required_arguments = 1
    optional_arguments = 1
    option_spec: ClassVar = {"node": directives.nonnegative_int}

    def make(self) -> list[nodes.Node]:
        """A table, a list, or the text of a placement."""
        first, *more = self.arguments
        if not more:
            raise UsageError(f"which part of the plan? {', '.join(PARTS)}")
        plan = _plan(self.env, first, self.options.get("node"))
        if more[0] in OF_PLAN:
            return table_nodes(OF_PLAN[more[0]](plan))
        if more[0] == "libvirt":
            text = nic_tables.libvirt_domain(place(plan))
            opening = "What the planner writes for <code>--libvirt</code>"
            return [
                self.raw(f'<details class="ppslab-file"><summary>{opening}</summary>'),
                nodes.literal_block(text, text, language="xml"),
                self.raw("</details>"),
            ]
        near = did_you_mean(more[0], PARTS)
        raise UsageError(f"no part {more[0]!r} of a plan{near}")


class PlanNumber(NumberRole):
    """`{ppslab-plan-nics}`: one of FORMS."""

    forms = FORMS

    def number(self, words: list[str]) -> tuple[str, str]:
        match words:
            case ["link", generation, lanes]:
                link = Link(int(generation), int(lanes))
                return f"{link.gigabits:.4g} Gbit/s", f"{link}, each way, without its encoding"
            case ["frames", generation, lanes, size]:
                link = Link(int(generation), int(lanes))
                worst, best = (link.frames(int(size), each) / 1e6 for each in (1, 0))
                source = f"{link}: each frame's descriptors moved on their own, and none"
                return f"{worst:.1f} to {best:.1f} million", source
            case ["wire", gbits, size]:
                rate = line_frames(float(gbits), int(size)) / 1e6
                return f"{rate:.1f} million", f"{gbits} Gbit/s of {size}-byte frames, RFC 2544"
            case ["socket", *name]:
                cpu = cards.load_cpus()[" ".join(name)]
                source = f"one {cpu.socket_link} link of {cpu.link_gts:g} GT/s, each way"
                return f"{cpu.link_gigabits:g} Gbit/s", source
            case [inventory, word]:
                return number_of(_plan(self.env, inventory), word), f"ppslab plan nics {inventory}"
        raise UsageError("no such number")


def number_of(plan: Plan, word: str) -> str:
    """A number of a plan by its word; UsageError for an unknown word, or where there is none."""
    chosen = plan.chosen
    if chosen is None:
        raise UsageError("no port of a known speed there")
    words = {
        "ports": lambda: str(len(chosen.ports)),
        "bond": lambda: f"{chosen.total:g} Gbit/s",
        "guest-cpus": lambda: str(len(place(plan).cpus)),
        "guest-memory": lambda: f"{place(plan).memory} MiB",
    }
    if word not in words:
        raise UsageError(f"no word {word!r}: there are {', '.join(words)}")
    return words[word]()


def _plan(env: BuildEnvironment, inventory: str, node: int | None = None) -> Plan:
    """The plan of an inventory, found by its name in the chapter's folder."""
    if not re.fullmatch(r"[\w-]+", inventory):
        raise UsageError(f"inventory {inventory!r}: the name of a file without its ending")
    path = paths.project_root() / "book" / "numa" / "inventories" / f"{inventory}.xml"
    env.note_dependency(str(path))
    if not path.exists():
        known = (each.stem for each in path.parent.glob("*.xml"))
        raise UsageError(f"no inventory {inventory!r}: there are {', '.join(sorted(known))}")
    return _planned(path, path.stat().st_mtime_ns, node)


@lru_cache(maxsize=16)
def _planned(path: Path, _modified: int, node: int | None) -> Plan:
    return grouping.plan(lstopo.read(path), node=node)
