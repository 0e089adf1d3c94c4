"""The namespaces backend: the agent as a process of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from ppslab.core import credentials, processes
from ppslab.core.errors import BackendError
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.backend import Backend

NAME = "namespaces"
# Python alone takes seconds to start an agent where the disk is slow and the machine busy.
_START_SECONDS = 120.0
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
    Detached it owns its entry of the registry; else it ends with this program.
    """
    entry = registry.register(name, detached=detach)
    errors = entry.log.open("w+b") if detach else tempfile.TemporaryFile()  # noqa: SIM115
    ours, theirs = socket.socketpair()

    def tail() -> str:
        size = os.fstat(errors.fileno()).st_size
        return os.pread(errors.fileno(), _TAIL, max(0, size - _TAIL)).decode(errors="replace")

    agent = None
    try:
        # In a session of its own: Ctrl-C in the terminal does not reach it.
        agent = subprocess.Popen(
            [sys.executable, "-m", module, *(["--listen", str(entry.socket)] if detach else [])],
            stdin=subprocess.DEVNULL if detach else theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            cwd="/",
            env=credentials.clean_environment(),
        )
        theirs.close()
        # If we are killed before it is ready, the next command finds it by this.
        entry.agent_pid = agent.pid
        entry.agent_started = processes.start_time(agent.pid)
        entry.save()
        if detach:
            ours.close()
            client = _connect(str(entry.socket), agent, tail)
            # From now on the agent owns the entry: it outlives this program.
            entry.pid, entry.started = agent.pid, entry.agent_started or 0
            entry.save()
        else:
            client = Client(ours, tail)
    except BaseException:
        if agent:
            # Nobody has told it to end, and it may not even listen yet.
            agent.terminate()
            _end(agent, _END_SECONDS)
        entry.forget()
        raise
    return kind(name, client, entry, end=lambda: _end(agent, seconds), detached=detach)


def _end(agent: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        agent.wait(seconds)
    except subprocess.TimeoutExpired:
        agent.kill()  # its child, and every node, die with it
        agent.wait()


def _connect(path: str, agent: subprocess.Popen[bytes], tail: Callable[[], str]) -> Client:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            return Client.over_socket(path, tail)
        except BackendError as error:
            ended = agent.poll()
            if ended is not None or time.monotonic() > deadline:
                how = "it still runs" if ended is None else f"exit code {ended}"
                words = tail().strip() or "it said nothing"
                raise BackendError(f"the agent did not start ({how}): {words}") from error
        time.sleep(0.01)
