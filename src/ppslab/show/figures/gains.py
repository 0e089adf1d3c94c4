"""A run's finding: each row a dumbbell, from a packet's cost without a thing to that with it.

Rows are the pairs of a lab (`pairs` in lab.yml).  A lab without pairs has a row for each condition,
from the cost under the reference to that under the condition.  The axis is logarithmic, so that a
bar is as long as its ratio, and the longest comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Plot

from ppslab.core import measures
from ppslab.core.text.numbers import percent_text
from ppslab.core.text.quantities import Sentence
from ppslab.judge import costs
from ppslab.model.lab.lab import Lab
from ppslab.model.results import Record
from ppslab.model.statistics import Interval
from ppslab.show.figures.figure import Figure
from ppslab.show.figures.style import GREY, LINUX, style, svg_of
from ppslab.show.record_tables import amount

Room = Literal["phone", "page", "slide"]
"""Place in which the figure is shown."""

PHONE, PAGE = 6.0, 7.2
"""Inches of width, without the titles where they are beside the bars (book.css)."""
TITLED_ROW, ROW = 0.72, 0.42
"""Inches of a row, with its title above the bar and beside it."""
SLIDE_HEIGHT, SLIDE_ROW, SLIDE_SHAPE = 4.6, 0.36, 1.95
"""Inches of height at least and a row, and width by height of a slide's room (slides.css)."""
MARGIN = 1.6
"""Factor by which the axis goes on behind the marks: the numbers stand there."""


@dataclass(frozen=True)
class Gain:
    """A row: its title, and the cost at each end of its bar."""

    title: str
    name: str
    without: Interval
    cost: Interval

    @property
    def ratio(self) -> float:
        """How many times as much a packet costs without the thing."""
        return self.without.estimate / self.cost.estimate


def gains(record: Record, lab: Lab | None) -> list[Gain]:
    """The rows that were measured, at the smallest frame size, the longest bar first.

    Without a lab, as of a record from elsewhere, they have no pairs.
    """
    titles = {condition.name: condition.title for condition in record.conditions}
    size = min(record.frame_sizes)
    paired = list(lab.spec.pairs.items()) if lab else []
    rows = []
    for base, name in paired or [(record.reference, name) for name in titles]:
        if base == name or not {base, name} <= titles.keys():
            continue
        without = costs.or_none(costs.cost, record, base, size)
        cost = costs.or_none(costs.cost, record, name, size)
        # On an axis of ratios a cost of 0 or less has no place.
        if without and cost and min(without.low, cost.low) > 0:
            rows.append(Gain(titles[base if paired else name], name, without, cost))
    return sorted(rows, key=lambda row: row.ratio, reverse=bool(paired))


def gains_figure(
    record: Record, lab: Lab | None, *, on_slide: bool = False, finding: str = ""
) -> Figure:
    """The rows of a lab's run; on a page with a drawing for a phone and one for a wide page.

    `finding`: the condition that the title is about; empty for the longest bar.
    """
    if finding and lab:
        finding = lab.condition(finding).name
    rows = gains(record, lab)
    ends = record.named(record.reference).title, "as the row says"
    if lab and lab.spec.pairs:
        ends = f"without {lab.title}", f"with {lab.title}"
    paired = bool(lab and lab.spec.pairs)
    lines = []
    for row in rows:
        cost, without = amount(row.cost, record.measure), amount(row.without, record.measure)
        parts = (without, f" {ends[0]}, ", cost, f" {ends[1]}") if paired else (cost,)
        lines.append(Sentence((f"{row.title}: ", *parts)))
    return Figure(
        name="gains",
        title=_finding(rows, record, lab, finding),
        svg=_drawn(rows, ends, record, "slide" if on_slide else "phone"),
        wide="" if on_slide else _drawn(rows, ends, record, "page"),
        alt="; ".join(map(str, lines)) + "." if lines else "No condition was measured.",
        lines=tuple(lines),
        provenance=record.provenance(),
    )


def counted(record: Record) -> str:
    """A sentence on what the figure's numbers count."""
    size = min(record.frame_sizes)
    return {
        "counted": f"The instructions that a Linux router executes for a {size}-byte packet.",
        "timed": f"The time that a Linux router takes for a {size}-byte packet.",
    }[record.measure] + " The length of a bar shows the ratio of its ends."


def _finding(rows: list[Gain], record: Record, lab: Lab | None, name: str = "") -> str:
    """A bar as a sentence: that of the condition `name` if it was measured, or the longest."""
    if not rows:
        return measures.cost_title(record.measure)
    first = next((row for row in rows if row.name == name), rows[0])
    if lab and lab.spec.pairs:
        what = "instructions" if record.measure == "counted" else "time"
        saved = percent_text(round(1 - 1 / first.ratio, 2))
        return f"{lab.title} saves up to {saved} of the {what} for a packet ({first.title})"
    reference = record.named(record.reference).title
    return f"“{first.title}” costs {times(1 / first.ratio)} as “{reference}”"


def times(ratio: float) -> str:
    """`2.3 times as much`; as much, where two digits show no difference.

    >>> times(17.92), times(2.31), times(1.04), times(1.06)
    ('18 times as much', '2.3 times as much', 'as much', '1.1 times as much')
    """
    shown = f"{ratio:.2g}"
    return "as much" if float(shown) == 1 else f"{shown} times as much"


def _drawn(rows: list[Gain], ends: tuple[str, str], record: Record, room: Room) -> str:
    beside = room != "phone"
    size = (PHONE, 1.3 + TITLED_ROW * len(rows))
    if room == "slide":
        height = max(SLIDE_HEIGHT, 1.1 + SLIDE_ROW * len(rows))
        size = (SLIDE_SHAPE * height, height)
    elif beside:
        size = (PAGE, 1.2 + ROW * len(rows))
    with style():
        plot = Plot(figsize=size)
        axes = plot.add_subplot()
        axes.set_xscale("log")
        for place, row in enumerate(rows):
            _bar(axes, place, row)
        for mark, colour, label in zip("so", (GREY, LINUX), ends, strict=True):
            axes.plot([], [], mark, color=colour, label=label)
        titles = [row.title for row in rows]
        axes.set_yticks(range(len(rows)), titles if beside else [""] * len(rows))
        if not beside:
            for place, title in enumerate(titles):
                axes.text(0.01, place - 0.42, title, transform=axes.get_yaxis_transform(),
                          va="center")  # fmt: skip
        axes.set_ylim(len(rows) - 0.5, -0.7 if not beside else -0.5)
        costs_there = [each.estimate for row in rows for each in (row.without, row.cost)] or [1.0]
        axes.set_xlim(min(costs_there) / MARGIN, max(costs_there) * MARGIN)
        axes.xaxis.set_ticks([])
        axes.xaxis.set_ticks([], minor=True)
        axes.set_xlabel(f"{measures.COSTS[record.measure]} (left is faster)")
        axes.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2,
                    columnspacing=1, handletextpad=0.2, borderaxespad=0)  # fmt: skip
        kind = "ppslab-wide" if room == "page" else "ppslab-rows"
        return svg_of(plot).replace("<svg", f'<svg class="{kind}"', 1)


def _bar(axes: Axes, place: int, row: Gain) -> None:
    """A line from one cost to the other, both with their intervals and their numbers outside."""
    axes.plot([row.without.estimate, row.cost.estimate], [place, place], color="#80818280",
              linewidth=2, zorder=1)  # fmt: skip
    for end, other, mark, colour in (
        (row.without, row.cost, "s", GREY),
        (row.cost, row.without, "o", LINUX),
    ):
        axes.plot([end.low, end.high], [place, place], color=colour, linewidth=9, alpha=0.3,
                  solid_capstyle="butt")  # fmt: skip
        axes.plot(end.estimate, place, mark, color=colour)
        right = end.estimate >= other.estimate
        axes.annotate(
            f"{end.estimate:.0f}", (end.high if right else end.low, place), fontsize=12,
            xytext=(9 if right else -9, 0), textcoords="offset points",
            ha="left" if right else "right", va="center",
        )  # fmt: skip
