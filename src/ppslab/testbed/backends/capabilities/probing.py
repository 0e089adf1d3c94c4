"""Tries every kernel feature that a lab can need, in namespaces that end with the process.

    python -P -S .../probing.py

prints one JSON object: each feature, and null or why it is absent (`Absence.data`).

It runs on the host, and inside the vm backend's guest, where a start costs ten times as much:
so it imports the standard library only.  A version number or a kernel's configuration proves
little (a module may be missing, a user namespace may not be allowed to), so each feature is used.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any


class Obstacle(StrEnum):
    """Obstacles to a feature; each has its own remedy."""

    NO_PROGRAM = "no-program"
    """A program is not installed, so the kernel was never asked."""
    NOT_ALLOWED = "not-allowed"
    """This user is not allowed to; root is."""
    RESTRICTED = "restricted"
    """This system does not let users map themselves into a user namespace."""
    REFUSED = "refused"
    """The kernel or a tool refused."""
    LATE = "late"
    """A command did not end in time: the machine was busy, and the kernel may have it."""
    NOT_TRIED = "not-tried"
    """There was no namespace to try it in, or the prober failed."""


@dataclass(frozen=True)
class Absence:
    """The reason why a feature is missing.

    detail: what happened, in words; empty if a program is missing.
    program: the program that is not installed.
    """

    obstacle: Obstacle
    detail: str = ""
    program: str = ""

    @property
    def sentence(self) -> str:
        """The reason in words, for a reader."""
        return f"{self.program} is not installed" if self.program else self.detail

    def data(self) -> dict[str, str]:
        """As plain data, for JSON; `of` reads it."""
        return asdict(self)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Absence:
        """Read what `data` wrote; ValueError, KeyError or TypeError for anything else."""
        return cls(Obstacle(data["obstacle"]), data["detail"], data["program"])


class AbsentError(Exception):
    def __init__(self, absence: Absence) -> None:
        super().__init__(absence.sentence)
        self.absence = absence


def no_program(name: str) -> AbsentError:
    return AbsentError(Absence(Obstacle.NO_PROGRAM, program=name))


def refused(detail: str) -> AbsentError:
    return AbsentError(Absence(Obstacle.REFUSED, detail))


def failed(what: str, number: int | None) -> AbsentError:
    return AbsentError(of_errno(number, f"{what}: {os.strerror(number or 0)}"))


def of_errno(number: int | None, detail: str) -> Absence:
    """The absence that an errno means."""
    forbidden = number in (errno.EPERM, errno.EACCES)
    return Absence(Obstacle.NOT_ALLOWED if forbidden else Obstacle.REFUSED, detail)


COMMANDS: dict[str, tuple[str, ...]] = {
    "veth": ("ip link add v0 type veth peer name v1", "ip link set v0 up", "ip link set v1 up"),
    "bridge": ("ip link add br0 type bridge", "ip link set v1 master br0"),
    "vlan": ("ip link add link v0 name v0.7 type vlan id 7",),
    "vlan-tags": (
        "tc qdisc add dev v1 clsact",
        "tc filter add dev v1 ingress protocol ip matchall action vlan push id 7",
    ),
    "bonding": ("ip link add bo0 type bond mode 802.3ad",),
    "vxlan": ("ip link add vx0 type vxlan id 7 dstport 4789 local 198.18.0.1",),
    "gre": ("ip link add gr0 type gre local 198.18.0.1 remote 198.18.0.2",),
    "ipip": ("ip link add ii0 type ipip local 198.18.0.1 remote 198.18.0.2",),
    "wireguard": ("ip link add wg0 type wireguard", "wg show wg0"),
    "gretap": ("ip link add gt0 type gretap local 198.18.0.1 remote 198.18.0.2",),
    "esp": (
        "ip xfrm state add src 198.18.0.1 dst 198.18.0.2 proto esp spi 0x100 mode transport "
        "aead rfc4106(gcm(aes)) 0x000102030405060708090a0b0c0d0e0f10111213 128",
    ),
    # For a guest's cards: testbed/backends/vm/taps.py.
    "card-queues": (
        "ip tuntap add tu1 mode tap multi_queue",
        "ip link set tu1 master br0",
        "tc qdisc replace dev tu1 root noqueue",
    ),
    "nft": (
        "nft add table inet t",
        "nft add chain inet t c { type filter hook forward priority 0 ; }",
        "nft add rule inet t c ip saddr 198.18.0.1 counter drop",
    ),
    "nft-netdev": (
        "nft add table netdev t",
        "nft add chain netdev t c { type filter hook ingress device v0 priority 0 ; }",
    ),
    "nft-bridge": (
        "nft add table bridge t",
        "nft add chain bridge t c { type filter hook forward priority 0 ; }",
        "nft add rule bridge t c ether daddr 02:00:c6:13:01:01 counter drop",
    ),
    "conntrack": ("nft add rule inet t c ct state new counter",),
    "flowtable": (
        "nft add flowtable inet t f { hook ingress priority 0 ; devices = { v0 } ; }",
        "nft add rule inet t c meta l4proto udp flow add @f",
    ),
    "htb": (
        "tc qdisc add dev v0 root handle 1: htb",
        "tc class add dev v0 parent 1: classid 1:1 htb rate 1gbit",
    ),
    "u32": (
        "tc filter add dev v0 parent 1: protocol ip prio 1 u32 match ip dst 198.18.0.1/32 "
        "flowid 1:1",
    ),
    "flower": (
        "tc filter add dev v0 parent 1: protocol ip prio 2 flower dst_ip 198.18.0.1/32 classid 1:1",
    ),
    "netem": ("tc qdisc add dev v1 root netem delay 1ms",),
    "queue-kinds": tuple(
        f"tc qdisc replace dev v1 root {kind}"
        for kind in (
            "red limit 60000 avpkt 1000 bandwidth 10mbit",
            "sfq",
            "codel",
            "fq_codel",
            "cake",
        )
    ),
}
"""Features that commands prove, in this order: later ones use what earlier ones made."""

SECONDS = 60.0
"""A command takes 10 ms, and 5 s to load a module in an emulated guest."""
FORBIDDEN = ("not permitted", "denied")
"""Words by which ip, nft and tc report EPERM and EACCES; they print no number."""


def command(line: str | Sequence[str]) -> None:
    """Run a command; AbsentError if it is not installed, fails, or is too late."""
    argv = line.split(" ") if isinstance(line, str) else list(line)
    if shutil.which(argv[0]) is None:
        raise no_program(argv[0])
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=SECONDS,
            check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        late = f"{argv[0]} did not end within {SECONDS:.0f} s"
        raise AbsentError(Absence(Obstacle.LATE, late)) from None
    if done.returncode:
        printed = [text for text in (done.stderr + done.stdout).splitlines() if text.strip()]
        if not printed:
            raise refused(f"{argv[0]}: failed")
        forbidden = any(words in printed[0] for words in FORBIDDEN)
        obstacle = Obstacle.NOT_ALLOWED if forbidden else Obstacle.REFUSED
        raise AbsentError(Absence(obstacle, f"{argv[0]}: {printed[0].removeprefix('Error: ')}"))


def commands(lines: Sequence[str]) -> None:
    """Run all of these commands."""
    for line in lines:
        command(line)


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
    for kind in (SCHED_CLS, XDP):
        os.close(_load(kind))


def lpm_trie() -> None:
    lpm_trie, no_preallocation = 11, 1  # BPF_MAP_TYPE_LPM_TRIE, BPF_F_NO_PREALLOC
    os.close(_bpf(BPF_MAP_CREATE, struct.pack("<IIIII", lpm_trie, 8, 4, 1, no_preallocation)))
    if shutil.which("bpftool") is None:  # which fills it
        raise no_program("bpftool")


def traffic_control() -> None:
    path = _pinned(SCHED_CLS, "tc")
    command("tc qdisc add dev v0 clsact")
    command(f"tc filter add dev v0 ingress bpf direct-action object-pinned {path}")


def xdp(mode: str) -> None:
    """A program in the driver (xdpdrv) or before the stack (xdpgeneric)."""
    path = _pinned(XDP, "xdp")
    command(f"ip link set dev v0 {mode} pinned {path}")
    command(f"ip link set dev v0 {mode} off")


def rps() -> None:
    """A CPU for a port's packets, in a /sys that shows this network namespace.

    sysfs shows that of whoever mounted it.
    """
    folder = Path(tempfile.gettempdir()) / "ppslab-probe-sys"
    folder.mkdir(exist_ok=True)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"sys", os.fsencode(folder), b"sysfs", 0, None):
        raise failed("/sys of the namespace", ctypes.get_errno())
    (folder / "class/net/v0/queues/rx-0/rps_cpus").write_text("1")


def numa() -> None:
    if not os.environ.get("PPSLAB_GUEST"):
        raise refused("this machine's sockets and cards are as they are; a guest has others")
    if not Path("/sys/devices/system/node/node0").is_dir():
        raise refused("this kernel knows no NUMA nodes")
    command(["modprobe", "--dry-run", "virtio_net"])


def hyper_threads() -> None:
    for core in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list"):
        if core.read_text().strip().strip("0123456789"):
            return
    raise refused("no core of this machine shows a second thread")


def pppoe() -> None:
    """The programs of both ends, and sessions whose frames the kernel carries."""
    for program in ("pppd", "pppoe-server"):
        if shutil.which(program) is None:
            raise no_program(program)
    try:
        socket.socket(24, socket.SOCK_STREAM, 0).close()  # AF_PPPOX, PX_PROTO_OE; loads the module
    except OSError as error:
        raise failed("a PPPoE socket", error.errno) from error
    os.close(_ppp())


def mppe() -> None:
    """An interface of PPP that encrypts: ppp_mppe.c, mppe_alloc() takes type, length, bits, key."""
    handle = _ppp()
    try:
        fcntl.ioctl(handle, 0xC004743E, struct.pack("i", -1))  # PPPIOCNEWUNIT
        option = ctypes.create_string_buffer(struct.pack("BB4s16s", 18, 6, b"\1\0\0\x40", b""))
        # PPPIOCSCOMPRESS: struct ppp_option_data {ptr, length, transmit}; it needs no peer.
        data = struct.pack("PIi", ctypes.addressof(option), 22, 1)
        fcntl.ioctl(handle, 0x4010744D, data)
    except OSError as error:
        raise failed("ppp_mppe", error.errno) from error
    finally:
        os.close(handle)


def _ppp() -> int:
    """/dev/ppp, or a node like it: nothing makes it where there is no udev."""
    path = Path("/dev/ppp")
    if not path.exists():
        path = Path(tempfile.gettempdir()) / "ppslab-probe-ppp"
        if not path.exists():
            os.mknod(path, 0o600 | 0o020000, os.makedev(108, 0))
    try:
        return os.open(path, os.O_RDWR)
    except OSError as error:
        raise failed("/dev/ppp", error.errno) from error


CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
TOOL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

ATTEMPTS: dict[str, Callable[[], object]] = {
    **{name: partial(commands, lines) for name, lines in COMMANDS.items()},
    "bpf": loads,
    "lpm-trie": lpm_trie,
    "tc-bpf": traffic_control,
    "xdp-generic": partial(xdp, "xdpgeneric"),
    "xdp-native": partial(xdp, "xdpdrv"),
    "pppoe": pppoe,
    "mppe": mppe,
    "rps": rps,
    "numa": numa,
    "hyper-threads": hyper_threads,
}
"""By feature what tries it, in this order: the last ones use the links that commands created."""


def probe() -> dict[str, Absence | None]:
    """Every feature, with the reason why it is missing, or None if it works.

    The calling process moves to new namespaces and stays there: call it in a process of its own.
    """
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:{TOOL_PATH}"
    absent = _absence(leave_the_host)
    if absent:
        nowhere = Absence(Obstacle.NOT_TRIED, "there is no network namespace to try it in")
        return {**dict.fromkeys(ATTEMPTS, nowhere), "netns": absent}
    return {"netns": None, **{name: _absence(attempt) for name, attempt in ATTEMPTS.items()}}


def leave_the_host() -> None:
    """Move to new network and mount namespaces, in a new user namespace where we are not root."""
    uid, gid = os.geteuid(), os.getegid()
    flags = CLONE_NEWNET | CLONE_NEWNS | (CLONE_NEWUSER if uid else 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags):
        raise failed("unshare", ctypes.get_errno())
    if uid:
        with contextlib.suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny")
        try:
            Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
            Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
        except OSError as error:
            detail = f"user namespaces are restricted: {error.strerror}"
            raise AbsentError(Absence(Obstacle.RESTRICTED, detail)) from error
    if libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        raise failed("private mounts", ctypes.get_errno())
    # What is mounted below is mounted here: no folder of ours in the host's /tmp.
    if libc.mount(b"tmp", os.fsencode(tempfile.gettempdir()), b"tmpfs", 0, None):
        raise failed("a file system of our own", ctypes.get_errno())
    command("ip link set lo up")


def _absence(attempt: Callable[[], object]) -> Absence | None:
    try:
        attempt()
    except AbsentError as error:
        return error.absence
    except OSError as error:
        return of_errno(error.errno, error.strerror or str(error))
    return None


if __name__ == "__main__":
    json.dump({name: absence and absence.data() for name, absence in probe().items()}, sys.stdout)
