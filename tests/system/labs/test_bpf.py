"""The BPF programs on real frames: what they forward, and what they leave to the kernel."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, UDP, IPerror
from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, ICMPv6TimeExceeded, IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from tests.support.waiting import until
from tests.system.labs.rig import (
    MODES,
    PAYLOAD,
    PORTS,
    QUIET,
    SOURCES,
    STREAMS,
    Rig,
    host_mac,
    only,
    router_mac,
)

pytestmark = [
    pytest.mark.live,
    pytest.mark.frames,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["clang", "tc", "bpftool", "unshare"])),
        reason="BPF programs are loaded by root, with clang, iproute2 and bpftool",
    ),
]


@pytest.fixture(scope="session")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both programs compiled as the project's set-up compiles them."""
    folder = tmp_path_factory.mktemp("bpf")
    for source in SOURCES.glob("*.bpf.c"):
        command = "clang -O2 -g -Wall -Wextra -Werror -target bpf -I/usr/include/x86_64-linux-gnu"
        target = folder / source.name.replace(".bpf.c", ".o")
        subprocess.run([*command.split(), "-c", str(source), "-o", str(target)], check=True)
    return folder


@pytest.fixture
def rig() -> Iterator[Rig]:
    found = Rig()
    yield found
    found.close()


@pytest.fixture(scope="module", params=MODES)
def routing(objects: Path, request: pytest.FixtureRequest) -> Iterator[Rig]:
    found = Rig()
    found.attach(objects / "fib_forward.o", request.param)
    yield found
    found.close()


@pytest.fixture
def router(routing: Rig) -> Rig:
    """The router with fib_forward on every port, and its counters at zero."""
    routing.fast_packets()
    return routing


@pytest.fixture(params=MODES)
def bridge(rig: Rig, objects: Path, request: pytest.FixtureRequest) -> Rig:
    """The router as a bridge with bridge_forward on every port."""
    rig.dut.run("ip link add br0 type bridge stp_state 0 mcast_snooping 0; ip link set br0 up")
    for port in PORTS:
        rig.dut.run(f"ip link set eth{port} master br0")
    rig.attach(objects / "bridge_forward.o", request.param)
    rig.drain(QUIET)
    return rig


# --- fib_forward -----------------------------------------------------------------------------


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


# --- bridge_forward --------------------------------------------------------------------------


def frame_between(tx: int, rx: int, destination: str | None = None) -> Packet:
    """A frame of the bridged stream from port `tx` to port `rx`."""
    ethernet = Ether(src=host_mac(tx), dst=destination or host_mac(rx))
    header = IP(src=f"198.18.0.{tx}", dst=f"198.18.0.{rx}")
    return ethernet / header / UDP(sport=100, dport=200, chksum=0) / Raw(PAYLOAD)


def learn(bridge: Rig) -> None:
    for port in PORTS:
        bridge.send(port, frame_between(port, port, "ff:ff:ff:ff:ff:ff"))


def test_bridge_floods_what_it_has_not_learnt(bridge: Rig) -> None:
    for destination in (host_mac(2), "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:05"):
        data = bytes(frame_between(1, 2, destination))
        assert bridge.send(1, data) == {1: [], 2: [data], 3: [data]}
    assert bridge.fast_packets() == 0


def test_bridge_forwards_what_it_has_learnt(bridge: Rig) -> None:
    learn(bridge)
    for tx, rx in STREAMS:
        data = bytes(frame_between(tx, rx))
        assert bridge.send(tx, data) == only(rx, data)
    assert bridge.fast_packets() == len(STREAMS)


def test_bridge_follows_a_host_that_moves(bridge: Rig) -> None:
    learn(bridge)
    bridge.send(3, frame_between(2, 1))  # host 2 now speaks on port 3
    data = bytes(frame_between(1, 2))
    assert bridge.send(1, data) == only(3, data)


def test_bridge_sends_nothing_back(bridge: Rig) -> None:
    learn(bridge)
    assert bridge.send(1, frame_between(1, 1)) == only(1)
    assert bridge.fast_packets() == 0


def test_nothing_is_left_behind(objects: Path) -> None:
    """The bridge's table is pinned by name: in a node's own /sys, so it goes with the node."""
    before = pinned()
    rig = Rig()
    rig.attach(objects / "bridge_forward.o", "tc")
    programs = rig.programs()
    rig.close()
    assert programs
    assert pinned() == before
    until(lambda: not programs & loaded(), "the kernel to unload what nobody uses any more")


def pinned() -> set[Path]:
    """What the machine has pinned by a name that is among ours; others may pin theirs meanwhile."""
    sources = "".join(path.read_text() for path in SOURCES.glob("*.bpf.c"))
    ours = set(re.findall(r"LIBBPF_PIN_BY_NAME\);[^}]*\} (\w+)", sources))
    assert ours
    return {path for path in Path("/sys/fs/bpf").rglob("*") if path.name in ours}


def loaded() -> set[int]:
    shown = subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True, check=True)
    return {program["id"] for program in json.loads(shown.stdout)}
