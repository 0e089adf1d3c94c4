"""The system calls that Python's standard library lacks: namespaces and mounts.

Man pages: unshare(2), setns(2), mount(2), pivot_root(2), prctl(2), namespaces(7).
Every failure is an OSError whose file name tells what was tried.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY = 0x1
MS_NOSUID = 0x2
MS_NODEV = 0x4
MS_NOEXEC = 0x8
MS_REMOUNT = 0x20
MS_BIND = 0x1000
MS_REC = 0x4000
MS_PRIVATE = 0x40000

MNT_DETACH = 0x2

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15

_libc = ctypes.CDLL(None, use_errno=True)


def _call(what: str, name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), what)


def unshare(flags: int) -> None:
    """Leave the namespaces in `flags` for new ones (NEWPID: the next children do)."""
    _call(f"unshare {flags:#x}", "unshare", ctypes.c_int(flags))


def setns(handle: int, flags: int) -> None:
    """Enter a namespace by its file, or those of a process by its pidfd (Linux 5.8)."""
    _call(f"setns {flags:#x}", "setns", ctypes.c_int(handle), ctypes.c_int(flags))


@contextmanager
def in_network(handle: int) -> Iterator[None]:
    """Be in another network namespace, by its file; sockets that are made there stay there."""
    own = os.open("/proc/self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        setns(handle, CLONE_NEWNET)
        try:
            yield
        finally:
            setns(own, CLONE_NEWNET)
    finally:
        os.close(own)


def mount(source: str, target: str, kind: str | None, flags: int = 0, data: str = "") -> None:
    _call(
        f"mount {kind or 'bind'} at {target}",
        "mount",
        os.fsencode(source),
        os.fsencode(target),
        kind.encode() if kind else None,
        ctypes.c_ulong(flags),
        os.fsencode(data) if data else None,
    )


def umount(target: str) -> None:
    _call(f"umount {target}", "umount2", os.fsencode(target), ctypes.c_int(MNT_DETACH))


def pivot_root(new: str, old: str) -> None:
    """Make `new` the root of this mount namespace; what was the root goes to `old`."""
    _call(f"pivot_root {new}", "pivot_root", os.fsencode(new), os.fsencode(old))


def die_with_parent(signal: int) -> None:
    """Get `signal` when the parent (its thread, in fact) ends; kept until an exec of a setuid."""
    _call("prctl", "prctl", ctypes.c_int(_PR_SET_PDEATHSIG), ctypes.c_ulong(signal), 0, 0, 0)


def name_process(name: str) -> None:
    """Set the name that `ps` shows; the kernel keeps 15 bytes."""
    _call("prctl", "prctl", ctypes.c_int(_PR_SET_NAME), ctypes.c_char_p(name.encode()), 0, 0, 0)
