"""Why a trial is no measurement: every cause at its edge, and healthy trials beside them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ppslab.measure.trial.judging import UNASKED, Connections, Limits, judge
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model.validity import Cause, causes
from ppslab.testbed.testers.counts import TrialCounts
from tests.support.factory import make_counts

LOAD = 50_000.0
"""A paced load in frames per second: 10 000 frames in 0.2 s."""
LIMITS = Limits(bearable_burst=500, cpus=frozenset({0, 1}))
MS = 1_000_000


def condition(
    delivers: str = "all", *, tracked: bool | None = None, offloaded: bool | None = None
) -> Any:
    """A condition, as far as a judge looks at it."""
    expect = SimpleNamespace(conntrack=tracked, offloaded=offloaded)
    return SimpleNamespace(delivers=delivers, linux=SimpleNamespace(expect=expect))


def spec(of: Any = None, **words: Any) -> TrialSpec:
    """A coupled trial as fast as the tester can, unless `words` say otherwise."""
    words = {"purpose": "cost", "condition": of or condition(), "size": 64} | words
    return TrialSpec(intended_duration=0.2, **words)


def counts(**words: Any) -> TrialCounts:
    """10 000 frames that all came through, unless `words` say otherwise."""
    return TrialCounts.of(make_counts(20_000.0, offered=10_000) | words)


def _threads(used: float, chores: float) -> dict[str, float]:
    return {"send_cpu_seconds": 0.2, "kernel_thread_seconds": used, "kernel_chores_seconds": chores}


PACED = spec(intended_load=LOAD)
APART = spec(arrangement="separate")
DROP = spec(purpose="drop", condition=None)
NONE = spec(condition("none"))

COUNTED: list[tuple[TrialSpec, TrialCounts, list[Cause]]] = [
    # Healthy ones.
    (spec(), counts(), []),
    (PACED, counts(), []),
    (DROP, counts(received=0), []),
    (NONE, counts(received=0), []),
    (spec(purpose="tester", condition=None), counts(), []),
    # A tester that sees neither its ring, nor its lateness, nor the steal.
    (PACED, counts(kernel_drops=None, max_lateness_ns=None, steal_ticks=None), []),
    # The tester stopped, or sent nothing that has a rate: then nothing else is judged.
    (spec(), counts(aborted=True), [Cause.ABORTED]),
    (spec(), counts(offered=0, received=0), [Cause.NOTHING_SENT]),
    (spec(), counts(offered=0, received=0, kernel_drops=9), [Cause.NOTHING_SENT]),
    (spec(), counts(send_seconds=0.0), [Cause.NOTHING_SENT]),
    (spec(), counts(aborted=True, offered=0), [Cause.ABORTED, Cause.NOTHING_SENT]),
    # The receiver's ring.
    (spec(), counts(kernel_drops=1), [Cause.RECEIVER_DROPPED]),
    # Steal in 0.25 s: three ticks may be 20 ms, which are 8 %; CPU 7 does nothing of the trial.
    (spec(), counts(steal_ticks={"0": 2}), []),
    (spec(), counts(steal_ticks={"0": 3}), [Cause.STEAL]),
    (spec(), counts(steal_ticks={"7": 20}), []),
    # The kernel's housekeeping, in 0.2 s of the sender's: it shows from 0.5 % on.
    (spec(), counts(**_threads(0.01, 0.001)), []),
    (spec(), counts(**_threads(0.01, 0.0012)), [Cause.CHORES]),
    (spec(), counts(**_threads(0.3, 0.0012)), []),
    # 10 ms at 50 kpps are 500 frames, which the router bears; of a load that nobody set, all.
    (PACED, counts(max_lateness_ns=10 * MS), []),
    (PACED, counts(max_lateness_ns=10 * MS + 100_000), [Cause.TESTER_LATE]),
    (spec(), counts(max_lateness_ns=60 * MS), []),
    # Ten bursts of 600 explain a loss of 6000 frames, and no more.
    (PACED, counts(max_lateness_ns=12 * MS, received=4_000), [Cause.TESTER_LATE]),
    (PACED, counts(max_lateness_ns=12 * MS, received=3_999), []),
    # Frames unsent: by a sender that was kept from its CPU, by one that was just too slow, by a
    # link that refused them, by a tester that cannot tell.
    (PACED, counts(offered=9_999, send_cpu_seconds=0.139), [Cause.TESTER_LATE]),
    (PACED, counts(offered=9_999, send_cpu_seconds=0.141), []),
    (PACED, counts(offered=4_000, refused=6_000, send_cpu_seconds=0.02), []),
    (PACED, counts(offered=4_000, send_cpu_seconds=None), []),
    # On one CPU nothing overflows: 99 % must come through.
    (spec(), counts(received=9_900), []),
    (spec(), counts(received=9_899), [Cause.NOT_FORWARDED]),
    # With a CPU of its own, or at a load that was set, the router may lose what it likes.
    (APART, counts(received=1), []),
    (PACED, counts(received=1), []),
    # What is to drop everything may let one in a hundred through, the drop baseline none.
    (NONE, counts(received=100), []),
    (NONE, counts(received=101), [Cause.NOT_DROPPED]),
    (DROP, counts(received=1), [Cause.NOT_DROPPED]),
    # Several at once stand in this order.
    (
        PACED,
        counts(aborted=True, kernel_drops=5, steal_ticks={"1": 9}, max_lateness_ns=60 * MS),
        [Cause.ABORTED, Cause.RECEIVER_DROPPED, Cause.STEAL, Cause.TESTER_LATE],
    ),
]


@pytest.mark.parametrize(("asked", "counted", "expected"), COUNTED)
def test_counts_alone(asked: TrialSpec, counted: TrialCounts, expected: list[Cause]) -> None:
    found = judge(asked, counted, UNASKED, LIMITS)
    assert [problem.cause for problem in found] == expected


def test_what_was_to_end_in_mid_stream() -> None:
    found = judge(spec(), counts(), UNASKED, LIMITS, outlasted=True)
    assert causes(found) == (Cause.OUTLASTED,)


@pytest.mark.parametrize(
    ("tracked", "offloaded", "seen", "spoils"),
    [
        (None, None, Connections(9, 9), False),
        (None, None, UNASKED, False),
        (True, None, Connections(tracked=1), False),
        (True, None, Connections(tracked=0), True),
        (False, None, Connections(tracked=0), False),
        (False, None, Connections(tracked=3), True),
        (None, True, Connections(offloaded=1), False),
        (None, True, Connections(offloaded=0), True),
        (None, False, Connections(offloaded=0), False),
        (None, False, Connections(offloaded=2), True),
        # What is offloaded is tracked, whatever the table says.
        (True, True, Connections(tracked=0, offloaded=1), False),
        # Of two things that are wrong the first is enough.
        (True, False, Connections(tracked=0, offloaded=2), True),
        (True, False, Connections(tracked=0, offloaded=0), True),
    ],
)
def test_connections(
    tracked: bool | None, offloaded: bool | None, seen: Connections, spoils: bool
) -> None:
    asked = spec(condition(tracked=tracked, offloaded=offloaded))
    found = judge(asked, counts(), seen, LIMITS)
    assert causes(found) == ((Cause.ROUTER_STATE,) if spoils else ())
