"""A run of a lab: every condition, interleaved, into one record."""

from __future__ import annotations

import random
import secrets
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

import ppslab
from ppslab import capabilities, paths, profiles, results
from ppslab.backends import Backend, open_backend
from ppslab.capabilities import CpuPlan
from ppslab.errors import CannotHereError, UsageError
from ppslab.lab import Condition, Lab
from ppslab.rounds import back_to_back, choose_bpf_modes, cost_rounds, searches
from ppslab.standing import stand
from ppslab.trial import Bench

SEARCH_TRIALS = 16
"""Trials of one search, for the time left; the searches themselves decide."""


class Progress(Protocol):
    """Who watches a run."""

    def plan(self, trials: int) -> None:
        """About this many trials are to come."""

    def stage(self, text: str) -> None:
        """What happens now."""

    def trial(self, trial: results.Trial) -> None:
        """A trial has ended."""


class Silent:
    """Nobody watches."""

    def plan(self, trials: int) -> None:
        """Say nothing."""

    def stage(self, text: str) -> None:
        """Say nothing."""

    def trial(self, trial: results.Trial) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Options:
    """What to measure and where; empty means all of the lab's."""

    conditions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()
    backend: str = "auto"
    router: str = "linux"
    profile: str = "quick"
    seed: int | None = None
    out: Path | None = None
    search: bool = True


@dataclass
class _State:
    """What a run has gathered so far; a record can be made of it at any time."""

    started: datetime
    seed: int
    backend: str = ""
    environment: dict[str, Any] = field(default_factory=dict)
    skipped: list[results.Skipped] = field(default_factory=list)
    searches: list[results.Search] = field(default_factory=list)
    tester: results.Tester = field(
        default_factory=lambda: results.Tester(name="ppstraffic", version="")
    )
    bench: Bench | None = None


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.Record, Path]:
    """Measure `lab` and write the record; returns it and the file that it is in.

    Stopped by Ctrl-C or a failure, what was measured until then is written as an aborted record,
    which no figure and no claim reads, and the reason is raised.
    UsageError for what the lab does not have; CannotHereError where no backend can.
    """
    progress = progress or Silent()
    profiles.load(options.profile)  # a wrong name is told before anything starts
    conditions = [lab.condition(n) for n in options.conditions] or list(lab.conditions.values())
    sizes = _sizes(lab, options)
    if options.out and options.out.is_dir():
        raise UsageError(f"--out {options.out}: this is a folder, a file is wanted")
    if options.router != "linux":
        raise UsageError(f"no router {options.router!r}: there is linux")
    needs = frozenset().union(*(condition.needs for condition in conditions))
    choice = capabilities.choose(needs, options.backend)
    progress.stage(f"backend {choice.backend}: {choice.reason}")
    seed = options.seed if options.seed is not None else secrets.randbelow(2**31)
    state = _State(datetime.now(UTC), seed, choice.backend)
    path = options.out or results.new_path(lab.name, state.started, choice.backend)
    try:
        with ExitStack() as stack:
            _measure(stack, lab, conditions, sizes, options, state, progress)
    except BaseException:
        if state.bench and state.bench.trials:
            aborted = _record(lab, sizes, conditions, state, "aborted")
            results.save(aborted, path.with_suffix(".aborted.json"))
        raise
    record = _record(lab, sizes, conditions, state, "completed")
    results.save(record, path)
    return record, path


def _measure(
    stack: ExitStack,
    lab: Lab,
    conditions: list[Condition],
    sizes: Sequence[int],
    options: Options,
    state: _State,
    progress: Progress,
) -> None:
    progress.stage(f"starting {state.backend}")
    backend = stack.enter_context(open_backend(state.backend))
    offered = capabilities.features_of(state.backend)
    for condition in list(conditions):
        missing = condition.needs - offered
        if missing:
            reason = f"{state.backend} has no {', '.join(sorted(missing))} here"
            state.skipped.append(results.Skipped(condition=condition.name, reason=reason))
            conditions.remove(condition)
    if not conditions:
        raise CannotHereError(
            "no condition can be measured: " + "; ".join(s.reason for s in state.skipped),
            "ask `ppslab doctor` what is missing",
        )
    progress.stage("deploying")
    bench = stand(stack, backend, lab, profiles.load(options.profile), on_trial=progress.trial)
    profile, cpus = bench.profile, bench.cpus
    state.bench = bench
    state.environment = _environment(backend, bench)
    search_sizes = [min(sizes)] if profile.search.sizes == "smallest" else list(sizes)
    progress.plan(_planned(profile, conditions, sizes, search_sizes, cpus))
    order = random.Random(state.seed)

    progress.stage("the tester's own limit")
    state.tester = back_to_back(bench, search_sizes)
    if any(condition.linux.bpf for condition in conditions):
        progress.stage("choosing how to attach the BPF programs")
        state.environment["bpf"] = choose_bpf_modes(bench, conditions, min(sizes))
    progress.stage("cost rounds")
    cost_rounds(bench, conditions, sizes, order)
    if not options.search:
        return
    if not cpus.coupled:
        progress.stage("searching the throughput")
        state.searches, state.tester = searches(
            bench, conditions, search_sizes, state.tester, order
        )
    else:
        why = "tester and router share one CPU here: nothing can overflow, so no loss can be found"
        state.searches = [
            results.Search(condition=c.name, frame_size=size, failed_because=why)
            for c in conditions
            for size in search_sizes
        ]


def _sizes(lab: Lab, options: Options) -> tuple[int, ...]:
    for size in options.sizes:
        if not 64 <= size <= 9216:
            raise UsageError(f"frame size {size}: there are frames of 64 to 9216 bytes")
    return options.sizes or lab.words.frame_sizes


def _planned(
    profile: profiles.Profile,
    conditions: Sequence[Condition],
    sizes: Sequence[int],
    search_sizes: Sequence[int],
    cpus: CpuPlan,
) -> int:
    rounds = profile.cost.rounds + (len(sizes) - 1) * profile.cost.rounds_other_sizes
    trials = rounds * (len(conditions) + 3)
    if not cpus.coupled:
        trials += len(conditions) * len(search_sizes) * SEARCH_TRIALS
    return trials


def _environment(backend: Backend, bench: Bench) -> dict[str, Any]:
    programs = {}
    for name, argv in {"nft": ["nft", "--version"], "iproute2": ["ip", "-V"]}.items():
        answer = bench.router.node.run(argv, check=False)
        programs[name] = answer.stdout.strip() or answer.stderr.strip()
    return {**backend.facts, "programs": programs, "tester": bench.tester.settings}


def _record(
    lab: Lab,
    sizes: Sequence[int],
    conditions: Sequence[Condition],
    state: _State,
    ended: str,
) -> results.Record:
    bench = state.bench
    assert bench is not None
    return results.Record(
        schema=results.SCHEMA,
        id=f"{lab.name}-{state.started:%Y%m%dT%H%M%SZ}-{state.backend}",
        lab=lab.name,
        title=lab.title,
        started=state.started,
        finished=datetime.now(UTC),
        state="completed" if ended == "completed" else "aborted",
        ppslab={"version": ppslab.__version__, "commit": _commit()},
        router={"name": bench.router.name, "cannot_show": bench.router.cannot_show},
        tester=state.tester,
        backend=state.backend,
        environment=state.environment,
        cpus={
            "sender": bench.cpus.sender,
            "router": bench.cpus.router,
            "reader": bench.cpus.reader,
        },
        profile=bench.profile.model_dump(mode="json"),
        deviations=tuple(bench.profile.deviations()),
        seed=state.seed,
        baseline=lab.words.baseline,
        clock=results.clock_of(bench.trials),
        reference=lab.words.reference,
        frame_sizes=tuple(sizes),
        conditions=tuple(_condition(lab, c, bench) for c in conditions),
        skipped=tuple(state.skipped),
        searches=tuple(state.searches),
        trials=tuple(bench.trials),
    )


def _condition(lab: Lab, condition: Condition, bench: Bench) -> results.ConditionRecord:
    program = condition.linux.bpf
    return results.ConditionRecord(
        name=condition.name,
        title=condition.title,
        description=condition.description,
        needs=tuple(sorted(condition.needs)),
        bpf_mode=bench.router.bpf_modes.get(program) if program else None,
        configuration=lab.configuration(condition),
        read_back=bench.read_backs.get(condition.name, ""),
    )


def _commit() -> str:
    """The checkout's commit, with `+` where files differ from it; empty outside of git."""
    root = paths.project_root()
    asked = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=12"]
    try:
        answer = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=10)
    except OSError:
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""
