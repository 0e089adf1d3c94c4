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

from ppslab import credentials
from ppslab.backends import registry
from ppslab.backends.client import Client
from ppslab.backends.deployments import Backend
from ppslab.errors import BackendError, UsageError

NAME = "namespaces"
_START_SECONDS = 20.0
_END_SECONDS = 5.0
_TAIL = 2000
# struct sockaddr_un: unix(7)
_LONGEST_SOCKET = 107


def open_namespaces(*, detach: bool = False) -> Backend:
    """Start an agent here. Raises CannotHereError where namespaces are not allowed.

    Detached, it lives on when this program ends; `attach` finds it again.
    """
    return open_agent(NAME, "ppslab.backends.agent", Backend, detach=detach)


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
    """An agent that is to be started."""

    name: str
    module: str
    kind: type[Backend]
    seconds: float

    def attached(self) -> Backend:
        """It ends with this program."""
        errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the agent)
        agent = self._start([], errors, subprocess.PIPE)
        assert agent.stdin is not None and agent.stdout is not None
        entry = registry.register(
            self.name, agent_pid=agent.pid, agent_started=registry.start_time(agent.pid)
        )
        client = Client(os.dup(agent.stdout.fileno()), os.dup(agent.stdin.fileno()), _tail(errors))
        agent.stdin.close()
        agent.stdout.close()
        return self.kind(self.name, client, entry, end=lambda: self._end(agent))

    def detached(self) -> Backend:
        """It lives on, and owns its entry of the registry."""
        entry = registry.register(self.name, detached=True)
        entry.socket = str(registry.folder() / f"{entry.name}.socket")
        if len(os.fsencode(entry.socket)) > _LONGEST_SOCKET:
            entry.forget()
            raise UsageError(
                f"{entry.socket}: too long for a socket; set PPSLAB_RUNTIME to a shorter folder"
            )
        log = registry.folder() / f"{entry.name}.log"
        entry.files = [str(log)]
        entry.save()
        agent = None
        try:
            with log.open("w+b") as errors:
                agent = self._start(["--listen", entry.socket], errors, subprocess.DEVNULL)
            # If we are killed before it is ready, the next command finds it by this.
            entry.agent_pid = agent.pid
            entry.agent_started = registry.start_time(agent.pid)
            entry.save()
            tail = _tail(log.open("rb"))
            client = _connect(entry.socket, agent, tail)
            # From now on the agent owns the entry: it outlives this program.
            entry.pid, entry.started = agent.pid, entry.agent_started or 0
            entry.save()
        except BaseException:
            if agent:
                self._end(agent)
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

    def _end(self, agent: subprocess.Popen[bytes]) -> None:
        try:
            agent.wait(self.seconds)
        except subprocess.TimeoutExpired:
            agent.kill()  # its child, and every node, die with it
            agent.wait()


def _connect(path: str, agent: subprocess.Popen[bytes], tail: Callable[[], str]) -> Client:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            return Client.over_socket(path, tail)
        except BackendError as error:
            if agent.poll() is not None or time.monotonic() > deadline:
                raise BackendError(f"the agent did not start:\n{tail()}") from error
        time.sleep(0.01)


def _tail(errors: IO[bytes]) -> Callable[[], str]:
    def tail() -> str:
        size = os.fstat(errors.fileno()).st_size
        return os.pread(errors.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")

    return tail
