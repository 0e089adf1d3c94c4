"""The homes of a server's seats, with the machine's kernel in them; and the small queue."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from ppslab.core.errors import CannotHereError
from ppslab.core.paths import cache_dir
from ppslab.testbed.backends.capabilities import guest_kernel

HOMES: Final = Path("/var/lib/private")
"""The folder in which systemd keeps what belongs to the users that it makes (DynamicUser=)."""

TEMPORARY: Final = ".tmp"
"""In a seat's home: its /tmp and its /var/tmp."""

QUEUE_OPTIONS: Final = "size=8m,nr_inodes=4096,mode=1777,nosuid,nodev,noexec"

CACHE: Final = ".cache/ppslab"
"""In a seat's home (`ppslab.core.paths.cache_dir`)."""

KERNEL: Final = f"{CACHE}/kernel"
FOUND: Final = (f"{CACHE}/vmlinux", f"{CACHE}/guest")
"""A seat may add to these: another kernel unpacked, or what a newer prober asks."""


def make(seat: str) -> Path:
    """Make the folders of a seat's home in which something is mounted; returns the home.

    They come before the first start, when systemd gives the whole home to the seat's user: a
    folder that systemd makes itself stays root's, and the seat cannot write beside it.
    """
    home = HOMES / seat
    for folder in (HOMES, home):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name in (TEMPORARY, KERNEL, *FOUND):
        (home / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


def remove(seats: Iterable[str]) -> list[Path]:
    """Stop these seats and remove their homes; returns the homes that were there."""
    # Path.is_dir raises where only root may look.
    homes = [home for seat in seats if os.path.isdir(home := HOMES / seat)]  # noqa: PTH112
    for home in homes:
        subprocess.run(
            ["systemctl", "stop", f"ppslab-{home.name}"], check=False, capture_output=True
        )
        shutil.rmtree(home)
        link = HOMES.parent / home.name
        if link.is_symlink():
            link.unlink()
    return homes


def keep_small(queue: Path) -> None:
    """Give the queue that every seat writes into a file system of its own, once.

    Else a seat that fills it fills /run, and systemd stands still with it.
    CannotHereError where this machine cannot.
    """
    if os.path.ismount(queue):
        return
    queue.mkdir(parents=True, exist_ok=True)
    words = ("mount", "-t", "tmpfs", "-o", QUEUE_OPTIONS, "ppslab-queue", str(queue))
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=60)
    if done.returncode:
        reason = done.stderr.strip() or f"exit code {done.returncode}"
        raise CannotHereError(
            f"{' '.join(words)}: {reason}",
            "start as root of a machine of its own: a container may not mount",
        )


def kernels(home: Path) -> str:
    """The machine's kernel in a seat's cache, for systemd's BindReadOnlyPaths=.

    A seat reaches no network to fetch one, and may use no BPF (kernel.unprivileged_bpf_disabled is
    2 on Debian), so a lab that needs it runs in a guest there.  With it comes what this user found
    out about it: else each seat tries that in its first guest, all at once.  A dash: a machine
    without a kernel starts seats too.

    A mount, not a link: a guest sees the files of its seat under another root.
    """
    shared = [(guest_kernel.kernel_dir(), KERNEL)]
    if kernel := guest_kernel.installed_kernel():
        for folder in FOUND:
            here = cache_dir() / Path(folder).name
            known = sorted(here.glob(f"{glob.escape(kernel.version)}-*"))
            shared += [(path, f"{folder}/{path.name}") for path in known]
    return " ".join(f"-{ours.absolute()}:{home / theirs}" for ours, theirs in shared)
