"""Long exports are answered soon, with the commands that would change the answer."""

from __future__ import annotations

import pytest
from asked import ask

from rosexplain.report import Answer
from tests.support import pace

pytestmark = pytest.mark.long

MOST_TURNS = 160
"""Millions (tests/support/pace.py): two seconds where the slowest of them took 0.9 s."""

FILTER = "/ip firewall filter"


@pytest.mark.parametrize(
    ("menu", "line"),
    [
        (FILTER, "add action=accept chain=forward src-address-list=a dst-address=10.0.0.0/8"),
        (FILTER, "add action=jump chain=forward jump-target=forward"),
        (FILTER, "set [ find chain=forward ] log=yes"),
        (FILTER, 'add comment="' + "[" * 50 + '"'),
        (FILTER, "set [find] comment=x"),
        ("/ipv6 firewall filter", "add action=accept chain=forward src-address=2001:2:{0:x}::/48"),
        ("/queue simple", "add name=q{0} target=10.0.0.{0}"),
        ("/ip dhcp-server lease", "add address=10.0.0.{0} rate-limit=1M/1M"),
        ("/ip ipsec policy", "add dst-address=10.{0}.0.0/16 tunnel=yes"),
        ("/interface eoip", "add name=e{0} remote-address=198.18.0.1 allow-fast-path=no"),
        ("/interface wireguard", "add name=wg{0}"),
        ("/interface pppoe-client", "add name=pppoe-out{0} interface=ether1"),
        ("/interface bridge", "add name=bridge{0}"),
    ],
)  # fmt: skip
def test_five_thousand_lines_are_answered_soon(menu: str, line: str) -> None:
    """With the commands that would change the answer; the page's two seconds are test_explain's."""
    rows = "".join(line.format(number) + "\n" for number in range(5000))
    text = f"{menu}\n{rows}{FILTER}\nadd action=fasttrack-connection chain=forward"
    answers = []
    pace.assert_within(MOST_TURNS, lambda: answers.append(Answer(ask(text)).plain()))
    assert answers[0]["classes"]
