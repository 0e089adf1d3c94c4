"""`ppslab profile`: the cost of a condition in paired rounds, and samples of where it is spent.

Two kinds of trials, as sampling costs time itself: cost rounds without a sampler give the time
per packet, sampled ones only say how that time is shared out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from math import sqrt
from pathlib import Path
from statistics import median

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.judge import costs as analysis
from ppslab.measure.experiment import FrameExperiment, Progress, State
from ppslab.measure.options import RunOptions, check_sizes
from ppslab.measure.profiling import perf
from ppslab.measure.profiling.stations import UNKNOWN, Stations, fold, load
from ppslab.measure.rounds import cost_rounds
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab.lab import Lab
from ppslab.model.statistics import Interval, median_interval
from ppslab.testbed.testers import ppstraffic

SAMPLED_ROUNDS = 3
SAMPLED_SECONDS = 1.0

FREQUENCY = 2999
"""Samples a second: a prime, so that they do not keep step with what happens every millisecond."""

FREQUENCY_EMULATED = 997
SAMPLED_SECONDS_EMULATED = 4.0

DEVIATIONS = (
    "A profile is no test of RFC 2544: its trials send as fast as the tester can, one CPU sends "
    "and routes, and the result is the time per packet.",
)


@dataclass(frozen=True)
class Options(RunOptions):
    """Conditions to sample, and where; none means all.  `size` None: the lab's smallest."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    size: int | None = None


@dataclass
class _Samples:
    """The sampled trials of one condition."""

    stacks: list[tuple[str, ...]] = field(default_factory=list)
    nanoseconds: list[Callable[[results.Clock], float]] = field(default_factory=list)


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.ProfileRecord, Path]:
    """Profile conditions of `lab` and write the record; returns it and the file that it is in.

    UsageError for what the lab does not have, or a tester that runs where perf cannot see it;
    CannotHereError where no backend can, or where this kernel does not let perf look into it.
    """
    return Profiling(lab, options, progress).run()


class Profiling(FrameExperiment[results.ProfileRecord]):
    """Cost rounds without a sampler, then sampled trials."""

    kind = results.ProfileRecord

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        self.size = options.size or min(lab.spec.frame_sizes)
        check_sizes(self.size)
        self.wanted = list(options.conditions) or list(lab.conditions)
        # The ratio is to the reference of the same rounds, so it is measured whether named or not.
        names = dict.fromkeys([*self.wanted, lab.spec.reference])
        super().__init__(lab, [lab.condition(name) for name in names], options, progress)
        self.version = ""
        self.frequency, self.seconds = FREQUENCY, SAMPLED_SECONDS
        self.samples: dict[str, _Samples] = {}

    def stages(self) -> None:
        """Run the cost rounds, then the sampled ones."""
        testbed, tester, progress = self.testbed, self.testbed.tester, self.progress
        if not isinstance(tester, ppstraffic.Tester):
            raise UsageError(f"profile: the tester {tester.name} runs where perf cannot see it")
        self._ask_perf()
        conditions = [c for c in self.conditions if c.name in self.wanted]
        rounds = testbed.profile.cost.rounds * (len(self.conditions) + 3)
        progress.plan(rounds + SAMPLED_ROUNDS * len(conditions))
        self.choose_bpf_modes(self.size)
        order = random.Random(self.seed)
        progress.stage("cost rounds")
        cost_rounds(testbed, self.conditions, [self.size], order)
        progress.stage("sampling with perf")
        for number in range(SAMPLED_ROUNDS):
            order.shuffle(conditions)
            for condition in conditions:
                spec = TrialSpec("profile", condition, self.size, self.seconds, round_number=number)
                self._sample(tester, spec, self.samples.setdefault(condition.name, _Samples()))

    def _ask_perf(self) -> None:
        node = self.testbed.linux.node
        if why := perf.why_not(node):
            raise CannotHereError(why, "run as root, or with --backend vm")
        self.version = perf.version(node)
        if self.backend.facts.get("emulation") == "tcg":
            self.frequency = FREQUENCY_EMULATED
            self.seconds = SAMPLED_SECONDS_EMULATED

    def _sample(self, tester: ppstraffic.Tester, spec: TrialSpec, samples: _Samples) -> None:
        """One trial with the sampler at work; what it saw is kept where the trial is valid."""
        first = tester.first
        tester.first = (*perf.in_front(self.frequency), *first)
        try:
            trial = self.testbed.trial(spec)
        finally:
            tester.first = first
        if trial.valid:
            samples.nanoseconds.append(trial.nanoseconds_each)
            sampled = perf.of_the_sender(perf.samples_of(tester.node))
            samples.stacks += [sample.stack for sample in sampled]

    def record(self, state: State) -> results.ProfileRecord:
        fields = {
            **self.head(state, DEVIATIONS),
            "baseline": self.lab.spec.baseline,
            "clock": results.clock_of(self.testbed.trials),
            "reference": self.lab.spec.reference,
        }
        costs = results.Record(schema=results.SCHEMA, **fields, frame_sizes=(self.size,))
        profiles = [self._profile(costs, name) for name in self.wanted if name in self.samples]
        return results.ProfileRecord(
            schema="ppslab/profile/2",
            **fields,
            frame_size=self.size,
            sampler="perf",
            sampler_version=self.version,
            frequency=self.frequency,
            profiles=tuple(profile for profile in profiles if profile),
        )

    def _profile(self, costs: results.Record, name: str) -> results.ConditionProfile | None:
        samples = self.samples[name]
        raw = analysis.raw_costs(costs, name, self.size)
        if not raw:
            return None
        total = median_interval(list(raw.values()), seed=costs.seed)
        stations = load()
        return results.ConditionProfile(
            condition=name,
            total=_estimate(total),
            router=_if_any(lambda: analysis.cost(costs, name, self.size)),
            ratio=_if_any(lambda: analysis.ratio(costs, name, costs.reference, self.size)),
            sampled_total=median(of(costs.clock) for of in samples.nanoseconds)
            if samples.nanoseconds
            else None,
            samples=len(samples.stacks),
            stations=station_times(stations, samples.stacks, total.estimate),
            unknown=dict(stations.unknown(samples.stacks).most_common()),
            stacks={";".join(stack): count for stack, count in fold(samples.stacks).items()},
        )


def station_times(
    stations: Stations, stacks: list[tuple[str, ...]], total: float
) -> tuple[results.StationTime, ...]:
    """Shares of the samples as shares of `total` nanoseconds, each with its standard error."""
    counts = Counter(map(stations.of, stacks))
    whole = len(stacks)
    return tuple(
        results.StationTime(
            name=name,
            title=title,
            samples=counts[name],
            nanoseconds=(part := counts[name] / whole) * total,
            error=sqrt(part * (1 - part) / whole) * total,
        )
        for name, title in {**stations.titles, UNKNOWN: UNKNOWN}.items()
        if counts[name]
    )


def _estimate(interval: Interval) -> results.Estimate:
    return results.Estimate(
        estimate=interval.estimate, low=interval.low, high=interval.high, count=interval.count
    )


def _if_any(measured: Callable[[], Interval]) -> results.Estimate | None:
    """None where no round is valid, or noise leaves the interval without an end."""
    interval = analysis.or_none(measured)
    return _estimate(interval) if interval and None not in interval.finite else None
