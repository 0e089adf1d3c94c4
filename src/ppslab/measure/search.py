"""The search for the throughput: MLRsearch (RFC 9971, draft-15), many searches side by side.

Loads and results are aggregates of all flows, in frames per second.  The searches of one run are
interleaved trial by trial in random order, since a machine whose speed drifts within minutes makes
searches that ran one after the other incomparable.
"""

from __future__ import annotations

import queue
import random
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar

from ppslab.model.lab import profiles
from ppslab.model.simulated import Counts

if TYPE_CHECKING:
    from MLRsearch import MeasurementResult

Key = TypeVar("Key", bound=Hashable)
Measurer = Callable[[float, float], "MeasurementResult"]
"""(intended seconds, intended load) -> counts."""

# MLRsearch stops by the wall clock; a search that waits for its turn must not run out of it.
_NEVER = 1e9


@dataclass(frozen=True)
class Bounds:
    """The result for one tolerated loss ratio.

    `relevant_upper_bound` is None where the highest load still passed: then the throughput is a
    lower bound.
    """

    loss_ratio: float
    """Goal Loss Ratio."""
    conditional_throughput: float | None
    """Forwarding rate at the relevant lower bound, frames per second; None: no load passed."""
    relevant_lower_bound: float | None
    """Highest load that passed, below all that did not; frames per second."""
    relevant_upper_bound: float | None


class SearchFailedError(Exception):
    """A search that cannot have a result, and why; other searches go on."""


def search(
    measure: Measurer, settings: profiles.Search, min_load: float, max_load: float
) -> list[Bounds]:
    """The throughput for every loss ratio of `settings`, in one search.

    `min_load` and `max_load` in frames per second.  SearchFailedError where not even the lowest
    load passes.
    """
    # Imported by who searches: it reads the source of every caller while it is imported, which took
    # a fifth of the start of each command.
    from MLRsearch import (  # noqa: PLC0415
        AbstractMeasurer,
        Config,
        MultipleLossRatioSearch,
        SearchGoal,
    )

    class Asking(AbstractMeasurer):  # type: ignore[misc]
        def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
            return measure(intended_duration, intended_load)

    goals = [
        SearchGoal(
            loss_ratio=ratio,
            exceed_ratio=settings.exceed_ratio,
            relative_width=settings.relative_width,
            initial_trial_duration=settings.initial_trial_duration,
            final_trial_duration=settings.final_trial_duration,
            duration_sum=settings.duration_sum,
            preceding_targets=2 if settings.duration_sum > settings.initial_trial_duration else 1,
        )
        for ratio in settings.loss_ratios
    ]
    config = Config(
        goals=goals,
        min_load=min_load,
        max_load=max_load,
        search_duration_max=_NEVER,
        warmup_duration=None,
    )
    try:
        results = MultipleLossRatioSearch(config).search(Asking(), debug=lambda _: None)
    except RuntimeError as error:
        raise SearchFailedError(
            f"no load from {min_load:.0f} pps or more passes ({error}): "
            "the router loses frames at any rate"
        ) from error
    bounds = []
    for goal in goals:
        result = results[goal]
        lower, upper = result.relevant_lower_bound, result.relevant_upper_bound
        throughput = result.conditional_throughput
        bounds.append(
            Bounds(
                loss_ratio=goal.loss_ratio,
                conditional_throughput=float(throughput) if throughput is not None else None,
                relevant_lower_bound=float(lower) if lower is not None else None,
                relevant_upper_bound=float(upper) if upper is not None else None,
            )
        )
    return bounds


class _StoppedError(BaseException):
    """Ends a search's thread when the run ends early; not an Exception, so nothing catches it."""


def interleave(
    searches: Mapping[Key, Callable[[Measurer], list[Bounds]]],
    measure: Callable[[Key, float, float], MeasurementResult],
    order: random.Random,
) -> dict[Key, list[Bounds] | SearchFailedError]:
    """Run several searches side by side, one trial at a time.

    Each search runs in a thread of its own and waits there for its trial; the trials run here, in
    the caller's thread, one of those that are asked for at a time, picked by `order`.  What
    `measure` raises ends all searches and is raised here, KeyboardInterrupt too; but a
    SearchFailedError ends only the search that asked.
    """
    asked: queue.Queue[tuple[Key, tuple[float, float] | None]] = queue.Queue()  # None: it ended
    answers: dict[Key, queue.Queue[MeasurementResult | BaseException]] = {
        key: queue.Queue() for key in searches
    }
    results: dict[Key, list[Bounds] | SearchFailedError] = {}
    crashed: list[BaseException] = []

    def work(key: Key, run: Callable[[Measurer], list[Bounds]]) -> None:
        def ask(seconds: float, load: float) -> MeasurementResult:
            asked.put((key, (seconds, load)))
            answer = answers[key].get()
            if isinstance(answer, BaseException):
                raise answer
            return answer

        try:
            results[key] = run(ask)
        except SearchFailedError as error:
            results[key] = error
        except _StoppedError:
            pass
        except BaseException as error:
            crashed.append(error)
        finally:
            asked.put((key, None))

    for key, run in searches.items():
        threading.Thread(target=work, args=(key, run), daemon=True).start()
    waiting: list[tuple[Key, tuple[float, float]]] = []
    running = set(searches)
    try:
        while running:
            while len(waiting) < len(running):
                key, trial = asked.get()
                if trial:
                    waiting.append((key, trial))
                else:
                    running.discard(key)
                if crashed:
                    raise crashed[0]
            if waiting:
                key, trial = waiting.pop(order.randrange(len(waiting)))
                try:
                    answers[key].put(measure(key, *trial))
                except SearchFailedError as error:
                    answers[key].put(error)
    except BaseException:
        for key in running:
            answers[key].put(_StoppedError())
        raise
    return results


@dataclass(frozen=True)
class Step:
    """One trial of a search.  `passed`: for each goal, by its loss ratio, whether it held."""

    number: int
    load: float
    """Intended load in frames per second."""
    seconds: float
    loss_ratio: float
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
        from MLRsearch import MeasurementResult  # noqa: PLC0415  (slow: see `search`)

        result = self._measure(seconds, load)
        if isinstance(result, Counts):
            result = MeasurementResult(  # an unsent frame is a lost one
                intended_duration=seconds,
                intended_load=load,
                offered_count=result.offered,
                forwarding_count=result.forwarded,
                intended_count=result.intended,
            )
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
