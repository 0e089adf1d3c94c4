"""The columns of a bond: how much of the bytes each link carries."""

from __future__ import annotations

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, fixed, short, ticks


def columns(shares: list[float], measured: list[float]) -> Drawing:
    """A column a link; the dashed line is an even share."""
    links = len(shares)
    left, top, height, right = 64, 34, 230, 8
    drawing = Drawing(top + height + 62)
    high = 100 * max(shares + measured + [1 / links])
    room = (WIDTH - left - right) / links

    def y(percent: float) -> float:
        return top + height * (1 - percent / high)

    for tick in ticks(high):
        drawing.line(left, y(tick), WIDTH - right, y(tick), "w-grid")
        drawing.text(left - 8, y(tick) + 5, short(tick) + " %", "end", "w-small")
    for index, share in enumerate(shares):
        x = left + room * index
        wide = room * (0.4 if measured else 0.7)
        busiest = share == max(shares)
        drawing.rect(
            x + room * 0.1,
            y(100 * share),
            wide,
            top + height - y(100 * share),
            "w-2" if busiest else "w-1",
            f"link {index}: {fixed(100 * share, 1)} %",
        )
        if measured:
            m = 100 * measured[index]
            title = gettext("link {index}: {m} % measured").format(index=index, m=fixed(m, 1))
            drawing.rect(x + room * 0.1 + wide, y(m), wide, top + height - y(m), "w-3", title)
        drawing.text(x + room / 2, top + height + 20, index, "middle")
    even = y(100 / links)
    drawing.line(left, even, WIDTH - right, even, "w-line w-4")
    drawing.line(left, top + height, WIDTH - right, top + height)
    drawing.text(
        left,
        16,
        gettext("share of the bytes; the line shows an even share, {links} %").format(
            links=short(100 / links)
        ),
        "start",
    )
    drawing.text(left, top + height + 46, gettext("link number"), "start", "w-small")
    if measured:
        legend = gettext("left: predicted, right: measured")
        drawing.text(WIDTH - right, top + height + 46, legend, "end", "w-small")
    return drawing
