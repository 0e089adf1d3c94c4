"""The faults: what is done to the instrument, and what it should say then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ppslab.base.errors import UsageError, did_you_mean
from ppslab.measurement.faults.trying import (
    FaultSetup,
    Tried,
    late_tester,
    offload_on,
    rules_gone,
    slow_tester,
    small_ring,
    stopped_trial,
)
from ppslab.results.kinds.faults import FaultName
from ppslab.theory.validity import Cause


@dataclass(frozen=True)
class Fault:
    """One way to spoil a measurement.

    `cause`: what catches it; None: no trial is invalid, and the searches call it tester-limited.
    """

    name: FaultName
    """The fault's name."""
    title: str
    """Its title."""
    broken: str
    """What is done to the instrument."""
    believed: str
    """What a reader of the numbers alone would believe."""
    cause: Cause | None
    try_it: Callable[[FaultSetup], Tried]
    """Runs both trials."""

    def possible(self, setup: FaultSetup) -> bool:
        """Whether it can be tried on this lab."""
        return setup.ruled is not None or self.name != "rules-gone"


FAULTS = (
    Fault(
        "late-tester",
        "The tester comes late",
        "The tester is stopped for a moment in the middle of a trial, and goes on.",
        "Every frame came back, so the router bears this load.",
        Cause.TESTER_LATE,
        late_tester,
    ),
    Fault(
        "small-ring",
        "The receiver overflows",
        "The receiver gets a ring of one megabyte, and the sender goes as fast as it can.",
        "The router loses frames at this rate.",
        Cause.RECEIVER_DROPPED,
        small_ring,
    ),
    Fault(
        "rules-gone",
        "The rules are not there",
        "The rule set is flushed behind the instrument's back, between two trials.",
        "These rules cost nothing.",
        Cause.ROUTER_STATE,
        rules_gone,
    ),
    Fault(
        "offload-on",
        "Frames are merged",
        "Generic receive offload (GRO) is turned on at one port of the router.",
        "A packet costs this router something else today.",
        Cause.ROUTER_STATE,
        offload_on,
    ),
    Fault(
        "slow-tester",
        "The tester is slower than the router",
        "A wire stands in the router's place, and three times the load is asked that can be sent.",
        "The router forwards this much and no more.",
        None,
        slow_tester,
    ),
    Fault(
        "stopped-trial",
        "A trial is stopped",
        "The tester is told to end in the middle of a trial.",
        "The router lost the frames that are missing.",
        Cause.ABORTED,
        stopped_trial,
    ),
)
"""In the order of the chapter."""


def find(names: Sequence[str]) -> list[Fault]:
    """The faults of these names, all of them for none; UsageError names the near one."""
    known: dict[str, Fault] = {fault.name: fault for fault in FAULTS}
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f" (there are {', '.join(known)})"
            raise UsageError(f"no fault {name!r}{near}")
    return [known[name] for name in names] or list(FAULTS)
