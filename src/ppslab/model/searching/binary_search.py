"""The binary search for the throughput that RFC 2544 section 26.1 is commonly taken to mean.

RFC 2544 asks for "the fastest rate at which the count of test frames transmitted is equal to the
number received", in trials of 60 s (section 24), and leaves the search to the reader.  Binary
search is ETSI GS NFV-TST 009 clause 12.3.2; with loss verification, which tries a load again that
lost frames, clause 12.3.3.  A report has to name which one was used (RFC 9004 section 6.2).

ppslab measures with MLRsearch (`measurement.search`); this is here to be compared.  Standard
library only, as the simulated routers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ppslab.model.searching.halving import halving, tolerated

TRIAL_SECONDS = 60.0


class Counted(Protocol):
    """What a trial has to tell: MLRsearch's MeasurementResult and simulated.Counts both do."""

    @property
    def loss_ratio(self) -> float:
        """Lost and unsent frames as a share of the intended ones."""


Measure = Callable[[float, float], Counted]
"""(intended seconds, intended load) -> counts."""


@dataclass(frozen=True)
class LossVerification:
    """A lossy load is tried up to `trials` times, and passes with the first trial that passes.

    TST 009 calls this max(r).  `hopeless`: from this loss ratio on there is no second try, which
    can only waste time (as TST 009's z does, in frames).
    """

    trials: int = 2
    hopeless: float = 1.0

    def __post_init__(self) -> None:
        if self.trials < 2:
            raise ValueError(f"trials is {self.trials}: to verify a loss takes 2 or more")
        if not 0 < self.hopeless <= 1:
            raise ValueError(f"hopeless is {self.hopeless:g}: it is a loss ratio above 0, up to 1")


@dataclass(frozen=True)
class Found:
    """The highest load that passed (`throughput` and `lower`) and the lowest one that failed.

    `throughput` is None where no load passed.  `upper` is None where `max_load` passed: then the
    throughput is only a lower bound.
    """

    loss_ratio: float
    throughput: float | None
    lower: float | None
    upper: float | None
    method: str
    """As a report names it."""


def binary_search(
    measure: Measure,
    min_load: float,
    max_load: float,
    *,
    loss_ratio: float = 0.0,
    trial_seconds: float = TRIAL_SECONDS,
    relative_width: float = 0.005,
    verification: LossVerification | None = None,
) -> Found:
    """Halve the interval between a load that passes and one that fails.

    Loads in frames per second.  A load passes when a trial loses at most `loss_ratio` of its
    intended frames.  The first trial is at `max_load`; the search ends when the interval is
    `relative_width` of its upper end or less.  `min_load` is tried only where nothing else passed.
    ValueError where the loads are not 0 < min_load < max_load.
    """
    if not 0 < min_load < max_load:
        raise ValueError(f"loads from {min_load:g} to {max_load:g}: need 0 < min_load < max_load")
    if not 0 < relative_width < 1 or not trial_seconds > 0:
        raise ValueError("relative_width is between 0 and 1, trial_seconds more than 0")
    method = f"binary search {'with' if verification else 'without'} loss verification"

    trials = verification.trials if verification else 1
    hopeless = verification.hopeless if verification else 1.0
    lower, upper = halving(
        lambda load: tolerated(
            lambda: measure(trial_seconds, load).loss_ratio, loss_ratio, trials, hopeless
        ),
        min_load,
        max_load,
        relative_width,
    )
    return Found(loss_ratio, lower, lower, upper, method)
