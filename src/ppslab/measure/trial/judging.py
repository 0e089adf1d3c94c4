"""Validity of a trial: typed problems, from its load, its counts and the machine.

Nothing here talks to a router or a tester, so every rule can be tested with made-up counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ppslab.measure.trial.spec import TrialSpec
from ppslab.model.lab.lab import Condition
from ppslab.model.validity import (
    Aborted,
    BaselineLeaks,
    CaughtUp,
    Chores,
    NotDropped,
    NotForwarded,
    NothingSent,
    Outlasted,
    Problem,
    ReceiverDropped,
    Starved,
    WrongConnections,
)
from ppslab.testbed.testers.counts import TrialCounts

BEARABLE_BURST: Final = 500
"""Frames that a late sender may catch up with at once: half of what the router's backlog holds.

The load never asked the router to bear a longer burst (net.core.netdev_max_backlog is 1000).
"""

BURSTS: Final = 10
"""A trial that lost more frames than this many of its longest burst had too high a load: a few
bursts do not explain its loss, and repeating it would show the same."""

STARVED_SHARE: Final = 0.7
"""A sender that had its CPU for less than this share of a trial, and left frames unsent, was not
slow but kept from sending: at a load of ten, without real-time priority, shares of 0.06 to 0.51
were seen, and 0.94 or more of a tester that was asked for more than it can."""

KEPT_COUPLED: Final = 0.99
"""On one CPU nothing can overflow: a condition that forwards less than this drops by its rules.

A condition that is to drop everything lets less than the rest through."""


BEARABLE_CHORES: Final = 0.005
"""Of what was counted.  Once a minute, or once a second where connections end, conntrack looks
through its table: three million instructions, an eighth of a trial."""


@dataclass(frozen=True)
class Limits:
    """The limits of a testbed."""

    bearable_burst: int = BEARABLE_BURST
    """Frames that a late sender may catch up with at once."""
    cpus: frozenset[int] | None = None
    """The CPUs whose loss spoils a trial; None: any of them."""


@dataclass(frozen=True)
class Connections:
    """The router's connections after the trial; None: it was not asked."""

    tracked: int | None = None
    offloaded: int | None = None
    """Those of them that the flowtable forwards."""


UNASKED: Final = Connections()


def judge(
    spec: TrialSpec,
    counts: TrialCounts,
    connections: Connections,
    limits: Limits,
    *,
    outlasted: bool = False,
) -> tuple[Problem, ...]:
    """Return the problems that make the trial invalid; empty if it is valid.

    `outlasted`: what was called mid-stream ended after the stream.
    """
    stopped, unsent = of_stop(counts), of_sending(counts)
    if unsent:
        return (stopped, unsent) if stopped else (unsent,)
    problems: list[Problem | None] = [stopped, of_receiver(counts), counts.stolen(limits.cpus)]
    problems.append(of_chores(counts))
    if spec.intended_load is not None:
        problems.append(of_pace(spec.intended_load, counts, limits.bearable_burst))
    problems += [Outlasted() if outlasted else None, of_forwarding(spec, counts)]
    if spec.condition:
        problems += of_connections(spec.condition, connections)
    return tuple(problem for problem in problems if problem is not None)


def of_stop(counts: TrialCounts) -> Aborted | None:
    """Judge whether the trial ran to its end."""
    return Aborted() if counts.aborted else None


def of_sending(counts: TrialCounts) -> NothingSent | None:
    """Judge whether there is a rate at all."""
    sent = counts.offered > 0 and counts.send_seconds > 0
    return None if sent else NothingSent(counts.offered)


def of_receiver(counts: TrialCounts) -> ReceiverDropped | None:
    """Judge the receiver's drops; None also for a tester that cannot see them."""
    return ReceiverDropped(counts.kernel_drops) if counts.kernel_drops else None


def of_chores(counts: TrialCounts) -> Chores | None:
    """Judge whether the kernel's housekeeping shows in what was counted."""
    chores, threads = counts.kernel_chores_seconds, counts.kernel_thread_seconds
    if not chores or threads is None or counts.send_cpu_seconds is None:
        return None
    share = chores / (counts.send_cpu_seconds + threads)
    return Chores(share) if share > BEARABLE_CHORES else None


def of_pace(load: float, counts: TrialCounts, bearable_burst: int) -> CaughtUp | Starved | None:
    """Judge whether the tester kept the schedule of `load` frames a second, or had no chance to."""
    unsent = counts.intended - counts.offered - (counts.refused or 0)
    if unsent <= 0:
        burst = load * (counts.max_lateness_ns or 0) / 1e9
        lost = counts.intended - counts.received
        return CaughtUp(burst) if burst > bearable_burst and lost <= BURSTS * burst else None
    if counts.send_cpu_seconds is None:
        return None
    # The sender never sleeps: one that cannot send this much uses its CPU to the last moment.
    share = counts.send_cpu_seconds / counts.send_seconds
    return Starved(share, unsent) if share < STARVED_SHARE else None


def of_forwarding(
    spec: TrialSpec, counts: TrialCounts
) -> BaselineLeaks | NotDropped | NotForwarded | None:
    """Judge whether frames were forwarded, or dropped, as the configuration says."""
    if spec.purpose == "drop":
        return BaselineLeaks(counts.received) if counts.received else None
    kept = counts.received / counts.offered
    if spec.condition and spec.condition.delivers == "none":
        return NotDropped(1 - kept) if kept > 1 - KEPT_COUPLED else None
    coupled = spec.arrangement == "coupled" and spec.intended_load is None
    return NotForwarded(kept) if coupled and kept < KEPT_COUPLED else None


def of_connections(condition: Condition, seen: Connections) -> Iterator[WrongConnections]:
    """Only frames show whether connections are tracked, so this is judged after them."""
    expect = condition.linux.expect
    offloaded = _wrong(expect.offloaded, seen.offloaded)
    if offloaded is not None:
        yield WrongConnections("offloaded", offloaded)
        return
    # What is offloaded is tracked: no need to ask for that too.
    tracked = None if expect.offloaded else _wrong(expect.conntrack, seen.tracked)
    if tracked is not None:
        yield WrongConnections("tracked", tracked)


def _wrong(expected: bool | None, entries: int | None) -> int | None:
    """The entries, if there are some but should be none, or none but should be some."""
    if expected is None or entries is None or expected == (entries > 0):
        return None
    return entries
