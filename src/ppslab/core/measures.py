"""The two measures of what a packet costs: instructions counted, or time taken.

Counted: the router is a guest whose clock is its instructions (QEMU's `-icount`).  Each takes
`INSTRUCTION_NS` nanoseconds of the guest's time, whatever the host does meanwhile, so a time that
the guest read is a count.  Timed: everything else, in this machine's nanoseconds.
"""

from __future__ import annotations

from typing import Final, Literal

Measure = Literal["counted", "timed"]

SHIFT: Final = 1
"""QEMU's `-icount shift=N`: an instruction takes 2 to the power of N nanoseconds of the guest."""

INSTRUCTION_NS: Final = float(2**SHIFT)

UNITS: Final = {"counted": "instructions", "timed": "ns"}
"""The unit of a packet's cost, by measure."""

COSTS: Final = {"counted": "router instructions per packet", "timed": "router time per packet"}
"""The name of a router's cost in titles, by measure."""

BLIND: Final = (
    "Counting ignores what a real CPU waits for (memory, mispredicted branches, slow instructions "
    "such as AES) and everything that needs several CPUs or a full queue. Compare what each step "
    "adds; the ratios are not those of RouterOS."
)
"""The limits of counting, in the words that stand beside its figures."""


def unit(measure: str) -> str:
    """The unit of a cost: "instructions" or "ns"."""
    return UNITS["counted" if measure == "counted" else "timed"]


def cost_title(measure: str) -> str:
    """The name of a cost at the beginning of a title, e.g. `Router time per packet`."""
    called = COSTS[measure]
    return called[0].upper() + called[1:]


def of_nanoseconds(nanoseconds: float, measure: str) -> float:
    """A time that a router's clock showed, in the measure's unit."""
    return nanoseconds / INSTRUCTION_NS if measure == "counted" else nanoseconds
