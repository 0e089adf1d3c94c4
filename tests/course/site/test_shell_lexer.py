"""Shell commands in colour: an address is one number, and no letter is lost."""

from __future__ import annotations

import pytest
from pygments.token import Number

from ppslab.course.site.directives.devices import ShellLexer


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("ping -c 3 198.18.2.2", ["3", "198.18.2.2"]),
        ("ip route add 198.18.2.0/24 via 198.18.1.1", ["198.18.2.0/24", "198.18.1.1"]),
        ("ping 2001:2::1", ["2001:2::1"]),
        ("taskset -c 2,3 sleep 09:00", ["2,3", "09:00"]),
        ("make chr CHR=7.20.8", ["7.20.8"]),
        ("ip link set eth1.10 mtu 1500; ls /tmp/1.2", ["1500"]),
    ],
)
def test_an_address_is_one_number(line: str, numbers: list[str]) -> None:
    tokens = list(ShellLexer().get_tokens(line))
    assert "".join(text for _, text in tokens) == f"{line}\n"
    assert [text for kind, text in tokens if kind in Number] == numbers
