"""RFC 2544 section 26.5: how long a router goes on losing frames after an overload."""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.instruments.contract import Step
from ppslab.lab.suite_schema import RecoverySpec
from ppslab.measurement.rfc2544.stage import Stage, why_invalid
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.results import Recovery

OVERLOAD = 1.1
AFTERWARDS = 0.5
"""Of the overload: the load at which the router is to recover."""

RECOVERED = 0.95
"""Who still loses frames in the last of this share of the second load has not recovered."""


def measure(stage: Stage, subjects: Sequence[UnderTest], spec: RecoverySpec) -> list[Recovery]:
    """Every subject overloaded by a tenth, then at half of that, `repeats` times."""
    seconds: dict[UnderTest, list[float]] = {subject: [] for subject in subjects}
    trials: dict[UnderTest, list[int]] = {subject: [] for subject in subjects}
    lasting = dict.fromkeys(subjects, 0)
    why: dict[UnderTest, str] = {}
    for subject in subjects:
        if not stage.can("every frame", "second step"):
            why[subject] = f"{stage.testbed.tester.name} cannot change its load within a trial"
        elif subject not in stage.found:
            why[subject] = "it has no throughput without loss"
        elif stage.limited(subject, OVERLOAD * stage.found[subject]):
            why[subject] = "the tester cannot overload it by a tenth"
    for _ in range(spec.repeats):
        for subject in stage.shuffled([s for s in subjects if s not in why]):
            rate = OVERLOAD * stage.found[subject]
            then = Step(AFTERWARDS * rate, spec.after_seconds)
            trial = stage.trial(
                subject, "recovery", spec.seconds, rate, then=then, keep_frames=True
            )
            trials[subject].append(trial.number)
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
            numbers = set(trials[subject])
            why[subject] = "; ".join(
                why_invalid([t for t in stage.testbed.trials if t.number in numbers])
            )
    return [
        Recovery(
            **subject.subject_fields(),
            overload_rate=OVERLOAD * stage.found.get(subject, 0.0),
            recovery_rate=AFTERWARDS * OVERLOAD * stage.found.get(subject, 0.0),
            seconds=tuple(seconds[subject]),
            not_recovered=lasting[subject],
            why_none=why.get(subject),
            trials=tuple(trials[subject]),
        )
        for subject in subjects
    ]
