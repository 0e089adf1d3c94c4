"""A tester that was kept from sending is told from a load that is too high."""

from __future__ import annotations

from typing import Any

import pytest

from ppslab.measure.trial import judging
from ppslab.testbed.testers.counts import TrialCounts
from tests.support.factory import make_counts

STARVED = "tester late: it had its CPU for {}% of the time, {} frames unsent"


def said_of(printed: dict[str, Any]) -> list[str]:
    """What is said of the pace at 50 kpps."""
    found = judging.of_pace(50_000.0, TrialCounts.of(printed), judging.BEARABLE_BURST)
    return [found.sentence] if found else []


@pytest.mark.parametrize(
    ("offered", "cpu_share", "late_ns", "said"),
    [
        (10_000, 1.0, 0, []),
        (10_000, 0.9, 60_000_000, ["tester late: 3000 frames at once"]),
        # Asked for more than it can: busy all the time.
        (3_000, 1.0, 400_000_000, []),
        # Kept from sending: an ordinary user's tester on a machine with a load of ten.
        (659, 0.44, 8_716_521, [STARVED.format(44, 9341)]),
        (6_270, 0.15, 135_816_752, [STARVED.format(15, 3730)]),
        # Another tester, which cannot tell.
        (6_270, None, 135_816_752, []),
    ],
)  # fmt: skip
def test_the_pace_of_a_trial(
    offered: int, cpu_share: float | None, late_ns: int, said: list[str]
) -> None:
    printed = make_counts(20_000.0, offered=10_000)
    printed |= {"offered": offered, "received": offered, "max_lateness_ns": late_ns}
    printed["send_cpu_seconds"] = cpu_share and cpu_share * printed["send_seconds"]
    assert said_of(printed) == said


@pytest.mark.parametrize(
    ("late_ns", "said"),
    [
        (50_000, []),
        # Six thousand frames are more than ten bursts of 590 can explain.
        (11_800_000, []),
        (60_000_000, ["tester late: 3000 frames at once"]),
    ],
)
def test_frames_that_the_link_refused_were_sent(late_ns: int, said: list[str]) -> None:
    """A queue that is full is the load's doing, unless the tester came with all at once."""
    printed = make_counts(20_000.0, offered=10_000)
    printed |= {"offered": 4_000, "received": 4_000, "refused": 6_000, "max_lateness_ns": late_ns}
    assert said_of(printed) == said


def test_what_was_not_sent_is_lost() -> None:
    """Else a tester that is too slow makes a router look better than it is."""
    counts = TrialCounts.of(make_counts(20_000.0) | {"offered": 90_000, "received": 80_000})
    assert (counts.lost, counts.loss_ratio) == (20_000, 0.2)
