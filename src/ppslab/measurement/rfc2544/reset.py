"""RFC 2544 section 26.6 with RFC 6201: how long a reset keeps the router from forwarding."""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.lab.suite_schema import ResetSpec
from ppslab.measurement.rfc2544.stage import Stage, why_invalid
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.results import Reset, Trial

INTO_THE_STREAM = 0.4
"""The share of a stream after which the reset begins: it must end inside the stream too."""

MISSED = "no frame was lost: the reset did not fall into the stream"


def measure(stage: Stage, subjects: Sequence[UnderTest], spec: ResetSpec) -> list[Reset]:
    """Every subject at its smallest frame size, `repeats` times."""
    smallest = {s.condition.name: min(t.size for t in subjects) for s in subjects}
    chosen = [s for s in subjects if s.size == smallest[s.condition.name]]
    by_loss: dict[UnderTest, list[float]] = {subject: [] for subject in chosen}
    by_time: dict[UnderTest, list[float]] = {subject: [] for subject in chosen}
    trials: dict[UnderTest, list[Trial]] = {subject: [] for subject in chosen}
    router = stage.testbed.router
    for _ in range(spec.repeats):
        for subject in stage.shuffled([s for s in chosen if s in stage.found]):
            rate = spec.share * stage.found[subject]

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
            rate=spec.share * stage.found.get(subject, 0.0),
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
    if subject not in stage.found:
        return "it has no throughput without loss"
    if seconds:
        return None
    return "; ".join(why_invalid(trials)) or MISSED
