"""Drawings of a server with two sockets: its slots, and what the links of its cards carry."""

from __future__ import annotations

from typing import Any

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, short, ticks

_ROW = 40
_LEFT = 112


def server(
    slots: list[Any],
    lanes: list[int],
    cpu: list[Any],
    chosen: dict[str, Any] | None,
    crossing: dict[str, Any] | None,
) -> Drawing:
    """Both processors with their slots and cards, and the link between them."""
    gap = 74
    drawing = Drawing(len(slots) * _ROW + gap + 8)
    top = 4.0
    middle = 0.0
    for side in (2, 1):
        own = [slot for slot in slots if slot.side == side]
        high = len(own) * _ROW - 6
        here = chosen is not None and chosen["side"] == side
        drawing.rect(2, top, _LEFT - 12, high, "w-box")
        drawing.text(12, top + 26, f"CPU{side}", "start", "w-strong")
        drawing.text(12, top + 48, f"{lanes[side - 1]} of {cpu[3]}", "start", "w-small")
        drawing.text(12, top + 66, "lanes", "start", "w-small")
        if here:
            drawing.text(12, top + 90, "router", "start", "w-strong")
        for row, slot in enumerate(own):
            _slot(drawing, slot, top + row * _ROW, chosen)
        if side == 2:
            middle = top + high
            top += len(own) * _ROW + gap - 6
    drawing.arrow(_LEFT / 2 - 14, middle, _LEFT / 2 - 14, middle + gap - 1)
    drawing.arrow(_LEFT / 2 + 2, middle + gap - 1, _LEFT / 2 + 2, middle + 1)
    link = gettext("{cpu} x {cpu_2}, {cpu_3} Gbit/s each").format(
        cpu=cpu[6], cpu_2=cpu[4], cpu_3=short(cpu[5])
    )
    drawing.text(_LEFT / 2 + 20, middle + 30, link)
    crossed = (
        gettext("in one bond: up to {gbits} Gbit/s between the sockets each way").format(
            gbits=short(crossing["gbits"])
        )
        if crossing
        else gettext("no traffic between the sockets")
    )
    drawing.text(_LEFT / 2 + 20, middle + 54, crossed, "start", "w-strong")
    return drawing


def _slot(drawing: Drawing, slot: Any, y: float, chosen: dict[str, Any] | None) -> None:
    drawing.line(_LEFT - 10, y + 17, _LEFT, y + 17)
    if slot.card is None:
        drawing.rect(_LEFT, y, WIDTH - _LEFT - 2, _ROW - 6, "w-off")
        drawing.text(
            _LEFT + 10,
            y + 22,
            gettext("slot {name}, x{lanes}: empty").format(name=slot.name, lanes=slot.lanes),
            "start",
        )
        return
    inside = chosen and slot.name in chosen["slots"]
    drawing.rect(_LEFT, y, WIDTH - _LEFT - 2, _ROW - 6, "w-on" if inside else "w-box")
    label = gettext("slot {name}: {value}, {ports} x {gbits}").format(
        name=slot.name, value=slot.card[1], ports=slot.ports, gbits=short(slot.gbits)
    )
    drawing.text(_LEFT + 10, y + 22, label, "start", "w-strong" if inside else "w-text")
    drawing.text(WIDTH - 12, y + 22, slot.link(), "end")


def shares_of_links(slots: list[Any]) -> Drawing:
    """A bar a card, in per cent of its ports' line rate, both ways at once.

    The first part of a bar is what the link carries where each frame's descriptors are moved on
    their own, the whole bar what it carries where none are moved: true throughput is between.
    """
    left, each = 8, 46
    drawing = Drawing(each * len(slots) + 66)
    high: float = 102 * max([slot.best for slot in slots] + [1.0])
    room: float = WIDTH - 2 * left

    def x(percent: float) -> float:
        return left + room * percent / high

    for index, slot in enumerate(slots):
        top = each * index
        drawing.text(
            left,
            top + 17,
            gettext("slot {name}: {value}, {link}").format(
                name=slot.name, value=slot.card[1], link=slot.link()
            ),
        )
        drawing.text(WIDTH - left, top + 17, slot.carried(), "end")
        drawing.rect(left, top + 23, room, 15, "w-track")
        drawing.rect(left, top + 23, x(100 * slot.best) - left, 15, "w-3")
        drawing.rect(left, top + 23, x(100 * slot.worst) - left, 15, "w-1")
    bottom = each * len(slots) + 2
    drawing.line(x(100), 20, x(100), bottom, "w-line w-2")
    for tick in ticks(high):
        drawing.line(x(tick), bottom, x(tick), bottom + 6)
        anchor = "start" if tick == 0 else "middle"
        drawing.text(x(tick), bottom + 22, short(tick) + " %", anchor, "w-small")
    legend = gettext(
        "of the line rate; first part: each descriptor transferred alone; whole bar: no "
        "descriptors transferred"
    )
    drawing.text(left, bottom + 46, legend, "start", "w-small")
    return drawing
