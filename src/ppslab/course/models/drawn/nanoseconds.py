"""Drawings of the nanoseconds: what a packet costs, piece by piece, and how busy cores are."""

from __future__ import annotations

from ppslab.core.text.language import gettext
from ppslab.core.units import human_rate
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, figure, fixed, short, ticks

ROW = 50


def stack(rows: list[tuple[str, float]], total: float, last: str, unit: str) -> Drawing:
    """Pieces behind each other, a row each, and their sum."""
    drawing = Drawing(ROW * (len(rows) + 1) + 48)
    high = max(total, sum([max(value, 0) for _, value in rows])) or 1
    scale, at = (WIDTH - 16) / high, 0.0
    for index, (label, value) in enumerate(rows + [(last, total)]):
        top = ROW * index
        whole = index == len(rows)
        look = "w-strong" if whole else "w-text"
        drawing.text(8, top + 17, label, "start", look)
        drawing.text(WIDTH - 8, top + 17, short(value) + " " + unit, "end", look)
        begin = 0.0 if whole else at + min(value, 0)
        drawing.rect(8, top + 23, WIDTH - 16, 17, "w-track")
        drawing.rect(
            8 + begin * scale,
            top + 23,
            max(abs(value) * scale, 1.5),
            17,
            "w-6" if whole else f"w-{index % 5 + 1}",
        )
        if not whole:
            at += value
    bottom = ROW * (len(rows) + 1)
    drawing.text(
        WIDTH - 8, bottom + 40, gettext("{unit} a packet").format(unit=unit), "end", "w-small"
    )
    for tick in ticks(high):
        x = 8 + tick * scale
        drawing.line(x, bottom, x, bottom + 6)
        anchor = "start" if tick == 0 else "end" if x > WIDTH - 40 else "middle"
        drawing.text(x, bottom + 22, short(tick), anchor, "w-small")
    return drawing


A_ROW = 12


def cores_at_work(busy: float, cores: int, load: float) -> dict[str, str]:
    """A box a core, filled as far as it is busy."""
    rows = (cores + A_ROW - 1) // A_ROW
    across = (WIDTH - 16) / A_ROW if cores > 4 else (WIDTH - 16) / 4
    drawing = Drawing(rows * 76 + 30)
    share = busy / cores
    for core in range(cores):
        x = 8 + core % A_ROW * across
        y = 6 + core // A_ROW * 76
        drawing.rect(x, y, across - 6, 44, "w-track")
        full = min(share, 1) * 44
        drawing.rect(x, y + 44 - full, across - 6, full, "w-2" if share > 1 else "w-1")
        text = "full" if share >= 1 else f"{fixed(100 * share, 0)} %"
        drawing.text(x + (across - 6) / 2, y + 60, text, "middle", "w-small")
    kinds = gettext("1 core") if cores == 1 else f"{cores} cores"
    caption = f"{kinds} at {human_rate(load)}: " + (
        gettext("overloaded; packets are lost")
        if share > 1
        else gettext("{value}{share} % busy").format(
            value="" if cores == 1 else "each ", share=fixed(100 * share, 0)
        )
    )
    drawing.text(8, rows * 76 + 20, caption, "start", "w-text")
    return figure(gettext("Load of the cores"), drawing, caption + ".")
