"""The stages of a run's trials: the tester's limit, cost rounds, searches."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from statistics import median, median_low
from typing import TYPE_CHECKING

from ppslab.base.errors import BackendError
from ppslab.lab.lab import Condition, Lab
from ppslab.measurement.search.search import Bounds, SearchFailedError, interleave, search
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.results import (
    Arrangement,
    GoalResult,
    Purpose,
    Search,
    Tester,
    Trial,
)
from ppslab.theory.recorded import TESTER_SHARE, nanoseconds_each
from ppslab.theory.validity import noisy

if TYPE_CHECKING:
    from MLRsearch import MeasurementResult

LIMIT_TRIALS = 3
MOST_LIMIT_TRIALS = 8
"""Of the tester's limit, where noise spoils them."""

SEARCHED_IN_NOISE = (
    "A search counted trials that noise spoiled, and what was lost in them: the router may carry "
    "more."
)

AGREEING = 0.01
"""How far from their median counts of one condition agree, as a part of its cost beside the cable:
a bridge whose table has two of three stations in a bucket is 3 % from another."""

LEAD = 3
"""By how many the counts that agree outnumber the others before a condition has its cost.  Of a
bridge that is another in one round of six, three rounds would find the wrong cost in one run of
fourteen; so many more find it in one of a hundred."""

MOST_ROUNDS = 3
"""Times the profile's rounds, at most, for a condition whose counts are apart."""

LOWEST_LOAD = 0.002
HIGHEST_LOAD = 2.0
"""Between which loads a search looks, as shares of what the tester carries back to back."""


def cost_rounds(
    testbed: FrameTestbed,
    conditions: Sequence[Condition],
    sizes: Sequence[int],
    order: random.Random,
) -> None:
    """Paired rounds in random order: every condition, both baselines and the A/A trial.

    Each condition is measured at all sizes before the next one is set up, because setting up the
    nodes of a tunnel takes longer than measuring it.  The rounds end when no condition needs more:
    one whose counts are apart is measured in more of them, with the baselines.
    In every round the cable is measured while the router is in the reference condition.
    """
    cost = testbed.profile.cost
    reference = next((c for c in conditions if c.name == testbed.lab.spec.reference), None)
    rounds = {s: cost.rounds if s == min(sizes) else cost.rounds_other_sizes for s in sizes}
    arrangement: Arrangement = "separate" if testbed.router.is_external else "coupled"
    most = max(rounds.values())
    for number in range(most * MOST_ROUNDS if testbed.counted else most):
        wanted = {
            c.name: [
                size
                for size in sizes
                if _measured_at(testbed.lab, c, size)
                and _wants(testbed, c, size, number, (rounds[size], most))
            ]
            for c in conditions
        }
        now = [s for s in sizes if number < rounds[s] or any(s in of for of in wanted.values())]
        if not any(wanted.values()):
            break
        slots: list[tuple[Purpose, Condition | None, list[int]]] = [
            ("cost", c, wanted[c.name]) for c in conditions if wanted[c.name]
        ]
        # The work of an external router is not in the sender's time: there is nothing to subtract.
        if not testbed.router.is_external:
            slots.append(("drop", None, now))
        if reference:
            own = [
                size
                for size in now
                if number < rounds[size] and _measured_at(testbed.lab, reference, size)
            ]
            slots.append(("a-a", reference, own))
        order.shuffle(slots)
        standing = reference or conditions[0]
        if not testbed.router.is_external:
            place = [slot[1] for slot in slots].index(standing) if reference else -1
            slots.insert(place + 1, ("cable", None, now))
        for purpose, condition, of in slots:
            for size in order.sample(of, len(of)):
                spec = TrialSpec(
                    purpose,
                    condition,
                    size,
                    cost.trial_seconds,
                    arrangement=arrangement,
                    round_number=number,
                    standing=standing if purpose == "cable" else None,
                )
                testbed.trial(spec)


def _wants(
    testbed: FrameTestbed, condition: Condition, size: int, number: int, rounds: tuple[int, int]
) -> bool:
    """Whether a condition takes part in a round: in its own, and where its counts are not one.

    `rounds`: the profile's, at this size and at most.
    """
    own = testbed.lab.rounds(condition)
    due = rounds[0] if own is None else min(own, rounds[0])
    if number < due or not due or not testbed.counted:
        return number < due
    counted: dict[Purpose, list[float]] = {"cost": [], "cable": []}
    for trial in testbed.trials:
        if trial.purpose not in counted or not trial.valid or not trial.counts:
            continue
        if trial.frame_size == size and trial.condition in (None, condition.name):
            counted[trial.purpose].append(nanoseconds_each(trial.counts, "cpu", threads=True))
    costs = counted["cost"]
    if len(costs) < due:
        return number < rounds[1]
    middle, cable = median_low(costs), median(counted["cable"] or [0.0])
    near = AGREEING * abs(middle - cable)
    agree = sum(abs(cost - middle) <= near for cost in costs)
    return agree - (len(costs) - agree) < min(due, LEAD)


def _measured_at(lab: Lab, condition: Condition, size: int) -> bool:
    """A condition's own sizes are its only ones, and no other condition's."""
    if condition.sizes:
        return size in condition.sizes
    others = {own for other in lab.spec.conditions for own in other.sizes}
    return size in lab.spec.frame_sizes or size not in others


def back_to_back(testbed: FrameTestbed, sizes: Sequence[int]) -> Tester:
    """What the tester carries with its ports cabled to each other: median of three trials a size.

    The receiving half runs on the CPU that the router will have, as it will in the searches.
    """
    arrangement: Arrangement = "coupled" if testbed.cpus.coupled else "separate"
    seconds = testbed.profile.cost.trial_seconds
    rates: dict[int, float] = {}
    for size in sizes:
        spec = TrialSpec("tester", None, size, seconds, arrangement=arrangement)
        tried: list[Trial] = []
        while sum(trial.valid for trial in tried) < LIMIT_TRIALS and len(tried) < MOST_LIMIT_TRIALS:
            tried.append(testbed.trial(spec))
            if len(tried) >= LIMIT_TRIALS and not noisy(tried[-1].causes):
                break
        trials = [trial for trial in tried if trial.valid]
        if not trials:
            trials = [trial for trial in tried if _counted_in_noise(trial)]
            testbed.remarks.append(
                f"The tester's own limit at {size} bytes comes from trials that noise spoiled: "
                "it can carry more."
            )
        if not trials:
            why = "; ".join(sorted({reason for trial in tried for reason in trial.invalid_because}))
            raise BackendError(f"the tester alone, {size} bytes: no valid trial: {why}")
        rates[size] = median(trial.forwarding_rate for trial in trials)
    tester = testbed.cable.tester
    return Tester(name=tester.name, version=tester.version(), back_to_back=rates)


def _counted_in_noise(trial: Trial) -> bool:
    """Whether frames passed in some time, and nothing but noise spoiled the trial."""
    return noisy(trial.causes) and trial.counts is not None and trial.counts["send_seconds"] > 0


def searches(
    testbed: FrameTestbed,
    conditions: Sequence[Condition],
    sizes: Sequence[int],
    tester: Tester,
    order: random.Random,
) -> tuple[list[Search], Tester]:
    """Search every condition's throughput at every size, side by side, trial by trial.

    `tester`: what it carries back to back; returned with what it was seen to send into a router.
    """
    searched = {(c.name, size): c for c in conditions for size in sizes}
    goals = testbed.profile.search
    cabled = tester.back_to_back

    def measure(key: tuple[str, int], seconds: float, load: float) -> MeasurementResult:
        condition, size = searched[key], key[1]
        spec = TrialSpec("search", condition, size, seconds, load, arrangement="separate")
        return as_counted(in_quiet(testbed, lambda: testbed.trial(spec)))

    outcomes = interleave(
        {
            key: lambda ask, size=key[1]: search(  # type: ignore[misc]
                ask, goals, max(1.0, LOWEST_LOAD * cabled[size]), HIGHEST_LOAD * cabled[size]
            )
            for key in searched
        },
        measure,
        order,
    )
    sent = {size: most_sent(testbed.trials, size) for size in sizes}
    tester = tester.model_copy(update={"into_the_router": sent})
    return [_found(name, size, outcomes[name, size], tester) for name, size in searched], tester


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


def goals_of(bounds_of_goals: Sequence[Bounds], limit: float) -> tuple[GoalResult, ...]:
    """What a search found, goal by goal; `limit`: what the tester can, in frames per second."""
    return tuple(
        GoalResult(
            loss_ratio=bounds.loss_ratio,
            conditional_throughput=bounds.conditional_throughput,
            relevant_lower_bound=bounds.relevant_lower_bound,
            relevant_upper_bound=bounds.relevant_upper_bound,
            tester_limited=bounds.conditional_throughput is not None
            and bounds.conditional_throughput >= TESTER_SHARE * limit,
        )
        for bounds in bounds_of_goals
    )


def in_quiet(testbed: FrameTestbed, ask: Callable[[], Trial]) -> Trial:
    """A search's trial, asked for until it is not noisy, or the testbed's patience is at its end.

    What a router lost in noise says nothing of it, so a record says where it counted all the same.
    """
    trial = testbed.patience.outlast(ask)
    if not trial.valid and noisy(trial.causes) and SEARCHED_IN_NOISE not in testbed.remarks:
        testbed.remarks.append(SEARCHED_IN_NOISE)
    return trial


def as_counted(trial: Trial) -> MeasurementResult:
    """The trial as MLRsearch counts it: frames not sent are lost frames.

    A trial that stayed noisy as long as there was patience still counts: the goals' exceed ratio is
    made for such.  SearchFailedError where there is nothing to count, or the router was another.
    """
    from MLRsearch import MeasurementResult  # noqa: PLC0415  (slow: see measurement.search.search)

    if trial.counts is None or not noisy(trial.causes):
        raise SearchFailedError("no valid trial: " + "; ".join(trial.invalid_because))
    return MeasurementResult(
        intended_duration=trial.intended_duration,
        intended_load=trial.intended_load,
        offered_count=trial.counts["offered"],
        forwarding_count=trial.counts["received"],
        intended_count=trial.counts["intended"],
    )
