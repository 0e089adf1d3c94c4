"""What one trial is asked to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppslab.model.lab.lab import Condition
from ppslab.model.results import Arrangement, Direction, Family, Purpose
from ppslab.testbed.routers.linux.router import BpfMode
from ppslab.testbed.testers.contract import Step

CABLED: frozenset[Purpose] = frozenset({"cable", "tester"})
"""Purposes whose frames go over a cable, and past the router."""


@dataclass(frozen=True)
class TrialSpec:
    """What a trial is asked to do; duration and load have MLRsearch's names (RFC 9971)."""

    purpose: Purpose
    """Why the trial is run."""
    condition: Condition | None
    """None: what the tester costs alone (purposes drop, cable, tester)."""
    size: int
    """Bytes of a frame, its check sequence included."""
    intended_duration: float
    """Seconds of sending."""
    intended_load: float | None = None
    """Frames per second over all flows; None: as fast as the tester can."""
    arrangement: Arrangement = "coupled"
    """coupled: one CPU sends and routes; separate: the router has a CPU of its own."""
    round_number: int | None = None
    """Trials of one round are paired."""
    bpf_mode: BpfMode | None = None
    """How the condition's BPF program is attached; None: as the router chose."""
    family: Family = "ipv4"
    """The flows' address family."""
    direction: Direction = "lab"
    """Which of the lab's flows are sent."""
    then: Step | None = None
    """A second load, which follows without a pause."""
    keep_frames: bool = False
    """Count from a record of every frame."""
    meanwhile: tuple[float, Callable[[], None]] | None = None
    """What is called, and how many seconds into the sending."""

    standing: Condition | None = None
    """What the router is while frames go past it; None: whatever it happens to be.

    A kernel has switches for all that stands on it: while one of its nodes has a rule at ingress,
    each frame that any of them receives takes 18 instructions more.
    """

    @property
    def stands(self) -> Condition | None:
        """The condition that the router is to be in."""
        return self.condition or self.standing

    @property
    def cabled(self) -> bool:
        """Whether the frames go past the router."""
        return self.purpose in CABLED
