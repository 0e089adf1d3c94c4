"""The specification of one trial, and the streams that it sends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ppslab.core.errors import UsageError
from ppslab.model.lab.lab import Condition, Flow, Lab
from ppslab.model.results import Arrangement, Direction, Family, Purpose
from ppslab.testbed.routers.linux.router import BpfMode
from ppslab.testbed.testers.contract import Step

CABLED: frozenset[Purpose] = frozenset({"cable", "tester"})
"""Purposes whose frames go over a cable, and past the router."""


@dataclass(frozen=True)
class TrialSpec:
    """A trial that is asked for; duration and load have MLRsearch's names (RFC 9971)."""

    purpose: Purpose
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
    """Hook of the condition's BPF program; None: the router's choice."""
    family: Family = "ipv4"
    direction: Direction = "lab"
    """The lab's flows that are sent."""
    then: Step | None = None
    """A second load, which follows without a pause."""
    keep_frames: bool = False
    """Count from a record of every frame."""
    meanwhile: tuple[float, Callable[[], None]] | None = None
    """The act in mid-stream, and how many seconds into the sending."""

    standing: Condition | None = None
    """Condition of the router while frames go past it; None: whichever it has.

    A kernel has switches for all that stands on it: while one of its nodes has a rule at ingress,
    each frame that any of them receives takes 18 instructions more.
    """

    @property
    def stands(self) -> Condition | None:
        """The condition that the router is to be in."""
        return self.condition or self.standing

    @property
    def cabled(self) -> bool:
        """True where the frames go past the router."""
        return self.purpose in CABLED


def streams(
    lab: Lab, condition: Condition, family: Family, direction: Direction
) -> tuple[Flow, ...]:
    """Return the streams that a trial of a condition sends.

    lab: all of them.  one-way: the first.  both-ways: the first, and the first one back (RFC 2544
    section 14: the same rate both ways, as streams take turns).  UsageError where the lab has no
    such streams.
    """
    name = condition.flows_ipv6 if family == "ipv6" else condition.flows
    if name is None:
        raise UsageError(f"lab {lab.name}, {condition.name}: it has no IPv6 streams (flows_ipv6)")
    flows = lab.spec.flows[name]
    if direction == "lab":
        return flows
    there = flows[0]
    if direction == "one-way":
        return (there,)
    for back in flows:
        if (back.tx_name, back.rx_name) == (there.rx_name, there.tx_name):
            return there, back
    raise UsageError(
        f"lab {lab.name}: the streams {name!r} have none from {there.rx_name} to {there.tx_name}"
    )
