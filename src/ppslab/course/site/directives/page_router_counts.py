"""The accuracy of the count of the router in the page.

`page_router_counts.csv` has what one kernel takes for the same packets under v86, which counts in
the page, and under QEMU, which counts for the book: with a string instruction as one instruction,
and its further steps.  Instructions a packet, without sending; medians of seven rounds, counted on
2026-11-27.  *live-router* shows the file.
"""

from __future__ import annotations

import csv
import math
from functools import cache
from pathlib import Path

from ppslab.core.text.grouping import APART

FILE = Path(__file__).with_suffix(".csv")


@cache
def counts() -> tuple[tuple[float, float, float], ...]:
    """For each condition the page's count, QEMU's, and QEMU's further steps."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            (_figure(row["in the page"]), _figure(row["QEMU"]), _figure(row["QEMU, further steps"]))
            for row in csv.DictReader(file)
        )


def _figure(text: str) -> float:
    return float(text.replace(APART, ""))


def limits() -> str:
    """The note below a reader's own figures."""
    largest = max(abs(page / once - 1) for page, once, _ in counts())
    return (
        "Accuracy of this count: for the same kernel, the counts of QEMU differ by at most "
        f"{math.ceil(100 * largest)} % in each of {len(counts())} conditions, "
        "if QEMU counts a string instruction (which copies or clears memory) once, as this page "
        "does. For the book, QEMU counts each step of such an instruction, which adds up to "
        f"{round(max(steps for _, _, steps in counts()), -2):.0f} instructions per packet. The "
        "book's router also has another "
        "kernel (64 bits, another build) and receives packets from a network card. So compare your "
        "figures only with each other."
    )
