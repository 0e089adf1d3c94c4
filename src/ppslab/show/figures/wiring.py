"""The wiring of a lab, drawn from its topology file: nodes, links, interfaces and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ppslab.model.lab.lab import Lab
from ppslab.model.lab.topology import Endpoint, Topology, find
from ppslab.show import templates
from ppslab.show.figures.figure import Figure
from ppslab.testbed.routers.wires import wires

WIDTH = 760
BOX = 190
NARROW_BOX = 140
GAP = 250
BESIDE = 110
MARGIN = 12
TOP = 46
STEP = 78


def lab_wiring_figure(lab: Lab) -> Figure:
    """The wiring of a lab, under the lab's title, with its router and its tester named."""
    spec = lab.spec
    words = {spec.router: "router under test", spec.tester: "traffic generator"}
    return wiring_figure(find(spec.topology), words, title=f"{lab.title}: the wiring")


def wiring_figure(
    topology: Topology, words: dict[str, str] | None = None, *, title: str = ""
) -> Figure:
    """Columns of nodes, by their distance in wires from the first, with a line for each link.

    `words` gives what a node is called for the reader: `{"dut": "router under test"}`.
    `title`: what the reader knows the wiring by; by default its file, which a reader can deploy.
    """
    words = words or {}
    addresses, plan = _addresses(topology), _plan(topology)
    lines = tuple(_sentence(link.a, link.b, addresses) for link in topology.links)
    return Figure(
        name=f"wiring-{topology.name}",
        title=title or f"The wiring in topologies/{topology.path.name}",
        svg=templates.page(
            "figures/wiring.svg.j2",
            plan=plan,
            boxes=[
                (name, words.get(name, ""), MARGIN + plan.step * plan.column(name))
                for name in topology.nodes
            ],
            links=[_link(n, link.a, link.b, plan) for n, link in enumerate(topology.links)],
            addresses=addresses,
        ),
        alt=f"{len(topology.nodes)} nodes, {len(topology.links)} links. " + " ".join(lines),
        lines=lines,
    )


def _addresses(topology: Topology) -> dict[Endpoint, str]:
    """The first IPv4 address of each interface; empty where it has none."""
    return {
        Endpoint(port.node, port.interface): next(
            (address for address in port.addresses if ":" not in address), ""
        )
        for wire in wires(topology)
        for port in (wire.a, wire.b)
    }


def _sentence(a: Endpoint, b: Endpoint, addresses: dict[Endpoint, str]) -> str:
    def end(point: Endpoint) -> str:
        address = addresses[point]
        return f"{point.node} {point.interface}" + (f" ({address})" if address else "")

    return f"{end(a)} is connected to {end(b)}."


@dataclass(frozen=True)
class _Plan:
    """Layout: a box for each node, and the height of each end of each link.

    `columns`: nodes by their distance from the leftmost one.  `beside`: room to the right
    of the last column for wires between two of its own nodes.
    """

    columns: list[list[str]]
    boxes: dict[str, tuple[float, float]]
    heights: dict[tuple[int, str], float]
    height: float
    beside: float

    @property
    def box(self) -> int:
        return BOX if len(self.columns) < 3 else NARROW_BOX

    @property
    def step(self) -> float:
        """From the left side of one column to that of the next."""
        if len(self.columns) < 3:
            return WIDTH - BOX - 2 * MARGIN
        return NARROW_BOX + GAP

    @property
    def width(self) -> float:
        return 2 * MARGIN + self.box + self.step * max(1, len(self.columns) - 1) + self.beside

    def column(self, name: str) -> int:
        """The number of a node's column."""
        return next(number for number, names in enumerate(self.columns) if name in names)


def _columns(topology: Topology) -> list[list[str]]:
    """The first link's first node is leftmost, the others follow by their distance in wires."""
    left = topology.links[0].a.node if topology.links else next(iter(topology.nodes))
    away = {left: 0}
    waiting = [left]
    while waiting:
        here = waiting.pop(0)
        for link in topology.links:
            ends = (link.a.node, link.b.node)
            if here in ends:
                there = ends[1] if ends[0] == here else ends[0]
                if there not in away:
                    away[there] = away[here] + 1
                    waiting.append(there)
    # A node that no wire reaches is beside the first.
    places = {name: away.get(name, 1) for name in topology.nodes}
    return [
        [name for name, place in places.items() if place == number]
        for number in range(max(places.values()) + 1)
    ]


def _plan(topology: Topology) -> _Plan:
    """A node is as high as its side with more wires needs; its wires keep their order."""
    columns = _columns(topology)
    place = {name: number for number, names in enumerate(columns) for name in names}
    sides: dict[str, dict[int, list[int]]] = {name: {-1: [], 1: []} for name in topology.nodes}
    for number, link in enumerate(topology.links):
        for here, there in ((link.a.node, link.b.node), (link.b.node, link.a.node)):
            if here == there and number in sides[here][1]:
                continue
            sides[here][-1 if place[there] < place[here] else 1].append(number)
    slots = {name: max(1, *(len(links) for links in sides[name].values())) for name in place}
    rows = max(sum(slots[name] for name in names) for names in columns)
    height = TOP + STEP * rows + MARGIN
    boxes: dict[str, tuple[float, float]] = {}
    heights: dict[tuple[int, str], float] = {}
    for names in columns:
        first = 0
        for name in names:
            last = first + slots[name]
            alone = name == names[-1] and (len(columns) == 2 or last == rows)
            top = MARGIN if first == 0 else TOP + STEP * first
            boxes[name] = (top, height - MARGIN if alone else TOP + STEP * last - MARGIN)
            for links in sides[name].values():
                for slot, number in enumerate(links):
                    heights[number, name] = TOP + STEP * (first + slot + 0.45)
            first = last
    last_place = max(1, len(columns) - 1)
    inside = any(place[link.a.node] == place[link.b.node] == last_place for link in topology.links)
    return _Plan(columns, boxes, heights, height, BESIDE if inside else 0.0)


def _link(number: int, near: Endpoint, far: Endpoint, plan: _Plan) -> tuple[str, list[Any]]:
    """A bent link's curve, and for each end its place, its anchor, and if its name is above it."""
    if plan.column(near.node) > plan.column(far.node):
        near, far = far, near
    x1 = MARGIN + plan.step * plan.column(near.node) + plan.box
    # Of two nodes in one column, or a node with itself, both ends are on the right.
    bent = plan.column(near.node) == plan.column(far.node)
    x2 = x1 if bent else MARGIN + plan.step * plan.column(far.node)
    y1, y2 = plan.heights[number, near.node], plan.heights[number, far.node]
    if near.node == far.node:
        y1, y2 = y1 - 16, y2 + 16
    out = x1 + (plan.step - plan.box if near.node == far.node else 1.3 * BESIDE)
    curve = f"M {x1:g} {y1:g} C {out:g} {y1 - 14:g} {out:g} {y2 + 14:g} {x2:g} {y2:g}"
    there = (far, x2, y2, "start" if bent else "end", not bent)
    return curve if bent else "", [(near, x1, y1, "start", True), there]
