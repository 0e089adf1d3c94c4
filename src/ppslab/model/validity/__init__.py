"""Why a trial is no measurement: typed causes, from which everything is decided.

The sentence beside a cause is for the reader only.  What the machine's noise spoiled is repeated;
what the router is, or will not be, is not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Final


class Cause(StrEnum):
    """What spoiled a trial; the value stands in records."""

    ABORTED = "aborted"
    """A port went down, or the trial was interrupted."""
    ROUTER_STATE = "router-state"
    """The read-back says that the router is not what it was configured to be."""
    STEAL = "steal"
    """The hypervisor took a CPU of the trial away."""
    CHORES = "chores"
    """The kernel's housekeeping ran among what was counted."""
    TESTER_LATE = "tester-late"
    NOTHING_SENT = "nothing-sent"
    """The tester sent no frame, or all at once: there is no rate."""
    RECEIVER_DROPPED = "receiver-dropped"
    """Frames reached the tester, and its ring had no room for them."""
    NOT_FORWARDED = "not-forwarded"
    """Frames were lost where nothing can overflow: the configuration drops them."""
    NOT_DROPPED = "not-dropped"
    """Frames came through where all were to be dropped."""
    OUTLASTED = "outlasted"
    """What was to happen in mid-stream lasted longer than the stream."""
    CPU_QUEUES = "cpu-queues"
    """Other programs' packets filled the queues that a transfer went through."""
    IPERF3 = "iperf3"
    """An instance of iperf3 failed."""


@dataclass(frozen=True)
class Problem(ABC):
    """A cause with its figures, and the sentence that is made from them; see `problems`."""

    cause: ClassVar[Cause]

    @property
    @abstractmethod
    def sentence(self) -> str:
        """What a record tells its reader."""


NOISE: Final = frozenset({Cause.STEAL, Cause.TESTER_LATE, Cause.NOTHING_SENT})
"""Causes of the moment, not of the router: a trial spoiled by them alone can still be counted."""

PASSING: Final = NOISE | {
    Cause.CHORES,
    Cause.RECEIVER_DROPPED,
    Cause.OUTLASTED,
    Cause.CPU_QUEUES,
    Cause.IPERF3,
}
"""Causes that may be gone in the next trial, whatever the router is."""

_DECIDED: Final = frozenset({Cause.ABORTED, Cause.NOT_FORWARDED, Cause.NOT_DROPPED})
"""Causes that the next trial, seconds later, would only show again."""


def noisy(causes: Iterable[Cause]) -> bool:
    """Whether the moment's noise alone spoiled the trial; also where nothing did."""
    return NOISE.issuperset(causes)


def worth_repeating(causes: Iterable[Cause]) -> bool:
    """Whether the same trial may go better: noise passes, a rule set that drops a stream stays."""
    return _DECIDED.isdisjoint(causes)


def lasting(causes: Iterable[Cause]) -> bool:
    """Whether the router itself is the reason, so that waiting would change nothing.

    Frames that are lost while the hypervisor had the CPU tell nothing of the router; a read-back
    that says no tells all.
    """
    seen = frozenset(causes)
    return Cause.ROUTER_STATE in seen or (bool(seen) and seen.isdisjoint(PASSING))


def sentences(problems: Iterable[Problem]) -> tuple[str, ...]:
    """What a record tells its reader, each once."""
    return tuple(dict.fromkeys(problem.sentence for problem in problems))


def causes(problems: Iterable[Problem]) -> tuple[Cause, ...]:
    """What a record decides by, each once."""
    return tuple(dict.fromkeys(problem.cause for problem in problems))
