"""The settings file of a switch chip; what follows from it the proofs of l3offload's tasks show."""

from __future__ import annotations

import pytest

from ppslab.course.tasks.engine.chip import Settings, WrongSettingError

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
        ("ipv6-hw=yes\nl3-offloading=yes", "line 2: no setting 'l3-offloading' (there are: l3-hw"),
        ("ipv6-hw", "line 1: no setting 'ipv6-hw'"),
        ("ipv6-hw=on", "line 1: ipv6-hw is yes or no, not 'on'"),
        ("ports=eth1,eth9", "line 1: no port 'eth9'; the ports are eth1, eth2"),
    ],
)
def test_what_is_no_setting_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(WrongSettingError) as told:
        Settings(text, PORTS)
    assert said in str(told.value)
