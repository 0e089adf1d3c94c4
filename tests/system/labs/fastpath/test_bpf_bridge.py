"""bridge_forward on real frames: what it learns and forwards, and that nothing is left of it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from tests.support.waiting import until
from tests.system.labs.fastpath.rig import PAYLOAD, PORTS, SOURCES, STREAMS, Rig, host_mac, only

pytestmark = [
    pytest.mark.live,
    pytest.mark.frames,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["clang", "tc", "bpftool", "unshare"])),
        reason="BPF programs are loaded by root, with clang, iproute2 and bpftool",
    ),
]


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
