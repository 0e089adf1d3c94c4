"""A node's file system: this machine's, with its own /sys, /proc and /run, and its binds.

Runs in the node's holder, in a mount namespace of its own.
The root is a tmpfs in which every top-level entry of the machine is bind-mounted, so that a
bind's target can be made where the machine has none, and nothing is made on the machine.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ppslab.backends.nodes import kernel

# Where the new root is assembled: a folder that every system has, and that is not bound into
# the new root (a recursive bind of it would bring the half-made root along).
_SITE = "/run"
_OWN = ("proc", "sys", "run")
_OLD = ".old"
# statvfs(3) flags that a remount must repeat, for an unprivileged user may not drop them.
_LOCKED = kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC
_TIMES = ((os.ST_NOATIME, 0x400), (os.ST_NODIRATIME, 0x800), (os.ST_RELATIME, 0x200000))


def build_root(binds: list[dict[str, Any]]) -> None:
    """Make a private tree the root of this process.

    `binds`: [{"source": absolute path, "target": absolute path, "read_only": bool}].
    Raises OSError; its file name says which mount failed.
    """
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    sources = [(bind, _open(bind["source"])) for bind in binds]
    entries = _entries("/")
    _skeleton(_SITE, entries)
    for name in _OWN:
        Path(_SITE, name).mkdir(exist_ok=True)
    os.chdir(_SITE)
    Path(_OLD).mkdir()
    _own_proc()
    _own_sys()
    kernel.mount("run", f"{_SITE}/run", "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755")
    kernel.pivot_root(".", _OLD)
    os.chdir("/")
    for bind, handle in sources:
        _bind(handle, bind["target"], bind["read_only"])
    kernel.umount(f"/{_OLD}")
    Path("/", _OLD).rmdir()


def _open(path: str) -> int:
    """A handle that names a file also after its folder was mounted over."""
    return os.open(path, os.O_PATH | os.O_CLOEXEC)


def _entries(folder: str) -> list[tuple[str, os.stat_result, str | int]]:
    """Name, kind and content (a link's target, else a handle) of what is in a folder."""
    found: list[tuple[str, os.stat_result, str | int]] = []
    for entry in os.scandir(folder):
        if folder == "/" and entry.name in _OWN:
            continue
        try:
            status = entry.stat(follow_symlinks=False)
            content = str(Path(entry.path).readlink()) if entry.is_symlink() else _open(entry.path)
        except OSError:
            continue  # it vanished, or this user may not see it
        found.append((entry.name, status, content))
    return found


def _skeleton(folder: str, entries: list[tuple[str, os.stat_result, str | int]]) -> None:
    """Mount a tmpfs at `folder` in which every entry is bound to what it was."""
    kernel.mount("node", folder, "tmpfs", kernel.MS_NODEV, "mode=755")
    for name, status, content in entries:
        path = Path(folder, name)
        if isinstance(content, str):
            path.symlink_to(content)
            continue
        if stat.S_ISDIR(status.st_mode):
            path.mkdir()
        else:
            path.touch()
        kernel.mount(f"/proc/self/fd/{content}", str(path), None, kernel.MS_BIND | kernel.MS_REC)
        os.close(content)


def _own_proc() -> None:
    target = f"{_SITE}/proc"
    try:
        kernel.mount("proc", target, "proc", kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC)
    except OSError:
        # Inside a container with a masked /proc, an unprivileged user gets no fresh one
        # (mount_too_revealing in the kernel's fs/namespace.c). The machine's shows foreign
        # processes, but /proc/self, /proc/net and /proc/sys/net are still the reader's own.
        kernel.mount("/proc", target, None, kernel.MS_BIND | kernel.MS_REC)


def _own_sys() -> None:
    target = f"{_SITE}/sys"
    try:
        kernel.mount("sysfs", target, "sysfs", kernel.MS_NOSUID | kernel.MS_NODEV)
    except OSError:
        # As above. The machine's /sys shows the machine's interfaces: rather none at all.
        kernel.mount("sys", target, "tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=755")
        return
    bpf = f"{target}/fs/bpf"
    if Path(bpf).is_dir():
        with suppress(OSError):  # no bpffs for this user: who pins something is told so then
            kernel.mount("bpf", bpf, "bpf", kernel.MS_NOSUID | kernel.MS_NODEV, "mode=700")


def _bind(handle: int, target: str, read_only: bool) -> None:
    folder = stat.S_ISDIR(os.fstat(handle).st_mode)
    target = os.path.realpath(target)
    _make(Path(target), folder)
    kernel.mount(f"/proc/self/fd/{handle}", target, None, kernel.MS_BIND | kernel.MS_REC)
    os.close(handle)
    if not read_only:
        return
    had = os.statvfs(target).f_flag
    flags = had & _LOCKED
    for theirs, ours in _TIMES:
        flags |= ours if had & theirs else 0
    kernel.mount(
        "none",
        target,
        None,
        flags | kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY,
    )


def _make(target: Path, folder: bool) -> None:
    """Make a bind's target if needed, in tmpfs only: the machine's folders are not changed."""
    if target.exists():
        if target.is_dir() != folder:
            what = "a folder" if target.is_dir() else "a file"
            raise OSError(0, f"the target is {what}, the source is not", str(target))
        return
    above = next(parent for parent in target.parents if parent.exists())
    if not above.is_dir():
        raise OSError(0, "is a file", str(above))
    if not _is_ours(above):
        _skeleton(str(above), _entries(str(above)))
    target.parent.mkdir(parents=True, exist_ok=True)
    if folder:
        target.mkdir()
    else:
        target.touch()


def _is_ours(folder: Path) -> bool:
    """Whether a folder is in a tmpfs that _skeleton (or build_root, for /run) mounted."""
    return folder.stat().st_dev in {Path("/").stat().st_dev, Path("/run").stat().st_dev}
