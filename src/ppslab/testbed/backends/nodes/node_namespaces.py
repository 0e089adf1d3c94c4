"""A node: one process that holds its namespaces, and everything else that runs in them.

The holder is the first process of a PID namespace (pid_namespaces(7)): when it dies the kernel
kills every other process of the node, also those that left their session, and with them go the
network namespace, its interfaces and all mounts.
It dies with the agent: by PR_SET_PDEATHSIG, and because it reads a pipe that only the agent
writes.

For a command, the agent enters the node, starts it there with subprocess, and comes back: 1.4 ms.
With nsenter(1) it was 2.9 ms, as each command is then two programs; with a fork of the agent, 7.9.
"""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from ppslab.testbed.backends.agent.process import NodeError, NodeProcess, Process
from ppslab.testbed.backends.nodes import kernel, veth

INSIDE = kernel.CLONE_NEWNET | kernel.CLONE_NEWNS | kernel.CLONE_NEWUTS
# Of a holder: that it is ready, else why it is not.
_READY, _MOST_WORDS = b"ready", 4096


class NodeNamespaces(NodeProcess):
    """One node's namespaces; `pid` is the holder's, as the agent sees it."""

    def __init__(self, name: str, binds: list[dict[str, Any]], env: dict[str, str]) -> None:
        """Make the namespaces and the file system. Raises NodeError."""
        super().__init__(env)
        self.name = name
        life, self._life = os.pipe()
        ready, tell = socket.socketpair()
        kernel.unshare(kernel.CLONE_NEWPID)  # for the child; the agent stays where it is
        try:
            self.pid = os.fork()
            if not self.pid:
                _hold(name, binds, life, tell)
        finally:
            _come_back()
        os.close(life)
        tell.close()
        with ready:
            said, handles, _, _ = socket.recv_fds(ready, _MOST_WORDS, 1)
        if said != _READY:
            os.close(self._life)
            os.waitpid(self.pid, 0)
            raise NodeError(said.decode(errors="replace") or "its holder died")
        self._pidfd = os.pidfd_open(self.pid)
        self._root = handles[0]

    def start(self, argv: list[str], **options: Any) -> Process:
        with self.inside():
            return super().start(argv, **options)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Be in the node, with its network, files and name.  NodeError: it is gone.

        Children are processes of the node, and ours to wait for.  This process is not one of them,
        so it has no /proc/self there.
        """
        try:
            kernel.setns(self._pidfd, INSIDE | kernel.CLONE_NEWPID)
        except OSError:
            raise NodeError(f"node {self.name} is gone") from None
        try:
            # setns(2) leaves us at the root of the mount namespace. That is not the node's where
            # the agent itself runs in a chroot: we would be outside of both.
            _be_at(self._root)
            yield
        finally:
            _come_back()

    def end(self) -> None:
        """Kill every process of the node; returns when they are gone."""
        os.kill(self.pid, signal.SIGKILL)
        # The first process of a PID namespace ends when all others were waited for. Those that
        # we started only we can wait for: without this we would wait for ourselves.
        for process in self.running:
            process.wait()
        os.waitpid(self.pid, 0)
        for handle in (self._root, self._pidfd, self._life):
            os.close(handle)


_own_namespaces: list[int] = []
_own_root = -1


def _come_back() -> None:
    """Be where `prepare` was called."""
    for handle in _own_namespaces:
        kernel.setns(handle, 0)
    _be_at(_own_root)


def _be_at(root: int) -> None:
    os.fchdir(root)
    os.chroot(".")


def prepare() -> None:
    """Remember the agent's own namespaces and root: once, before the first node.

    They must belong to the agent's user namespace, or there is no way back into them: setns(2).
    """
    global _own_root  # noqa: PLW0603
    for kind in ("net", "mnt", "uts", "pid"):
        _own_namespaces.append(os.open(f"/proc/self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC))
    _own_root = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)


def _hold(name: str, binds: list[dict[str, Any]], life: int, tell: socket.socket) -> NoReturn:
    """The holder's life, in the fork."""
    try:
        try:
            kernel.die_with_parent(signal.SIGKILL)
            # Orphans of the node come to us: let the kernel reap them.
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            kernel.unshare(INSIDE)
            socket.sethostname(name)
            _close_all_but(life, tell.fileno())
            build_root(binds)
            veth.set_flags("lo", on=veth.UP)
            kernel.name_process(f"ppslab:{name}")
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            tell.send(f"{where}{error.strerror}".encode()[:_MOST_WORDS])
            os._exit(1)
        root = os.open("/", os.O_PATH | os.O_DIRECTORY)
        socket.send_fds(tell, [_READY], [root])
        os.close(root)
        tell.close()
        os.read(life, 1)  # blocks until the agent, which holds the other end, is no more
    finally:
        os._exit(0)


def _close_all_but(*kept: int) -> None:
    """Close what the fork inherited: the agent's channel must end with the agent."""
    sys.stdin = sys.stdout = None
    low = 0
    for handle in sorted({*kept, 2}):
        os.closerange(low, handle)
        low = handle + 1
    os.closerange(low, os.sysconf("SC_OPEN_MAX"))


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
    flags |= kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY
    kernel.mount("none", target, None, flags)


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
    """Return whether a folder is in a tmpfs that _skeleton (or build_root, for /run) mounted."""
    return folder.stat().st_dev in {Path("/").stat().st_dev, Path("/run").stat().st_dev}
