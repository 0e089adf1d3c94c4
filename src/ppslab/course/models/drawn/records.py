"""The rows of a record's figure, drawn: a mark and an interval a run, and what was published."""

from __future__ import annotations

import math
from typing import Any

from ppslab.core.text.language import gettext
from ppslab.course.models.drawn.drawing import WIDTH, Drawing, figure, short, ticks

SHOWN = 18
"""Rows of one figure; a longer one is a wall."""

LONG = 70
"""Letters that fit beside each other; where a label is longer, all are drawn small."""

LEFT, RIGHT = 14, 14


def drawn_rows(shown: dict[str, Any], rows: list[Any], second: bool) -> dict[str, str]:
    """The first rows of a figure; `second`: whether a file is compared with it."""
    more = len(rows) - SHOWN
    rows = rows[:SHOWN]
    with_published = len([row for row in rows if row["published"] is not None]) > 0
    each = 52 if second or with_published else 44
    drawing = Drawing(each * len(rows) + 62)
    place = _scale(rows, shown["id"] in ("ratio", "published"))
    bottom = each * len(rows)
    for tick in place["ticks"]:
        x = _x(place, tick)
        drawing.line(x, bottom, x, bottom + 6)
        anchor = "start" if x < 60 else "end" if x > WIDTH - 60 else "middle"
        drawing.text(x, bottom + 22, short(tick), anchor, "w-small")
    longest = max([len(row["label"]) for row in rows])
    look = "w-small" if longest > LONG else "w-text"
    for index, row in enumerate(rows):
        top = each * index
        drawing.text(LEFT, top + 17, row["label"], "start", look)
        drawing.line(LEFT, top + 30, WIDTH - RIGHT, top + 30, "w-grid")
        for tick in place["ticks"]:
            drawing.line(_x(place, tick), top + 24, _x(place, tick), top + 36, "w-grid")
        if row["value"] is not None:
            _mark(drawing, place, row["value"], row["ends"], top + 30, "w-1")
        if row["published"] is not None:
            x = _x(place, row["published"])
            drawing.rect(x - 2.5, top + 22, 5, 17, "w-4")
        if row["second"] is not None:
            _mark(drawing, place, row["second"], row["second_ends"], top + 42, "w-2")
    _legend(drawing, bottom + 50, second, with_published, shown["unit"])
    title = shown["title"] + (
        gettext(", the first {shown} of {shown_2} rows").format(shown=SHOWN, shown_2=SHOWN + more)
        if more > 0
        else ""
    )
    return figure(title, drawing, _alt(shown, rows, more))


def _alt(shown: dict[str, Any], rows: list[Any], more: int) -> str:
    words = []
    for row in rows:
        text = row["label"] + " " + text_of(row["value"])
        if row["published"] is not None:
            text += gettext(", published {published}").format(published=short(row["published"]))
        if row["second"] is not None:
            text += gettext(", the file {second}").format(second=short(row["second"]))
        words.append(text)
    tail = gettext("; and {more} more rows").format(more=more) if more > 0 else ""
    return f"{shown['title']}, {shown['unit']}: {'; '.join(words)}{tail}."


def _mark(
    drawing: Drawing, place: dict[str, Any], value: float, ends: list[Any], y: float, look: str
) -> None:
    low = value if ends[0] is None else ends[0]
    # No upper bound: the line runs to the edge.
    high = place["high"] if ends[1] is None else ends[1]
    drawing.path([(_x(place, low), y), (_x(place, high), y)], look)
    x = _x(place, value)
    if look == "w-1":
        drawing.circle(x, y, 5.5, look)
    else:
        drawing.rect(x - 5, y - 5, 10, 10, look)


def _legend(drawing: Drawing, y: float, second: bool, published: bool, unit: str) -> None:
    drawing.circle(LEFT + 6, y - 5, 5.5, "w-1")
    drawing.text(LEFT + 18, y, gettext("this run"), "start", "w-small")
    x = LEFT + 96
    if second:
        drawing.rect(x, y - 10, 10, 10, "w-2")
        drawing.text(x + 18, y, gettext("the file"), "start", "w-small")
        x += 96
    if published:
        drawing.rect(x + 4, y - 13, 5, 17, "w-4")
        drawing.text(x + 18, y, "published", "start", "w-small")
    drawing.text(WIDTH - RIGHT, y, unit, "end", "w-small")


def _scale(rows: list[Any], from_one: bool) -> dict[str, Any]:
    """Where values stand: from 0, or by decades where they lie far apart."""
    values = []
    for row in rows:
        for value in (
            [row["value"], row["second"], row["published"]] + row["ends"] + row["second_ends"]
        ):
            if value is not None:
                values.append(value)
    middles = [row["value"] for row in rows if row["value"] is not None]
    low, high = min(values), max(values)
    if middles and min(middles) > 0 and max(middles) > 30 * min(middles):
        bottom = 10 ** math.floor(math.log10(min(middles)) + 1e-9)
        top = max(high, bottom * 10)
        decades = math.ceil(math.log10(top / bottom) - 1e-9)
        marks = [bottom * 10**power for power in range(decades + 1)]
        return {"log": True, "low": bottom, "high": marks[-1], "ticks": marks}
    low = min(low, 0.0)
    high = max(high, 1.0 if from_one else low + 1e-9)
    if low < 0 and low < -high:
        # One wild interval would squeeze all others into a corner.
        low = -high
    marks = ticks(high)
    return {"log": False, "low": low, "high": high, "ticks": marks}


def _x(place: dict[str, Any], value: float) -> float:
    value = min(max(value, place["low"]), place["high"])
    if place["log"]:
        share = math.log10(value / place["low"]) / math.log10(place["high"] / place["low"])
    else:
        share = (value - place["low"]) / (place["high"] - place["low"])
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def text_of(value: float | None) -> str:
    """A value for reading, or a dash."""
    return "-" if value is None else short(value)
