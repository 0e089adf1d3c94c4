"""The guest's kernel for seats on a server, which reach no network to fetch one of their own.

A seat may use no BPF (kernel.unprivileged_bpf_disabled is 2 on Debian), so a lab that needs it runs
in a guest there.  The machine's kernel is mounted into each seat's cache, read-only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ppslab.backends.capabilities import guest_kernel
from ppslab.course.workshop.readiness import Point

CACHE: Final = ".cache/ppslab/kernel"
"""In a seat's home, where its ppslab looks for a kernel (`ppslab.base.paths.cache_dir`)."""


def bind(home: Path) -> str:
    """For systemd's BindReadOnlyPaths=; a dash: a machine without a kernel starts seats too.

    A mount, not a link: a guest sees the files of its seat under another root.
    """
    return f"-{guest_kernel.kernel_dir().absolute()}:{home / CACHE}"


def point() -> Point:
    """Whether this user has a kernel that seats can boot."""
    what = "a guest's kernel"
    found = guest_kernel.installed_kernel()
    if found is None:
        told = f"none in {guest_kernel.kernel_dir()}; seats cannot do labs that need a guest"
        return Point(what, "warning", told, "sudo .venv/bin/python scripts/setup/guest-kernel")
    return Point(what, "ready", f"{found.version}, which seats share")
