"""Drawings of a chip's table: what of each prefix length is in it, and how it fills."""

from __future__ import annotations

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, short, ticks


def by_length(lengths: list[tuple[str, int, int]], used: int, hosts: int, room: int) -> Drawing:
    """The room as a bar, and below it a bar a prefix length: in hardware, then by the CPU."""
    left, each, top = 92, 30, 88
    drawing = Drawing(top + each * len(lengths) + 62)
    # The counts stand behind the bars: one route beside thousands has no width.
    wide = WIDTH - left - 8 - 150
    drawing.text(
        left,
        18,
        gettext("{used} of {room} IPv4 prefixes used").format(room=short(room), used=short(used)),
    )
    drawing.rect(left, 26, wide, 18, "w-track")
    drawing.rect(left, 26, wide * used / room, 18, "w-1", f"{used} used")
    if hosts:
        drawing.rect(left, 26, wide * hosts / room, 18, "w-6", f"{hosts} neighbours")
    drawing.text(left - 8, 41, "table", "end", "w-strong")
    high = max([there + out for _, there, out in lengths] + [1])
    for index, (name, there, out) in enumerate(lengths):
        y = top + each * index
        drawing.text(left - 8, y + 16, name, "end")
        drawing.rect(left, y, wide * there / high, 20, "w-1", f"{name}: {there} in hardware")
        drawing.rect(
            left + wide * there / high, y, wide * out / high, 20, "w-2", f"{name}: {out} by the CPU"
        )
        drawing.text(WIDTH - 8, y + 16, f"{short(there)} + {short(out)}", "end")
    drawing.text(
        left,
        top - 12,
        gettext("prefixes by length: routed in hardware, and routed by the CPU"),
        "start",
    )
    bottom = top + each * len(lengths) + 2
    drawing.line(left, bottom, left + wide, bottom)
    for tick in ticks(high):
        x = left + wide * tick / high
        drawing.line(x, bottom, x, bottom + 6)
        drawing.text(x, bottom + 22, short(tick), "start" if tick == 0 else "middle", "w-small")
    drawing.rect(left, bottom + 34, 14, 14, "w-1")
    drawing.text(left + 20, bottom + 46, gettext("in hardware"), "start", "w-small")
    drawing.rect(left + 130, bottom + 34, 14, 14, "w-2")
    drawing.text(left + 150, bottom + 46, gettext("by the CPU"), "start", "w-small")
    return drawing


def filling(curve: list[list[int]], step: int) -> Drawing:
    """Prefixes in hardware and by the CPU over all that are configured; a dot where we are."""
    left, top, height, right = 84, 36, 200, 16
    drawing = Drawing(top + height + 62)
    high = max([row[0] for row in curve] + [1])

    def x(value: float) -> float:
        return left + (WIDTH - left - right) * value / high

    def y(value: float) -> float:
        return top + height * (1 - value / high)

    for tick in ticks(high):
        drawing.line(left, y(tick), WIDTH - right, y(tick), "w-grid")
        drawing.text(left - 8, y(tick) + 5, short(tick), "end", "w-small")
        anchor = "start" if tick == 0 else "middle"
        drawing.text(x(tick), top + height + 20, short(tick), anchor, "w-small")
    drawing.line(left, top + height, WIDTH - right, top + height)
    for place, look, name in (
        (1, "w-1", gettext("in hardware")),
        (2, "w-2", gettext("by the CPU")),
    ):
        drawing.path([(x(row[0]), y(row[place])) for row in curve], look)
        drawing.circle(x(curve[step][0]), y(curve[step][place]), 6, look, str(curve[step][place]))
        begun = left + 8 + 210 * (place - 1)
        drawing.line(begun, 15, begun + 30, 15, "w-line " + look)
        drawing.text(begun + 38, 20, f"{name}: {short(curve[step][place])}")
    drawing.text(left, top + height + 46, gettext("prefixes configured"), "start", "w-small")
    return drawing
