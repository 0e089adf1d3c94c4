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

from ppslab import results
from ppslab.analysis import costs as analysis
from ppslab.base.errors import CannotHereError, UsageError
from ppslab.instruments import ppstraffic
from ppslab.lab.lab import Lab
from ppslab.measurement.profiling import counters, perf
from ppslab.measurement.profiling.flamegraph import fold
from ppslab.measurement.profiling.stations import Stations, load
from ppslab.measurement.rounds import cost_rounds
from ppslab.measurement.rounds.bpf_modes import choose_bpf_modes
from ppslab.measurement.run import check_sizes
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import FrameSession, OpenSession, Progress, State
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.theory.statistics import Interval, median_interval

Sampler = Literal["auto", "perf", "counters"]

SAMPLED_ROUNDS = 3
SAMPLED_SECONDS = 1.0

FREQUENCY = 2999
"""Samples a second: a prime, so that they do not keep step with what happens every millisecond."""

FREQUENCY_EMULATED = 997
SAMPLED_SECONDS_EMULATED = 4.0

DEVIATIONS = (
    "A profile is no test of RFC 2544: its trials send as fast as the tester can, one CPU sends "
    "and routes, and what is counted is the time of a packet.",
)


@dataclass(frozen=True)
class Options(RunOptions):
    """What to sample and where; no conditions means all.  `size` None: the lab's smallest."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    size: int | None = None
    sampler: Sampler = "auto"
    """perf or counters; auto: perf where it works."""


@dataclass
class _Seen:
    """What the sampled trials of one condition gave."""

    stacks: list[tuple[str, ...]] = field(default_factory=list)
    nanoseconds: list[Callable[[results.Clock], float]] = field(default_factory=list)
    counted: list[tuple[counters.Counted, counters.Counted]] = field(default_factory=list)


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.ProfileRecord, Path]:
    """Profile conditions of `lab` and write the record; returns it and the file that it is in.

    UsageError for what the lab does not have, or a tester that runs where perf cannot see it;
    CannotHereError where no backend can, or where `sampler` is "perf" and this kernel forbids it.
    """
    if options.sampler not in get_args(Sampler):
        raise UsageError(
            f"no sampler {options.sampler!r}: there are {', '.join(get_args(Sampler))}"
        )
    size = options.size or min(lab.spec.frame_sizes)
    check_sizes([size])
    names = list(options.conditions) or list(lab.conditions)
    # The ratio is to the reference of the same rounds, so it is measured whether named or not.
    measured = [lab.condition(name) for name in dict.fromkeys([*names, lab.spec.reference])]
    session = FrameSession(lab, measured, options, progress)
    work = _Profiling(names, size, options.sampler)
    return session.measure(work.measure, work.record, results.ProfileRecord)


class _Profiling:
    """The trials of one run, and what came of them."""

    def __init__(self, names: list[str], size: int, sampler: Sampler) -> None:
        self.wanted = names
        self.size = size
        self.sampler = sampler
        self.why_not: str | None = None
        self.version = ""
        self.frequency = FREQUENCY
        self.seconds = SAMPLED_SECONDS
        self.seen: dict[str, _Seen] = {}

    def measure(self, session: OpenSession[FrameTestbed]) -> None:
        """Choose the sampler, run the cost rounds, then the sampled ones."""
        testbed = session.testbed
        tester = testbed.tester
        if not isinstance(tester, ppstraffic.Tester):
            raise UsageError(f"profile: the tester {tester.name} runs where perf cannot see it")
        session.tester = results.Tester(name=tester.name, version=tester.version())
        self._choose(session, tester)
        cost = testbed.profile.cost
        conditions = [c for c in session.conditions if c.name in self.wanted]
        rounds = cost.rounds * (len(session.conditions) + 3)
        session.progress.plan(rounds + SAMPLED_ROUNDS * len(conditions))
        if any(condition.linux.bpf for condition in session.conditions):
            session.progress.stage("choosing how to attach the BPF programs")
            session.environment["bpf"] = choose_bpf_modes(testbed, session.conditions, self.size)
        order = random.Random(session.seed)
        session.progress.stage("cost rounds")
        cost_rounds(testbed, session.conditions, [self.size], order)
        session.progress.stage(
            "sampling with perf" if self.why_not is None else f"counters only: {self.why_not}"
        )
        for number in range(SAMPLED_ROUNDS):
            order.shuffle(conditions)
            for condition in conditions:
                spec = TrialSpec("profile", condition, self.size, self.seconds, round_number=number)
                self._sample(session, tester, spec)

    def _choose(self, session: OpenSession[FrameTestbed], tester: ppstraffic.Tester) -> None:
        node = session.testbed.linux.node
        if self.sampler == "counters":
            self.why_not = "as asked for"
        else:
            self.why_not = perf.why_not(node)
        if self.why_not and self.sampler == "perf":
            raise CannotHereError(f"--sampler perf: {self.why_not}", "run as root, or leave it out")
        if self.why_not is None:
            self.version = perf.version(node)
        if session.backend.facts.get("emulation") == "tcg":
            self.frequency = FREQUENCY_EMULATED
            self.seconds = SAMPLED_SECONDS_EMULATED

    def _sample(
        self, session: OpenSession[FrameTestbed], tester: ppstraffic.Tester, spec: TrialSpec
    ) -> None:
        testbed = session.testbed
        assert spec.condition is not None
        seen = self.seen.setdefault(spec.condition.name, _Seen())
        before, first = counters.read(testbed.linux.node), tester.first
        if self.why_not is None:
            tester.first = (*perf.in_front(self.frequency), *first)
        try:
            trial = testbed.trial(spec)
        finally:
            tester.first = first
        after = counters.read(testbed.linux.node)
        if not trial.valid:
            return
        seen.counted.append((before, after))
        seen.nanoseconds.append(trial.nanoseconds_each)
        if self.why_not is None:
            samples = perf.of_the_sender(perf.samples_of(tester.node))
            seen.stacks += [sample.stack for sample in samples]

    def record(self, session: OpenSession[FrameTestbed], state: State) -> results.ProfileRecord:
        """What was found, also of a run that was stopped."""
        lab, testbed = session.lab, session.testbed
        head = session.head(state, DEVIATIONS)
        clock = results.clock_of(testbed.trials)
        costs = results.Record(
            schema=results.SCHEMA,
            **head,
            baseline=lab.spec.baseline,
            clock=clock,
            reference=lab.spec.reference,
            frame_sizes=(self.size,),
        )
        profiles = [self._profile(costs, name) for name in self.wanted if name in self.seen]
        return results.ProfileRecord(
            schema="ppslab/profile/2",
            **head,
            baseline=lab.spec.baseline,
            clock=clock,
            reference=lab.spec.reference,
            frame_size=self.size,
            sampler="counters" if self.why_not else "perf",
            sampler_version=self.version,
            why_not_perf=self.why_not,
            frequency=None if self.why_not else self.frequency,
            profiles=tuple(profile for profile in profiles if profile),
        )

    def _profile(self, costs: results.Record, name: str) -> results.ConditionProfile | None:
        seen = self.seen[name]
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
            sampled_total=median(each(costs.clock) for each in seen.nanoseconds)
            if seen.nanoseconds
            else None,
            samples=len(seen.stacks),
            stations=station_times(stations, seen.stacks, total.estimate),
            unknown=dict(stations.unknown(seen.stacks).most_common()),
            stacks={";".join(stack): count for stack, count in fold(seen.stacks).items()},
            counters=_counted(seen.counted),
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


def _counted(
    pairs: list[tuple[counters.Counted, counters.Counted]],
) -> tuple[results.CpuCounters, ...]:
    """The sums over the trials, CPU by CPU."""
    found: dict[int, results.CpuCounters] = {}
    for before, after in pairs:
        for one in counters.between(before, after):
            had = found.get(one.cpu)
            found[one.cpu] = one if had is None else _sum(had, one)
    return tuple(found[cpu] for cpu in sorted(found))


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
    try:
        found = measured()
        return _estimate(found) if None not in found.finite else None
    except analysis.NoDataError:
        return None
