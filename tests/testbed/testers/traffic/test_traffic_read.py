"""What ppstraffic reads of a frame: whose it is, and whether it was damaged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether

from tests.testbed.testers.traffic.built import dump, parse
from tests.testbed.testers.traffic.cable import V6, flow

pytestmark = pytest.mark.live


@pytest.mark.parametrize("protocol", [17, 6, 253])
@pytest.mark.parametrize("addresses", [{}, V6], ids=["ipv4", "ipv6"])
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
