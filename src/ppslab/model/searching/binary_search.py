"""The binary search for the throughput that RFC 2544 section 26.1 is commonly taken to mean.

RFC 2544 asks for "the fastest rate at which the count of test frames transmitted is equal to the
number received", in trials of 60 s (section 24), and leaves the search to the reader.  Binary
search is ETSI GS NFV-TST 009 clause 12.3.2; with loss verification, which tries a load again that
lost frames, clause 12.3.3.  A report has to name which one was used (RFC 9004 section 6.2).

ppslab measures with MLRsearch (`measure.search`); this is here to be compared, and for the page's
widget: in the Python that MicroPython knows too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Counted(Protocol):
        """A trial's counts: MLRsearch's MeasurementResult, or simulated.Counts."""

        @property
        def loss_ratio(self) -> float:
            """Lost and unsent frames as a share of the intended ones."""


TRIAL_SECONDS = 60.0


def halving(
    passes: Callable[[float], bool], min_load: float, max_load: float, relative_width: float
) -> tuple[float | None, float | None]:
    """The highest load that passed and the lowest that failed; None where there is no such load.

    The first trial is at `max_load`; the search ends when the interval is `relative_width` of its
    upper end or less.  `min_load` is tried only where nothing else passed.
    """
    if passes(max_load):
        return max_load, None
    low, high, passed = min_load, max_load, False
    while high - low > relative_width * high:
        middle = (low + high) / 2
        if passes(middle):
            low, passed = middle, True
        else:
            high = middle
    if not passed and not passes(min_load):
        return None, min_load
    return low, high


def tolerated(
    loss_of: Callable[[], float], loss_ratio: float, trials: int = 1, hopeless: float = 1.0
) -> bool:
    """Whether one of up to `trials` trials loses at most `loss_ratio`; `loss_of` runs one.

    After a trial that loses `hopeless` or more there is no further one.
    """
    for _ in range(trials):
        ratio = loss_of()
        if ratio <= loss_ratio:
            return True
        if ratio >= hopeless:
            return False
    return False


class LossVerification:
    """A lossy load is tried up to `trials` times, and passes with the first trial that passes.

    TST 009 calls this max(r).  `hopeless`: from this loss ratio on there is no second try, which
    can only waste time (as TST 009's z does, in frames).
    """

    def __init__(self, trials: int = 2, hopeless: float = 1.0) -> None:
        if trials < 2:
            raise ValueError(f"trials is {trials}: to verify a loss takes 2 or more")
        if not 0 < hopeless <= 1:
            raise ValueError(f"hopeless is {hopeless:g}: it is a loss ratio above 0, up to 1")
        self.trials = trials
        self.hopeless = hopeless


class Found:
    """The highest load that passed (`throughput` and `lower`) and the lowest one that failed.

    `throughput` is None where no load passed.  `upper` is None where `max_load` passed: then the
    throughput is only a lower bound.  `method`: as a report names it.
    """

    def __init__(
        self, loss_ratio: float, lower: float | None, upper: float | None, method: str
    ) -> None:
        self.loss_ratio = loss_ratio
        self.throughput = self.lower = lower
        self.upper = upper
        self.method = method


def binary_search(
    measure: Callable[[float, float], Counted],
    min_load: float,
    max_load: float,
    *,
    loss_ratio: float = 0.0,
    trial_seconds: float = TRIAL_SECONDS,
    relative_width: float = 0.005,
    verification: LossVerification | None = None,
) -> Found:
    """Search the throughput as a report has it: `halving`, with `tolerated` trials.

    `measure(seconds, load)` is a trial; loads in frames per second.  A load passes when a trial
    loses at most `loss_ratio` of its intended frames.
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
    return Found(loss_ratio, lower, upper, method)
