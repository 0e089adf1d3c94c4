"""Drawings of the models: SVG as text, in classes that follow the page's light or dark theme.

Every text of a reader or of a record is escaped here.  Classes: `w-1` to `w-6`
fill or stroke a series (each also has its own pattern of dashes, so that colour alone says
nothing), `w-box`, `w-on`, `w-off`, `w-axis`, `w-grid`, `w-text`, `w-small`, `w-strong`.
"""

from __future__ import annotations

from typing import Any

from ppslab.core.text.grouping import grouped
from ppslab.core.text.language import gettext
from rosexplain.letters import escape

WIDTH = 640
"""Units across; a phone shows them at 0.6 of their size, so text is 15 of them high or more."""


def fixed(value: float, places: int) -> str:
    """So many digits after the point.  CPython rounds 6.25 down and MicroPython rounds it up: a
    billionth more than a tie is up in both.

    >>> fixed(6.25, 1), fixed(0.5, 0)
    ('6.3', '1')
    """
    return f"{value + 1e-9:.{places}f}"


def number(value: float) -> str:
    """A coordinate: a tenth of a unit is finer than any screen."""
    text = fixed(value, 1)
    return text[:-2] if text.endswith(".0") else text


class Drawing:
    """A drawing `WIDTH` units wide and `height` high; y grows downwards."""

    def __init__(self, height: float) -> None:
        self.height = height
        self.parts: list[str] = []

    def rect(
        self, x: float, y: float, width: float, height: float, look: str, title: str = ""
    ) -> None:
        """A box; `title` is what a pointer that rests on it reads."""
        inner = f"><title>{escape(title)}</title></rect>" if title else "/>"
        self.parts.append(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(max(width, 0))}" '
            f'height="{number(max(height, 0))}" class="{look}"{inner}'
        )

    def line(self, x1: float, y1: float, x2: float, y2: float, look: str = "w-axis") -> None:
        """A straight line."""
        ends = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self.parts.append(f'<line {ends} class="{look}"/>')

    def text(
        self, x: float, y: float, text: object, anchor: str = "start", look: str = "w-text"
    ) -> None:
        """Text whose base line is at y; `anchor`: start, middle or end."""
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" class="{look}">'
            f"{escape(str(text))}</text>"
        )

    def svg(self, alt: str) -> str:
        """The drawing as an element of a page; `alt` says in words what it shows."""
        box = f'viewBox="0 0 {WIDTH} {number(self.height)}"'
        label = f'role="img" aria-label="{escape(alt)}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {box} {label}>{"".join(self.parts)}</svg>'


def figure(title: str, drawing: Drawing, alt: str) -> dict[str, str]:
    """A figure of an answer."""
    return {"title": title, "svg": drawing.svg(alt), "alt": alt}


def sentences(rows: list[tuple[Any, str, dict[str, Any]]]) -> list[str]:
    """Those that hold, with their words: `(full, N_("{count} are left."), {"count": 3})`."""
    return [gettext(text).format(**words) for holds, text, words in rows if holds]


def problem(control: str, says: str, **words: object) -> dict[str, object]:
    """An answer that is none: the input that is wrong, and what to do."""
    text = gettext(says)
    return {"problem": {"input": control, "says": text.format(**words) if words else text}}


def table(title: str, header: list[str], rows: list[list[str]]) -> dict[str, object]:
    """A table of an answer; every cell is text."""
    return {"title": title, "header": header, "rows": rows}


def ticks(high: float, about: int = 4) -> list[float]:
    """Round values from 0 to `high` or a little less, `about` of them.

    >>> ticks(14.88)
    [0.0, 5.0, 10.0]
    """
    if high <= 0:
        return [0.0]
    step = 1.0
    while step * about > high:
        step /= 10
    while step * about * 10 <= high:
        step *= 10
    for more in (5, 2):
        if step * more * about <= high * 1.5:
            step *= more
            break
    marks, at = [], 0
    while at * step <= high * 1.0001:
        marks.append(at * step)
        at += 1
    return marks


def short(value: float) -> str:
    """Three significant digits, thousands apart, never an exponent.

    >>> short(14880952.4).split(chr(0x202F)), short(0.0672), short(1518), short(67.2)
    (['14', '880', '952'], '0.0672', '1518', '67.2')
    """
    if abs(value) >= 1000:
        return grouped(str(int(value + 0.5 if value >= 0 else value - 0.5)))
    # As in `fixed`: no tie, which the two Pythons round differently.
    value *= 1 + 1e-12
    # A tie of the fourth digit goes away from 0 in both Pythons (fixed).
    text = f"{value * (1 + 1e-12):.3g}"
    return f"{value:.6f}".rstrip("0") if "e" in text else text


def bars(rows: list[tuple[str, float, str]], unit: str) -> Drawing:
    """Horizontal bars from 0: (label, value, text behind the bar)."""
    left, right, each = 8, 8, 46
    drawing = Drawing(each * len(rows) + 40)
    high = max([value for _, value, _ in rows] + [0]) or 1
    room = WIDTH - left - right
    for index, (label, value, text) in enumerate(rows):
        top = each * index
        drawing.text(left, top + 17, label)
        drawing.text(WIDTH - right, top + 17, text, "end")
        drawing.rect(left, top + 23, room, 15, "w-track")
        drawing.rect(left, top + 23, room * value / high, 15, "w-1")
    bottom = each * len(rows) + 2
    for tick in ticks(high):
        x = left + room * tick / high
        drawing.line(x, bottom, x, bottom + 6)
        anchor = "start" if tick == 0 else "end" if x > WIDTH - 40 else "middle"
        drawing.text(
            x, bottom + 22, short(tick) + (" " + unit if tick == 0 else ""), anchor, "w-small"
        )
    return drawing


ROW = 50
"""Units of a piece's row."""


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
