"""The frames that ppstraffic builds, against scapy, and what it reads of a frame."""

from __future__ import annotations

import ipaddress
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Dot1Q, Ether

from tests.testbed.testers.traffic.cable import (
    SIGNATURE,
    V6,
    _last_byte,
    dump,
    flow,
    parse,
    recomputed,
)

pytestmark = pytest.mark.live


BOTH = pytest.mark.parametrize("addresses", [{}, V6], ids=["ipv4", "ipv6"])


@pytest.mark.parametrize(
    ("size", "ttl"),
    [(64, 64), (65, 1), (84, 255), (127, 64), (128, 64), (129, 64), (512, 64), (1518, 64),
     (9215, 64), (9216, 64)],
)  # fmt: skip
@BOTH
def test_a_frame_is_what_scapy_would_build(
    ppstraffic_asan: Path, size: int, ttl: int, addresses: dict[str, str]
) -> None:
    if addresses:
        size = max(size, 84)
    one = flow(**addresses) if ttl == 64 else flow(ttl=ttl, **addresses)
    frames = dump(ppstraffic_asan, "--size", size, "--count", 5, "--flow", one)
    assert len(frames) == 5
    for number, frame in enumerate(frames):
        assert len(frame) == size - 4  # the FCS is the card's
        assert frame == recomputed(frame)
        packet = Ether(frame)
        network = packet[IPv6] if addresses else packet[IP]
        assert (packet.src, packet.dst) == ("02:00:c6:12:01:02", "02:00:c6:12:02:02")
        assert network.src == addresses.get("src", "198.18.1.2")
        assert network.dst == addresses.get("dst", "198.18.2.2")
        assert (network.hlim if addresses else network.ttl) == ttl
        assert (packet[UDP].sport, packet[UDP].dport) == (49184, 7)
        payload = bytes(packet[UDP].payload)
        magic, tag, index, sequence, high, low, lateness = SIGNATURE.unpack(payload[:18])
        assert (magic, tag, index, sequence, high, low) == (0x5050, 0x2A, 0, number, 0, 0)
        assert lateness == number * 2654435761 % 2**32
        assert payload[18:] == bytes(len(payload) - 18)


@BOTH
def test_random_flows_have_right_checksums(
    ppstraffic_asan: Path, addresses: dict[str, str]
) -> None:
    chance = random.Random(2544)
    argv: list[object] = ["--size", 200, "--count", 600, "--rate", 7]
    for number in range(60):
        bits, kind = (128, ipaddress.IPv6Address) if addresses else (32, ipaddress.IPv4Address)
        words = {"src": kind(chance.getrandbits(bits)), "dst": kind(chance.getrandbits(bits))}
        words |= {"sport": chance.randrange(60000), "dport": chance.randrange(65536)}
        words |= {"sport_count": chance.randrange(1, 5000), "weight": chance.randrange(1, 3)}
        argv += ["--flow", flow(name=f"f{number}", **words)]
    frames = dump(ppstraffic_asan, *argv)
    for frame in frames:
        assert frame == recomputed(frame)
    seen = parse(ppstraffic_asan, *frames)
    assert {one["verdict"] for one in seen} == {"ours"}
    assert [one["intended_ns"] for one in seen] == [int(i * 1e9 / 7) for i in range(600)]


@BOTH
def test_fields_step_in_order(ppstraffic_asan: Path, addresses: dict[str, str]) -> None:
    stepping = flow(sport_count=3, dport_count=5, src_count=2, dst_count=4, **addresses)
    frames = dump(ppstraffic_asan, "--size", 100, "--count", 60, "--flow", stepping)
    first = Ether(frames[0])
    for k, frame in enumerate(frames):
        assert frame == recomputed(frame)
        packet = Ether(frame)
        network, start = packet.payload, first.payload
        assert packet[UDP].sport == 49184 + k % 3
        assert packet[UDP].dport == 7 + k % 5
        assert _last_byte(network.src) == _last_byte(start.src) + k % 2
        assert _last_byte(network.dst) == _last_byte(start.dst) + k % 4


@pytest.mark.parametrize(("addresses", "least"), [({}, 68), (V6, 88)], ids=["ipv4", "ipv6"])
def test_a_tagged_frame_has_its_vlan_and_steps_as_others_do(
    ppstraffic_asan: Path, addresses: dict[str, str], least: int
) -> None:
    tagged = flow(vlan=3000, sport_count=3, src_count=2, **addresses)
    argv = ("--count", 6, "--flow", tagged)
    frames = dump(ppstraffic_asan, "--size", least, *argv)
    for k, frame in enumerate(frames):
        assert len(frame) == least - 4
        assert frame == recomputed(frame)
        packet = Ether(frame)
        assert (packet[Dot1Q].vlan, packet[Dot1Q].prio) == (3000, 0)
        assert packet[UDP].sport == 49184 + k % 3
        assert _last_byte(packet[Dot1Q].payload.src) == 2 + k % 2
        # The kernel hands the receiver the tag beside the frame.
        without = frame[:12] + frame[16:]
        assert parse(ppstraffic_asan, without)[0]["verdict"] == "ours"
    with pytest.raises(subprocess.CalledProcessError):
        dump(ppstraffic_asan, "--size", least - 1, *argv)


def draw(turn: int, seed: int, field: int, count: int) -> int:
    """The value that a random field has at a turn, as traffic/README.md defines it."""

    def mix(h: int) -> int:
        h = (h ^ h >> 16) * 0x85EBCA6B % 2**32
        h = (h ^ h >> 13) * 0xC2B2AE35 % 2**32
        return h ^ h >> 16

    return mix((turn * 0x9E3779B9 + mix(seed * 4 + field)) % 2**32) * count >> 32


@BOTH
def test_random_fields_are_drawn_by_their_seed(
    ppstraffic_asan: Path, addresses: dict[str, str]
) -> None:
    words = {"sport": 1, "sport-count": 65535, "sport-random": 4, "dport-count": 3}
    words |= {"src-count": 200, "src-random": 9, "dst-count": 65536, "dst-random": 9}
    drawing = flow(**addresses, **words)
    frames = dump(ppstraffic_asan, "--size", 100, "--count", 400, "--flow", drawing)
    sources = set()
    for k, frame in enumerate(frames):
        assert frame == recomputed(frame)
        packet = Ether(frame)
        start = addresses or {"src": "198.18.1.2", "dst": "198.18.2.2"}
        away = [
            int(ipaddress.ip_address(getattr(packet.payload, end)))
            - int(ipaddress.ip_address(start[end]))
            for end in ("src", "dst")
        ]
        assert away == [draw(k, 9, 2, 200), draw(k, 9, 3, 65536)]
        assert packet[UDP].sport == 1 + draw(k, 4, 0, 65535)
        assert packet[UDP].dport == 7 + k % 3
        sources.add(packet[UDP].sport)
    assert len(sources) > 390  # of 65535: 400 draws meet about once


def test_drawn_values_are_even(ppstraffic: Path) -> None:
    drawing = flow(**{"dport-count": 16, "dport-random": 1})
    frames = dump(ppstraffic, "--size", 64, "--count", 16000, "--flow", drawing)
    found = [int.from_bytes(frame[36:38], "big") - 7 for frame in frames]
    # 1000 of each are expected, with a standard deviation of 31.
    assert all(850 < found.count(value) < 1150 for value in range(16))


def test_held_fields_stay_for_some_frames(ppstraffic_asan: Path) -> None:
    held = flow(sport_count=4, hold=3, **{"dport-count": 9, "dport-random": 5})
    frames = dump(ppstraffic_asan, "--size", 64, "--count", 30, "--flow", held)
    packets = [Ether(frame)[UDP] for frame in frames]
    assert [p.sport - 49184 for p in packets] == [k // 3 % 4 for k in range(30)]
    assert [p.dport - 7 for p in packets] == [draw(k // 3, 5, 1, 9) for k in range(30)]
    learning = dump(
        ppstraffic_asan, "--size", 64, "--count", 8, "--first", 0x80000000, "--flow", held
    )
    # While learning every frame steps, so that few frames show all variants.
    assert [Ether(frame)[UDP].sport - 49184 for frame in learning] == [0, 1, 2, 3] * 2


def test_a_zero_checksum_is_written_as_ffff(ppstraffic: Path) -> None:
    frames = dump(ppstraffic, "--size", 64, "--count", 300_000, "--rate", 99, "--flow", flow())
    checksums = [frame[40:42] for frame in frames]
    assert checksums.count(b"\x00\x00") == 0
    special = [f for f, checksum in zip(frames, checksums, strict=True) if checksum == b"\xff\xff"]
    assert special
    assert all(frame == recomputed(frame) for frame in special)
    assert {one["verdict"] for one in parse(ppstraffic, *special)} == {"ours"}


def test_flows_take_turns_by_weight(ppstraffic_asan: Path) -> None:
    argv: list[object] = ["--size", 64, "--count", 8]
    for name, weight in (("a", 4), ("b", 2), ("c", 2)):
        argv += ["--flow", flow(name=name, weight=weight)]
    seen = parse(ppstraffic_asan, *dump(ppstraffic_asan, *argv))
    assert [one["flow"] for one in seen] == [0, 1, 2, 0] * 2
    assert [one["sequence"] for one in seen] == [0, 0, 0, 1, 2, 1, 1, 3]


@BOTH
@pytest.mark.parametrize("size", [76, 128, 1518])
def test_a_segment_is_what_scapy_would_build(
    ppstraffic_asan: Path, size: int, addresses: dict[str, str]
) -> None:
    size = max(size, 96) if addresses else size
    segment = flow(protocol=6, sport_count=9, **addresses)
    frames = dump(ppstraffic_asan, "--size", size, "--count", 400, "--flow", segment)
    for number, frame in enumerate(frames):
        assert len(frame) == size - 4
        assert frame == recomputed(frame)
        tcp = Ether(frame)[TCP]
        assert (tcp.sport, tcp.dport) == (49184 + number % 9, 7)
        assert (tcp.seq, tcp.ack, str(tcp.flags), tcp.window) == (1, 1, "PA", 65535)
        assert tcp.options == []
        assert bytes(tcp.payload)[:2] == b"PP"
    seen = parse(ppstraffic_asan, *frames)
    assert [(one["verdict"], one["sequence"]) for one in seen] == [("ours", k) for k in range(400)]


@BOTH
def test_a_protocol_that_no_router_knows(ppstraffic_asan: Path, addresses: dict[str, str]) -> None:
    unknown = flow(protocol=253, dst_count=3, **addresses)
    frames = dump(ppstraffic_asan, "--size", 84, "--count", 6, "--flow", unknown)
    for number, frame in enumerate(frames):
        packet = Ether(frame)
        network = packet[IPv6] if addresses else packet[IP]
        assert (network.nh if addresses else network.proto) == 253
        assert _last_byte(network.dst) == 2 + number % 3
        if not addresses:
            del network.chksum
            assert bytes(packet) == frame
        # A router that translates the address leaves the rest as it is.
        network.dst = "2001:2::9" if addresses else "198.18.9.9"
        (seen,) = parse(ppstraffic_asan, bytes(packet))
        assert (seen["verdict"], seen["sequence"]) == ("ours", number)


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize("protocol", [17, 6, 253])
@BOTH
@pytest.mark.parametrize("size", [96, 400])
def test_every_damaged_byte_is_noticed(
    ppstraffic_asan: Path, size: int, addresses: dict[str, str], protocol: int
) -> None:
    """All but what no checksum covers: MAC addresses, and in IPv6 traffic class to hop limit.

    Of protocol 253 nothing covers the addresses of IPv6 either.
    """
    one = flow(protocol=protocol, **addresses)
    (frame,) = dump(ppstraffic_asan, "--size", size, "--flow", one)
    end = 14 + (40 if addresses else 20) + (20 if protocol == 6 else 8) + 18
    damaged = []
    for place in range(12, end):
        if addresses and place in {15, 16, 17, 21}:
            continue
        if addresses and protocol == 253 and 22 <= place < 54:
            continue
        # In the first byte of IPv6 the lower half belongs to the traffic class.
        for bit in range(4 if addresses and place == 14 else 0, 8):
            wrong = bytearray(frame)
            wrong[place] ^= 1 << bit
            damaged.append(bytes(wrong))
    assert {one["verdict"] for one in parse(ppstraffic_asan, *damaged)} <= {"corrupt", "unrelated"}


def test_what_is_not_ours(ppstraffic_asan: Path) -> None:
    (frame,) = dump(ppstraffic_asan, "--size", 200, "--flow", flow())
    (frame6,) = dump(ppstraffic_asan, "--size", 200, "--flow", flow(**V6))

    def changed(base: bytes, layer: Any, **fields: Any) -> bytes:
        packet = Ether(base)
        for name, value in fields.items():
            setattr(packet[layer], name, value)
        if layer is IP:
            del packet[IP].chksum
        return bytes(packet)

    wanted = {
        b"": "unrelated",
        bytes(60): "unrelated",
        frame[:41]: "unrelated",
        frame[:43]: "unrelated",
        frame[:59]: "corrupt",
        frame[:-1]: "corrupt",
        frame6[:79]: "corrupt",
        frame + bytes(6): "ours",  # padding behind the packet
        changed(frame, IP, proto=6): "unrelated",
        changed(frame, IP, frag=1): "unrelated",
        changed(frame, IP, flags="MF"): "corrupt",
        changed(frame, IP, ttl=3): "ours",  # a router was there
        changed(frame6, IPv6, hlim=3): "ours",
        changed(frame, UDP, chksum=0): "ours",  # "no checksum", RFC 768
        changed(frame6, UDP, chksum=0): "corrupt",  # not allowed, RFC 8200 section 8.1
        bytes(Ether(frame)[IP]): "unrelated",
    }
    verdicts = [one["verdict"] for one in parse(ppstraffic_asan, *wanted)]
    assert verdicts == list(wanted.values())


def test_ip_options_move_the_payload(ppstraffic_asan: Path) -> None:
    (frame,) = dump(ppstraffic_asan, "--size", 100, "--first", 77, "--flow", flow())
    packet = Ether(frame)
    packet[IP].options = b"\x01" * 8
    del packet[IP].ihl, packet[IP].len, packet[IP].chksum
    (seen,) = parse(ppstraffic_asan, bytes(packet))
    assert (seen["verdict"], seen["sequence"]) == ("ours", 77)
