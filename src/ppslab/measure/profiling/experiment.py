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
from typing import Literal, get_args

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.judge import costs as analysis
from ppslab.measure import kernel_counters
from ppslab.measure.experiment import FrameExperiment, Progress, State
from ppslab.measure.options import RunOptions, check_sizes
from ppslab.measure.profiling import perf
from ppslab.measure.profiling.stations import Stations, fold, load
from ppslab.measure.rounds import cost_rounds
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab.lab import Lab
from ppslab.model.statistics import Interval, median_interval
from ppslab.testbed.testers import ppstraffic

Sampler = Literal["auto", "perf", "counters"]

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
    sampler: Sampler = "auto"
    """perf or counters; auto: perf where it works."""


@dataclass
class _Samples:
    """The sampled trials of one condition."""

    stacks: list[tuple[str, ...]] = field(default_factory=list)
    nanoseconds: list[Callable[[results.Clock], float]] = field(default_factory=list)
    counters: dict[int, results.CpuCounters] = field(default_factory=dict)
    """The sums over the trials, by CPU."""


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.ProfileRecord, Path]:
    """Profile conditions of `lab` and write the record; returns it and the file that it is in.

    UsageError for what the lab does not have, or a tester that runs where perf cannot see it;
    CannotHereError where no backend can, or where `sampler` is "perf" and this kernel forbids it.
    """
    return Profiling(lab, options, progress).run()


class Profiling(FrameExperiment[results.ProfileRecord]):
    """Cost rounds without a sampler, then sampled trials."""

    kind = results.ProfileRecord

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        samplers = get_args(Sampler)
        if options.sampler not in samplers:
            raise UsageError(f"no sampler {options.sampler!r}: there are {', '.join(samplers)}")
        self.size = options.size or min(lab.spec.frame_sizes)
        check_sizes(self.size)
        self.wanted = list(options.conditions) or list(lab.conditions)
        # The ratio is to the reference of the same rounds, so it is measured whether named or not.
        names = dict.fromkeys([*self.wanted, lab.spec.reference])
        super().__init__(lab, [lab.condition(name) for name in names], options, progress)
        self.sampler = options.sampler
        self.why_not: str | None = None
        self.version = ""
        self.frequency, self.seconds = FREQUENCY, SAMPLED_SECONDS
        self.samples: dict[str, _Samples] = {}

    def stages(self) -> None:
        """Choose the sampler, run the cost rounds, then the sampled ones."""
        testbed, tester, progress = self.testbed, self.testbed.tester, self.progress
        if not isinstance(tester, ppstraffic.Tester):
            raise UsageError(f"profile: the tester {tester.name} runs where perf cannot see it")
        self._choose_sampler()
        conditions = [c for c in self.conditions if c.name in self.wanted]
        rounds = testbed.profile.cost.rounds * (len(self.conditions) + 3)
        progress.plan(rounds + SAMPLED_ROUNDS * len(conditions))
        self.choose_bpf_modes(self.size)
        order = random.Random(self.seed)
        progress.stage("cost rounds")
        cost_rounds(testbed, self.conditions, [self.size], order)
        progress.stage(
            "sampling with perf" if self.why_not is None else f"counters only: {self.why_not}"
        )
        for number in range(SAMPLED_ROUNDS):
            order.shuffle(conditions)
            for condition in conditions:
                spec = TrialSpec("profile", condition, self.size, self.seconds, round_number=number)
                self._sample(tester, spec, self.samples.setdefault(condition.name, _Samples()))

    def _choose_sampler(self) -> None:
        node = self.testbed.linux.node
        self.why_not = "as asked for" if self.sampler == "counters" else perf.why_not(node)
        if self.why_not and self.sampler == "perf":
            raise CannotHereError(
                f"--sampler perf: {self.why_not}", "run as root, or omit --sampler"
            )
        if self.why_not is None:
            self.version = perf.version(node)
        if self.backend.facts.get("emulation") == "tcg":
            self.frequency = FREQUENCY_EMULATED
            self.seconds = SAMPLED_SECONDS_EMULATED

    def _sample(self, tester: ppstraffic.Tester, spec: TrialSpec, samples: _Samples) -> None:
        """One trial with the sampler at work; what it saw is kept where the trial is valid."""
        node, first = self.testbed.linux.node, tester.first
        before = kernel_counters.read(node)
        if self.why_not is None:
            tester.first = (*perf.in_front(self.frequency), *first)
        try:
            trial = self.testbed.trial(spec)
        finally:
            tester.first = first
        after = kernel_counters.read(node)
        if not trial.valid:
            return
        for cpu in after.cpu_counters(before):
            sum_before = samples.counters.get(cpu.cpu)
            samples.counters[cpu.cpu] = _sum(sum_before, cpu) if sum_before else cpu
        samples.nanoseconds.append(trial.nanoseconds_each)
        if self.why_not is None:
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
            sampler="counters" if self.why_not else "perf",
            sampler_version=self.version,
            why_not_perf=self.why_not,
            frequency=None if self.why_not else self.frequency,
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
            counters=tuple(samples.counters[cpu] for cpu in sorted(samples.counters)),
        )


def station_times(
    stations: Stations, stacks: list[tuple[str, ...]], total: float
) -> tuple[results.StationTime, ...]:
    """Shares of the samples as shares of `total` nanoseconds, each with its standard error."""
    count = len(stacks)
    times = []
    for share in stations.shares(stacks):
        part = share.samples / count
        times.append(
            results.StationTime(
                name=share.name,
                title=share.title,
                samples=share.samples,
                nanoseconds=part * total,
                error=sqrt(part * (1 - part) / count) * total,
            )
        )
    return tuple(times)


def _sum(a: results.CpuCounters, b: results.CpuCounters) -> results.CpuCounters:
    seconds = {
        name: round(value + b.seconds.get(name, 0.0), 2) for name, value in a.seconds.items()
    }
    return results.CpuCounters(
        cpu=a.cpu,
        seconds=seconds,
        softirqs=dict(Counter(a.softirqs) + Counter(b.softirqs)),
        processed=a.processed + b.processed,
        dropped=a.dropped + b.dropped,
        squeezed=a.squeezed + b.squeezed,
    )


def _estimate(interval: Interval) -> results.Estimate:
    return results.Estimate(
        estimate=interval.estimate, low=interval.low, high=interval.high, count=interval.count
    )


def _if_any(measured: Callable[[], Interval]) -> results.Estimate | None:
    """None where no round is valid, or noise leaves the interval without an end."""
    interval = analysis.or_none(measured)
    return _estimate(interval) if interval and None not in interval.finite else None
