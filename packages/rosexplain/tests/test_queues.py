"""Queues, and the marks for them: which lines a rule names, and what its commands leave alone."""

from __future__ import annotations

import pytest
from asked import HEAD, ask

from rosexplain.limits import limits
from rosexplain.noticed import noticed

LAN = f"""{HEAD}/ip address
add address=192.168.88.1/24 interface=ether2
add address=192.0.2.2/24 interface=ether1
/ip route
add gateway=192.0.2.1
"""
MARK = "add action=mark-packet chain=forward dst-port=443 new-packet-mark=video protocol=udp\n"


PPP = "/ppp profile\nadd name=a rate-limit={rate} remote-address=192.168.88.9\n"


@pytest.mark.parametrize(
    ("words", "of_line"),
    [
        ("", True),
        ("dst=0.0.0.0/0", True),
        ("dst=ether1", True),
        ("dst=10.0.0.0/8", False),
        ("packet-marks=video", False),
        ("time=0s-6h,sun,mon", False),
    ],
)
def test_a_queue_is_of_the_whole_line_unless_it_is_for_a_part(words: str, of_line: bool) -> None:
    queue = f"/queue simple\nadd max-limit=5M/5M name=a target=192.168.88.0/24 {words}\n"
    mangle = f"/ip firewall mangle\n{MARK}"
    (limit,) = limits(ask(LAN + mangle + queue))
    assert limit.shared == of_line


@pytest.mark.parametrize(
    ("ends", "limited"),
    [
        ("/interface l2tp-server server\nset enabled=yes\n", True),
        ("/interface pppoe-client\nadd disabled=no interface=ether4 name=out profile=a\n", True),
        ("/interface l2tp-server server\nset use-ipsec=yes\n", False),
        ("", False),
    ],
)
def test_a_profile_limits_where_somebody_has_a_session(ends: str, limited: bool) -> None:
    rules = [one.rule for one in limits(ask(LAN + PPP.format(rate="5M/5M") + ends))]
    assert rules == (["ppp-rate-limit"] if limited else [])


@pytest.mark.parametrize(
    ("rates", "tight"),
    [
        (["512k/1M", "256k"], True),
        (["512k/1M", "2M/5M"], False),
        (["512k/1M 2M/4M 256k/512k 10/10"], False),  # a burst lets a page through
        (["512k/1M 0/0"], True),
        (["0/0"], False),
    ],
)
def test_guests_wait_where_no_profile_gives_more(rates: list[str], tight: bool) -> None:
    text = LAN + "/ip hotspot\nadd disabled=no interface=ether2 name=h\n/ip hotspot user profile\n"
    for number, rate in enumerate(rates):
        text += f'add name=p{number} rate-limit="{rate}"\n'
    assert ("guests-tight" in dict(noticed(ask(text)))) == tight
