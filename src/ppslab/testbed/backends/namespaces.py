"""The namespaces backend: the agent as a process of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO

from ppslab.core import credentials, processes
from ppslab.core.errors import BackendError
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.backend import Backend

NAME = "namespaces"
# Python alone takes seconds to start an agent where the disk is slow and the machine busy.
_START_SECONDS = 120.0
_QUIET_SECONDS = 10.0
_END_SECONDS = 5.0
_TAIL = 2000


def open_namespaces(*, detach: bool = False) -> Backend:
    """Start an agent here. Raises CannotHereError where namespaces are not allowed.

    Detached, it lives on when this program ends; `attach` finds it again.
    """
    return open_agent(NAME, "ppslab.testbed.backends.agent.agent", Backend, detach=detach)


def open_agent(
    name: str,
    module: str,
    kind: type[Backend],
    *,
    detach: bool = False,
    seconds: float = _END_SECONDS,
) -> Backend:
    """Start the agent that `module` is, as a process of this machine.

    `kind`: what a program sees of it; `seconds`: what it may take to end, before it is killed.
    """
    started = _Agent(name, module, kind, seconds)
    return started.detached() if detach else started.attached()


def attach(entry: registry.Entry, kind: type[Backend] = Backend) -> Backend:
    """A detached agent that another command started."""
    if not entry.socket:
        raise BackendError(f"{entry.backend}: belongs to process {entry.pid}, which still runs")
    client = Client.over_socket(entry.socket)
    return kind(entry.backend, client, entry, end=entry.kill, detached=True)


@dataclass(frozen=True)
class _Agent:
    name: str
    module: str
    kind: type[Backend]
    seconds: float

    def attached(self) -> Backend:
        """Start it so that it ends with this program."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the agent)
        agent = self._start([], errors, subprocess.PIPE)
        assert agent.stdin is not None and agent.stdout is not None
        entry: registry.Entry | None = None
        try:
            entry = registry.register(
                self.name, agent_pid=agent.pid, agent_started=processes.start_time(agent.pid)
            )
            answers, requests = os.dup(agent.stdout.fileno()), os.dup(agent.stdin.fileno())
            client = Client(answers, requests, _tail(errors))
        except BaseException:  # Ctrl-C: nobody has a backend yet that could be stopped
            agent.kill()
            agent.wait()
            if entry:
                entry.forget()
            raise
        agent.stdin.close()
        agent.stdout.close()
        return self.kind(self.name, client, entry, end=lambda: self._end(agent))

    def detached(self) -> Backend:
        """Start it so that it lives on and owns its entry of the registry."""
        entry, log = registry.register_detached(self.name)
        assert entry.socket is not None
        entry.save()
        agent = None
        try:
            with log.open("w+b") as errors:
                agent = self._start(["--listen", entry.socket], errors, subprocess.DEVNULL)
            # If we are killed before it is ready, the next command finds it by this.
            entry.agent_pid = agent.pid
            entry.agent_started = processes.start_time(agent.pid)
            entry.save()
            tail = _tail(log.open("rb"))
            client = _connect(entry.socket, agent, tail)
            # From now on the agent owns the entry: it outlives this program.
            entry.pid, entry.started = agent.pid, entry.agent_started or 0
            entry.save()
        except BaseException:
            if agent:
                # Nobody has told it to end, and it may not even listen yet.
                agent.terminate()
                self._end(agent, _END_SECONDS)
            entry.forget()
            raise
        return self.kind(self.name, client, entry, end=lambda: self._end(agent), detached=True)

    def _start(
        self, arguments: list[str], errors: IO[bytes], pipes: int
    ) -> subprocess.Popen[bytes]:
        """The agent, in a session of its own: Ctrl-C in the terminal does not reach it."""
        return subprocess.Popen(
            [sys.executable, "-m", self.module, *arguments],
            stdin=pipes,
            stdout=pipes,
            stderr=errors,
            bufsize=0,
            start_new_session=True,
            cwd="/",
            env=credentials.clean_environment(),
        )

    def _end(self, agent: subprocess.Popen[bytes], seconds: float | None = None) -> None:
        try:
            agent.wait(self.seconds if seconds is None else seconds)
        except subprocess.TimeoutExpired:
            agent.kill()  # its child, and every node, die with it
            agent.wait()


def _connect(path: str, agent: subprocess.Popen[bytes], tail: Callable[[], str]) -> Client:
    began = time.monotonic()
    say_at = began + _QUIET_SECONDS
    while True:
        try:
            return Client.over_socket(path, tail)
        except BackendError as error:
            ended, now = agent.poll(), time.monotonic()
            if ended is not None or now > began + _START_SECONDS:
                how = "it still runs" if ended is None else f"exit code {ended}"
                words = tail().strip() or "it said nothing"
                raise BackendError(
                    f"the agent did not start in {now - began:.0f} s ({how}): {words}"
                ) from error
            if now > say_at:
                say_at = now + _QUIET_SECONDS
                print(
                    f"ppslab: waiting for the agent (process {agent.pid}) since "
                    f"{now - began:.0f} s, {_START_SECONDS:.0f} s at most",
                    file=sys.stderr,
                    flush=True,
                )
        time.sleep(0.01)


def _tail(errors: IO[bytes]) -> Callable[[], str]:
    def tail() -> str:
        size = os.fstat(errors.fileno()).st_size
        return os.pread(errors.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")

    return tail
