"""The accuracy of the count of the router in the page, as a table.

`page_router_counts.csv` has what one kernel takes for the same packets under v86, which counts in
the page (`page`), and under QEMU, which counts for the book: with a string instruction as one
instruction (`once`), and its further steps (`steps`).  Instructions a packet, without sending;
medians of seven rounds, counted on 2026-11-27.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ppslab.core.text.grouping import count_text
from ppslab.core.text.tables import Table, cells
from ppslab.course.site.directives import views
from ppslab.course.site.directives.sources import LabDirective
from ppslab.model.lab import lab as labs

FILE = Path(__file__).with_suffix(".csv")
EMULATORS = "Linux 6.1.176-1 for i386, v86 0.5.462+g5f9a90f, QEMU 7.2.22"


@dataclass(frozen=True)
class Count:
    """A row of the file: one condition, in instructions a packet."""

    lab: str
    condition: str
    page: float
    once: float
    steps: float

    @property
    def error(self) -> float:
        """The page's error as a share of QEMU's count: 0.01 is one per cent too much."""
        return self.page / self.once - 1


@cache
def counts() -> tuple[Count, ...]:
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            Count(row["lab"], row["condition"], *(float(row[k]) for k in ("page", "once", "steps")))
            for row in csv.DictReader(file)
        )


def limits() -> str:
    """The note below a reader's own figures."""
    largest = max(abs(count.error) for count in counts())
    return (
        "Accuracy of this count: for the same kernel, the counts of QEMU differ by at most "
        f"{math.ceil(100 * largest)} % in each of {len(counts())} conditions, "
        "if QEMU counts a string instruction (which copies or clears memory) once, as this page "
        "does. For the book, QEMU counts each step of such an instruction, which adds up to "
        f"{round(max(count.steps for count in counts()), -2):.0f} instructions per packet. The "
        "book's router also has another "
        "kernel (64 bits, another build) and receives packets from a network card. So compare your "
        "figures only with each other."
    )


@views.table("page-router-counts")
def counts_table(page: LabDirective) -> Table:
    """A row for each condition that was counted."""
    page.env.note_dependency(str(FILE))
    return Table(
        title="Instructions per packet, for one kernel under two emulators",
        header=("condition", "in the page", "QEMU", "difference", "QEMU, further steps"),
        rows=tuple(
            cells(
                labs.find(count.lab).condition(count.condition).title,
                count_text(count.page),
                count_text(count.once),
                f"{100 * count.error:+z.1f} %",
                count_text(count.steps),
            )
            for count in counts()
        ),
        notes=(f"{EMULATORS}; UDP frames of 64 bytes, medians.",),
    )
