"""Packets on their way through one router in several configurations, slowed down and moving.

The front page's figure.  All lanes have one speed; the distance from packet to packet is what one
costs the router, so a full lane is a fast one, and the picture shows it without motion too.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ppslab.analysis import costs as analysis
from ppslab.analysis.costs import NoDataError
from ppslab.base.measures import Measure
from ppslab.base.text.grouping import count_text
from ppslab.presentation.figures.figure import Figure
from ppslab.results import Record

WIDTH, LANE, TOP = 640, 62, 12
LEFT, RIGHT = 8, 632
RADIUS = 7
SLOWER = 4_000_000
"""How many times slower than the router: 1 microsecond takes 4 seconds."""

INSTRUCTIONS_A_SECOND = 500
"""How fast the router works in the picture where its instructions were counted."""

PIXELS_A_SECOND = 22.0


def race_figure(record: Record, conditions: Sequence[str]) -> Figure:
    """The first condition's lane and, below it, one of the others', at the smallest frame size.

    Which of the others is shown the page's buttons choose, by `data-lane` (`lanes` names them).
    NoDataError where none of them has a valid trial.
    """
    size = min(record.frame_sizes)
    titles = {each.name: each.title for each in record.conditions}
    costs = _costs(record, conditions)
    if not costs:
        raise NoDataError(f"no valid rounds of {', '.join(conditions)} at {size} bytes")
    height = TOP + LANE * min(2, len(costs))
    drawn = [
        _lane(min(number, 1), titles[name], cost, record.measure)
        for number, (name, cost) in enumerate(costs.items())
    ]
    # Without a style the second lane is the first of those that can be chosen.
    lanes = drawn[0] + "".join(
        f'<g data-lane="{number}"{_shown(number)}>{lane}</g>'
        for number, lane in enumerate(drawn[1:], start=1)
    )
    sentences = tuple(
        f"{titles[name]}: {', '.join(_numbers(cost, record.measure))}"
        for name, cost in costs.items()
    )
    return Figure(
        name="race",
        title=f"Packets of {size} bytes through one Linux router, {_pace(record.measure)}",
        svg=(
            f'<svg viewBox="0 0 {WIDTH} {height}" class="ppslab-race">'
            f'<clipPath id="way"><rect x="{LEFT}" y="0" width="{RIGHT - LEFT}" '
            f'height="{height}"/></clipPath>{lanes}</svg>'
        ),
        alt="; ".join(sentences) + ".",
        lines=sentences,
        provenance=record.provenance(),
    )


def _shown(number: int) -> str:
    return "" if number == 1 else ' display="none"'


def lanes(record: Record, conditions: Sequence[str]) -> list[str]:
    """What the lanes below the first are called beside each other: without what all begin with."""
    titles = {each.name: each.title for each in record.conditions}
    named = [titles[name] for name in _costs(record, conditions)]
    begin = {title.partition(", ")[0] for title in named}
    return [title.partition(", ")[2] if len(begin) == 1 else title for title in named[1:]]


def _costs(record: Record, conditions: Sequence[str]) -> dict[str, float]:
    """What a packet costs under each of the conditions that have a valid trial."""
    size = min(record.frame_sizes)
    known = {each.name for each in record.conditions}
    costs: dict[str, float] = {}
    for name in conditions:
        if name in known:
            try:
                costs[name] = analysis.cost(record, name, size).estimate
            except NoDataError:
                continue
    return costs


def _pace(measure: Measure) -> str:
    """How the picture's speed compares with the router's."""
    if measure == "counted":
        return f"{INSTRUCTIONS_A_SECOND} instructions a second"
    return f"{SLOWER // 1_000_000} million times slower"


def _numbers(cost: float, measure: Measure) -> tuple[str, str]:
    """What a telephone has room for, and the rest.

    `1260 ns a packet` and `, 0.795 million a second`, or `4326` and ` instructions a packet`.
    """
    if measure == "counted":
        return count_text(float(f"{cost:.4g}")), " instructions a packet"
    said = f"{count_text(float(f'{cost:.3g}'))} ns a packet"
    return said, f", {1000 / cost:.3g} million a second"


def _lane(number: int, title: str, cost: float, measure: Measure) -> str:
    counted = measure == "counted"
    seconds = cost / INSTRUCTIONS_A_SECOND if counted else cost * 1e-9 * SLOWER
    apart = seconds * PIXELS_A_SECOND
    top = TOP + LANE * number
    middle = top + 40
    short, more = _numbers(cost, measure)
    said = f'{escape(short)}<tspan class="ppslab-race-more">{escape(more)}</tspan>'
    # One packet more than fits: none is missing when the lane has moved by one distance.
    count = int((RIGHT - LEFT) / apart) + 2
    packets = "".join(
        f'<circle cx="{LEFT + (place - 0.5) * apart:.1f}" cy="{middle}" r="{RADIUS}"/>'
        for place in range(count)
    )
    return (
        f'<text x="{LEFT}" y="{top + 18}" class="ppslab-race-name">{escape(title)}</text>'
        f'<text x="{RIGHT}" y="{top + 18}" text-anchor="end">{said}</text>'
        f'<line x1="{LEFT}" x2="{RIGHT}" y1="{middle}" y2="{middle}"/>'
        f'<g clip-path="url(#way)"><g class="ppslab-race-lane" '
        f'style="--apart:{apart:.1f}px;--seconds:{seconds:.3f}s">{packets}</g></g>'
    )
