"""One simulated router of each kind, with numbers that show what it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from ppslab.model.simulated.buffers import BackPressure, deep_buffer, shallow_buffer
from ppslab.model.simulated.capacity import (
    FailsAtAnyRate,
    FasterThanTheTester,
    HardLimit,
    LossSpikes,
    NoisyCapacity,
)
from ppslab.model.simulated.disorder import Asymmetric, Duplicating, Path, Reordering
from ppslab.model.simulated.router import Router

EXAMPLES: Mapping[str, Callable[[int], Router]] = MappingProxyType(
    {
        "hard limit": lambda seed: HardLimit(1_000_000, seed=seed),
        "noisy capacity": lambda seed: NoisyCapacity(1_000_000, 0.01, seed=seed),
        "loss spikes": lambda seed: LossSpikes(1_000_000, 0.1, 0.0008, 0.01, seed=seed),
        "shallow buffer": lambda seed: shallow_buffer(seed=seed),
        "deep buffer": lambda seed: deep_buffer(seed=seed),
        "reordering": lambda seed: Reordering(1_000_000, every=100, extent=3, seed=seed),
        "duplicates": lambda seed: Duplicating(1_000_000, every=100, seed=seed),
        "asymmetric paths": lambda seed: Asymmetric(
            Path(600_000, 200_000), Path(400_000, 3_000_000), seed=seed
        ),
        "back pressure": lambda seed: BackPressure(100_000, 32, 0.020, 0.5, seed=seed),
        "fails at any rate": lambda seed: FailsAtAnyRate(0.02, seed=seed),
        "faster than the tester": lambda seed: FasterThanTheTester(1_000_000, seed=seed),
    }
)
"""Name of the router to a function from the seed."""
