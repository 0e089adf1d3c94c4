"""The namespaces backend: the agent as a process of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
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
    return _detached() if detach else _attached()


def attach(entry: registry.Entry) -> Backend:
    """A detached agent that another command started."""
    if not entry.socket:
        raise BackendError(f"{entry.backend}: belongs to process {entry.pid}, which still runs")
    client = Client.over_socket(entry.socket)
    return Backend(entry.backend, client, entry, end=entry.kill, detached=True)


def _attached() -> Backend:
    errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the agent)
    agent = _start([], errors, subprocess.PIPE)
    assert agent.stdin is not None and agent.stdout is not None
    entry = registry.register(
        NAME, agent_pid=agent.pid, agent_started=registry.start_time(agent.pid)
    )
    client = Client(os.dup(agent.stdout.fileno()), os.dup(agent.stdin.fileno()), _tail(errors))
    agent.stdin.close()
    agent.stdout.close()
    return Backend(NAME, client, entry, end=lambda: _end(agent))


def _detached() -> Backend:
    entry = registry.register(NAME, detached=True)
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
            agent = _start(["--listen", entry.socket], errors, subprocess.DEVNULL)
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
            _end(agent)
        entry.forget()
        raise
    return Backend(NAME, client, entry, end=lambda: _end(agent), detached=True)


def _start(arguments: list[str], errors: IO[bytes], pipes: int) -> subprocess.Popen[bytes]:
    """The agent, in a session of its own: Ctrl-C in the terminal does not reach it."""
    return subprocess.Popen(
        [sys.executable, "-m", "ppslab.backends.agent", *arguments],
        stdin=pipes,
        stdout=pipes,
        stderr=errors,
        bufsize=0,
        start_new_session=True,
        cwd="/",
        env=credentials.clean_environment(),
    )


def _connect(path: str, agent: subprocess.Popen[bytes], tail: Callable[[], str]) -> Client:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            return Client.over_socket(path, tail)
        except BackendError as error:
            if agent.poll() is not None or time.monotonic() > deadline:
                raise BackendError(f"the agent did not start:\n{tail()}") from error
        time.sleep(0.01)


def _end(agent: subprocess.Popen[bytes]) -> None:
    try:
        agent.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        agent.kill()  # its child, and every node, die with it
        agent.wait()


def _tail(errors: IO[bytes]) -> Callable[[], str]:
    def tail() -> str:
        size = os.fstat(errors.fileno()).st_size
        return os.pread(errors.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")

    return tail
