"""The calculator against numbers that others published, and against itself."""

from __future__ import annotations

import doctest

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from ppslab.core.errors import UsageError
from ppslab.model.tunnels import overhead
from ppslab.model.tunnels.overhead import Stack, fragments, parse
from ppslab.model.tunnels.tunnel_layers import IPV6_HEADER

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
    "l2tp": 1462,  # support.aa.net.uk/L2TP_MTU, which counts each header
    "l2tp-length": 1460,  # RouterOS 2.9's manual subtracts 40
    "l2tpv3": 1462,  # RFC 3931, 4.1.1.1: a session ID of 32 bits after the IP header
    "l2tpv3-udp": 1450,  # RFC 3931, 4.1.2.1: 64 bits after the UDP header
    "pppoe": 1492,
    "pppoe-mppe": 1488,
    "vlan": 1500,
    "esp-tunnel:aes-128-cbc:sha1": 1438,
}


@pytest.mark.parametrize(("word", "mtu"), KNOWN.items())
def test_the_mtu_that_everybody_knows(word: str, mtu: int) -> None:
    assert Stack(parse((word,))).inner_mtu == mtu


@pytest.mark.parametrize(
    ("words", "mtu"),
    [
        # IEEE 802.1Q-2018, 9.6: a tag has 4 octets; 802.1ad: an S-tag and a C-tag.
        ("vlan eoip", 1500 - 20 - 8 - 14 - 4),
        ("vlan vlan eoip", 1500 - 20 - 8 - 14 - 8),
        ("vlan vxlan", 1500 - 50 - 4),
        ("eoip vlan", 1458),
        ("l2tp pppoe", 1454),  # support.aa.net.uk/L2TP_MTU, over a path of 1492
        ("l2tp esp:aes-256-cbc:sha256", 1420),  # forum.mikrotik.com/t/154191/4: 80 bytes
        # RFC 3378, section 3: a header of 16 bits.
        ("eoipv6", 1500 - 40 - 2 - 14),
        ("pppoe eoip", 1500 - 20 - 8 - 14 - 8),  # one Ethernet header inside, not two
        # RFC 4303, section 2; RFC 2403 and 2404: the check is cut to 96 bits; RFC 4868: to half.
        # 1500 - 20 - 8 - IV - ICV, down to whole blocks, less the trailer's 2, and the 20 again.
        ("esp:aes-128-cbc:sha1", 1440 - 2 + 20),  # RFC 3602: IV 16, blocks of 16
        ("esp:camellia-256-cbc:sha512", 1424 - 2 + 20),  # RFC 4312
        ("esp:aes-128-ctr:md5", 1452 - 2 + 20),  # RFC 3686: IV 8, to 4 bytes
        ("esp:aes-128-ctr:sha1", 1452 - 2 + 20),
        ("esp:aes-128-ctr:sha256", 1448 - 2 + 20),
        ("esp:aes-128-ctr:sha512", 1432 - 2 + 20),
        ("esp:aes-256-gcm", 1448 - 2 + 20),  # RFC 4106: IV 8, ICV 16
        ("esp:chacha20-poly1305", 1448 - 2 + 20),  # RFC 7634: IV 8, ICV 16
        ("esp:3des:sha1", 1448 - 2 + 20),  # RFC 2451: IV 8, blocks of 8
        ("esp:null:sha1", 1460 - 2 + 20),  # RFC 2410: no IV
        ("esp:aes-128-ctr:sha1:udp", 1444 - 2 + 20),  # RFC 3948: a UDP header, no marker
    ],
)
def test_the_mtu_that_the_headers_leave(words: str, mtu: int) -> None:
    assert Stack(parse(tuple(words.split()))).inner_mtu == mtu


@pytest.mark.parametrize(
    ("word", "size", "wrapped"),
    [
        # RFC 4303, section 2.4: payload, padding, pad length and next header fill whole blocks,
        # and end on a boundary of 4 bytes whatever the cipher.
        ("esp:aes-128-cbc:sha1", 20 + 81, 20 + 8 + 16 + 96 + 12),
        ("esp:aes-128-cbc:sha1", 20 + 96, 20 + 8 + 16 + 112 + 12),
        ("esp:aes-256-cbc:sha256", 20 + 81, 20 + 8 + 16 + 96 + 16),
        ("esp:3des:md5", 20 + 81, 20 + 8 + 8 + 88 + 12),
        ("esp:aes-192-ctr:sha512", 20 + 81, 20 + 8 + 8 + 84 + 32),
        ("esp:aes-128-gcm", 20 + 81, 20 + 8 + 8 + 84 + 16),
        ("esp:chacha20-poly1305", 20 + 81, 20 + 8 + 8 + 84 + 16),
        ("esp:null:sha1", 20 + 81, 20 + 8 + 84 + 12),
        ("esp-tunnel:aes-128-cbc:sha1", 100, 20 + 8 + 16 + 112 + 12),
        ("esp-tunnel:aes-128-cbc:sha1:udp", 100, 20 + 8 + 8 + 16 + 112 + 12),
        # The manual, EoIP: ipsec-secret is AES-128-CBC with SHA-1.
        ("ipsec", 20 + 81, 20 + 8 + 16 + 96 + 12),
    ],
)
def test_what_esp_makes_of_a_packet(word: str, size: int, wrapped: int) -> None:
    assert Stack(parse((word,))).wrapped(size).size == wrapped


@pytest.mark.parametrize(
    ("words", "size", "frame"),
    [
        ("pppoe", 1492, 1518),  # IEEE 802.3, 3.2.7: 14 + 1500 + 4
        ("vlan", 1500, 1522),
        ("vlan vlan", 1500, 1526),
        ("ipip", 20, 64),  # a frame of 58 is padded
    ],
)
def test_the_frame_on_the_wire(words: str, size: int, frame: int) -> None:
    sent = Stack(parse(tuple(words.split()))).send(size)
    assert sent.frames == (frame,)
    # IEEE 802.3: preamble and start 8 bytes, gap 12.
    assert sent.wire == frame + 20
    assert sent.share == pytest.approx(size / (frame + 20))


@pytest.mark.parametrize(
    ("word", "ip", "mss"), [("pppoe", 20, 1452), ("pppoe", 40, 1432), ("vxlan", 20, 1410)]
)
def test_the_segment_that_fits(word: str, ip: int, mss: int) -> None:
    """RFC 9293, section 3.7.1: the MTU less the fixed headers of IP and TCP, 20 bytes."""
    assert Stack(parse((word,))).segment(ip) == mss


@pytest.mark.parametrize(
    ("size", "header", "mtu", "sizes"),
    [
        (472, 20, 280, (276, 216)),  # RFC 791, appendix A, example 2
        (1500, 40, 1280, (1280, 276)),  # RFC 8200, section 4.5: 8 bytes more in each
    ],
)
def test_the_fragments_of_the_standards(
    size: int, header: int, mtu: int, sizes: tuple[int, ...]
) -> None:
    assert fragments(size, header, mtu) == sizes


def test_a_packet_routed_into_eoip_leaves_1494_bytes_as_it_was_captured() -> None:
    sent = Stack(parse(("eoip",))).send(1500)
    assert sent.inside == (1452, 68)
    assert sent.outside == ((1494,), (110,))


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
    ("l2tp", "ipsec"),
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


def test_no_room_for_a_fragment_is_said() -> None:
    with pytest.raises(UsageError):
        fragments(1500, 40, 50)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("eop",), '"eoip"'),
        (("esp:aes",), "'aes'"),
        (("esp:aes-128-cbc:sha3",), "'sha3'"),
        (("esp:aes-128-gcm:sha1",), "aes-128-gcm"),
        (("vlan", "ipsec"), "vlan"),
        (("eoip", "vlan", "pppoe"), "vlan"),
        ((), ""),
    ],
)
def test_a_stack_that_cannot_be_says_why(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        Stack(parse(words))


def test_nothing_fits() -> None:
    with pytest.raises(UsageError):
        _ = Stack(parse(("eoip", "ipsec")), 90).inner_mtu


def test_the_examples_of_the_docstrings() -> None:
    assert doctest.testmod(overhead).failed == 0
