"""Every feature, tried in namespaces that end with the process."""

from __future__ import annotations

import contextlib
import ctypes
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from ppslab.backends.prober import bpf, interfaces, machine, ppp
from ppslab.backends.prober.absence import Absence, AbsentError, Obstacle, failed, of_errno
from ppslab.backends.prober.commands import COMMANDS, all_of, command

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
TOOL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

ATTEMPTS: dict[str, Callable[[], None]] = {
    "bpf": bpf.loads,
    "lpm-trie": bpf.lpm_trie,
    "tc-bpf": bpf.traffic_control,
    "xdp-generic": bpf.xdp("xdpgeneric"),
    "xdp-native": bpf.xdp("xdpdrv"),
    "pppoe": ppp.pppoe,
    "mppe": ppp.mppe,
    "tpacket-v3": interfaces.tpacket_v3,
    "rps": interfaces.rps,
    "threaded-napi": interfaces.threaded_napi,
    "numa": machine.numa,
    "hyper-threads": machine.hyper_threads,
    "pktgen": machine.pktgen,
    "perf": machine.perf(1, 0),
    "perf-cycles": machine.perf(0, 0),
}
"""Features that take more than commands; they use the links that COMMANDS created."""

ALL_FEATURES = ("netns", *COMMANDS, *ATTEMPTS)


def probe() -> dict[str, Absence | None]:
    """Every feature, with the reason why it is missing, or None if it works.

    The calling process moves to new namespaces and stays there: call it in a process of its own.
    """
    os.environ["PATH"] = f"{os.environ.get('PATH', '')}:{TOOL_PATH}"
    nowhere = Absence(Obstacle.NOT_TRIED, "there is no network namespace to try it in")
    features: dict[str, Absence | None] = dict.fromkeys(ALL_FEATURES, nowhere)
    features["netns"] = _absence(leave_the_host)
    if features["netns"] is not None:
        return features
    for name, lines in COMMANDS.items():
        features[name] = _absence(all_of(lines))
    for name, attempt in ATTEMPTS.items():
        features[name] = _absence(attempt)
    return features


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
