"""One timed run at once on this machine, first come first served: two would measure each other.

A run holds a ticket from its arrival to its end: a numbered file that it keeps locked (flock(2)),
so that the lock goes with the process, however that ends.  A timed run goes when no ticket is
before its own, a counted one beside as many others that count as it may use CPUs.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ppslab.core.errors import CannotHereError
from ppslab.core.text.numbers import plural
from ppslab.model.results import Lease
from ppslab.testbed.backends import registry

SHARED: Final = Path("/run/ppslab-class/queue")
"""The queue of a class whose seats are users of their own; every user may write it."""

TICKETS: Final = f"{'[0-9]' * 8}.ticket"
LOOK_SECONDS: Final = 1.0
NOTICE_SECONDS: Final = 60.0

_leases: list[Lease] = []
"""Of this process's timed run."""


def folder() -> Path:
    """Return the folder of the queue: $PPSLAB_TURN, that of a class, or the runtime folder."""
    if path := os.environ.get("PPSLAB_TURN"):
        return Path(path)
    own = "PPSLAB_RUNTIME" in os.environ or not SHARED.is_dir()
    return registry.folder() if own else SHARED


@contextmanager
def measuring(
    what: str, notify: Callable[[str], None], *, wait: bool = True, timed: bool = True
) -> Iterator[None]:
    """Wait for the turn of a run, and hold it; a timed run then has a lease.

    `what` names the run to later ones.  Until then, `notify` hears now and every minute which run
    it waits for; without `wait`: CannotHereError.
    """
    words = {"what": what, "pid": os.getpid(), "timed": timed}
    ticket, handle = _take_ticket(folder(), words)
    try:
        waited = 0.0
        while ahead := _ahead(ticket, timed=timed):
            message = f"another measurement runs: {ahead[0]}"
            if not wait:
                raise CannotHereError(message, "wait until it has ended, or stop it")
            if waited % NOTICE_SECONDS < LOOK_SECONDS:
                notify(f"waiting, for {message}; {plural(len(ahead), 'run')} before this one")
            time.sleep(LOOK_SECONDS)
            waited += LOOK_SECONDS
        os.utime(handle)  # since when it measures, which others read
        if timed:
            _leases.append(_lease(what))
        yield
    finally:
        _leases.clear()
        ticket.unlink(missing_ok=True)
        os.close(handle)


def lease() -> Lease:
    """Return the lease of this process's timed run; CannotHereError where it has none."""
    if not _leases:
        raise CannotHereError(
            "the run was timed without waiting for its turn, so others may have measured meanwhile",
            "measure again with ppslab, which waits for its turn, or count instructions: "
            "--measure counted",
        )
    return _leases[-1]


def _lease(what: str) -> Lease:
    return Lease(
        holder=f"{os.environ.get('PPSLAB_SEAT') or getpass.getuser()}: {what}",
        since=datetime.now(UTC),
        cpus=tuple(sorted(os.sched_getaffinity(0))),
    )


def _ahead(ticket: Path, *, timed: bool) -> list[str]:
    """Return the runs that must end before this one; the first of them measures now."""
    ahead, any_timed = [], timed
    for path in sorted(ticket.parent.glob(TICKETS)):
        if path < ticket and (run := _holder(path)):
            with suppress(OSError, KeyError):  # it has just ended, or no run of ppslab wrote it
                since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                ahead.append(
                    f"{run['what']} (process {run['pid']}), since {since:%Y-%m-%d %H:%M:%S} UTC"
                )
                any_timed = any_timed or run["timed"]
    return ahead if any_timed or len(ahead) >= len(os.sched_getaffinity(0)) else []


def _take_ticket(queue: Path, words: dict[str, Any]) -> tuple[Path, int]:
    """Take the next number; tickets whose process has ended are removed."""
    # Two that look for the last number at once would get the same, or would each miss the other.
    mutex = os.open(queue, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(mutex, fcntl.LOCK_EX)
        last = 0
        for path in queue.glob(TICKETS):
            if _holder(path) is None:
                with suppress(OSError):  # another user's, in the folder of a class
                    path.unlink()
                    continue
            last = max(last, int(path.stem))
        ticket = queue / f"{last + 1:08}.ticket"
        handle = os.open(ticket, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.fchmod(handle, 0o644)  # whatever the umask: other users look whether it is locked
        os.write(handle, json.dumps(words).encode())
        return ticket, handle
    finally:
        os.close(mutex)


def _holder(ticket: Path) -> dict[str, Any] | None:
    """Return the words of a ticket whose process lives; None for any other."""
    try:
        handle = os.open(ticket, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        with suppress(ValueError):
            words = json.loads(os.read(handle, 4096))
            return words if isinstance(words, dict) else None
    finally:
        os.close(handle)
    return None
