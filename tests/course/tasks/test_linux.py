"""Tasks on Linux: how long the last packets are waited for, and the settings file of a switch chip.

What follows from those settings the proofs of l3offload's tasks show.
"""

from __future__ import annotations

import pytest

from ppslab.course.tasks import linux, reading
from ppslab.course.tasks.engine.chip import Settings, WrongSettingError
from ppslab.course.tasks.schema import Traffic
from ppslab.model.lab import lab
from ppslab.testbed.testers.contract import Load, Outcome
from ppslab.testbed.testers.counts import TrialCounts
from tests.support.factory import make_counts

PACKETS = 200


class Late:
    """A tester of which some of the packets come, or all that were sent."""

    def __init__(self) -> None:
        self.come = PACKETS
        self.drains: list[float] = []

    def trial(self, load: Load) -> Outcome:
        self.drains.append(load.drain_seconds)
        counts = make_counts(1000.0, load.size, self.come)
        return Outcome(TrialCounts.of(counts | {"intended": PACKETS, "offered": PACKETS}))


def sent(*, emulated: bool, come: list[int]) -> list[float]:
    """The drains of one sending after the other, of which so many packets come."""
    tasks, tester = reading.load(lab.find("fastpath")), Late()
    send = linux.sender(tasks, tester, emulated=emulated)  # type: ignore[arg-type]
    for tester.come in come:
        send(Traffic(flows=("r12",), packets=PACKETS))
    return tester.drains


def test_where_some_came_too_late_the_next_is_waited_for_longer() -> None:
    usual, longest = linux.DRAIN_SECONDS, linux.LONGEST_DRAIN_SECONDS
    drains = sent(emulated=True, come=[150, 190, *[199] * 4, PACKETS, PACKETS])
    assert drains[:3] == [usual, 2 * usual, 4 * usual]
    assert drains[5:7] == [longest, longest] and drains[7] == usual


def test_where_none_came_none_is_waited_for_longer() -> None:
    """Nor where the kernel is this machine's own."""
    assert set(sent(emulated=True, come=[0, 0, 0])) == {linux.DRAIN_SECONDS}
    assert set(sent(emulated=False, come=[150, 150, 150])) == {linux.DRAIN_SECONDS}


PORTS = ("eth1", "eth2")


def read(text: str) -> tuple[bool, list[str], bool, bool]:
    found = Settings(text, PORTS)
    return found.offloading, found.ports, found.ipv6_hw, found.icmp_reply_on_error


def test_nothing_is_said_as_routeros_has_it() -> None:
    assert read("") == (False, ["eth1", "eth2"], False, True)


def test_a_later_line_counts_and_a_comment_does_not() -> None:
    text = "# mine\n\nl3-hw-offloading = no\nl3-hw-offloading=yes\nports= eth2 ,\nipv6-hw=yes\n"
    assert read(text) == (True, ["eth2"], True, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ipv6-hw=yes\nl3-offloading=yes", "line 2"),
        ("ipv6-hw", "line 1"),
        ("ipv6-hw=on", "line 1"),
        ("ports=eth1,eth9", "line 1"),
    ],
)
def test_what_is_no_setting_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(WrongSettingError) as told:
        Settings(text, PORTS)
    assert said in str(told.value)
