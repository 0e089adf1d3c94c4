"""Packets on their way through one router in several configurations, slowed down and moving.

The front page's figure.  All lanes have one speed; the distance from packet to packet is the
router's time for one, so a lane that is full is a fast one, and the picture says so standing too.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ppslab import analysis
from ppslab.analysis import NoDataError
from ppslab.figures.figure import Figure
from ppslab.results import Record

WIDTH, LANE, TOP = 640, 62, 12
LEFT, RIGHT = 8, 632
RADIUS = 7
SLOWER = 4_000_000
"""How many times slower than the router: 1 microsecond takes 4 seconds."""

PIXELS_A_SECOND = 22.0


def race_figure(record: Record, conditions: Sequence[str]) -> Figure:
    """One lane for each condition, at the smallest frame size of the record.

    NoDataError where none of them has a valid trial.
    """
    size = min(record.frame_sizes)
    titles = {each.name: each.title for each in record.conditions}
    costs: dict[str, float] = {}
    for name in conditions:
        if name in titles:
            try:
                costs[name] = analysis.cost(record, name, size).estimate
            except NoDataError:
                continue
    if not costs:
        raise NoDataError(f"no valid rounds of {', '.join(conditions)} at {size} bytes")
    height = TOP + LANE * len(costs)
    lanes = "".join(
        _lane(number, titles[name], cost) for number, (name, cost) in enumerate(costs.items())
    )
    said = tuple(f"{titles[name]}: {', '.join(_numbers(cost))}" for name, cost in costs.items())
    return Figure(
        name="race",
        title=f"Packets of {size} bytes through one router, {SLOWER // 1_000_000} million times "
        "slower",
        svg=(
            f'<svg viewBox="0 0 {WIDTH} {height}" class="ppslab-race">'
            f'<clipPath id="way"><rect x="{LEFT}" y="0" width="{RIGHT - LEFT}" '
            f'height="{height}"/></clipPath>{lanes}</svg>'
        ),
        alt="; ".join(said) + ".",
        lines=said,
        provenance=record.provenance(),
    )


def _numbers(cost: float) -> tuple[str, str]:
    """`1,260 ns a packet` and `0.795 million a second`."""
    return f"{float(f'{cost:.3g}'):,.0f} ns a packet", f"{1000 / cost:.3g} million a second"


def _lane(number: int, title: str, cost: float) -> str:
    seconds = cost * 1e-9 * SLOWER
    apart = seconds * PIXELS_A_SECOND
    top = TOP + LANE * number
    middle = top + 40
    each, rate = _numbers(cost)
    # One packet more than fits, so that none is missing when the lane has moved by one distance.
    count = int((RIGHT - LEFT) / apart) + 2
    packets = "".join(
        f'<circle cx="{LEFT + (place - 0.5) * apart:.1f}" cy="{middle}" r="{RADIUS}"/>'
        for place in range(count)
    )
    return (
        f'<text x="{LEFT}" y="{top + 18}" class="ppslab-race-name">{escape(title)}</text>'
        f'<text x="{RIGHT}" y="{top + 18}" text-anchor="end">{escape(each)}'
        f'<tspan class="ppslab-race-more">, {escape(rate)}</tspan></text>'
        f'<line x1="{LEFT}" x2="{RIGHT}" y1="{middle}" y2="{middle}"/>'
        f'<g clip-path="url(#way)"><g class="ppslab-race-lane" '
        f'style="--apart:{apart:.1f}px;--seconds:{seconds:.3f}s">{packets}</g></g>'
    )
