"""The subjects of the suite, and the stage that its tests share.

A subject is a condition at a frame size, of an address family, in a direction.  The stage holds
the testbed, the order of trials, and the throughput that the later tests start from.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ppslab.core.errors import UsageError
from ppslab.measure.trial.spec import TrialSpec, streams
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model import results
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.lab.profiles import Suite, Variant
from ppslab.model.results import TESTER_SHARE, Arrangement, CalibrationRecord, Direction, Family
from ppslab.testbed.testers.contract import Ability
from ppslab.testbed.testers.ppstraffic import MIN_SIZE_V6

ETHERNET_OVERHEAD = 18
"""Header and frame check sequence, which an MTU does not count."""

LARGEST_STANDARD = 1518


@dataclass(frozen=True)
class UnderTest:
    """One thing under test.  `whole`: by every test of the suite, not by its throughput alone."""

    condition: Condition = field(hash=False)  # it holds a dict
    size: int
    """Bytes of a frame, with the frame check sequence."""
    family: Family
    direction: Direction
    """The lab's flows that are sent."""
    whole: bool

    def subject_fields(self) -> dict[str, Any]:
        return {
            "condition": self.condition.name,
            "frame_size": self.size,
            "family": self.family,
            "direction": self.direction,
        }

    def __str__(self) -> str:
        return f"{self.condition.name}, {self.size} bytes, {self.family}, {self.direction}"


def conditions_of(lab: Lab, named: Sequence[str]) -> list[Condition]:
    """Those that were named, else those of the lab's word `rfc2544`, else the reference."""
    names = named or lab.spec.rfc2544 or (lab.spec.reference,)
    return [lab.condition(name) for name in names]


def subjects_of(
    lab: Lab,
    conditions: Sequence[Condition],
    suite: Suite,
    sizes: Sequence[int] = (),
    *,
    device: bool = False,
) -> tuple[list[UnderTest], list[str]]:
    """Everything that is to be tested, and a sentence for each thing that cannot be.

    `sizes`: those asked for instead of the profile's, all of them by every test.  `device`: the
    router is one of its own, not a node.
    """
    notes: dict[str, None] = {}
    # No condition gives RouterOS's ports a larger MTU than they come with.
    largest = LARGEST_STANDARD if device else path_size(lab)
    subjects = []
    for variant in suite.variants:
        for size in _sizes(variant, suite, sizes):
            if size > largest:
                notes[f"The links of {lab.name} do not carry {size}-byte frames."] = None
                continue
            for condition in conditions:
                # What one condition lacks, the others may have.
                try:
                    streams(lab, condition, variant.family, variant.direction)
                except UsageError as error:
                    notes[f"{error}."] = None
                    continue
                fitting = size
                if variant.family == "ipv6" and size < MIN_SIZE_V6:
                    fitting = MIN_SIZE_V6
                    notes[_V6_NOTE.format(size=size)] = None
                whole = variant.tests == "all" and (
                    bool(sizes) or size in suite.sizes_of_other_tests
                )
                subjects.append(
                    UnderTest(condition, fitting, variant.family, variant.direction, whole)
                )
    return list(dict.fromkeys(subjects)), list(notes)


_V6_NOTE = (
    "IPv6 frames of {size} bytes are replaced by "
    f"{MIN_SIZE_V6}-byte frames: smaller frames have no room for the tester's signature."
)


def path_size(lab: Lab) -> int:
    """The largest frame that every wire of the lab carries, in bytes."""
    links = topology.find(lab.spec.topology).links
    return min(link.mtu for link in links) + ETHERNET_OVERHEAD


def _sizes(variant: Variant, suite: Suite, asked: Sequence[int]) -> Sequence[int]:
    all_sizes = asked or suite.sizes
    if variant.sizes == "all":
        return all_sizes
    standard = [size for size in all_sizes if size <= LARGEST_STANDARD]
    return sorted({min(all_sizes), max(standard, default=max(all_sizes))})


@dataclass
class Stage:
    """The stage of the suite's trials.

    `maximum`: frames per second that count as 100 %, by frame size.  `lossless`: the throughput
    without loss of each subject, where there is one.  `calibration`: of the tester, on this
    machine.
    """

    testbed: FrameTestbed
    order: random.Random
    """Draws the order of trials."""
    arrangement: Arrangement = "separate"
    """`separate`: the router has a CPU of its own."""
    maximum: dict[int, float] = field(default_factory=dict)
    lossless: dict[UnderTest, float] = field(default_factory=dict)
    calibration: CalibrationRecord | None = None

    def trial(
        self, subject: UnderTest, purpose: Any, seconds: float, rate: float, **more: Any
    ) -> results.Trial:
        return self.testbed.trial(
            TrialSpec(
                purpose,
                subject.condition,
                subject.size,
                seconds,
                rate,
                self.arrangement,
                family=subject.family,
                direction=subject.direction,
                **more,
            )
        )

    def shuffled(self, subjects: Sequence[UnderTest]) -> list[UnderTest]:
        """In random order: what drifts with time must not look like a difference."""
        drawn = list(subjects)
        self.order.shuffle(drawn)
        return drawn

    def can(self, *abilities: Ability) -> bool:
        """True where the tester has these abilities."""
        return self.testbed.tester.abilities >= set(abilities)

    def limited(self, subject: UnderTest, rate: float) -> bool:
        """True for a rate that is too near to the tester's own."""
        return rate >= TESTER_SHARE * self.maximum[subject.size]


def why_invalid(trials: Sequence[results.Trial]) -> tuple[str, ...]:
    """The reasons of the trials that were none, once each."""
    return tuple(dict.fromkeys(reason for trial in trials for reason in trial.invalid_because))
