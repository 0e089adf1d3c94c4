"""Simulated routers with a known truth, for tests, for teaching and for the browser.

Each gives what a trial on a real one gives: `measure(seconds, load)` counts frames, and
`frames(seconds, load)` lists each of them.  Each states its truth in its docstring and in
`throughput()`.  All are seeded: the same seed and the same calls give the same frames.  Every
simulated second is counted (`traffic_seconds`), so that searches can be compared by their cost.

Standard library only, errors are ValueError: the package also runs in a reader's browser.

Times are seconds where the name says nothing, nanoseconds where it ends in `_ns`; rates are frames
per second.
"""

from __future__ import annotations

from ppslab.model.simulated.buffers import BackPressure, Buffered, deep_buffer, shallow_buffer
from ppslab.model.simulated.capacity import (
    FailsAtAnyRate,
    FasterThanTheTester,
    HardLimit,
    LossSpikes,
    NoisyCapacity,
)
from ppslab.model.simulated.counts import Counts
from ppslab.model.simulated.disorder import Asymmetric, Duplicating, Path, Reordering
from ppslab.model.simulated.examples import EXAMPLES
from ppslab.model.simulated.frames import FlowFrames, Frames, Row
from ppslab.model.simulated.router import Router

__all__ = [
    "EXAMPLES",
    "Asymmetric",
    "BackPressure",
    "Buffered",
    "Counts",
    "Duplicating",
    "FailsAtAnyRate",
    "FasterThanTheTester",
    "FlowFrames",
    "Frames",
    "HardLimit",
    "LossSpikes",
    "NoisyCapacity",
    "Path",
    "Reordering",
    "Router",
    "Row",
    "deep_buffer",
    "shallow_buffer",
]
