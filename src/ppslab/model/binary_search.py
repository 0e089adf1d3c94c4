"""The binary search for the throughput that RFC 2544 section 26.1 is commonly taken to mean.

RFC 2544 asks for "the fastest rate at which the count of test frames transmitted is equal to the
number received", in trials of 60 s (section 24), and leaves the search to the reader.  Binary
search is ETSI GS NFV-TST 009 clause 12.3.2; with loss verification, which tries a load again that
lost frames, clause 12.3.3.  A report has to name which one was used (RFC 9004 section 6.2).

ppslab measures with MLRsearch (`measure.search`); this is here to be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

TRIAL_SECONDS = 60.0


class Counted(Protocol):
    """A trial's counts: MLRsearch's MeasurementResult, or simulated.Counts."""

    @property
    def loss_ratio(self) -> float:
        """Lost and unsent frames as a share of the intended ones."""


@dataclass(frozen=True)
class Bracket:
    """The highest load that passed (`throughput`) and the lowest one that failed (`upper`).

    `throughput` is None where no load passed.  `upper` is None where `max_load` passed: then the
    throughput is only a lower bound.  `method`: as a report names it.
    """

    loss_ratio: float
    throughput: float | None
    upper: float | None
    method: str


def binary_search(
    measure: Callable[[float, float], Counted],
    min_load: float,
    max_load: float,
    *,
    loss_ratio: float = 0.0,
    trial_seconds: float = TRIAL_SECONDS,
    relative_width: float = 0.005,
    tries: int = 1,
) -> Bracket:
    """Halve the interval of loads until it is `relative_width` of its upper end or less.

    `measure(seconds, load)` is a trial; loads in frames per second.  A load passes when a trial
    loses at most `loss_ratio` of its intended frames.  The first trial is at `max_load`;
    `min_load` is tried only where nothing else passed.  `tries`: of a lossy load, which passes with
    the first that passes: loss verification, where TST 009 calls it max(r).
    ValueError where the loads are not 0 < min_load < max_load.
    """
    if not 0 < min_load < max_load:
        raise ValueError(f"loads from {min_load:g} to {max_load:g}: need 0 < min_load < max_load")
    if not 0 < relative_width < 1 or not trial_seconds > 0:
        raise ValueError("relative_width is between 0 and 1, trial_seconds more than 0")
    method = f"binary search {'with' if tries > 1 else 'without'} loss verification"

    def passes(load: float) -> bool:
        return any(measure(trial_seconds, load).loss_ratio <= loss_ratio for _ in range(tries))

    if passes(max_load):
        return Bracket(loss_ratio, max_load, None, method)
    low, high, passed = min_load, max_load, False
    while high - low > relative_width * high:
        middle = (low + high) / 2
        if passes(middle):
            low, passed = middle, True
        else:
            high = middle
    if not passed and not passes(min_load):
        return Bracket(loss_ratio, None, min_load, method)
    return Bracket(loss_ratio, low, high, method)
