"""RFC 2544 section 26.3: the frame loss rate, from the maximum rate down to no loss."""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.instruments.counts import TrialCounts
from ppslab.lab.suite_schema import FrameLossSpec
from ppslab.measurement.rfc2544.stage import Stage, why_invalid
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.results import FrameLoss, Trial

LOSSLESS_IN_A_ROW = 2
"""The curve ends at the second lossless trial in a row."""


def measure(stage: Stage, subjects: Sequence[UnderTest], spec: FrameLossSpec) -> list[FrameLoss]:
    """The curve of every subject, step by step side by side."""
    points: list[FrameLoss] = []
    lossless = dict.fromkeys(subjects, 0)
    for number in range(round(1 / spec.step)):
        share = 1 - number * spec.step
        for subject in stage.shuffled([s for s in subjects if lossless[s] < LOSSLESS_IN_A_ROW]):
            rate = share * stage.maximum[subject.size]
            trial = stage.trial(subject, "frame-loss", spec.seconds, rate)
            point = described(subject, share, rate, trial)
            points.append(point)
            lossless[subject] = lossless[subject] + 1 if point.loss_ratio == 0 else 0
    order = {subject: number for number, subject in enumerate(subjects)}
    key = {tuple(s.subject_fields().values()): order[s] for s in subjects}
    return sorted(
        points, key=lambda p: (key[p.condition, p.frame_size, p.family, p.direction], -p.share)
    )


def described(subject: UnderTest, share: float, rate: float, trial: Trial) -> FrameLoss:
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
