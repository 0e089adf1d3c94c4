"""What simulated learners did, step by step, and how each step ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ppslab.base.text.tables import Cell, Table


@dataclass(frozen=True)
class Step:
    """One thing that a learner did at a seat."""

    seat: str
    kind: str
    """log in, seat, start, solve, check, end."""
    what: str
    """The task or lab; empty for the others."""
    at: float
    """When it was done: seconds since the class began."""
    seconds: float
    """How long the learner waited."""
    fault: str = ""
    """Why it failed; empty: it did not."""
    available_mib: int = 0
    """Memory that the machine had left then."""


@dataclass(frozen=True)
class Spread:
    """How long steps of one kind took."""

    done: int
    failed: int
    median: float | None = None
    """Seconds; None: none was done."""
    p99: float | None = None
    """Seconds: the 99th percentile."""
    longest: float | None = None
    """Seconds."""


def spreads(steps: Sequence[Step]) -> dict[str, Spread]:
    """The steps by kind, in the order in which they were first done."""
    found = {}
    for kind in dict.fromkeys(step.kind for step in steps):
        mine = [step for step in steps if step.kind == kind]
        took = [step.seconds for step in mine if not step.fault]
        times = (round(float(np.quantile(took, q)), 2) for q in (0.5, 0.99, 1)) if took else ()
        found[kind] = Spread(len(took), len(mine) - len(took), *times)
    return found


def first_fault(steps: Sequence[Step]) -> Step | None:
    """What broke first; None: nothing."""
    return min((step for step in steps if step.fault), key=lambda step: step.at, default=None)


def table(steps: Sequence[Step], notes: Sequence[str]) -> Table:
    """The spreads for people."""
    rows = tuple(
        tuple(
            Cell(each)
            for each in (kind, f"{of.done}", f"{of.failed}",
                         *("-" if took is None else f"{took:.1f}"
                           for took in (of.median, of.p99, of.longest)))
        )
        for kind, of in spreads(steps).items()
    )  # fmt: skip
    header = ("step", "done", "failed", "median s", "p99 s", "most s")
    return Table("The rehearsal", header, rows, tuple(notes))


def told(steps: Sequence[Step]) -> dict[str, Any]:
    """The same for programs: the spreads, what broke first, and each failure."""
    first = first_fault(steps)
    return {
        "steps": {kind: asdict(of) for kind, of in spreads(steps).items()},
        "first_fault": asdict(first) if first else None,
        "faults": [asdict(step) for step in steps if step.fault],
    }
