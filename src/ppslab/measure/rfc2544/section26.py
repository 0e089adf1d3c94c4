"""The tests of RFC 2544 section 26, one function a test, in the order of the RFC.

Each takes the stage and the subjects, and returns the rows of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from statistics import mean, median

from ppslab.measure import calibration
from ppslab.measure.rfc2544.stage import Stage, UnderTest, why_invalid
from ppslab.measure.rounds import goals_of, search_side_by_side
from ppslab.measure.search import Bounds, SearchFailedError
from ppslab.measure.trial import every_frame
from ppslab.model.lab.profiles import (
    BackToBackSpec,
    FrameLossSpec,
    LatencySpec,
    RecoverySpec,
    ResetSpec,
)
from ppslab.model.results import (
    BackToBack,
    Delays,
    FrameLoss,
    Latency,
    Percentile,
    Recovery,
    Reset,
    Throughput,
    Trial,
    Variation,
    shapes,
)
from ppslab.model.validity import Cause
from ppslab.testbed.testers.contract import Step
from ppslab.testbed.testers.counts import TrialCounts

# Section 26.1: the throughput, by MLRsearch, all subjects side by side.


@dataclass
class Searched:
    """A search: its result, and what it took, in trials and in seconds of traffic."""

    bounds: list[Bounds] | SearchFailedError | None = None
    """The bounds, or why there are none; None: it has not ended."""
    trials: int = 0
    seconds: float = 0.0


def search_throughput(
    stage: Stage, subjects: Sequence[UnderTest], cabled: Mapping[int, float]
) -> dict[UnderTest, Searched]:
    """Search every subject.

    `cabled`: frames per second that the tester carries back to back, by frame size.
    """
    searched = {subject: Searched() for subject in subjects}

    def trial(subject: UnderTest, seconds: float, load: float) -> Trial:
        searched[subject].trials += 1
        searched[subject].seconds += seconds
        return stage.trial(subject, "search", seconds, load)

    sizes = {subject: subject.size for subject in subjects}
    outcomes = search_side_by_side(stage.testbed, sizes, trial, cabled, stage.order)
    for subject, bounds in outcomes.items():
        searched[subject].bounds = bounds
    return searched


def throughput(stage: Stage, searched: Mapping[UnderTest, Searched]) -> list[Throughput]:
    """The searches as a record has them; notes the lossless throughput of each in the stage."""
    rows = []
    for subject, search in searched.items():
        fields = {
            **subject.subject_fields(),
            "trials": search.trials,
            "seconds": round(search.seconds, 6),
        }
        if not isinstance(search.bounds, list):
            rows.append(Throughput(**fields, failed_because=str(search.bounds)))
            continue
        goals = goals_of(search.bounds, stage.maximum[subject.size])
        lossless = goals[0].conditional_throughput
        if lossless is not None and lossless > 0:
            stage.lossless[subject] = lossless
        rows.append(Throughput(**fields, goals=goals))
    return rows


# Section 26.2: latency at the throughput and below it, from every frame.

MOST_KEPT = 10_000_000
"""Frames of a trial that are kept one by one (320 MB); longer trials are counted by the tester."""


def latency(stage: Stage, subjects: Sequence[UnderTest], spec: LatencySpec) -> list[Latency]:
    """Every subject at every share of its throughput, `repeats` times, in random order."""
    loads = [
        (subject, share)
        for subject in subjects
        if subject in stage.lossless
        for share in spec.shares
    ]
    trials: dict[tuple[UnderTest, float], list[Trial]] = {key: [] for key in loads}
    tasks = loads * spec.repeats
    stage.order.shuffle(tasks)
    for subject, share in tasks:
        rate = share * stage.lossless[subject]
        keep = stage.can("every frame") and rate * spec.seconds <= MOST_KEPT
        trials[subject, share].append(
            stage.trial(subject, "latency", spec.seconds, rate, keep_frames=keep)
        )
    return [latency_row(stage, subject, share, trials[subject, share]) for subject, share in loads]


def latency_row(stage: Stage, subject: UnderTest, share: float, trials: Sequence[Trial]) -> Latency:
    """The trials of one subject at one rate as a record has them."""
    rate = share * stage.lossless[subject]
    good = [trial for trial in trials if trial.valid]
    frames = [trial.every_frame for trial in good if trial.every_frame]
    whole = len(frames) == len(good)
    counts = [trial.counts for trial in good if trial.counts]
    medians = [count["delay_ns"]["p50"] for count in counts]
    return Latency(
        **subject.subject_fields(),
        share=share,
        rate=rate,
        trials=tuple(trial.number for trial in trials),
        from_intended=_delays(
            [f.from_intended for f in frames], [c["delay_ns"] for c in counts], whole
        ),
        from_actual=_delays(
            [f.from_actual for f in frames], [c["delay_actual_ns"] for c in counts], whole
        ),
        pdv=_typical([f.pdv for f in frames]),
        ipdv=_typical([f.ipdv for f in frames]),
        medians_ns=tuple(ns for ns in medians if ns is not None),
        reordered=_sum([c["reordered"] for c in counts]),
        duplicates=_sum([c["duplicates"] for c in counts]),
        lost=sum(c["intended"] - c["received"] for c in counts),
        resolution_ns=calibration.delay_resolution(stage.calibration, rate=rate),
        invalid_because=() if good else why_invalid(trials),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    """None where the tester does not count it."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _delays(kept: Sequence[Delays], counted: Sequence[shapes.DelayShape], whole: bool) -> Delays:
    """Of all frames of all trials: from their histograms, else from what the tester printed."""
    if whole:
        return every_frame.merge(kept)
    printed = [as_printed(delays) for delays in counted]
    printed = [delay for delay in printed if delay.count]
    if not printed:
        return Delays(count=0, min=None, mean=None, max=None)
    total = sum(delay.count for delay in printed)
    # Percentiles of several trials cannot be merged without their histograms: the median one.
    shares = [p.share for p in printed[0].percentiles]
    at = {
        share: median(p.ns for d in printed for p in d.percentiles if p.share == share)
        for share in shares
    }
    return Delays(
        count=total,
        min=min(d.min for d in printed if d.min is not None),
        mean=sum((d.mean or 0.0) * d.count for d in printed) / total,
        max=max(d.max for d in printed if d.max is not None),
        percentiles=tuple(
            Percentile(share=share, ns=round(ns), beyond=round(total * (1 - share)))
            for share, ns in at.items()
        ),
    )


_PRINTED: tuple[tuple[shapes.DelayWord, float], ...] = (
    ("p50", 0.5),
    ("p90", 0.9),
    ("p99", 0.99),
    ("p999", 0.999),
)


def as_printed(printed: shapes.DelayShape) -> Delays:
    """The delays as the tester printed them."""
    number, least, most = printed["count"], printed["min"], printed["max"]
    if not number or least is None or most is None:
        return Delays(count=0, min=None, mean=None, max=None)
    at = {share: printed[name] for name, share in _PRINTED}
    return Delays(
        count=number,
        min=int(least),
        mean=printed["mean"],
        max=int(most),
        percentiles=tuple(
            Percentile(share=share, ns=round(ns), beyond=round(number * (1 - share)))
            for share, ns in at.items()
            if ns is not None
        ),
    )


def _typical(variations: Sequence[Variation]) -> Variation:
    """Of several trials: the median trial at each share (RFC 8219 sections 7.2 and 7.3)."""
    seen = [variation for variation in variations if variation.count]
    if not seen:
        return Variation(count=0)
    least = [v.min for v in seen if v.min is not None]
    most = [v.max for v in seen if v.max is not None]
    return Variation(
        count=sum(variation.count for variation in seen),
        at={
            share: round(median(v.at[share] for v in seen if share in v.at)) for share in seen[0].at
        },
        min=min(least, default=None),
        max=max(most, default=None),
    )


# Section 26.3: the frame loss rate, from the maximum rate down to no loss.

LOSSLESS_IN_A_ROW = 2
"""The curve ends at the second lossless trial in a row."""


def frame_loss(stage: Stage, subjects: Sequence[UnderTest], spec: FrameLossSpec) -> list[FrameLoss]:
    """The curve of every subject, step by step side by side."""
    points: list[FrameLoss] = []
    lossless = dict.fromkeys(subjects, 0)
    for number in range(round(1 / spec.step)):
        share = 1 - number * spec.step
        for subject in stage.shuffled([s for s in subjects if lossless[s] < LOSSLESS_IN_A_ROW]):
            rate = share * stage.maximum[subject.size]
            trial = stage.trial(subject, "frame-loss", spec.seconds, rate)
            point = frame_loss_row(subject, share, rate, trial)
            points.append(point)
            lossless[subject] = lossless[subject] + 1 if point.loss_ratio == 0 else 0
    order = {subject: number for number, subject in enumerate(subjects)}
    key = {tuple(s.subject_fields().values()): order[s] for s in subjects}
    return sorted(
        points, key=lambda p: (key[p.condition, p.frame_size, p.family, p.direction], -p.share)
    )


def frame_loss_row(subject: UnderTest, share: float, rate: float, trial: Trial) -> FrameLoss:
    """One point as a record has it.  Frames that were due and not sent count as lost."""
    fields = {
        **subject.subject_fields(),
        "share": round(share, 6),
        "rate": rate,
        "trials": (trial.number,),
    }
    if not trial.valid or trial.counts is None:
        return FrameLoss(**fields, loss_ratio=None, invalid_because=why_invalid([trial]))
    counts = TrialCounts.of(trial.counts)
    return FrameLoss(
        **fields,
        loss_ratio=counts.loss_ratio,
        offered_rate=counts.offered / counts.send_seconds,
        forwarding_rate=trial.forwarding_rate,
    )


# Section 26.4 with RFC 9004: the longest burst without loss, and its buffer.

SHORTEST = 16
"""Frames: a shorter burst is gone before the tester's clock has moved enough to pace it."""

TOO_FAST = "the tester limits its throughput, so no buffer can fill (RFC 9004 section 6.1)"


class _SpoiledError(Exception):
    """A trial that stayed invalid: whether its burst passes is not known."""


def back_to_back(
    stage: Stage, subjects: Sequence[UnderTest], spec: BackToBackSpec
) -> list[BackToBack]:
    """Every subject's longest lossless burst at the tester's highest rate, repeat by repeat.

    A spoiled trial is no answer: its repeat has no burst, rather than one that is too short.
    """
    bursts: dict[UnderTest, list[int]] = {subject: [] for subject in subjects}
    trials: dict[UnderTest, list[Trial]] = {subject: [] for subject in subjects}
    able = [s for s in subjects if s in stage.lossless and not stage.limited(s, stage.lossless[s])]
    for _ in range(spec.repeats):
        for subject in stage.shuffled(able):
            rate = stage.maximum[subject.size]

            def passes(frames: int, subject: UnderTest = subject, rate: float = rate) -> bool:
                trial = stage.testbed.patience.outlast(
                    lambda: stage.trial(subject, "back-to-back", frames / rate, rate)
                )
                trials[subject].append(trial)
                answer = passed(trial, frames)
                if answer is None:
                    raise _SpoiledError
                return answer

            longest = round(spec.seconds * rate)
            with suppress(_SpoiledError):
                bursts[subject].append(longest_burst(passes, longest, spec.resolution))
    return [_burst_row(stage, s, bursts[s], trials[s], spec.seconds) for s in subjects]


def passed(trial: Trial, frames: int) -> bool | None:
    """True if a burst of so many frames passed; None for a spoiled trial."""
    counts = trial.counts
    if counts is None:
        return None
    if trial.valid:
        return counts["received"] >= frames
    # For what the receiver had no room it had passed; what is missing beside that had not.
    missing = counts["offered"] - counts["received"] - (counts["kernel_drops"] or 0)
    return False if missing > 0 and set(trial.causes) == {Cause.RECEIVER_DROPPED} else None


def longest_burst(passes: Callable[[int], bool], longest: int, resolution: float) -> int:
    """The longest burst, in frames, that passed: binary search without loss verification.

    It ends where the bounds lie within `resolution` of the upper one.  0: not even the shortest
    burst passed; `longest` where that one did.
    """
    if passes(longest):
        return longest
    low, high = 0, longest
    # Bursts are thousands of frames and `longest` is a million: from below, by doubling.
    burst = SHORTEST
    while burst < high and passes(burst):
        low, burst = burst, 4 * burst
    high = min(high, burst)
    while high - low > max(1, resolution * high):
        middle = (low + high) // 2
        low, high = (middle, high) if passes(middle) else (low, middle)
    return low


def _burst_row(
    stage: Stage, subject: UnderTest, bursts: list[int], trials: list[Trial], seconds: float
) -> BackToBack:
    rate = stage.maximum[subject.size]
    longest = round(seconds * rate)
    throughput = stage.lossless.get(subject)
    implied = corrected = why = None
    if throughput is None:
        why = "it has no throughput without loss"
    elif not bursts:
        why = "; ".join(why_invalid(trials)) if trials else TOO_FAST
    elif max(bursts) >= longest:
        why = f"a burst of {longest} frames, the longest that was sent, was not lost"
    else:
        implied = mean(bursts) / rate
        corrected = implied * (1 - throughput / rate)
    return BackToBack(
        **subject.subject_fields(),
        rate=rate,
        bursts=tuple(bursts),
        longest_tried=longest,
        implied_buffer_seconds=implied,
        corrected_buffer_seconds=corrected,
        why_none=why,
        trials=tuple(trial.number for trial in trials),
    )


# Section 26.5: how long a router goes on losing frames after an overload.

OVERLOAD = 1.1
AFTERWARDS = 0.5
"""Of the overload: the load at which the router is to recover."""

RECOVERED = 0.95
"""Share of the second load, in the rest of which a recovered router loses no frame."""


def recovery(stage: Stage, subjects: Sequence[UnderTest], spec: RecoverySpec) -> list[Recovery]:
    """Every subject overloaded by a tenth, then at half of that, `repeats` times."""
    seconds: dict[UnderTest, list[float]] = {subject: [] for subject in subjects}
    trials: dict[UnderTest, list[Trial]] = {subject: [] for subject in subjects}
    lasting = dict.fromkeys(subjects, 0)
    why: dict[UnderTest, str] = {}
    for subject in subjects:
        if not stage.can("every frame", "second step"):
            why[subject] = f"{stage.testbed.tester.name} cannot change its load within a trial"
        elif subject not in stage.lossless:
            why[subject] = "it has no throughput without loss"
        elif stage.limited(subject, OVERLOAD * stage.lossless[subject]):
            why[subject] = "the tester cannot overload it by 10 %"
    for _ in range(spec.repeats):
        for subject in stage.shuffled([s for s in subjects if s not in why]):
            rate = OVERLOAD * stage.lossless[subject]
            then = Step(AFTERWARDS * rate, spec.after_seconds)
            trial = stage.trial(
                subject, "recovery", spec.seconds, rate, then=then, keep_frames=True
            )
            trials[subject].append(trial)
            if trial.valid and trial.every_frame:
                last = trial.every_frame.last_lost_seconds or 0.0
                if last < spec.seconds + RECOVERED * spec.after_seconds:
                    seconds[subject].append(max(0.0, last - spec.seconds))
                else:
                    lasting[subject] += 1
    for subject in subjects:
        if subject not in why and lasting[subject] and not seconds[subject]:
            why[subject] = "frames were lost up to the end of each trial"
        elif subject not in why and not seconds[subject]:
            why[subject] = "; ".join(why_invalid(trials[subject]))
    return [
        Recovery(
            **subject.subject_fields(),
            overload_rate=OVERLOAD * stage.lossless.get(subject, 0.0),
            recovery_rate=AFTERWARDS * OVERLOAD * stage.lossless.get(subject, 0.0),
            seconds=tuple(seconds[subject]),
            not_recovered=lasting[subject],
            why_none=why.get(subject),
            trials=tuple(trial.number for trial in trials[subject]),
        )
        for subject in subjects
    ]


# Section 26.6 with RFC 6201: how long a reset keeps the router from forwarding.

INTO_THE_STREAM = 0.4
"""The share of a stream after which the reset begins: it must end inside the stream too."""

MISSED = "no frame was lost: the reset did not happen during the stream"


def reset(stage: Stage, subjects: Sequence[UnderTest], spec: ResetSpec) -> list[Reset]:
    """Every subject at its smallest frame size, `repeats` times."""
    smallest = {s.condition.name: min(t.size for t in subjects) for s in subjects}
    chosen = [s for s in subjects if s.size == smallest[s.condition.name]]
    by_loss: dict[UnderTest, list[float]] = {subject: [] for subject in chosen}
    by_time: dict[UnderTest, list[float]] = {subject: [] for subject in chosen}
    trials: dict[UnderTest, list[Trial]] = {subject: [] for subject in chosen}
    router = stage.testbed.router
    for _ in range(spec.repeats):
        for subject in stage.shuffled([s for s in chosen if s in stage.lossless]):
            rate = spec.share * stage.lossless[subject]

            def reset(subject: UnderTest = subject) -> None:
                router.reset(subject.condition)

            trial = stage.trial(
                subject,
                "reset",
                spec.seconds,
                rate,
                keep_frames=stage.can("every frame"),
                meanwhile=(INTO_THE_STREAM * spec.seconds, reset),
            )
            trials[subject].append(trial)
            counts = trial.counts
            if trial.valid and counts and counts["intended"] > counts["received"]:
                by_loss[subject].append((counts["intended"] - counts["received"]) / rate)
                if trial.every_frame:
                    by_time[subject].append(trial.every_frame.longest_gap_seconds or 0.0)
    return [
        Reset(
            **subject.subject_fields(),
            kind=router.reset_kind,
            rate=spec.share * stage.lossless.get(subject, 0.0),
            by_loss_seconds=tuple(by_loss[subject]),
            by_time_seconds=tuple(by_time[subject]),
            why_none=_why_none(stage, subject, trials[subject], by_loss[subject]),
            trials=tuple(trial.number for trial in trials[subject]),
        )
        for subject in chosen
    ]


def _why_none(
    stage: Stage, subject: UnderTest, trials: Sequence[Trial], seconds: Sequence[float]
) -> str | None:
    if subject not in stage.lossless:
        return "it has no throughput without loss"
    if seconds:
        return None
    return "; ".join(why_invalid(trials)) or MISSED
