"""BPF: load a program, pin it, attach it."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import tempfile
from collections.abc import Callable
from pathlib import Path

from ppslab.backends.prober.absence import failed, no_program
from ppslab.backends.prober.commands import command

BPF_MAP_CREATE, BPF_PROG_LOAD, BPF_OBJ_PIN = 0, 5, 6
SCHED_CLS, XDP = 3, 6
SYS_BPF = {"x86_64": 321, "aarch64": 280}.get(os.uname().machine, 280)
PROGRAM = struct.pack("<BBhi", 0xB7, 0, 0, 2) + struct.pack("<BBhi", 0x95, 0, 0, 0)
"""r0 = 2 (XDP_PASS; for tc TC_ACT_SHOT, no frame passes here); exit"""


def _bpf(command: int, attributes: bytes) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(attributes.ljust(128, b"\0"))
    got = int(libc.syscall(SYS_BPF, command, buffer, 128))
    if got < 0:
        raise failed("bpf(2)", ctypes.get_errno())
    return got


def _load(kind: int) -> int:
    code, licence = ctypes.create_string_buffer(PROGRAM), ctypes.create_string_buffer(b"GPL")
    attributes = struct.pack(
        "<IIQQ", kind, len(PROGRAM) // 8, ctypes.addressof(code), ctypes.addressof(licence)
    )
    return _bpf(BPF_PROG_LOAD, attributes)


def _pinned(kind: int, name: str) -> str:
    """Load a program and pin it where ip(8) and tc(8) find it: in a BPF file system of our own."""
    folder = Path(tempfile.gettempdir()) / "ppslab-probe-bpf"
    libc = ctypes.CDLL(None, use_errno=True)
    path = folder / name
    if not os.path.ismount(folder):
        folder.mkdir(exist_ok=True)
        if libc.mount(b"bpf", os.fsencode(folder), b"bpf", 0, None):
            raise failed("BPF file system", ctypes.get_errno())
    if not path.exists():
        program = _load(kind)
        text = ctypes.create_string_buffer(os.fsencode(path))
        _bpf(BPF_OBJ_PIN, struct.pack("<QI", ctypes.addressof(text), program))
        os.close(program)
    return str(path)


def loads() -> None:
    """Programs for traffic control and for XDP."""
    for kind in (SCHED_CLS, XDP):
        os.close(_load(kind))


def lpm_trie() -> None:
    """A table of prefixes, and what fills it."""
    lpm_trie, no_preallocation = 11, 1  # BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC
    os.close(_bpf(BPF_MAP_CREATE, struct.pack("<IIIII", lpm_trie, 8, 4, 1, no_preallocation)))
    if shutil.which("bpftool") is None:  # which fills it
        raise no_program("bpftool")


def traffic_control() -> None:
    """A program where a frame comes in."""
    path = _pinned(SCHED_CLS, "tc")
    command("tc qdisc add dev v0 clsact")
    command(f"tc filter add dev v0 ingress bpf direct-action object-pinned {path}")


def xdp(mode: str) -> Callable[[], None]:
    """A program in the driver (xdpdrv) or before the stack (xdpgeneric)."""

    def attempt() -> None:
        path = _pinned(XDP, "xdp")
        command(f"ip link set dev v0 {mode} pinned {path}")
        command(f"ip link set dev v0 {mode} off")

    return attempt
