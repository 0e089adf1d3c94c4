"""The guest's kernel for seats on a server, which reach no network to fetch one of their own.

A seat may use no BPF (kernel.unprivileged_bpf_disabled is 2 on Debian), so a lab that needs it runs
in a guest there.  The machine's kernel is mounted into each seat's cache, read-only, and with it
what this user found out about it: else each seat unpacks it, and tries in its first guest what it
can do, all of them at once when a class begins.
"""

from __future__ import annotations

import glob
from pathlib import Path
from typing import Final

from ppslab.backends.capabilities import features, guest_kernel
from ppslab.base.paths import cache_dir
from ppslab_class.readiness import Point

CACHE: Final = ".cache/ppslab"
"""In a seat's home (`ppslab.base.paths.cache_dir`)."""

KERNEL: Final = f"{CACHE}/kernel"
FOUND: Final = (f"{CACHE}/vmlinux", f"{CACHE}/guest")
"""A seat may add to these: another kernel unpacked, or what a newer prober asks."""

TRY: Final = "sudo .venv/bin/ppslab up fastpath --backend vm; sudo .venv/bin/ppslab down fastpath"
"""Starts a guest as this user, which tries it once for all seats."""

FOLDERS: Final = (KERNEL, *FOUND)


def bind(home: Path) -> str:
    """For systemd's BindReadOnlyPaths=; a dash: a machine without a kernel starts seats too.

    A mount, not a link: a guest sees the files of its seat under another root.
    """
    shared = [(guest_kernel.kernel_dir(), KERNEL)]
    if kernel := guest_kernel.installed_kernel():
        for folder in FOUND:
            here = cache_dir() / Path(folder).name
            known = sorted(here.glob(f"{glob.escape(kernel.version)}-*"))
            shared += [(each, f"{folder}/{each.name}") for each in known]
    return " ".join(f"-{ours.absolute()}:{home / theirs}" for ours, theirs in shared)


def point() -> Point:
    """Whether this user has a kernel that seats can boot."""
    what = "a guest's kernel"
    found = guest_kernel.installed_kernel()
    if found is None:
        told = f"none in {guest_kernel.kernel_dir()}; seats cannot do labs that need a guest"
        return Point(what, "warning", told, "sudo .venv/bin/python scripts/setup/guest-kernel")
    if features.guest_features(found) is None:
        told = f"{found.version}, but what it can do each seat tries for itself, all at once"
        return Point(what, "warning", told, TRY)
    return Point(what, "ready", f"{found.version}, which seats share")
