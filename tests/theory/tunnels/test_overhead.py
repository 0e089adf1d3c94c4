"""The calculator against numbers that others published, and against itself."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ppslab.base.errors import UsageError
from ppslab.theory.tunnels import dissector, eoip, overhead, views
from ppslab.theory.tunnels.layers import IPV6_HEADER
from ppslab.theory.tunnels.overhead import Stack, fragments, parse

# What RouterOS, Linux and the RFCs say of a link of 1500 bytes.
KNOWN = {
    "eoip": 1458,
    "gretap": 1462,
    "gretap-key": 1458,
    "gre": 1476,
    "gre-key": 1472,
    "ipip": 1480,
    "vxlan": 1450,
    "vxlan6": 1430,
    "gre6": 1456,
    "ipipv6": 1460,
    "pppoe": 1492,
    "pppoe-mppe": 1488,
    "vlan": 1500,
    "esp-tunnel:aes-128-cbc:sha1": 1438,
}


@pytest.mark.parametrize(("word", "mtu"), KNOWN.items())
def test_the_mtu_that_everybody_knows(word: str, mtu: int) -> None:
    assert Stack(parse((word,))).inner_mtu == mtu


def test_a_packet_routed_into_eoip_leaves_1494_bytes_as_it_was_captured() -> None:
    sent = Stack(parse(("eoip",))).send(1500)
    assert sent.inside == (1452, 68)
    assert sent.outside == ((1494,), (110,))


def test_a_bridged_packet_is_fragmented_outside() -> None:
    sent = Stack(parse(("eoip",))).send(1500, 1500)
    assert sent.inside == (1500,)
    assert sent.outside == ((1500, 62),)
    assert Stack(parse(("eoip",)), 1542).send(1500, 1500).outside == ((1542,),)


def test_df_and_ipv6_are_not_fragmented_inside() -> None:
    assert "fragmentation needed, MTU 1458" in Stack(parse(("eoip",))).send(1500, df=True).lost
    sent = Stack(parse(("eoip",)), inner_header=IPV6_HEADER).send(1500)
    assert "packet too big, MTU 1458" in sent.lost
    assert not Stack(parse(("eoip",))).send(1458, df=True).lost


STACKS = [
    ("eoip",),
    ("eoip", "ipsec"),
    ("vlan", "eoip", "esp:aes-256-gcm", "pppoe", "vlan"),
    ("gre", "esp-tunnel:aes-128-cbc:sha256:udp"),
    ("pppoe", "eoip"),
    ("vxlan6",),
    ("esp:chacha20-poly1305",),
]


@pytest.mark.parametrize("words", STACKS, ids=" ".join)
@settings(max_examples=50, deadline=None)
@given(data=some.data())
def test_what_fits_is_sent_whole_and_one_byte_more_is_not(
    words: tuple[str, ...], data: some.DataObject
) -> None:
    stack = Stack(parse(words), data.draw(some.integers(600, 9216)))
    assert len(stack.send(stack.inner_mtu).frames) == 1
    assert stack.wrapped(stack.inner_mtu + 1).link_payload > stack.mtu
    size = data.draw(some.integers(100, 9216))
    total = size + sum(part.size for _, parts in stack.parts(size) for part in parts)
    assert stack.wrapped(size).size == total
    for interface in (None, size):
        for each in stack.send(size, interface).outside:
            assert max(each) <= stack.mtu


@settings(max_examples=50, deadline=None)
@given(some.integers(29, 9000), some.integers(68, 9000), some.sampled_from([20, 40]))
def test_fragments_carry_everything_in_eights(size: int, mtu: int, header: int) -> None:
    if size < header:
        return
    made = fragments(size, header, mtu)
    head = header if len(made) == 1 or header == 20 else 48
    assert sum(each - head for each in made) == size - header
    assert max(made) <= max(mtu, head)
    assert all((each - head) % 8 == 0 for each in made[:-1])


def test_no_room_for_a_fragment_is_said() -> None:
    with pytest.raises(UsageError, match="no room"):
        fragments(1500, 40, 50)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eop",), 'did you mean "eoip"'),
        (("esp:aes",), "no cipher 'aes'"),
        (("esp:aes-128-cbc:sha3",), "no integrity check 'sha3'"),
        (("esp:aes-128-gcm:sha1",), "checks integrity by itself"),
        (("vlan", "ipsec"), "vlan makes frames"),
        (("eoip", "vlan", "pppoe"), "vlan makes frames"),
        ((), "one layer at least"),
    ],
)
def test_a_stack_that_cannot_be_says_why(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Stack(parse(words))


@pytest.mark.parametrize("mtu", [10, 70000])
def test_an_mtu_that_no_link_has(mtu: int) -> None:
    with pytest.raises(UsageError, match="68 to 65535"):
        Stack(parse(("eoip",)), mtu)


def test_nothing_fits() -> None:
    with pytest.raises(UsageError, match="nothing fits"):
        _ = Stack(parse(("eoip", "ipsec")), 90).inner_mtu


def test_the_table_of_tunnels_has_a_row_for_each() -> None:
    table = views.compared_table([("eoip",), ("eoip", "ipsec")], (1500, 9000), 1500)
    assert [cell.text for cell in table.rows[0]][2:] == ["42", "1458", "8958", "2"]


def test_the_examples_of_the_docstrings() -> None:
    for module in (dissector, eoip, overhead):
        assert doctest.testmod(module).failed == 0
