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

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ppslab.model.simulated.buffers import BackPressure as BackPressure
from ppslab.model.simulated.buffers import Buffered as Buffered
from ppslab.model.simulated.routers import FailsAtAnyRate as FailsAtAnyRate
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
        # Each stall loses what does not fit: above 256 / 5 ms = 51 200 frames a second.
        "shallow buffer": lambda seed: Buffered(100_000, 256, 0.005, 0.1, seed=seed),
        # No stall loses a frame.  95 000 a second in a long trial; in a second it seems to be
        # 111 000, as the buffer swallows the rest.  Frames wait for up to 175 ms.
        "deep buffer": lambda seed: Buffered(100_000, 16_384, 0.005, 0.1, seed=seed),
        "back pressure": lambda seed: BackPressure(100_000, 32, 0.020, 0.5, seed=seed),
        "fails at any rate": lambda seed: FailsAtAnyRate(0.02, seed=seed),
        "faster than the tester": lambda seed: HardLimit(
            math.inf, seed=seed, tester_limit=1_000_000
        ),
    }
)
"""One of each kind, with numbers that show what it is for: name to a function from the seed."""
