"""A long chain asks few of its rules: never one less than those that may match."""

from __future__ import annotations

import pytest

from rosexplain import explain, read_export
from rosexplain.matchers import NO, Chain, Matching
from rosexplain.packet import parsed

ENDS = ("", "10.0.0.0/8", "10.0.0.5", "!10.0.0.5", "10.0.0.4-10.0.0.9", "10.0.0.6/31", "0.0.0.0/0",
        "203.0.113.0/24", "!203.0.113.0/24", "host.example", "10.0.0.5/33")  # fmt: skip
RULES = [(source, target) for source in ENDS for target in ENDS]


@pytest.mark.parametrize("asked", [
    "src=10.0.0.5 dst=203.0.113.9:443/tcp established", "src=10.0.0.4 dst=10.0.0.6",
    "src=203.0.113.255 dst=10.0.0.10 new", "in=ether1 dst=192.168.88.1:22/tcp new",
])  # fmt: skip
@pytest.mark.parametrize("several", [False, True])
def test_the_rules_that_may_match_are_those_that_do_not_refuse_each(
    asked: str, several: bool
) -> None:
    """The same as of each rule alone, of one address and of several apart from each other."""
    lines = [
        "add action=accept chain=forward"
        + (f" src-address={source}" if source else "")
        + (f" dst-address={target}" if target else "")
        for source, target in RULES
    ]
    net = explain([read_export("/ip firewall filter\n" + "\n".join(lines) + "\n", "x.rsc")]).net
    packet = parsed(asked)
    if several and packet.src:
        packet.src = [*packet.src, (0xCB007101, 0xCB007102)]  # 203.0.113.1 and .2
    rows = net.rows.of("/ip/firewall/filter")
    chain, matching = Chain(rows), Matching(net, packet)
    each = [at for at, row in enumerate(rows) if Matching(net, packet).against(row)[0] != NO]
    assert chain.numbers(chain.may(matching)) == each
    assert 0 < len(each) < len(rows)
