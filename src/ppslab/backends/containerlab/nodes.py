"""A container as a node: its commands are `docker exec`, run and ended from this machine.

A `docker exec` that is killed leaves its command running (moby issue 9098).  So every command has
a mark in its environment, which its children inherit, and is killed in the container by that.
"""

from __future__ import annotations

import os
import secrets
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NoReturn

from ppslab.backends.agent.loop import Loop
from ppslab.backends.agent.process import Execution, Outcome, Terminal
from ppslab.backends.agent.protocol import Message
from ppslab.backends.containerlab.steps import in_node
from ppslab.backends.nodes import kernel

MARK = "PPSLAB_EXEC"
# The mark is random, so no other process has it; grep takes a file without line ends as one line.
_KILL = (
    "for file in /proc/[0-9]*/environ; do "
    f'if grep -qs "{MARK}=$0" "$file"; then pid=${{file#/proc/}}; kill "-$1" "${{pid%/environ}}"; '
    "fi; done 2>/dev/null || :"
)
_KILL_SECONDS = 10
# What `docker exec` itself prints when there is no container to run in.
_NO_CONTAINER = ("Error response from daemon", "Error: No such container", "Cannot connect to")

_OURS = ("PATH", "HOME", "USER", "SUDO_USER")
_THEIRS = ("DOCKER_", "CLAB_", "XDG_")


def told() -> dict[str, str]:
    """The environment of docker and containerlab: where their engine is, and who asks.

    Nothing else, so that no secret of this program's gets to them.
    """
    return {k: v for k, v in os.environ.items() if k in _OURS or k.startswith(_THEIRS)}


class Host:
    """The machine itself: where docker and containerlab run."""

    def __init__(self) -> None:
        self.env: Mapping[str, str] = told()
        # Spawned processes not waited for yet.
        self._running: set[int] = set()

    def spawn(self, inside: Callable[[], NoReturn]) -> int:
        """Fork a process that runs `inside`; it is asked to end when this one dies."""
        pid = os.fork()
        if pid:
            self._running.add(pid)
            return pid
        try:
            kernel.die_with_parent(signal.SIGTERM)
            inside()
        finally:
            os._exit(127)

    def kill_group(self, pid: int, *signals: int) -> None:
        """Ask it to end: containerlab removes what it was deploying (cmd/context.go)."""
        if pid in self._running:
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGTERM)

    def wait(self, pid: int) -> int:
        """Wait for a spawned process: its exit code, or minus the signal."""
        self._running.discard(pid)
        _, status = os.waitpid(pid, 0)
        return os.waitstatus_to_exitcode(status)

    def settle(self, seconds: float) -> None:
        """Wait for what still runs; after `seconds` it is killed."""
        end = time.monotonic() + seconds
        for pid in list(self._running):
            while time.monotonic() < end and not _ended(pid):
                time.sleep(0.02)
            if not _ended(pid):
                os.killpg(pid, signal.SIGKILL)
            self.wait(pid)


def _ended(pid: int) -> bool:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


class Container(Host):
    """A node's container."""

    def __init__(self, name: str, container: str) -> None:
        super().__init__()
        self.name = name
        self.container = container
        # The address that containerlab's inspect tells; None where the node has none.
        self.address: str | None = None
        self._mark = ""
        self._marks: dict[int, str] = {}

    def spawn(self, inside: Callable[[], NoReturn]) -> int:
        """As of this machine; the mark is that of the command made last."""
        pid = super().spawn(inside)
        self._marks[pid] = self._mark
        return pid

    def wait(self, pid: int) -> int:
        """As of this machine."""
        self._marks.pop(pid, None)
        return super().wait(pid)

    def command(
        self,
        argv: list[str],
        env: Mapping[str, str],
        *,
        output_file: str | None = None,
        terminal: bool = False,
    ) -> list[str]:
        """The `docker exec` that runs `argv`, to be spawned next."""
        self._mark = secrets.token_hex(8)
        full = {**env, MARK: self._mark}
        return list(
            in_node(self.container, argv, env=full, output_file=output_file, terminal=terminal)
        )

    def kill_group(self, pid: int, *signals: int) -> None:
        """Signal a command and all that it started, in the container; `docker exec` then ends."""
        mark = self._marks.get(pid)
        if mark is None:
            return
        # If Docker does not, its client is ended here: somebody waits for it.
        line = "; ".join(
            f"timeout {_KILL_SECONDS} docker exec {shlex.quote(self.container)} "
            f"sh -c {shlex.quote(_KILL)} {mark} {signal.Signals(number).name[3:]}"
            for number in signals
        )
        subprocess.Popen(
            ["/bin/sh", "-c", f"{{ {line}; }} || kill -KILL -- -{pid}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=dict(self.env),
            start_new_session=True,
        )

    def execution(
        self, loop: Loop, argv: list[str], done: Callable[[Outcome], None], request: Message
    ) -> Execution:
        """Start a command of this node: the request's input, env, timeout and output_file."""
        command = self.command(
            argv, request.get("env") or {}, output_file=request.get("output_file")
        )
        return Execution(
            loop, self, command, done, text=request.get("input"), timeout=request.get("timeout")
        )

    def terminal(
        self,
        loop: Loop,
        argv: list[str],
        said: Callable[[str], None],
        ended: Callable[[int], None],
        request: Message,
    ) -> Terminal:
        """Start a command on a terminal of the request's size."""
        command = self.command(argv, request.get("env") or {}, terminal=True)
        size = (int(request["rows"]), int(request["cols"]))
        env = {"TERM": str((request.get("env") or {}).get("TERM", "dumb"))}
        return Terminal(loop, self, command, size=size, env=env, said=said, ended=ended)


def lost(outcome: Outcome) -> str:
    """Docker's message where it had no container to run a command in; empty where it ran."""
    said = outcome.stderr.strip()
    return said if outcome.returncode and said.startswith(_NO_CONTAINER) else ""
