"""RouterOS's EoIP byte for byte, as it was captured between CHRs of RouterOS 7.18.2."""

from __future__ import annotations

import pytest
from scapy.layers.l2 import ARP, Ether

from ppslab.model.tunnels import eoip_bytes
from ppslab.model.tunnels.overhead import CIPHERS
from tests.model.tunnels import eoip_codec as eoip

# Captured: the header of a 42-byte ARP frame in tunnel 100.
CAPTURED_HEADER = bytes.fromhex("20 01 64 00 00 2a 64 00")
MAC = "02:00:c6:12:01:01"
ARP_FRAME = bytes(
    Ether(src=MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=MAC, psrc="198.18.1.1", pdst="198.18.1.2")
)


def test_the_captured_bytes() -> None:
    assert len(ARP_FRAME) == 42
    assert eoip.encode(100, ARP_FRAME) == CAPTURED_HEADER + ARP_FRAME
    assert eoip.decode(CAPTURED_HEADER + ARP_FRAME) == (100, ARP_FRAME)
    assert eoip.encode(100) == bytes.fromhex("2001640000006400"), "a keepalive"


def hexed(fields: list[eoip_bytes.Field]) -> str:
    """The bytes of fields, with dots for those that nobody knows without the key."""
    return " ".join(".." if v is None else f"{v:02x}" for each in fields for v in each.values)


@pytest.mark.parametrize(
    ("header", "checksum"),
    [
        ("0001f203f4f5f6f7", 0x220D),  # RFC 1071, section 3: the sum is ddf2
        ("450000730000400040110000c0a80001c0a800c7", 0xB861),  # two carries
    ],
)
def test_the_internet_checksum(header: str, checksum: int) -> None:
    assert eoip_bytes.checksum(bytes.fromhex(header)) == checksum


@pytest.mark.parametrize(
    ("place", "flags"),
    [
        # RFC 791, section 3.1: more fragments is the third bit, an offset counts in eights.
        ((0, False, True), "40 00"),
        ((0, True, False), "20 00"),
        ((1480, False, False), "00 b9"),
        ((1480, True, False), "20 b9"),
    ],
)
def test_flags_and_offset_of_a_fragment(place: tuple[int, bool, bool], flags: str) -> None:
    made = eoip_bytes.ipv4("IPv4", "tunnel", 100, 1, place, 47, ("198.18.0.1", "198.18.0.2"))
    assert hexed(made)[18:23] == flags


def test_a_pppoe_session_carries_ipv4() -> None:
    """RFC 2516, section 4: EtherType 8864, version and type 1, a length with that of PPP."""
    packet = eoip_bytes.ipv4("IPv4", "tunnel", 20, 1, (0, False, False), 47, eoip_bytes.ROUTERS)
    frame = hexed(eoip_bytes.link_frame(packet, pppoe=True))
    assert frame[36:68] == "88 64 11 00 00 01 00 16 00 21 45"
    assert len(frame.split()) == 64


def test_eoip_in_esp_in_udp() -> None:
    """RFC 4303, section 2.4: padding counts from 1; RFC 3948, section 2.1: both ports are 4500."""
    frame = [eoip_bytes.field("frame", "bytes", bytes(60), "inside")]
    made = hexed(eoip_bytes.eoip_packet(frame, 100, (CIPHERS["aes-128-cbc"], 12, True))).split()
    # 8 + 60 + 2 bytes and 10 of padding are five blocks of 16.
    assert made[:8] == "11 94 11 94 00 7c 00 00".split()
    assert made[8:16] == "00 00 10 01 00 00 00 01".split()
    assert made[16:32] == [".."] * 16
    assert made[32:40] == "20 01 64 00 00 3c 64 00".split()
    assert made[-24:-12] == "01 02 03 04 05 06 07 08 09 0a 0a 2f".split()
    assert made[-12:] == [".."] * 12
