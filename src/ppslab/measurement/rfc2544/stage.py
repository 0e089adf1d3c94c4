"""What the tests of the suite share: the bench, the order, what was found so far."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ppslab import results
from ppslab.instruments.contract import Ability
from ppslab.measurement.rfc2544.subjects import UnderTest
from ppslab.measurement.session import Progress
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.results import Arrangement, CalibrationRecord
from ppslab.theory.recorded import TESTER_SHARE


@dataclass
class Stage:
    """Where the suite's trials run.

    `maximum`: frames per second that count as 100 %, by frame size.  `found`: the throughput
    without loss of each subject, where there is one.  `calibration`: of the tester, on this
    machine.
    """

    testbed: FrameTestbed
    """The lab with its tester."""
    order: random.Random
    """Draws the order of trials."""
    progress: Progress
    """Called with every trial."""
    arrangement: Arrangement = "separate"
    """Whether the router has a CPU of its own."""
    maximum: dict[int, float] = field(default_factory=dict)
    found: dict[UnderTest, float] = field(default_factory=dict)
    calibration: CalibrationRecord | None = None

    def trial(
        self, subject: UnderTest, purpose: Any, seconds: float, rate: float, **more: Any
    ) -> results.Trial:
        """One trial of a subject."""
        return self.testbed.trial(
            subject.trial_spec(purpose, seconds, rate, arrangement=self.arrangement, **more)
        )

    def shuffled(self, subjects: Sequence[UnderTest]) -> list[UnderTest]:
        """In random order: what drifts with time must not look like a difference."""
        drawn = list(subjects)
        self.order.shuffle(drawn)
        return drawn

    def can(self, *abilities: Ability) -> bool:
        """Whether the tester has these abilities."""
        return self.testbed.tester.abilities >= set(abilities)

    def limited(self, subject: UnderTest, rate: float) -> bool:
        """Whether a rate is too near to what the tester can."""
        return rate >= TESTER_SHARE * self.maximum[subject.size]


def why_invalid(trials: Sequence[results.Trial]) -> tuple[str, ...]:
    """The reasons of the trials that were none, once each."""
    return tuple(dict.fromkeys(reason for trial in trials for reason in trial.invalid_because))
