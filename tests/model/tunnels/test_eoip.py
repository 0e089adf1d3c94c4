"""RouterOS's EoIP byte for byte, as it was captured between CHRs of RouterOS 7.18.2."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scapy.layers.inet import ICMP, IP, UDP
from scapy.layers.l2 import ARP, GRE, Dot1Q, Ether
from scapy.packet import Padding, Raw
from scapy.utils import wrpcap

from ppslab.core.errors import FileError
from ppslab.model.tunnels import capture, eoip_bytes
from ppslab.model.tunnels.dissector import EoIP
from ppslab.model.tunnels.overhead import CIPHERS, fragments
from tests.model.tunnels import eoip_codec as eoip

# Captured: the header of a 42-byte ARP frame in tunnel 100, and of a keepalive of 28 bytes of IP.
CAPTURED_HEADER = bytes.fromhex("20 01 64 00 00 2a 64 00")
MAC, OTHER = "02:00:c6:12:01:01", "02:00:c6:12:01:02"
ARP_FRAME = bytes(
    Ether(src=MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=MAC, psrc="198.18.1.1", pdst="198.18.1.2")
)


def outer(**words: object) -> IP:
    return IP(src="198.18.0.1", dst="198.18.0.2", ttl=255, **words)


def test_the_captured_bytes() -> None:
    assert len(ARP_FRAME) == 42
    assert eoip.encode(100, ARP_FRAME) == CAPTURED_HEADER + ARP_FRAME
    assert eoip.decode(CAPTURED_HEADER + ARP_FRAME) == (100, ARP_FRAME)


def test_a_keepalive_is_28_bytes_of_ip() -> None:
    packet = outer() / EoIP(tunnel_id=100)
    assert len(packet) == 28
    assert bytes(packet)[20:] == eoip.encode(100) == bytes.fromhex("2001640000006400")
    assert bytes(packet)[9] == 47
    assert IP(bytes(packet))[EoIP].keepalive
    assert eoip.decode(eoip.encode(7)) == (7, b"")


@settings(max_examples=50, deadline=None)
@given(some.integers(0, 0xFFFF), some.binary(min_size=14, max_size=1600))
def test_scapy_builds_what_the_encoder_does(tunnel: int, frame: bytes) -> None:
    built = outer() / EoIP(tunnel_id=tunnel) / Raw(frame)
    assert bytes(built)[20:] == eoip.encode(tunnel, frame)
    seen = IP(bytes(built))[EoIP]
    assert (seen.tunnel_id, seen.length, bytes(seen.payload)) == (tunnel, len(frame), frame)


def test_scapy_opens_the_frame_inside() -> None:
    frame = Ether(src=MAC, dst=OTHER) / Dot1Q(vlan=7) / IP(dst="198.18.1.2") / UDP(dport=9)
    seen = IP(bytes(outer() / EoIP(tunnel_id=3) / frame))
    assert seen[EoIP][Dot1Q].vlan == 7
    assert seen[EoIP][UDP].dport == 9
    assert "EoIP tunnel 3" in seen[EoIP].mysummary()


def test_the_padding_of_a_short_frame_is_no_frame() -> None:
    wire = bytes(Ether(src=MAC, dst=OTHER) / outer() / EoIP(tunnel_id=7)) + bytes(18)
    seen = Ether(wire)
    assert seen[EoIP].keepalive
    assert seen.haslayer(Padding)


# --- captures ---------------------------------------------------------------------------------


def timed(packet: IP, time: float) -> Ether:
    made = Ether(src=MAC, dst=OTHER) / packet
    made.time = time
    return made


def inner(size: int, **words: object) -> bytes:
    packet = IP(src="198.18.1.1", dst="198.18.1.2", **words) / Raw(bytes(size - 20))
    return bytes(Ether(src=MAC, dst=OTHER) / packet)


def test_a_capture_is_counted_by_direction(tmp_path: Path) -> None:
    packets = [timed(outer() / EoIP(tunnel_id=100), 10.0 * n) for n in range(4)]
    packets += [timed(IP(src="198.18.0.2", dst="198.18.0.1") / EoIP(tunnel_id=100), 41.0)]
    # Routed into the tunnel: the packet inside is two fragments, 1494 and 110 bytes outside.
    routed = [inner(1452, flags="MF", proto=17), inner(68, frag=179, proto=17)]
    packets += [timed(outer() / EoIP(tunnel_id=100) / Raw(frame), 42.0) for frame in routed]
    packets += [timed(outer() / GRE(proto=0x6558) / Ether(src=MAC, dst=OTHER), 43.0)]
    packets += [timed(outer() / ICMP(), 44.0)]
    wrpcap(str(tmp_path / "c.pcap"), packets)
    seen = capture.read(tmp_path / "c.pcap")
    there, back = seen.ways
    assert (there.frames, there.keepalives, there.keepalive_interval) == (2, 4, 10.0)
    assert (there.largest, there.inner_fragments, there.outer_fragments) == (1494, 2, 0)
    assert (back.frames, back.keepalives, back.keepalive_interval) == (0, 1, None)
    assert (seen.packets, seen.gretap) == (9, 1)


def test_a_bridged_frame_is_fragmented_outside(tmp_path: Path) -> None:
    whole = eoip.encode(3, inner(1500, flags="DF", proto=17))
    sizes = fragments(20 + len(whole), 20, 1500)
    packets, at = [], 0
    for size in sizes:
        part = whole[at : at + size - 20]
        more = "MF" if at + len(part) < len(whole) else ""
        packets.append(timed(outer(id=9, proto=47, flags=more, frag=at // 8) / Raw(part), 1.0))
        at += len(part)
    wrpcap(str(tmp_path / "c.pcap"), packets)
    (way,) = capture.read(tmp_path / "c.pcap").ways
    assert sizes == (1500, 62)
    assert (way.frames, way.outer_fragments, way.inner_fragments) == (1, 2, 0)
    assert way.largest == 1500


def test_what_is_no_capture_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "c.pcap").write_text("no capture at all, but long enough to look at")
    with pytest.raises(FileError, match="pcapng"):
        capture.read(tmp_path / "c.pcap")
    with pytest.raises(FileError, match="no such file"):
        capture.read(tmp_path / "none.pcap")


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
