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

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ppslab.model.simulated.buffers import BackPressure as BackPressure
from ppslab.model.simulated.buffers import Buffered as Buffered
from ppslab.model.simulated.buffers import deep_buffer as deep_buffer
from ppslab.model.simulated.buffers import shallow_buffer as shallow_buffer
from ppslab.model.simulated.routers import FailsAtAnyRate as FailsAtAnyRate
from ppslab.model.simulated.routers import FasterThanTheTester as FasterThanTheTester
from ppslab.model.simulated.routers import HardLimit as HardLimit
from ppslab.model.simulated.routers import LossSpikes as LossSpikes
from ppslab.model.simulated.routers import NoisyCapacity as NoisyCapacity
from ppslab.model.simulated.routers import Router as Router
from ppslab.model.simulated.trial import Counts as Counts
from ppslab.model.simulated.trial import Frames as Frames
from ppslab.model.simulated.trial import Row as Row

EXAMPLES: Mapping[str, Callable[[int], Router]] = MappingProxyType(
    {
        "hard limit": lambda seed: HardLimit(1_000_000, seed=seed),
        "noisy capacity": lambda seed: NoisyCapacity(1_000_000, 0.01, seed=seed),
        "loss spikes": lambda seed: LossSpikes(1_000_000, 0.1, 0.0008, 0.01, seed=seed),
        "shallow buffer": lambda seed: shallow_buffer(seed=seed),
        "deep buffer": lambda seed: deep_buffer(seed=seed),
        "back pressure": lambda seed: BackPressure(100_000, 32, 0.020, 0.5, seed=seed),
        "fails at any rate": lambda seed: FailsAtAnyRate(0.02, seed=seed),
        "faster than the tester": lambda seed: FasterThanTheTester(1_000_000, seed=seed),
    }
)
"""One of each kind, with numbers that show what it is for: name to a function from the seed."""
