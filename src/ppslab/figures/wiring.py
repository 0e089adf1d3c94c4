"""The wiring of a lab, drawn from its topology file: nodes, links, interfaces and addresses."""

from __future__ import annotations

import re
from html import escape

from ppslab.figures.figure import Figure
from ppslab.topology import Endpoint, NodeSpec, Topology

WIDTH = 760
BOX = 190
MARGIN = 12
TOP = 46
STEP = 78


def wiring_figure(topology: Topology, words: dict[str, str] | None = None) -> Figure:
    """Two columns of nodes with a line for each link.

    `words` gives what a node is called for the reader: `{"dut": "router under test"}`.
    """
    words = words or {}
    lines = tuple(_sentence(topology, link.a, link.b) for link in topology.links)
    return Figure(
        name=f"wiring-{topology.name}",
        title=f"The wiring of {topology.name}",
        svg=_draw(topology, words),
        alt=f"{len(topology.nodes)} nodes, {len(topology.links)} links. " + " ".join(lines),
        lines=lines,
    )


def address_of(node: NodeSpec, interface: str) -> str:
    """The IPv4 address that the file gives to an interface; empty where it gives none."""
    pattern = rf"ip address add (\d[\d./]+) dev {re.escape(interface)}$"
    return next((found[1] for text in node.exec if (found := re.match(pattern, text))), "")


def _sentence(topology: Topology, a: Endpoint, b: Endpoint) -> str:
    def end(point: Endpoint) -> str:
        address = address_of(topology.nodes[point.node], point.interface)
        return f"{point.node} {point.interface}" + (f" ({address})" if address else "")

    return f"{end(a)} is wired to {end(b)}."


def _draw(topology: Topology, words: dict[str, str]) -> str:
    """The first link's first node stands left, all others right, each beside its links."""
    left = topology.links[0].a.node if topology.links else next(iter(topology.nodes))
    slots = max(len(topology.links), 1)
    height = TOP + STEP * slots + MARGIN
    parts = [_box(left, words.get(left, ""), MARGIN, MARGIN, height - MARGIN)]
    for name in topology.nodes:
        mine = [
            slot for slot, link in enumerate(topology.links) if name in (link.a.node, link.b.node)
        ] or [0]
        top = MARGIN if mine[0] == 0 else TOP + STEP * mine[0]
        bottom = height - MARGIN if mine[-1] == slots - 1 else TOP + STEP * (mine[-1] + 1) - MARGIN
        if name != left:
            parts.append(_box(name, words.get(name, ""), WIDTH - BOX - MARGIN, top, bottom))
    for slot, link in enumerate(topology.links):
        parts.append(_link(topology, link.a, link.b, TOP + STEP * (slot + 0.45), left))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" '
        'font-size="15" fill="currentColor" stroke="none">' + "".join(parts) + "</svg>"
    )


def _box(name: str, word: str, left: float, top: float, bottom: float) -> str:
    said = f'<tspan font-weight="bold">{escape(name)}</tspan>'
    if word:
        said += f'<tspan x="{left + BOX / 2:g}" dy="18" font-size="13">{escape(word)}</tspan>'
    return (
        f'<rect x="{left:g}" y="{top:g}" width="{BOX}" height="{bottom - top:g}" rx="8" '
        'fill="currentColor" fill-opacity="0.06" stroke="currentColor" stroke-width="1.5"/>'
        f'<text x="{left + BOX / 2:g}" y="{top + 22:g}" text-anchor="middle">{said}</text>'
    )


def _link(topology: Topology, a: Endpoint, b: Endpoint, y: float, left_name: str) -> str:
    near, far = (a, b) if a.node == left_name else (b, a)
    looped = near.node == far.node
    x1, x2 = MARGIN + BOX, WIDTH - BOX - MARGIN
    line = (
        f'<line x1="{x1}" y1="{y:g}" x2="{x2}" y2="{y:g}" stroke="#1a80bf" stroke-width="3"/>'
        if not looped
        else f'<path d="M {x1} {y - 16:g} C {x2} {y - 30:g} {x2} {y + 30:g} {x1} {y + 16:g}" '
        'fill="none" stroke="#1a80bf" stroke-width="3"/>'
    )
    near_y, far_y = (y - 16, y + 16) if looped else (y, y)
    far_x, far_anchor = (x1, "start") if looped else (x2, "end")
    return (
        line
        + _plug(topology, near, x1, near_y, "start", above=True)
        + _plug(topology, far, far_x, far_y, far_anchor, above=not looped)
    )


def _plug(
    topology: Topology, end: Endpoint, x: float, y: float, anchor: str, *, above: bool
) -> str:
    address = address_of(topology.nodes[end.node], end.interface)
    inset = 10 if anchor == "start" else -10
    name_y = y - 8 if above else y + 20
    address_y = y + 20 if above else y + 38
    at = f'<text x="{x + inset:g}" text-anchor="{anchor}"'
    return (
        f'<circle cx="{x:g}" cy="{y:g}" r="5" fill="#d55e00"/>'
        f'{at} y="{name_y:g}">{escape(end.interface)}</text>'
        f'{at} y="{address_y:g}" font-size="13" '
        f'font-family="monospace">{escape(address)}</text>'
    )
