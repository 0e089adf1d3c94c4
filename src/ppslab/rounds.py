"""The stages of a run's trials: choose the fast path, the tester's limit, cost rounds, searches."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import median

from MLRsearch import MeasurementResult

from ppslab.calibration import TESTER_SHARE
from ppslab.errors import BackendError
from ppslab.lab import Condition, Lab
from ppslab.results import (
    Arrangement,
    GoalResult,
    Purpose,
    Search,
    Tester,
    Trial,
    clock_of,
)
from ppslab.routers.linux import BPF_MODES, BpfMode
from ppslab.search import Bounds, SearchFailedError, interleave, search
from ppslab.trial import Bench, Wanted

CHOOSING_ROUNDS = 3
LIMIT_TRIALS = 3

NOISE = ("CPU steal", "tester late", "tester sent")
"""Invalidities of the moment, not of the router."""

LOWEST_LOAD = 0.002
HIGHEST_LOAD = 2.0
"""Between which loads a search looks, as shares of what the tester carries back to back."""


def choose_bpf_modes(bench: Bench, conditions: Sequence[Condition], size: int) -> dict[str, str]:
    """Find the way to attach each BPF program that costs least here, by measuring.

    Native XDP on veth is slower than the stack on some kernels and refused on others, so nothing
    is assumed.  Sets `bench.router.bpf_modes`; returns for each program and mode what was seen.
    """
    seen: dict[str, str] = {}
    # A router without BPF programs has no way to attach one.
    chosen = [c for c in conditions if c.linux.bpf and not c.linux.bpf_mode]
    first = {c.linux.bpf: c for c in reversed(chosen) if bench.router.mode(c) is not None}
    for program, condition in first.items():
        tried: dict[BpfMode, list[Trial]] = {mode: [] for mode in BPF_MODES}
        for number in range(CHOOSING_ROUNDS):
            for mode in list(tried):
                try:
                    seconds = bench.profile.cost.trial_seconds
                    wanted = Wanted(
                        "choose", condition, size, seconds, round_number=number, bpf_mode=mode
                    )
                    trial = bench.trial(wanted)
                except BackendError as error:
                    seen[f"{program} {mode}"] = f"refused: {str(error).splitlines()[-1]}"
                    del tried[mode]
                    continue
                if trial.valid:
                    tried[mode].append(trial)
                else:
                    seen[f"{program} {mode}"] = f"unusable: {'; '.join(trial.invalid_because)}"
                    del tried[mode]
        clock = clock_of(bench.trials)
        medians = {
            mode: median(trial.nanoseconds_each(clock) for trial in trials)
            for mode, trials in tried.items()
            if trials
        }
        if not medians:
            raise BackendError(
                f"the BPF program {program} runs in no way here: "
                + "; ".join(f"{way}: {said}" for way, said in seen.items())
            )
        for mode, value in medians.items():
            seen[f"{program} {mode}"] = f"{value:.0f} ns per packet, tester included"
        bench.router.bpf_modes[str(program)] = min(medians, key=lambda mode: medians[mode])
    return seen


def cost_rounds(
    bench: Bench, conditions: Sequence[Condition], sizes: Sequence[int], order: random.Random
) -> None:
    """Paired rounds in random order: every condition, both baselines and the A/A trial.

    What stands is measured at all sizes before the next one is set up: to set up the nodes of a
    tunnel takes longer than to measure it.  The rounds end when no condition wants any more.
    """
    cost = bench.profile.cost
    reference = next((c for c in conditions if c.name == bench.lab.words.reference), None)
    rounds = {s: cost.rounds if s == min(sizes) else cost.rounds_other_sizes for s in sizes}
    arrangement: Arrangement = "separate" if bench.router.apart else "coupled"
    for number in range(max(rounds.values())):
        slots: list[tuple[Purpose, Condition | None]] = [
            ("cost", c) for c in conditions if c.rounds is None or number < c.rounds
        ]
        # The work of a router apart is not in the sender's time: there is nothing to subtract.
        if not bench.router.apart:
            slots += [("cable", None), ("drop", None)]
        if reference:
            slots.append(("null", reference))
        if not any(purpose == "cost" for purpose, _ in slots):
            break
        order.shuffle(slots)
        now = [size for size in sizes if number < rounds[size]]
        for purpose, condition in slots:
            order.shuffle(now)
            for size in now:
                if condition and not _measured_at(bench.lab, condition, size):
                    continue
                wanted = Wanted(
                    purpose,
                    condition,
                    size,
                    cost.trial_seconds,
                    arrangement=arrangement,
                    round_number=number,
                )
                bench.trial(wanted)


def _measured_at(lab: Lab, condition: Condition, size: int) -> bool:
    """A condition's own sizes are its only ones, and no other condition's."""
    if condition.sizes:
        return size in condition.sizes
    others = {own for other in lab.words.conditions for own in other.sizes}
    return size in lab.words.frame_sizes or size not in others


def back_to_back(bench: Bench, sizes: Sequence[int]) -> Tester:
    """What the tester carries with its ports cabled to each other: median of three trials a size.

    The receiving half runs on the CPU that the router will have, as it will in the searches.
    """
    arrangement: Arrangement = "coupled" if bench.cpus.coupled else "separate"
    seconds = bench.profile.cost.trial_seconds
    rates: dict[int, float] = {}
    for size in sizes:
        wanted = Wanted("tester", None, size, seconds, arrangement=arrangement)
        tried = [bench.trial(wanted) for _ in range(LIMIT_TRIALS)]
        trials = [trial for trial in tried if trial.valid]
        if not trials:
            why = "; ".join(sorted({said for trial in tried for said in trial.invalid_because}))
            raise BackendError(f"the tester alone, {size} bytes: no valid trial: {why}")
        rates[size] = median(trial.forwarding_rate for trial in trials)
    tester = bench.cable.tester
    return Tester(name=tester.name, version=tester.version(), back_to_back=rates)


def searches(
    bench: Bench,
    conditions: Sequence[Condition],
    sizes: Sequence[int],
    tester: Tester,
    order: random.Random,
) -> tuple[list[Search], Tester]:
    """Search every condition's throughput at every size, side by side, trial by trial.

    `tester`: what it carries back to back; returned with what it was seen to send into a router.
    """
    wanted = {(c.name, size): c for c in conditions for size in sizes}
    words = bench.profile.search
    cabled = tester.back_to_back

    def measure(key: tuple[str, int], seconds: float, load: float) -> MeasurementResult:
        condition, size = wanted[key], key[1]
        return as_counted(
            bench.trial(Wanted("search", condition, size, seconds, load, arrangement="separate"))
        )

    found = interleave(
        {
            key: lambda ask, size=key[1]: search(  # type: ignore[misc]
                ask, words, max(1.0, LOWEST_LOAD * cabled[size]), HIGHEST_LOAD * cabled[size]
            )
            for key in wanted
        },
        measure,
        order,
    )
    sent = {size: most_sent(bench.trials, size) for size in sizes}
    tester = tester.model_copy(update={"into_the_router": sent})
    return [_found(name, size, found[name, size], tester) for name, size in wanted], tester


def most_sent(trials: Sequence[Trial], size: int) -> float:
    """The highest rate at which frames left the tester, also those that the router refused."""
    counted = [
        trial.counts
        for trial in trials
        if trial.purpose == "search" and trial.frame_size == size and trial.counts
    ]
    # A tester that came too late to send has sent in no time: that is no rate.
    rates = [
        (counts["offered"] + (counts["refused"] or 0)) / counts["send_seconds"]
        for counts in counted
        if counts["send_seconds"] > 0
    ]
    return max(rates, default=0.0)


def _found(
    name: str, size: int, result: list[Bounds] | SearchFailedError, tester: Tester
) -> Search:
    if isinstance(result, SearchFailedError):
        return Search(condition=name, frame_size=size, failed_because=str(result))
    goals = goals_of(result, tester.limit(size) or 0.0)
    return Search(condition=name, frame_size=size, goals=goals)


def goals_of(found: Sequence[Bounds], limit: float) -> tuple[GoalResult, ...]:
    """What a search found, goal by goal; `limit`: what the tester can, in frames per second."""
    return tuple(
        GoalResult(
            loss_ratio=bounds.loss_ratio,
            throughput=bounds.throughput,
            lower_bound=bounds.lower,
            upper_bound=bounds.upper,
            tester_limited=bounds.throughput is not None
            and bounds.throughput >= TESTER_SHARE * limit,
        )
        for bounds in found
    )


def as_counted(trial: Trial) -> MeasurementResult:
    """The trial as MLRsearch counts it: frames not sent are lost frames.

    A trial that stayed noisy through all its repeats still counts: the goals' exceed ratio is made
    for such.  SearchFailedError where there is nothing to count, or the router was another.
    """
    noisy = all(said.startswith(NOISE) for said in trial.invalid_because)
    if trial.counts is None or not noisy:
        raise SearchFailedError("no valid trial: " + "; ".join(trial.invalid_because))
    return MeasurementResult(
        intended_duration=trial.intended_seconds,
        intended_load=trial.intended_rate,
        offered_count=trial.counts["offered"],
        forwarding_count=trial.counts["received"],
        intended_count=trial.counts["intended"],
    )
