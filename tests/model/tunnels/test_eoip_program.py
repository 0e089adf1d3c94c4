"""The BPF program that makes EoIP of gretap and back, against captured bytes.

The kernel runs it on single packets (BPF_PROG_TEST_RUN), without a lab and without a guest.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, GRE, Ether
from scapy.packet import Packet, Raw

from ppslab.testbed.backends import capabilities
from tests.model.tunnels import eoip_codec as eoip

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "images/linux-router/bpf/eoip.bpf.c"

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, ["clang", "bpftool", "unshare"])),
        reason="BPF programs are loaded by root, with clang and bpftool",
    ),
]

MAC, OTHER = "02:00:c6:13:01:01", "02:00:c6:13:01:02"
ARP_FRAME = bytes(
    Ether(src=MAC, dst="ff:ff:ff:ff:ff:ff") / ARP(hwsrc=MAC, psrc="198.18.1.1", pdst="198.18.1.2")
)
# Captured between CHRs of RouterOS 7.18.2 (manawenuz/EoIP-rs): a 42-byte ARP frame, tunnel 100.
CAPTURED = bytes.fromhex("20 01 64 00 00 2a 64 00")
KEEPALIVE = bytes.fromhex("20 01 64 00 00 00 64 00")
OK, SHOT = 0, 2
"""TC_ACT_OK and TC_ACT_SHOT, linux/pkt_cls.h."""


class Kernel:
    """The program in this kernel; `run` gives it one packet and its mark."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.object = folder / "eoip.o"
        flags = "-O2 -g -Wall -Wextra -Werror -target bpf -I/usr/include/x86_64-linux-gnu"
        command = ["clang", *flags.split(), "-c", str(SOURCE), "-o", str(self.object)]
        subprocess.run(command, check=True)

    def run(self, section: str, packet: bytes, mark: int = 0) -> tuple[int, bytes, int]:
        """What it returns, what it makes of the packet, and the mark that it leaves."""
        files = {name: self.folder / name for name in ("in", "out", "ctx", "ctx_out")}
        files["in"].write_bytes(packet)
        # struct __sk_buff, linux/bpf.h: the mark is its third word, and only a few may be set.
        context = bytearray(192)
        struct.pack_into("=I", context, 8, mark)
        files["ctx"].write_bytes(context)
        mount, there = self.folder / "bpffs", f"{self.folder}/bpffs/eoip"
        mount.mkdir(exist_ok=True)
        script = (
            f"mount -t bpf bpf {mount} && bpftool prog loadall {self.object} {there} "
            f"type classifier && bpftool prog run pinned {there}/eoip_{section} "
            f"data_in {files['in']} data_out {files['out']} "
            f"ctx_in {files['ctx']} ctx_out {files['ctx_out']}"
        )
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-ec", script], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        returned = int(done.stdout.split("Return value: ")[1].split(",")[0])
        (left,) = struct.unpack_from("=I", files["ctx_out"].read_bytes(), 8)
        return returned, files["out"].read_bytes(), left


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> Kernel:
    if "bpf" not in capabilities.features_of("namespaces"):
        pytest.skip("this kernel loads no BPF program: ppslab doctor")
    return Kernel(tmp_path_factory.mktemp("eoip"))


def outside(behind: bytes, **words: object) -> bytes:
    """A frame of the path with IPv4 and GRE in it, padded as Ethernet does."""
    ip = IP(src="198.19.1.2", dst="198.19.2.2", proto=47, ttl=255, **words)
    return bytes(Ether(src=MAC, dst=OTHER) / ip / Raw(behind)).ljust(60, b"\0")


def gretap(key: int, frame: bytes) -> bytes:
    return bytes(GRE(key_present=1, key=key, proto=0x6558) / Raw(frame))


def seen(packet: bytes) -> Packet:
    return Ether(packet)


def test_a_gretap_packet_leaves_as_the_captured_one(kernel: Kernel) -> None:
    _, _, mark = kernel.run("tunnel", ARP_FRAME)
    assert mark == len(ARP_FRAME) == 42
    before = outside(gretap(100, ARP_FRAME))
    returned, packet, _ = kernel.run("out", before, mark)
    assert returned == OK
    assert packet[34:42] == CAPTURED
    # Nothing else has changed: neither the IP header with its checksum, nor the frame.
    assert packet[:34] + packet[42:] == before[:34] + before[42:]
    assert eoip.decode(seen(packet)[IP].build()[20:]) == (100, ARP_FRAME)


@pytest.mark.parametrize("tunnel", [0, 1, 100, 0x1234, 0xFFFF])
def test_what_leaves_is_eoip_and_it_comes_in_as_it_was(kernel: Kernel, tunnel: int) -> None:
    frame = bytes(Ether() / IP(dst="198.18.0.2") / UDP() / Raw(bytes(300)))
    before = outside(gretap(tunnel, frame))
    returned, sent, _ = kernel.run("out", before, len(frame))
    assert returned == OK
    assert eoip.decode(seen(sent)[IP].build()[20:]) == (tunnel, frame)
    assert kernel.run("in", sent)[:2] == (OK, before)


def test_the_first_fragment_has_the_length_of_the_whole_frame_and_the_second_stays(
    kernel: Kernel,
) -> None:
    frame = bytes(1514)
    whole = gretap(100, frame)
    first, second = outside(whole[:1480], flags="MF"), outside(whole[1480:], frag=185)
    returned, sent, _ = kernel.run("out", first, len(frame))
    assert returned == OK
    assert sent[34:42] == eoip.encode(100, frame)[:8]
    assert kernel.run("out", second, len(frame))[:2] == (OK, second)
    assert kernel.run("in", second)[:2] == (OK, second)
    assert kernel.run("in", sent)[:2] == (OK, first)


def test_a_keepalive_ends_here(kernel: Kernel) -> None:
    assert kernel.run("in", outside(KEEPALIVE))[0] == SHOT


def test_a_header_that_promises_more_than_came_is_dropped(kernel: Kernel) -> None:
    assert kernel.run("in", outside(eoip.encode(100, ARP_FRAME)[:-1]))[0] == SHOT
    # Bytes behind the frame are padding of whoever sent it.
    assert kernel.run("in", outside(eoip.encode(100, ARP_FRAME) + bytes(5)))[0] == OK


@pytest.mark.parametrize(
    ("key", "mark"), [(0x10000, 42), (100, 0), (100, 0x10000)], ids=["key", "no mark", "too long"]
)
def test_what_no_router_could_read_does_not_leave(kernel: Kernel, key: int, mark: int) -> None:
    assert kernel.run("out", outside(gretap(key, ARP_FRAME)), mark)[0] == SHOT


@pytest.mark.parametrize("section", ["in", "out"])
def test_what_is_none_of_its_business_passes_unchanged(kernel: Kernel, section: str) -> None:
    others = [
        bytes(Ether(src=MAC, dst=OTHER) / IP(dst="198.19.2.2") / UDP() / Raw(bytes(40))),
        outside(bytes(GRE(proto=0x0800) / IP(dst="198.18.2.2"))),
        outside(bytes.fromhex("2001880b002a6400") + bytes(42)),
        ARP_FRAME,
    ]
    for packet in others:
        assert kernel.run(section, packet, 42)[:2] == (OK, packet)
