"""A run of a lab: every condition, interleaved, into one record."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ppslab import results
from ppslab.backends.capabilities import CpuPlan
from ppslab.base import measures
from ppslab.base.errors import UsageError
from ppslab.base.measures import Measure
from ppslab.lab import profiles
from ppslab.lab.lab import Condition, Lab
from ppslab.measurement import counting
from ppslab.measurement.preview import dry_run, traffic
from ppslab.measurement.preview.traffic import Planned
from ppslab.measurement.rounds import back_to_back, cost_rounds, searches
from ppslab.measurement.rounds.bpf_modes import choose_bpf_modes
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import FrameSession, OpenSession, Progress, State
from ppslab.measurement.trial.trial import FrameTestbed

__all__ = ["Options", "Progress", "rehearse", "run"]

SEARCH_TRIALS = 16
"""Trials of one search, for the time left; the searches themselves decide."""


@dataclass(frozen=True)
class Options(RunOptions):
    """What to measure and where; empty means all of the lab's."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    sizes: tuple[int, ...] = ()
    """Bytes of a frame, with the frame check sequence."""
    search: bool = True
    """Whether the throughput is searched."""
    measure: Measure | None = None
    """None: the lab's own where it can be had, and time where it cannot."""


@dataclass
class _Found:
    searches: list[results.Search] = field(default_factory=list)


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.Record, Path]:
    """Measure `lab` and write the record; returns it and the file that it is in.

    If Ctrl-C or a failure stops it, what was measured so far is written as an aborted record, which
    no figure and no claim reads, and the reason is raised.
    UsageError for what the lab does not have; CannotHereError where no backend can.
    """
    sizes = sizes_of(lab, options)
    so_far = _Found()

    def measurement(session: OpenSession[FrameTestbed]) -> None:
        _measure(session, sizes, options, so_far)

    def record(session: OpenSession[FrameTestbed], state: State) -> results.Record:
        return results.Record(
            schema=results.SCHEMA,
            **session.head(state, _deviations(session)),
            baseline="none" if session.testbed.router.is_external else lab.spec.baseline,
            clock=results.clock_of(session.testbed.trials, session.taken),
            reference=lab.spec.reference,
            frame_sizes=tuple(sizes),
            searches=tuple(so_far.searches),
        )

    session = _asked(lab, options, progress)
    return session.measure(measurement, record, results.Record, _planned(session, sizes, options))


def rehearse(lab: Lab, options: Options) -> Iterator[str]:
    """What `run` would do, command by command; nothing of it is done.

    Errors as of `run`, as far as they show before anything starts.
    """
    sizes = sizes_of(lab, options)
    session = _asked(lab, options, None)
    return dry_run.lines(session, min(sizes), _planned(session, sizes, options))


def _asked(lab: Lab, options: Options, progress: Progress | None) -> FrameSession:
    measure = counting.measure_of(options.measure, options, lab)
    return FrameSession(lab, with_streams(lab, options), options, progress, measure=measure)


def sizes_of(lab: Lab, options: Options) -> tuple[int, ...]:
    """The frame sizes to measure at: those that were asked for, or all of the lab's.

    UsageError for one that no Ethernet frame has.
    """
    own = () if options.sizes else (s for c in lab.spec.conditions for s in c.sizes)
    sizes = options.sizes or tuple(sorted({*lab.spec.frame_sizes, *own}))
    check_sizes(sizes)
    return sizes


def with_streams(lab: Lab, options: Options) -> list[Condition]:
    """The conditions to measure: those that were named, or all that have streams."""
    named = [lab.condition(name) for name in options.conditions]
    conditions = named or [each for each in lab.conditions.values() if each.flows]
    for condition in conditions:
        lab.flows(condition)
    if not conditions:
        raise UsageError(f"lab {lab.name} has no streams, it is measured with TCP: ppslab tcp")
    return conditions


def check_sizes(sizes: Sequence[int]) -> None:
    """UsageError for a frame size that no Ethernet frame has."""
    for size in sizes:
        if not 64 <= size <= 9216:
            raise UsageError(f"frame size {size}: there are frames of 64 to 9216 bytes")


def _measure(
    session: OpenSession[FrameTestbed],
    sizes: Sequence[int],
    options: Options,
    so_far: _Found,
) -> None:
    testbed, progress = session.testbed, session.progress
    conditions = session.conditions
    profile, cpus = testbed.profile, testbed.cpus
    search_sizes = [min(sizes)] if profile.search.sizes == "smallest" else list(sizes)
    counted = session.counted
    searched = _searched(session.lab, conditions) if options.search and not counted else []
    progress.plan(_number(profile, conditions, sizes, len(searched) * len(search_sizes), cpus))
    order = random.Random(session.seed)

    if counted:
        session.tester = results.Tester(name=testbed.tester.name, version=testbed.tester.version())
    else:
        progress.stage("the tester's own limit")
        session.tester = back_to_back(testbed, search_sizes)
    if any(c.linux.bpf and testbed.router.mode(c) for c in conditions):
        progress.stage("choosing how to attach the BPF programs")
        session.environment["bpf"] = choose_bpf_modes(
            testbed, conditions, min(sizes), session.taken
        )
    progress.stage("cost rounds")
    cost_rounds(testbed, conditions, sizes, order)
    if not searched:
        return
    if not cpus.coupled:
        progress.stage("searching the throughput")
        so_far.searches, session.tester = searches(
            testbed, searched, search_sizes, session.tester, order
        )
    else:
        so_far.searches = [
            results.Search(condition=c.name, frame_size=size, failed_because=COUPLED)
            for c in searched
            for size in search_sizes
        ]


def _searched(lab: Lab, conditions: Sequence[Condition]) -> list[Condition]:
    return [condition for condition in conditions if lab.searched(condition)]


def _deviations(session: OpenSession[FrameTestbed]) -> list[str]:
    """Where the run leaves RFC 2544."""
    if session.counted:
        return [
            "Instructions are counted, not time: there is no throughput, no loss and no latency "
            "(RFC 2544 section 26); they are timed with `--measure timed`.",
            measures.BLIND,
        ]
    return session.testbed.profile.deviations()


COUPLED = "tester and router share one CPU here: nothing can overflow, so no loss can be found"


def _planned(session: FrameSession, sizes: Sequence[int], options: Options) -> Planned:
    """The trials that a run will have, for those who send into a network of their own."""

    def planned(conditions: Sequence[Condition]) -> Sequence[traffic.Trials]:
        searched = _searched(session.lab, conditions) if options.search else []
        return traffic.of_a_run(session.profile, conditions, sizes, searched, SEARCH_TRIALS)

    return planned


def _number(
    profile: profiles.Profile,
    conditions: Sequence[Condition],
    sizes: Sequence[int],
    searches: int,
    cpus: CpuPlan,
) -> int:
    rounds = profile.cost.rounds + (len(sizes) - 1) * profile.cost.rounds_other_sizes
    trials = rounds * (len(conditions) + 3)
    if not cpus.coupled:
        trials += searches * SEARCH_TRIALS
    return trials
