"""Sockets, cores, counters, and a module that may be loaded."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable
from pathlib import Path

from ppslab.backends.prober.absence import failed, refused
from ppslab.backends.prober.commands import command


def pktgen() -> None:
    """The kernel's packet generator."""
    if Path("/proc/net/pktgen").exists():
        return
    # Loaded modules stay: in the guest that does no harm, on the host we only ask.
    ask = [] if os.environ.get("PPSLAB_GUEST") else ["--dry-run"]
    command(["modprobe", *ask, "pktgen"])


def numa() -> None:
    """A guest with the sockets and cards that a lab asks for."""
    if not os.environ.get("PPSLAB_GUEST"):
        raise refused("this machine's sockets and cards are as they are; a guest has others")
    if not Path("/sys/devices/system/node/node0").is_dir():
        raise refused("this kernel knows no NUMA nodes")
    command(["modprobe", "--dry-run", "virtio_net"])


def hyper_threads() -> None:
    """A core with two threads."""
    for core in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/topology/thread_siblings_list"):
        if core.read_text().strip().strip("0123456789"):
            return
    raise refused("no core of this machine shows a second thread")


def perf(kind: int, config: int) -> Callable[[], None]:
    """perf_event_open(2) of an event of our own: PERF_TYPE_*, PERF_COUNT_*."""

    def attempt() -> None:
        number = {"x86_64": 298, "aarch64": 241}.get(os.uname().machine, 241)
        disabled_without_kernel = 1 | 1 << 5 | 1 << 6
        attributes = struct.pack("<IIQQQQQ", kind, 112, config, 0, 0, 0, disabled_without_kernel)
        buffer = ctypes.create_string_buffer(attributes.ljust(112, b"\0"))
        libc = ctypes.CDLL(None, use_errno=True)
        got = libc.syscall(number, buffer, 0, -1, -1, 0)
        if got < 0:
            raise failed("perf_event_open(2)", ctypes.get_errno())
        os.close(got)

    return attempt
