"""A node: one process that holds its namespaces, and everything else that runs in them.

The holder is the first process of a PID namespace (pid_namespaces(7)): when it dies the kernel
kills every other process of the node, also those that left their session, and with them go the
network namespace, its interfaces and all mounts.
It dies with the agent: by PR_SET_PDEATHSIG, and because it reads a pipe that only the agent
writes.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from ppslab.backends.agent.process import Command, NodeError, Outcome, Terminal
from ppslab.backends.agent.protocol import Message
from ppslab.backends.nodes import kernel, mounts, veth

INSIDE = kernel.CLONE_NEWNET | kernel.CLONE_NEWNS | kernel.CLONE_NEWUTS
# More than any file that `write` makes; the reader stops there.
_MOST_ANSWER = 1 << 20
_READY = b"ready"


class NodeNamespaces:
    """One node's namespaces; `pid` is the holder's, as the agent sees it."""

    def __init__(self, name: str, binds: list[dict[str, Any]], env: dict[str, str]) -> None:
        """Make the namespaces and the file system. Raises NodeError."""
        self.name = name
        self.env = env
        life, self._life = os.pipe()
        ready, tell = socket.socketpair()
        kernel.unshare(kernel.CLONE_NEWPID)  # for the child; the agent stays where it is
        try:
            self.pid = os.fork()
        except OSError:
            _back_to_own_pid_namespace()
            raise
        if not self.pid:
            _hold(name, binds, life, tell)
        _back_to_own_pid_namespace()
        os.close(life)
        tell.close()
        with ready:
            said, handles, _, _ = socket.recv_fds(ready, _MOST_ANSWER, 1)
        if said != _READY:
            os.close(self._life)
            os.waitpid(self.pid, 0)
            raise NodeError(said.decode(errors="replace") or "its holder died")
        self._pidfd = os.pidfd_open(self.pid)
        self._root = handles[0]
        # Spawned processes not waited for yet; with a status where `end` waited for them.
        self._ended: dict[int, int | None] = {}

    def spawn(self, inside: Callable[[], NoReturn]) -> int:
        """Fork a process of this node that runs `inside`; its pid, as the agent sees it."""
        try:
            # A PID namespace is entered by children only: so the child is ours to wait for.
            kernel.setns(self._pidfd, kernel.CLONE_NEWPID)
        except OSError:
            raise NodeError(f"node {self.name} is gone") from None
        try:
            pid = os.fork()
        except OSError:
            _back_to_own_pid_namespace()
            raise
        if pid:
            _back_to_own_pid_namespace()
            self._ended[pid] = None
            return pid
        try:
            kernel.die_with_parent(signal.SIGKILL)
            kernel.setns(self._pidfd, INSIDE)
            # setns(2) leaves us at the root of the mount namespace. That is not the node's where
            # the agent itself runs in a chroot: we would be outside of both.
            os.fchdir(self._root)
            os.chroot(".")
            inside()
        finally:
            os._exit(127)

    def call(self, function: Callable[[], Any]) -> Any:
        """Run a short Python function in the node and return its result (JSON).

        An OSError of the function is raised here.
        """
        answer, tell = os.pipe()

        def inside() -> NoReturn:
            try:
                said = {"result": function()}
            except OSError as error:
                said = {"errno": error.errno, "text": error.strerror, "file": error.filename}
            os.write(tell, json.dumps(said).encode())
            os._exit(0)

        try:
            pid = self.spawn(inside)
        finally:
            os.close(tell)
        with os.fdopen(answer, "rb") as pipe:
            raw = pipe.read(_MOST_ANSWER)
        self.wait(pid)
        if not raw:
            raise NodeError(f"node {self.name} is gone")
        said = json.loads(raw)
        if "errno" in said:
            raise OSError(said["errno"], said["text"], said["file"])
        return said["result"]

    def command(self, argv: list[str], request: Message) -> Command:
        """Start a command of this node with the request's input, env, timeout and output_file."""
        return Command(
            self,
            argv,
            text=request.get("input"),
            env=request.get("env"),
            timeout=request.get("timeout"),
            output_file=request.get("output_file"),
        )

    def terminal(self, argv: list[str], request: Message) -> Terminal:
        """Start a command on a terminal of the request's rows and cols, with its env."""
        size = (int(request["rows"]), int(request["cols"]))
        return Terminal(self, argv, size=size, env=request.get("env") or {})

    def lost(self, _: Outcome) -> str:
        """Nothing: a command of a node that is gone is not even spawned."""
        return ""

    def kill_group(self, pid: int, *signals: int) -> None:
        """Signal a spawned process and its group; one that was waited for gave its number back."""
        if self._ended.get(pid, 0) is None:
            for number in signals:
                with suppress(ProcessLookupError):
                    os.killpg(pid, number)

    def wait(self, pid: int) -> int:
        """Wait for a spawned process: its exit code, or minus the signal."""
        status = self._ended.pop(pid)
        if status is None:
            _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)

    def end(self) -> None:
        """Kill every process of the node; returns when they are gone."""
        os.kill(self.pid, signal.SIGKILL)
        # The first process of a PID namespace ends when all others were waited for. Those that
        # we spawned only we can wait for: without this we would wait for ourselves.
        for pid, status in self._ended.items():
            if status is None:
                _, self._ended[pid] = os.waitpid(pid, 0)
        os.waitpid(self.pid, 0)
        for handle in (self._root, self._pidfd, self._life):
            os.close(handle)


_own_pid_namespace = -1


def _back_to_own_pid_namespace() -> None:
    kernel.setns(_own_pid_namespace, kernel.CLONE_NEWPID)


def prepare() -> None:
    """Remember the agent's own PID namespace: once, before the first node.

    It must belong to the agent's user namespace, or there is no way back into it: setns(2).
    """
    global _own_pid_namespace  # noqa: PLW0603
    _own_pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


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
            mounts.build_root(binds)
            veth.loopback_up()
            kernel.name_process(f"ppslab:{name}")
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            tell.send(f"{where}{error.strerror}".encode()[:4096])
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
