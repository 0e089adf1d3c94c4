"""fib_forward on real frames: what it routes, and what it leaves to the kernel."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, UDP, IPerror
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, ICMPv6TimeExceeded, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from tests.system.labs.fastpath.rig import PAYLOAD, PORTS, STREAMS, Rig, host_mac, only, router_mac

pytestmark = [
    pytest.mark.live,
    pytest.mark.frames,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["clang", "tc", "bpftool", "unshare"])),
        reason="BPF programs are loaded by root, with clang, iproute2 and bpftool",
    ),
]


def packet(tx: int, rx: int, **fields: Any) -> Packet:
    """A frame of the stream from port `tx` to port `rx`."""
    header = {"src": f"198.18.{tx}.2", "dst": f"198.18.{rx}.2", "ttl": 64, **fields}
    ethernet = Ether(src=host_mac(tx), dst=router_mac(tx))
    return ethernet / IP(**header) / UDP(sport=100, dport=200, chksum=0) / Raw(PAYLOAD)


def packet6(tx: int, rx: int, hop_limit: int = 64) -> Packet:
    ethernet = Ether(src=host_mac(tx), dst=router_mac(tx))
    header = IPv6(
        src=f"2001:2:0:{tx}::2", dst=f"2001:2:0:{rx}::2", hlim=hop_limit, tc=7, fl=0xABCDE
    )
    return ethernet / header / UDP(sport=100, dport=200) / Raw(PAYLOAD)


def routed(frame: Packet, rx: int) -> bytes:
    """The frame as a router must send it on: scapy computes every checksum anew."""
    expected = frame.copy()
    expected[Ether].src, expected[Ether].dst = router_mac(rx), host_mac(rx)
    if IP in expected:
        expected[IP].ttl -= 1
        del expected[IP].chksum
    else:
        expected[IPv6].hlim -= 1
    return bytes(expected)


def checksum(frame: Packet) -> int:
    return int.from_bytes(bytes(frame)[24:26], "big")


@pytest.mark.parametrize("build", [packet, packet6])
def test_six_streams_are_routed(router: Rig, build: Callable[[int, int], Packet]) -> None:
    for tx, rx in STREAMS:
        frame = build(tx, rx)
        assert router.send(tx, frame) == only(rx, routed(frame, rx))
    assert router.fast_packets() == len(STREAMS)


def test_checksum_is_right_at_its_edges(router: Rig) -> None:
    """The carry of RFC 1624: checksums before and after 0xfeff and 0xffff, and round the clock."""
    wanted = [0x0001, 0x00FF, 0x0100, 0xFEFE, 0xFEFF, 0xFF00, 0xFFFE, *range(0, 0xFFFF, 999)]
    at_zero = checksum(packet(1, 2, id=0))
    frames = [packet(1, 2, id=(at_zero - value) % 0xFFFF) for value in wanted]
    assert [checksum(frame) for frame in frames[:7]] == wanted[:7]
    assert router.send(1, *frames) == only(2, *(routed(frame, 2) for frame in frames))
    assert router.fast_packets() == len(frames)


def test_last_hop_goes_to_the_stack(router: Rig) -> None:
    received = router.send(1, packet(1, 2, ttl=1))
    assert received[2] == received[3] == []
    (answer,) = (Ether(frame) for frame in received[1])
    assert (answer[ICMP].type, answer[IP].src) == (11, "198.18.1.1")
    received = router.send(1, packet6(1, 2, hop_limit=1))
    assert received[2] == received[3] == []
    assert any(ICMPv6TimeExceeded in Ether(frame) for frame in received[1])
    assert router.fast_packets() == 0


def test_unknown_destination_goes_to_the_stack(router: Rig) -> None:
    received = router.send(1, packet(1, 2, dst="198.19.0.1"))
    assert received[2] == received[3] == []
    (answer,) = (Ether(frame) for frame in received[1])
    assert (answer[ICMP].type, answer[ICMP].code) == (3, 0)
    assert answer[IPerror].dst == "198.19.0.1"
    assert router.fast_packets() == 0


def test_too_large_goes_to_the_stack(router: Rig) -> None:
    router.dut.run("ip link set eth2 mtu 1400")
    frame = packet(1, 2, flags="DF")
    frame[Raw].load = bytes(1452)
    received = router.send(1, frame)
    router.dut.run("ip link set eth2 mtu 9500")
    assert received[2] == received[3] == []
    (answer,) = (Ether(frame) for frame in received[1])
    assert (answer[ICMP].type, answer[ICMP].code, answer[ICMP].nexthopmtu) == (3, 4, 1400)
    assert router.fast_packets() == 0


def test_options_take_the_slow_path(router: Rig) -> None:
    frame = packet(1, 2, options=b"\x01\x01\x01\x00")
    assert router.send(1, frame) == only(2, routed(frame, 2))
    assert router.fast_packets() == 0


def test_a_frame_for_another_host_is_not_routed(rig: Rig, objects: Path) -> None:
    rig.attach(objects / "fib_forward.o", "tc")
    frame = packet(1, 2)
    frame[Ether].dst = "02:00:c6:12:01:77"
    assert rig.send(1, frame) == only(2)
    assert rig.fast_packets() == 0


def test_the_router_still_answers_for_itself(router: Rig) -> None:
    for port in PORTS:
        ethernet = Ether(src=host_mac(port), dst=router_mac(port))
        for request, reply in (
            (IP(src=f"198.18.{port}.2", dst=f"198.18.{port}.1") / ICMP(), ICMP),
            (
                IPv6(src=f"2001:2:0:{port}::2", dst=f"2001:2:0:{port}::1") / ICMPv6EchoRequest(),
                ICMPv6EchoReply,
            ),
        ):
            (answer,) = router.send(port, ethernet / request)[port]
            assert reply in Ether(answer)
    assert router.fast_packets() == 0
