"""What a tester carries that cannot send as fast as it can, but only at a rate that it is told."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ppslab.base.errors import BackendError, UsageError
from ppslab.instruments.counts import TrialCounts
from ppslab.results import Arrangement, Trial

if TYPE_CHECKING:
    from ppslab.measurement.calibration.wire import Wire

CLIMB_FROM = 10_000.0
CLIMB_STEPS = 16
CLIMB_SECONDS = 1.0
"""Devices count whole seconds."""

BEHIND = 0.95
"""A tester that carries less than this share of what it is told has reached its limit."""


def climb(
    wire: Wire, size: int, seconds: float, arrangement: Arrangement
) -> tuple[Trial, TrialCounts]:
    """The best trial of a load that is doubled until the tester or its wire falls behind.

    A rate that the tester refuses, as more than the speed of its port, is approached from below.
    BackendError where no trial is valid.
    """
    best: tuple[Trial, TrialCounts] | None = None
    done, rate, refused = 0.0, CLIMB_FROM, math.inf
    for _ in range(CLIMB_STEPS):
        try:
            trial, outcome = wire.valid(size, seconds, arrangement, rate=rate)
        except (UsageError, BackendError):
            if best is None:
                raise
            refused = rate
            rate = (done + refused) / 2
            if done > BEHIND * refused:
                break
            continue
        counts = outcome.counts
        if trial.valid and (best is None or trial.forwarding_rate > best[0].forwarding_rate):
            best = trial, counts
        if not trial.valid or counts.received < BEHIND * counts.intended:
            break
        done, rate = rate, min(2 * rate, (rate + refused) / 2)
        if done > BEHIND * refused:
            break
    if best is None:
        why = "; ".join(trial.invalid_because)
        raise BackendError(f"the tester alone, {size} bytes: no valid trial: {why}")
    return best
