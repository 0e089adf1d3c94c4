"""What a search did, trial by trial: for teaching, for figures, and for comparing searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from MLRsearch import MeasurementResult


class Counts(Protocol):
    """What a trial counted (simulated.Counts is such)."""

    @property
    def intended(self) -> int:
        """Frames that were due."""

    @property
    def offered(self) -> int:
        """Frames that were sent."""

    @property
    def forwarded(self) -> int:
        """Distinct frames that came back."""


@dataclass(frozen=True)
class Step:
    """One trial of a search.  `passed`: for each goal, by its loss ratio, whether it held."""

    number: int
    """Order in which the trials ran."""
    load: float
    """Intended load in frames per second."""
    seconds: float
    """Seconds of sending."""
    loss_ratio: float
    """Share of the frames that were lost."""
    passed: Mapping[float, bool]
    traffic_seconds: float
    """Of the search so far, this trial included."""


class Trace:
    """A measure() that keeps what it measured: give it to `search()` or `binary_search()`.

    `measure`: of a simulated router, or one that already answers with a MeasurementResult.
    `steps`: the trials so far, in order.
    """

    def __init__(
        self,
        measure: Callable[[float, float], Counts | MeasurementResult],
        loss_ratios: Sequence[float] = (0.0,),
    ) -> None:
        self._measure = measure
        self.loss_ratios = tuple(loss_ratios)
        self.steps: list[Step] = []

    @property
    def traffic_seconds(self) -> float:
        """Seconds of traffic so far: what the search cost."""
        return self.steps[-1].traffic_seconds if self.steps else 0.0

    def __call__(self, seconds: float, load: float) -> MeasurementResult:
        """Run one trial, and keep it."""
        counts = self._measure(seconds, load)
        result = counts if isinstance(counts, MeasurementResult) else counted(counts, seconds, load)
        ratio = float(result.loss_ratio)
        passed = {goal: ratio <= goal for goal in self.loss_ratios}
        self.steps.append(
            Step(
                number=len(self.steps) + 1,
                load=load,
                seconds=seconds,
                loss_ratio=ratio,
                passed=MappingProxyType(passed),
                traffic_seconds=self.traffic_seconds + seconds,
            )
        )
        return result


def counted(counts: Counts, seconds: float, load: float) -> MeasurementResult:
    """The counts of a trial as MLRsearch takes them: an unsent frame is a lost one."""
    return MeasurementResult(
        intended_duration=seconds,
        intended_load=load,
        offered_count=counts.offered,
        forwarding_count=counts.forwarded,
        intended_count=counts.intended,
    )
