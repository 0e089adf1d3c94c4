"""RFC 2544 section 26.4 with RFC 9004: the longest burst without loss, and its buffer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from statistics import mean

from ppslab.lab.suite_schema import BackToBackSpec
from ppslab.measurement.rfc2544.stage import Stage, why_invalid
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.results import BackToBack, Trial
from ppslab.theory.validity import Cause

SHORTEST = 16
"""Frames: a shorter burst is gone before the tester's clock has moved enough to pace it."""

TOO_FAST = "its throughput is the tester's: no buffer can fill (RFC 9004 section 6.1)"


class _SpoiledError(Exception):
    """A trial that stayed invalid: whether its burst passes is not known."""


def measure(stage: Stage, subjects: Sequence[UnderTest], spec: BackToBackSpec) -> list[BackToBack]:
    """Every subject's longest lossless burst at the tester's highest rate, repeat by repeat.

    A spoiled trial is no answer: its repeat has no burst, rather than one that is too short.
    """
    bursts: dict[UnderTest, list[int]] = {subject: [] for subject in subjects}
    trials: dict[UnderTest, list[Trial]] = {subject: [] for subject in subjects}
    able = [s for s in subjects if s in stage.found and not stage.limited(s, stage.found[s])]
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
    return [_described(stage, s, bursts[s], trials[s], spec.seconds) for s in subjects]


def passed(trial: Trial, frames: int) -> bool | None:
    """Whether a burst of so many frames passed; None: the trial was spoiled, and nobody knows."""
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


def _described(
    stage: Stage, subject: UnderTest, bursts: list[int], trials: list[Trial], seconds: float
) -> BackToBack:
    rate = stage.maximum[subject.size]
    longest = round(seconds * rate)
    throughput = stage.found.get(subject)
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
