"""The stages of a run's trials: the tester's limit, BPF modes, cost rounds, searches."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median, median_low
from typing import TYPE_CHECKING, Any

from ppslab.core import measures
from ppslab.core.errors import BackendError
from ppslab.core.measures import Measure
from ppslab.measure.search import Bounds, Key, Measurer, SearchFailedError, interleave, search
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.results import (
    TESTER_SHARE,
    Arrangement,
    Clock,
    GoalResult,
    Purpose,
    Search,
    Tester,
    Trial,
    clock_of,
)
from ppslab.model.validity import lasting, noisy
from ppslab.testbed.routers.linux.router import BPF_MODES, BpfMode

if TYPE_CHECKING:
    from MLRsearch import MeasurementResult

LIMIT_TRIALS = 3
MOST_LIMIT_TRIALS = 8
"""Of the tester's limit, where noise spoils them."""

SEARCHED_IN_NOISE = (
    "A search includes trials that noise spoiled, with their losses: the router may forward more."
)

AGREEING = 0.01
"""The distance from their median at which counts of one condition agree, as a part of its cost
beside the cable: a bridge whose table has two of three stations in a bucket is 3 % from another."""

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
    """True if a condition takes part in a round: its own, and one where its counts disagree.

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
            counted[trial.purpose].append(trial.nanoseconds_each("cpu", threads=True))
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
    """Measure the tester with its ports cabled to each other: median of three trials a size.

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
            trials = _counted_in_noise(tried)
            testbed.remarks.append(
                f"The tester's own limit at {size} bytes comes from trials that noise spoiled: "
                "the tester may send more."
            )
        if not trials:
            why = "; ".join(sorted({reason for trial in tried for reason in trial.invalid_because}))
            raise BackendError(f"the tester alone, {size} bytes: no valid trial: {why}")
        rates[size] = median(trial.forwarding_rate for trial in trials)
    tester = testbed.cable.tester
    return Tester(name=tester.name, version=tester.version(), back_to_back=rates)


def _counted_in_noise(trials: Sequence[Trial]) -> list[Trial]:
    """The trials that nothing but noise spoiled, and in which frames left in some time."""
    return [
        trial
        for trial in trials
        if noisy(trial.causes)
        and trial.counts
        and trial.counts["offered"] > 0
        and trial.counts["send_seconds"] > 0
    ]


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

    def trial(key: tuple[str, int], seconds: float, load: float) -> Trial:
        spec = TrialSpec("search", searched[key], key[1], seconds, load, arrangement="separate")
        return testbed.trial(spec)

    sizes_of = {key: key[1] for key in searched}
    outcomes = search_side_by_side(testbed, sizes_of, trial, tester.back_to_back, order)
    sent = {size: most_sent(testbed.trials, size) for size in sizes}
    tester = tester.model_copy(update={"into_the_router": sent})
    found = []
    for name, size in searched:
        about: dict[str, Any] = {"condition": name, "frame_size": size}
        match outcomes[name, size]:
            case SearchFailedError() as error:
                found.append(Search(**about, failed_because=str(error)))
            case bounds:
                found.append(Search(**about, goals=goals_of(bounds, tester.limit(size) or 0.0)))
    return found, tester


def search_side_by_side(
    testbed: FrameTestbed,
    sizes: Mapping[Key, int],
    trial: Callable[[Key, float, float], Trial],
    cabled: Mapping[int, float],
    order: random.Random,
) -> dict[Key, list[Bounds] | SearchFailedError]:
    """Search the throughput of each key, trial by trial in random order.

    `sizes`: bytes of a frame, by key.  `trial`: runs one, for seconds at frames per second.
    `cabled`: frames per second that the tester carries back to back, by frame size.
    """
    goals = testbed.profile.search

    def measure(key: Key, seconds: float, load: float) -> MeasurementResult:
        return as_counted(in_quiet(testbed, lambda: trial(key, seconds, load)))

    def searching(size: int) -> Callable[[Measurer], list[Bounds]]:
        low, high = max(1.0, LOWEST_LOAD * cabled[size]), HIGHEST_LOAD * cabled[size]
        return lambda ask: search(ask, goals, low, high)

    return interleave({key: searching(size) for key, size in sizes.items()}, measure, order)


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


def goals_of(bounds_of_goals: Sequence[Bounds], limit: float) -> tuple[GoalResult, ...]:
    """Return the results of a search, goal by goal; `limit`: the tester's, in frames per second."""
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
    from MLRsearch import MeasurementResult  # noqa: PLC0415  (slow: see measurement.search)

    if trial.counts is None or not noisy(trial.causes):
        raise SearchFailedError("no valid trial: " + "; ".join(trial.invalid_because))
    return MeasurementResult(
        intended_duration=trial.intended_duration,
        intended_load=trial.intended_load,
        offered_count=trial.counts["offered"],
        forwarding_count=trial.counts["received"],
        intended_count=trial.counts["intended"],
    )


MODE_ROUNDS = 3
"""Valid trials that a mode is judged by."""

MOST_MODE_ROUNDS = 15
"""After so many a mode is judged by what it has: a run has to end on a noisy machine too."""


@dataclass
class _Way:
    """One mode of one program: its trials so far, and why it is ruled out."""

    mode: BpfMode
    rounds: int = MODE_ROUNDS
    trials: list[Trial] = field(default_factory=list)
    ruled_out: str = ""

    @property
    def valid(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.valid]

    @property
    def counted(self) -> list[Trial]:
        """The valid trials; where there is none, those that noise alone spoiled."""
        return self.valid or _counted_in_noise(self.trials)

    @property
    def wants_more(self) -> bool:
        return not self.ruled_out and len(self.valid) < self.rounds


def choose_bpf_modes(
    testbed: FrameTestbed,
    conditions: Sequence[Condition],
    size: int,
    measure: Measure = "timed",
) -> dict[str, str]:
    """Find the way to attach each BPF program that costs least here, by measuring.

    Native XDP on veth is slower than the stack on some kernels and refused on others, so nothing
    is assumed.  Noise never rules a mode out: it is waited for, and the mode comes again in a later
    round; what was valid is kept.  Only the kernel's refusal, a read-back that says no, or a stream
    that is lost in quiet rules one out, a lasting reason.  Sets `testbed.router.bpf_modes`; returns
    for each program and mode what was seen.
    What noise left unsure is among the testbed's remarks too.  BackendError where every mode of a
    program is ruled out.
    """
    seen: dict[str, str] = {}
    # Of what nothing disturbs, one trial says as much as three.
    rounds = 1 if measure == "counted" else MODE_ROUNDS
    # A router without BPF programs has no way to attach one.
    chosen = [c for c in conditions if c.linux.bpf and not c.linux.bpf_mode]
    first = {c.linux.bpf: c for c in reversed(chosen) if testbed.router.mode(c) is not None}
    for program, condition in first.items():
        ways = [_Way(mode, rounds) for mode in BPF_MODES]
        for number in range(MOST_MODE_ROUNDS):
            for way in ways:
                if way.wants_more:
                    _try(testbed, way, condition, size, number)
        clock = clock_of(testbed.trials)
        seen |= {f"{program} {way.mode}": _cost_text(way, clock, measure) for way in ways}
        testbed.router.bpf_modes[str(program)] = _cheapest(testbed, str(program), ways, clock)
    return seen


def _try(testbed: FrameTestbed, way: _Way, condition: Condition, size: int, number: int) -> None:
    seconds = testbed.profile.cost.trial_seconds
    spec = TrialSpec("choose", condition, size, seconds, round_number=number, bpf_mode=way.mode)
    try:
        trial = testbed.trial(spec)
    except BackendError as error:
        way.ruled_out = f"refused: {str(error).splitlines()[-1]}"
        return
    way.trials.append(trial)
    if lasting(trial.causes):
        way.ruled_out = f"unusable: {'; '.join(trial.invalid_because)}"


def _cheapest(testbed: FrameTestbed, program: str, ways: Sequence[_Way], clock: Clock) -> BpfMode:
    """The cheapest of the modes that are not ruled out; valid trials before noisy ones."""
    left = [way for way in ways if not way.ruled_out]
    if not left:
        raise BackendError(
            f"the BPF program {program} cannot run here: "
            + "; ".join(f"{way.mode}: {way.ruled_out}" for way in ways)
        )
    unsure = [way.mode for way in left if not way.valid]
    counted = [way for way in left if way.counted]
    if unsure:
        testbed.remarks.append(
            f"Noise may have affected how {program} is attached: {MOST_MODE_ROUNDS} rounds had no "
            f"quiet trial of {', '.join(unsure)}."
        )
    return min(counted, key=lambda way: _cost(way, clock)).mode if counted else left[0].mode


def _cost(way: _Way, clock: Clock) -> float:
    return median(trial.nanoseconds_each(clock) for trial in way.counted)


def _cost_text(way: _Way, clock: Clock, measure: Measure) -> str:
    if way.ruled_out:
        return way.ruled_out
    if not way.counted:
        return "not measured: every trial was spoiled by noise"
    cost = measures.of_nanoseconds(_cost(way, clock), measure)
    cost_text = f"{cost:.0f} {measures.unit(measure)} per packet, tester included"
    return cost_text if way.valid else f"{cost_text}, in noise"
