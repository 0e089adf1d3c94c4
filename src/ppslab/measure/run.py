"""`ppslab run`: every condition of a lab, interleaved, into one record."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ppslab.core import measures
from ppslab.core.errors import UsageError
from ppslab.core.measures import Measure
from ppslab.measure.experiment import FrameExperiment, Progress, State
from ppslab.measure.options import RunOptions, check_sizes, measure_of
from ppslab.measure.preview import traffic
from ppslab.measure.preview.traffic import Trials
from ppslab.measure.rounds import back_to_back, cost_rounds, searches
from ppslab.model import results
from ppslab.model.lab.lab import Condition, Lab

SEARCH_TRIALS = 16
"""Trials of one search, for the time left; the searches themselves decide."""

COUPLED = "tester and router take turns on one CPU here, so no queue overflows and no loss occurs"


@dataclass(frozen=True)
class Options(RunOptions):
    """Conditions and sizes to measure, and where; empty means all of the lab's."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    sizes: tuple[int, ...] = ()
    """Bytes of a frame, with the frame check sequence."""
    search: bool = True
    """Search the throughput after the cost rounds."""
    measure: Measure | None = None
    """None: the lab's own where it can be had, and time where it cannot."""


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.Record, Path]:
    """Measure `lab` and write the record; returns it and the file that it is in.

    Errors and interruptions as `Experiment.run`; UsageError for what the lab does not have.
    """
    return CostRun(lab, options, progress).run()


def rehearse(lab: Lab, options: Options) -> Iterator[str]:
    """Yield the steps of `run`, command by command; nothing is done."""
    run_of_costs = CostRun(lab, options)
    return run_of_costs.rehearse(min(run_of_costs.sizes))


class CostRun(FrameExperiment[results.Record]):
    """Cost rounds, and searches of the throughput where time is taken."""

    kind = results.Record

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        self.sizes = sizes_of(lab, options)
        measure = measure_of(options.measure, options, lab)
        super().__init__(lab, with_streams(lab, options), options, progress, measure=measure)
        self.with_search = options.search
        self.searches: list[results.Search] = []

    def searched(self, conditions: Sequence[Condition]) -> list[Condition]:
        return [c for c in conditions if self.lab.searched(c)] if self.with_search else []

    def planned(self, conditions: Sequence[Condition]) -> Sequence[Trials]:
        searched = self.searched(conditions)
        return traffic.of_a_run(self.profile, conditions, self.sizes, searched, SEARCH_TRIALS)

    def stages(self) -> None:
        """The tester's own limit, the ways of BPF programs, cost rounds, searches."""
        testbed, progress, smallest = self.testbed, self.progress, min(self.sizes)
        all_sizes = testbed.profile.search.sizes == "all"
        search_sizes = list(self.sizes) if all_sizes else [smallest]
        searched = [] if self.counted else self.searched(self.conditions)
        progress.plan(self._number(len(searched) * len(search_sizes)))
        order = random.Random(self.seed)

        if not self.counted:
            progress.stage("the tester's own limit")
            self.tester = back_to_back(testbed, search_sizes)
        self.choose_bpf_modes(smallest)
        progress.stage("cost rounds")
        cost_rounds(testbed, self.conditions, self.sizes, order)
        if searched and not testbed.cpus.coupled:
            progress.stage("searching the throughput")
            self.searches, self.tester = searches(
                testbed, searched, search_sizes, self.tester, order
            )
        else:
            self.searches = [
                results.Search(condition=c.name, frame_size=size, failed_because=COUPLED)
                for c in searched
                for size in search_sizes
            ]

    def _number(self, searches: int) -> int:
        cost = self.testbed.profile.cost
        rounds = cost.rounds + (len(self.sizes) - 1) * cost.rounds_other_sizes
        searching = 0 if self.testbed.cpus.coupled else searches * SEARCH_TRIALS
        return rounds * (len(self.conditions) + 3) + searching

    def record(self, state: State) -> results.Record:
        testbed = self.testbed
        return results.Record(
            schema=results.SCHEMA,
            **self.head(state, self._deviations()),
            baseline="none" if testbed.router.is_external else self.lab.spec.baseline,
            clock=results.clock_of(testbed.trials, self.measure),
            reference=self.lab.spec.reference,
            frame_sizes=self.sizes,
            searches=tuple(self.searches),
        )

    def _deviations(self) -> list[str]:
        """The sentences on where the run leaves RFC 2544."""
        if not self.counted:
            return self.testbed.profile.deviations()
        return [
            "Instructions are counted, not time: there is no throughput, no loss and no latency "
            "(RFC 2544 section 26); they are timed with `--measure timed`.",
            measures.BLIND,
        ]


def sizes_of(lab: Lab, options: Options) -> tuple[int, ...]:
    """The frame sizes to measure at: those that were asked for, or all of the lab's.

    UsageError for one that no Ethernet frame has.
    """
    own = () if options.sizes else (s for c in lab.spec.conditions for s in c.sizes)
    sizes = options.sizes or tuple(sorted({*lab.spec.frame_sizes, *own}))
    check_sizes(*sizes)
    return sizes


def with_streams(lab: Lab, options: Options) -> list[Condition]:
    """The conditions to measure: those that were named, or all that have streams."""
    named = [lab.condition(name) for name in options.conditions]
    conditions = named or [condition for condition in lab.conditions.values() if condition.flows]
    for condition in conditions:
        lab.flows(condition)
    if not conditions:
        raise UsageError(f"lab {lab.name} has no streams: measure it with ppslab tcp")
    return conditions
