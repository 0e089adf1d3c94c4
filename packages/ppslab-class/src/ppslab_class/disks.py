"""A disk for each seat: an image of a fixed size, mounted as its home; a seat fills its own.

Neither quotas of the machine's file system nor systemd 258 (StateDirectoryQuota=) are needed: an
image is a file in the day's folder, which takes only what the seat has written.
"""

from __future__ import annotations

import glob
import os
import subprocess
from pathlib import Path
from typing import Final

from ppslab.core.errors import CannotHereError
from ppslab.core.paths import cache_dir
from ppslab.testbed.backends.capabilities import guest_kernel

HOMES: Final = Path("/var/lib/private")
"""The folder in which systemd keeps what belongs to the users that it makes (DynamicUser=)."""

FOLDER: Final = "disks"
TEMPORARY: Final = ".tmp"
"""In a seat's home: its /tmp and its /var/tmp."""

OPTIONS: Final = "loop,nosuid,nodev,noatime"
QUEUE_OPTIONS: Final = "size=8m,nr_inodes=4096,mode=1777,nosuid,nodev,noexec"


CACHE: Final = ".cache/ppslab"
"""In a seat's home (`ppslab.core.paths.cache_dir`)."""

KERNEL: Final = f"{CACHE}/kernel"
FOUND: Final = (f"{CACHE}/vmlinux", f"{CACHE}/guest")
"""A seat may add to these: another kernel unpacked, or what a newer prober asks."""

FOLDERS: Final = (KERNEL, *FOUND)


def images(folder: Path) -> list[Path]:
    """The images of a day, a file for each seat that was ever started."""
    return sorted((folder / FOLDER).glob("*.img"))


def mount(folder: Path, seat: str, mib: int) -> Path:
    """Mount the disk of a seat as its home, made if it is not there yet; returns the home.

    CannotHereError where this machine cannot.
    """
    home = HOMES / seat
    if os.path.ismount(home):
        return home
    image = folder / FOLDER / f"{seat}.img"
    image.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not image.exists():
        _make(image, mib)
    HOMES.mkdir(mode=0o700, parents=True, exist_ok=True)
    home.mkdir(mode=0o700, exist_ok=True)
    _run("mount", "-o", OPTIONS, str(image), str(home))
    # Before systemd gives all of it to the seat's user: what it mounts a kernel at is the seat's.
    for name in (TEMPORARY, *FOLDERS):
        (home / name).mkdir(mode=0o700, parents=True, exist_ok=True)
    return home


def keep_small(queue: Path) -> None:
    """Give the queue that every seat writes into a file system of its own, once.

    Else a seat that fills it fills /run, and systemd stands still with it.
    """
    if os.path.ismount(queue):
        return
    queue.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", QUEUE_OPTIONS, "ppslab-queue", str(queue))


def remove(folder: Path) -> list[Path]:
    """Stop the seats of a day and remove their disks; returns what was removed."""
    gone = []
    for image in images(folder):
        home = HOMES / image.stem
        if os.path.ismount(home):
            subprocess.run(
                ["systemctl", "stop", f"ppslab-{image.stem}"], check=False, capture_output=True
            )
            _run("umount", str(home))
            home.rmdir()
        link = HOMES.parent / image.stem
        if link.is_symlink():
            link.unlink()
        image.unlink()
        gone.append(image)
    if gone:
        (folder / FOLDER).rmdir()
    return gone


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


def _make(image: Path, mib: int) -> None:
    new = image.with_suffix(".new")
    with new.open("wb") as file:
        file.truncate(mib * 2**20)
    new.chmod(0o600)
    # The journal of a small disk would take half of it.
    journal = ("-O", "^has_journal") if mib < 256 else ()
    _run("mkfs.ext4", "-q", "-F", "-m", "0", *journal, str(new))
    new.rename(image)


def _run(*words: str) -> None:
    try:
        subprocess.run(words, check=True, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise CannotHereError(f"no program {words[0]}", "apt-get install e2fsprogs mount") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.strip() or f"exit code {error.returncode}"
        remedy = "modprobe loop, as root of a machine of its own: a container may not mount"
        raise CannotHereError(f"{' '.join(words)}: {reason}", remedy) from None
