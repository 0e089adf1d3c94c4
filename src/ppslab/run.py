"""A run of a lab: every condition, interleaved, into one record."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ppslab import profiles, results
from ppslab.capabilities import CpuPlan
from ppslab.errors import UsageError
from ppslab.lab import Condition, Lab
from ppslab.place import Place
from ppslab.rounds import back_to_back, choose_bpf_modes, cost_rounds, searches
from ppslab.session import Progress, Session, State

__all__ = ["Options", "Progress", "run"]

SEARCH_TRIALS = 16
"""Trials of one search, for the time left; the searches themselves decide."""


@dataclass(frozen=True)
class Options(Place):
    """What to measure and where; empty means all of the lab's."""

    conditions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    search: bool = True


@dataclass
class _Found:
    searches: list[results.Search] = field(default_factory=list)


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.Record, Path]:
    """Measure `lab` and write the record; returns it and the file that it is in.

    Stopped by Ctrl-C or a failure, what was measured until then is written as an aborted record,
    which no figure and no claim reads, and the reason is raised.
    UsageError for what the lab does not have; CannotHereError where no backend can.
    """
    sizes = sizes_of(lab, options)
    session = Session.prepare(lab, with_streams(lab, options), options, progress)
    found = _Found()

    def measurement(session: Session) -> None:
        _measure(session, sizes, options, found)

    def record(session: Session, state: State) -> results.Record:
        return results.Record(
            schema=results.SCHEMA,
            **session.head(state, session.profile.deviations()),
            baseline="none" if session.bench.router.apart else lab.words.baseline,
            clock=results.clock_of(session.bench.trials),
            reference=lab.words.reference,
            frame_sizes=tuple(sizes),
            searches=tuple(found.searches),
        )

    return session.measure(measurement, record)


def sizes_of(lab: Lab, options: Options) -> tuple[int, ...]:
    """The frame sizes to measure at: those that were asked for, or all of the lab's.

    UsageError for one that no Ethernet frame has.
    """
    own = () if options.sizes else (s for c in lab.words.conditions for s in c.sizes)
    sizes = options.sizes or tuple(sorted({*lab.words.frame_sizes, *own}))
    check_sizes(sizes)
    return sizes


def with_streams(lab: Lab, options: Options) -> list[str]:
    """The names of the conditions to measure: those that were named, or all that have streams."""
    names = list(options.conditions) or [c.name for c in lab.conditions.values() if c.flows]
    for condition in map(lab.condition, names):
        lab.flows(condition)
    if not names:
        raise UsageError(f"lab {lab.name} has no streams, it is measured with TCP: ppslab tcp")
    return names


def check_sizes(sizes: Sequence[int]) -> None:
    """UsageError for a frame size that no Ethernet frame has."""
    for size in sizes:
        if not 64 <= size <= 9216:
            raise UsageError(f"frame size {size}: there are frames of 64 to 9216 bytes")


def _measure(session: Session, sizes: Sequence[int], options: Options, found: _Found) -> None:
    bench, progress = session.bench, session.progress
    conditions = session.conditions
    profile, cpus = bench.profile, bench.cpus
    search_sizes = [min(sizes)] if profile.search.sizes == "smallest" else list(sizes)
    searched = _searched(session) if options.search else []
    progress.plan(_planned(profile, conditions, sizes, len(searched) * len(search_sizes), cpus))
    order = random.Random(session.seed)

    progress.stage("the tester's own limit")
    session.tester = back_to_back(bench, search_sizes)
    if any(c.linux.bpf and bench.router.mode(c) for c in conditions):
        progress.stage("choosing how to attach the BPF programs")
        session.environment["bpf"] = choose_bpf_modes(bench, conditions, min(sizes))
    progress.stage("cost rounds")
    cost_rounds(bench, conditions, sizes, order)
    if not searched:
        return
    if not cpus.coupled:
        progress.stage("searching the throughput")
        found.searches, session.tester = searches(
            bench, searched, search_sizes, session.tester, order
        )
    else:
        found.searches = [
            results.Search(condition=c.name, frame_size=size, failed_because=COUPLED)
            for c in searched
            for size in search_sizes
        ]


def _searched(session: Session) -> list[Condition]:
    return [condition for condition in session.conditions if session.lab.searched(condition)]


COUPLED = "tester and router share one CPU here: nothing can overflow, so no loss can be found"


def _planned(
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
