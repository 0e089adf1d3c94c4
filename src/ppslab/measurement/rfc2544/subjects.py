"""What the suite tests: conditions, frame sizes, address families, directions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ppslab.base.errors import UsageError
from ppslab.instruments.ppstraffic import MIN_SIZE_V6
from ppslab.lab import lab, topology
from ppslab.lab.lab import Condition, Lab
from ppslab.lab.suite_schema import Suite, Variant
from ppslab.measurement.trial import streams
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.results import Direction, Family

ETHERNET_OVERHEAD = 18
"""Header and frame check sequence, which an MTU does not count."""

LARGEST_STANDARD = 1518


@dataclass(frozen=True)
class UnderTest:
    """One thing under test.  `whole`: by every test of the suite, not by its throughput alone."""

    condition: Condition = field(hash=False)  # it holds a dict
    """The condition that the router is in."""
    size: int
    """Bytes of a frame, with the frame check sequence."""
    family: Family
    """The flows' address family."""
    direction: Direction
    """Which of the lab's flows are sent."""
    whole: bool

    def subject_fields(self) -> dict[str, Any]:
        """The fields of `results.Subject`."""
        return {
            "condition": self.condition.name,
            "frame_size": self.size,
            "family": self.family,
            "direction": self.direction,
        }

    def trial_spec(self, purpose: Any, seconds: float, rate: float, **more: Any) -> TrialSpec:
        """A trial of it."""
        return TrialSpec(
            purpose,
            self.condition,
            self.size,
            seconds,
            rate,
            family=self.family,
            direction=self.direction,
            **more,
        )

    def __str__(self) -> str:
        return f"{self.condition.name}, {self.size} bytes, {self.family}, {self.direction}"


def conditions_of(found: Lab, named: Sequence[str]) -> list[Condition]:
    """Those that were named, else those of the lab's word `rfc2544`, else the reference."""
    names = named or found.spec.rfc2544 or (found.spec.reference,)
    return [found.condition(name) for name in names]


def subjects_of(
    found: Lab,
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
    largest = LARGEST_STANDARD if device else path_size(found)
    subjects = []
    for variant in suite.variants:
        for size in _sizes(variant, suite, sizes):
            if size > largest:
                notes[f"Frames of {size} bytes do not fit the wires of {found.name}."] = None
                continue
            for condition in conditions:
                # What one condition lacks, the others may have.
                try:
                    streams.of(found, condition, variant.family, variant.direction)
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
    "IPv6 frames of {size} bytes are of "
    f"{MIN_SIZE_V6} instead: smaller ones have no room for the tester's signature."
)


def path_size(found: lab.Lab) -> int:
    """The largest frame that every wire of the lab carries, in bytes."""
    links = topology.find(found.spec.topology).links
    return min(link.mtu for link in links) + ETHERNET_OVERHEAD


def _sizes(variant: Variant, suite: Suite, asked: Sequence[int]) -> Sequence[int]:
    all_sizes = asked or suite.sizes
    if variant.sizes == "all":
        return all_sizes
    standard = [size for size in all_sizes if size <= LARGEST_STANDARD]
    return sorted({min(all_sizes), max(standard, default=max(all_sizes))})
