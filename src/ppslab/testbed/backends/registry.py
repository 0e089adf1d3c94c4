"""Live agents: one file each in runtime_dir(), by which another command finds them.

Which process an entry means: `core.processes`.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, fields
from importlib import import_module
from pathlib import Path
from typing import Any

from ppslab.core import documents, paths
from ppslab.core.documents import disk
from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.processes import boot_id, is_running, start_time

_SUFFIX = ".agent.json"
BORROWED = ".borrowed.json"
"""Files that say what this machine's interfaces were: OWNER.RUN.borrowed.json."""

CONTAINERS = ".containers.json"
"""Files that say which labs stand under containerlab: OWNER.RUN.containers.json."""

_LEFT = {
    BORROWED: "ppslab.testbed.backends.nodes.borrowed",
    CONTAINERS: "ppslab.testbed.backends.containerlab.steps",
}
"""Modules whose `sweep` undoes what a file says; imported when there is one, which is rare."""

_GRACE_SECONDS = 3.0
# struct sockaddr_un: unix(7)
_LONGEST_SOCKET = 107
# An agent that removes its containers is given time: killing it would repeat the work.
_LONG_GRACE_SECONDS = 150.0


@dataclass
class Entry:
    """One live agent.

    `pid` owns it: when that process is dead, the entry is stale. Attached, that is the program
    that opened the backend; detached, the agent itself, or QEMU.
    """

    backend: str
    pid: int
    started: int
    detached: bool = False
    socket: str | None = None
    # The lab of each run.
    runs: dict[str, str] = field(default_factory=dict)
    agent_pid: int | None = None
    agent_started: int | None = None
    qemu_pid: int | None = None
    qemu_started: int | None = None
    # For a guest: the machine that its lab asked for.
    machine: dict[str, Any] | None = None
    # Removed with the entry: sockets, overlays, logs.
    files: list[str] = field(default_factory=list)
    since: float = field(default_factory=time.time)
    boot: str = field(default_factory=boot_id)
    name: str = field(default_factory=lambda: secrets.token_hex(4))

    @property
    def path(self) -> Path:
        return folder() / f"{self.name}{_SUFFIX}"

    @property
    def log(self) -> Path:
        """The file that a detached agent's stderr goes to."""
        return folder() / f"{self.name}.log"

    def alive(self) -> bool:
        return self.boot == boot_id() and is_running(self.pid, self.started)

    def save(self) -> None:
        """Write it (again); a reader sees the old file or the new one."""
        documents.write_json(self.path, asdict(self))

    def forget(self) -> None:
        """Remove the entry and its files; kills nothing."""
        for name in filter(None, (*self.files, self.socket)):
            with suppress(OSError):
                Path(name).unlink()
        self.path.unlink(missing_ok=True)

    def kill(self) -> None:
        """Kill its process if that still runs, and wait until it is gone."""
        if self.boot != boot_id():
            return
        grace = _LONG_GRACE_SECONDS if self.backend == "containerlab" else _GRACE_SECONDS
        if self.agent_pid and self.agent_started:
            kill(self.agent_pid, self.agent_started, grace)
        if self.qemu_pid and self.qemu_started:
            kill(self.qemu_pid, self.qemu_started, grace)


def folder() -> Path:
    """The runtime folder, made if missing, and ours alone (others could place sockets in it)."""
    place = paths.runtime_dir()
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = place.stat()
    except OSError as error:
        reason = f"the runtime folder {place} cannot be made: {error.strerror}"
        raise CannotHereError(reason, "set PPSLAB_RUNTIME to a folder of your own") from None
    if status.st_uid != os.geteuid():
        raise UsageError(f"{place} is another user's; set PPSLAB_RUNTIME to a folder of your own")
    return place


@contextmanager
def changing(lab: str) -> Iterator[None]:
    """Nobody else brings this lab up or takes it down while this is open; UsageError if they do."""
    path = folder() / f"{lab}.lock"
    try:
        lock = path.open("a")
    except OSError as error:
        reason = f"{path} cannot be written: {error.strerror}"
        raise CannotHereError(reason, "set PPSLAB_RUNTIME to a folder of your own") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"another command is bringing lab {lab} up or taking it down: "
                "try again when it has ended; `ppslab status` lists the labs that are up"
            ) from None
        try:
            yield
        finally:
            # An agent that was forked meanwhile has it too: closing ours would not release it.
            fcntl.flock(lock, fcntl.LOCK_UN)


def register(backend: str, *, pid: int | None = None, detached: bool = False, **more: Any) -> Entry:
    """A new entry, saved; `pid` is the owner, by default this process. `more`: Entry's fields.

    `detached`: of an agent that will outlive this program; it has a socket and a log.
    UsageError where the runtime folder is too deep for a socket.
    """
    owner = os.getpid() if pid is None else pid
    entry = Entry(backend, owner, start_time(owner) or 0, detached, **more)
    if detached:
        entry.socket = str(folder() / f"{entry.name}.socket")
        entry.files.append(str(entry.log))
        if len(os.fsencode(entry.socket)) > _LONGEST_SOCKET:
            raise UsageError(
                f"{entry.socket}: too long for a socket; set PPSLAB_RUNTIME to a shorter folder"
            )
    try:
        entry.save()
    except BaseException:  # Ctrl-C: nobody has the entry yet that could forget it
        entry.forget()
        raise
    return entry


def entries() -> list[Entry]:
    """All entries, oldest first, stale ones too; files that nobody can read are removed."""
    known = {item.name for item in fields(Entry)}
    found = []
    for path in folder().glob(f"*{_SUFFIX}"):
        try:
            data = json.loads(path.read_text())
            entry = Entry(**{key: value for key, value in data.items() if key in known})
            if entry.path != path:
                raise ValueError(path)
        except FileNotFoundError:
            continue
        except (ValueError, TypeError, AttributeError):
            path.unlink(missing_ok=True)
        else:
            found.append(entry)
    return sorted(found, key=lambda entry: entry.since)


def sweep() -> list[Entry]:
    """Remove what dead owners left and restore interfaces; returns the entries of those owners."""
    disk.sweep(folder())
    stale = [entry for entry in entries() if not entry.alive()]
    for entry in stale:
        entry.kill()
        entry.forget()
    owners = {entry.name for entry in entries()}
    for suffix, module in _LEFT.items():
        for path in folder().glob(f"*{suffix}"):
            if path.name.partition(".")[0] not in owners:
                import_module(module).sweep(path)
    return stale


def live() -> list[Entry]:
    return [entry for entry in entries() if entry.alive()]


def standing(name: str) -> Entry | None:
    """Return the agent that `ppslab up` left for this lab."""
    return next((e for e in live() if e.detached and name in e.runs), None)


def kill(pid: int, started: int, grace: float = _GRACE_SECONDS) -> None:
    """SIGTERM, `grace` seconds later SIGKILL, to exactly that process; returns when it is gone."""
    for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, _GRACE_SECONDS)):
        deadline = time.monotonic() + seconds
        try:
            handle = os.pidfd_open(pid)
        except OSError:
            return
        try:
            # The handle is that of the number's present owner: check before killing it.
            if not is_running(pid, started):
                return
            signal.pidfd_send_signal(handle, number)
        except OSError:
            return
        finally:
            os.close(handle)
        while time.monotonic() < deadline:
            if not is_running(pid, started):
                return
            time.sleep(0.01)
