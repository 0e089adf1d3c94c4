"""What an earlier start left behind because it was killed alone: its hub, and the hub's proxy.

The hub is known by what was written into the day's folder when it began: its number, its start time
and the boot.  Its proxy is known by the number that JupyterHub wrote there.  Both must also work in
that folder: numbers are given again, and a copied folder names the hub of the original.
"""

from __future__ import annotations

import json
import os
import select
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ppslab.base import documents
from ppslab.base.errors import CannotHereError
from ppslab.base.processes import boot_id, start_time
from ppslab_class.hub.configuration import PROCESS, PROXY_ID

STOP_SECONDS: Final = 20
"""For a hub that is asked to end; it ends its proxy meanwhile."""

KILL_SECONDS: Final = 10


@dataclass(frozen=True)
class LeftOver:
    """A process that still runs."""

    what: str
    pid: int
    started: int
    """Clock ticks since boot."""


def note(folder: Path, pid: int) -> None:
    """Write down which process is the hub of this folder."""
    told = {"boot": boot_id(), "pid": pid, "started": start_time(pid)}
    documents.write_json(folder / PROCESS, told, private=True)


def found(folder: Path) -> list[LeftOver]:
    """The hub and the proxy of this folder that run."""
    return [each for each in (_hub(folder), _proxy(folder)) if each is not None]


def end(folder: Path) -> list[LeftOver]:
    """End them; returns those that ran.  CannotHereError where one does not end.

    Seats are units of systemd: they go on, and the next hub finds them.
    """
    ended = found(folder)
    for each in ended:
        _end(each)
    if _proxy(folder) is None:
        # JupyterHub ends whatever has the number in this file, and asks nothing else.
        (folder / PROXY_ID).unlink(missing_ok=True)
    return ended


def _hub(folder: Path) -> LeftOver | None:
    try:
        told = json.loads((folder / PROCESS).read_text(encoding="utf-8"))
        boot, pid, started = told["boot"], int(told["pid"]), told["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    now = start_time(pid)
    if boot != boot_id() or now is None or now != started or not _works_in(pid, folder):
        return None
    return LeftOver("hub", pid, now)


def _proxy(folder: Path) -> LeftOver | None:
    try:
        pid = int((folder / PROXY_ID).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
    now = start_time(pid)
    return LeftOver("hub's proxy", pid, now) if now and _works_in(pid, folder) else None


def _works_in(pid: int, folder: Path) -> bool:
    try:
        return Path(f"/proc/{pid}/cwd").samefile(folder)
    except OSError:  # it has ended, or is another user's
        return False


def _end(process: LeftOver) -> None:
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return
    try:
        for how, seconds in ((signal.SIGTERM, STOP_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
            if start_time(process.pid) != process.started:
                return
            signal.pidfd_send_signal(handle, how)
            if select.select([handle], [], [], seconds)[0]:
                return
    finally:
        os.close(handle)
    reason = f"the {process.what} that an earlier start left behind (process {process.pid}) "
    raise CannotHereError(f"{reason}does not end", "start this machine again")
