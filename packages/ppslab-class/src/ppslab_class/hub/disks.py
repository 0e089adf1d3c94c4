"""A disk for each seat: an image of a fixed size, mounted as its home; a seat fills its own.

Neither quotas of the machine's file system nor systemd 258 (StateDirectoryQuota=) are needed: an
image is a file in the day's folder, which takes only what the seat has written.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from ppslab.base.errors import CannotHereError
from ppslab_class.hub.kernels import FOLDERS
from ppslab_class.readiness import Point

HOMES: Final = Path("/var/lib/private")
"""Where systemd keeps what belongs to the users that it makes (DynamicUser=)."""

FOLDER: Final = "disks"
TEMPORARY: Final = ".tmp"
"""In a seat's home: its /tmp and its /var/tmp."""

OPTIONS: Final = "loop,nosuid,nodev,noatime"
TRIED_MIB: Final = 8
QUEUE_OPTIONS: Final = "size=8m,nr_inodes=4096,mode=1777,nosuid,nodev,noexec"


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


def point() -> Point:
    """Whether a disk can be made and mounted here: it is tried, with one of 8 MiB."""
    if os.geteuid() != 0:
        return Point("seats' disks", "missing", "only root mounts one", "sudo")
    try:
        with tempfile.TemporaryDirectory(prefix="ppslab-disk-") as name:
            image, home = Path(name) / "tried.img", Path(name) / "home"
            _make(image, TRIED_MIB)
            home.mkdir()
            _run("mount", "-o", OPTIONS, str(image), str(home))
            size = os.statvfs(home)
            _run("umount", str(home))
    except CannotHereError as error:
        return Point("seats' disks", "missing", error.reason, error.remedy)
    mib = size.f_blocks * size.f_frsize / 2**20
    found = f"one was made, mounted and held to {mib:.0f} MiB"
    return Point("seats' disks", "ready", found)


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
        told = error.stderr.strip() or f"exit code {error.returncode}"
        remedy = "modprobe loop, as root of a machine of its own: a container may not mount"
        raise CannotHereError(f"{' '.join(words)}: {told}", remedy) from None
