"""How far the count of the router in the page can be trusted, as a table.

What the same kernel takes for the same packets under v86, which counts in the page, and under QEMU,
which counts for the book: `scripts/site/page-router-counts` counts both and writes the file beside
this.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

from ppslab.core.text.grouping import count_text
from ppslab.core.text.tables import Cell, Table
from ppslab.course.site.directives import views
from ppslab.course.site.directives.sources import LabDirective
from ppslab.model.lab import lab as labs

FILE = Path(__file__).with_suffix(".json")


@dataclass(frozen=True)
class Compared:
    """One condition, in instructions a packet, without what sending costs."""

    lab: str
    condition: str
    page: float
    """As the page counts it."""
    once: float
    """QEMU's count, where a string instruction is one instruction."""
    steps: float
    """What QEMU counts in addition for the book: the further steps of string instructions."""

    @property
    def off(self) -> float:
        """The page's error as a share of QEMU's count: 0.01 is one per cent too much."""
        return self.page / self.once - 1


@dataclass(frozen=True)
class Counts:
    """The whole file."""

    kernel: str
    v86: str
    qemu: str
    conditions: tuple[Compared, ...]

    @property
    def farthest(self) -> float:
        """The page's largest error, upwards or downwards."""
        return max(abs(each.off) for each in self.conditions)


@cache
def counts(file: Path = FILE) -> Counts:
    """The newest counts."""
    data = json.loads(file.read_text(encoding="utf-8"))
    conditions = data["conditions"]
    # A fast path takes packets before they can be dropped; sending costs the same under each.
    sending = [median(column) for column in zip(*(
        _sending(each) for each in conditions if each["dropped"]), strict=True)]  # fmt: skip
    return Counts(
        data["kernel"],
        data["v86"],
        data["qemu"],
        tuple(
            _compared(each, *(_sending(each) if each["dropped"] else sending))
            for each in conditions
        ),
    )


def _sending(data: dict[str, Any]) -> tuple[float, float, float]:
    """The cost of sending: in the page, under QEMU, and the further steps under QEMU."""
    return (
        median(dropped for _, dropped in data["page"]),
        median(each[1] for each in data["qemu"]),
        median(each[3] for each in data["qemu"]),
    )


def _compared(data: dict[str, Any], page: float, qemu: float, steps: float) -> Compared:
    routed = median(each[0] for each in data["qemu"]) - qemu
    more = median(each[2] for each in data["qemu"]) - steps
    return Compared(
        data["lab"],
        data["condition"],
        median(each[0] for each in data["page"]) - page,
        routed - more,
        more,
    )


def table(counted: Counts) -> Table:
    """A row for each condition."""
    rows = tuple(
        (
            Cell(labs.find(each.lab).condition(each.condition).title),
            Cell(count_text(each.page)),
            Cell(count_text(each.once)),
            Cell(f"{100 * each.off:+z.1f} %"),
            Cell(count_text(each.steps)),
        )
        for each in counted.conditions
    )
    return Table(
        title="Instructions per packet, for one kernel under two emulators",
        header=("condition", "in the page", "QEMU", "difference", "QEMU, further steps"),
        rows=rows,
        notes=(
            f"Linux {counted.kernel} for i386, v86 {counted.v86}, QEMU {counted.qemu}; "
            "UDP frames of 64 bytes, medians.",
        ),
    )


def limits(counted: Counts) -> str:
    """The note below a reader's own figures."""
    steps = [each.steps for each in counted.conditions]
    return (
        "Accuracy of this count: for the same kernel, the counts of QEMU differ by at most "
        f"{math.ceil(100 * counted.farthest)} % in each of {len(counted.conditions)} conditions, "
        "if QEMU counts a string instruction (which copies or clears memory) once, as this page "
        "does. For the book, QEMU counts each step of such an instruction, which adds up to "
        f"{round(max(steps), -2):.0f} instructions per packet. The book's router also has another "
        "kernel (64 bits, another build) and receives packets from a network card. So compare your "
        "figures only with each other."
    )


@views.table("page-router-counts")
def counts_table(page: LabDirective) -> Table:
    """A row for each condition that was counted."""
    page.env.note_dependency(str(FILE))
    return table(counts())
