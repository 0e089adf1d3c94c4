"""One timed run at once, first come first served: two at once would measure each other.

A run holds a ticket from its arrival to its end: a numbered file that it keeps locked (flock(2)),
so that the lock goes with the process, however that ends.  A timed run goes when no ticket is
before its own, a counted one beside as many others that count as it may use CPUs.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ppslab.base.errors import CannotHereError
from ppslab.base.text.numbers import plural

LOOK_SECONDS: Final = 1.0
NOTICE_SECONDS: Final = 60.0

TICKET: Final = ".ticket"
NUMBER: Final = "[0-9]" * 8


@contextmanager
def holding(
    queue: Path, what: str, notify: Callable[[str], None], *, wait: bool, timed: bool
) -> Iterator[None]:
    """Wait in a folder for the turn of a run, and hold it; `what` names the run to later ones.

    Until then, `notify` hears now and every minute which run it waits for; without `wait`:
    CannotHereError.
    """
    ticket, handle = take_number(queue, TICKET, {"what": what, "pid": os.getpid(), "timed": timed})
    try:
        waited = 0.0
        while ahead := _ahead(ticket, timed=timed):
            message = f"another measurement runs: {ahead[0]}"
            if not wait:
                raise CannotHereError(message, "wait until it is done, or stop it")
            if waited % NOTICE_SECONDS < LOOK_SECONDS:
                notify(f"waiting, for {message}; {plural(len(ahead), 'run')} before this one")
            time.sleep(LOOK_SECONDS)
            waited += LOOK_SECONDS
        os.utime(handle)  # since when it measures, which others read
        yield
    finally:
        ticket.unlink(missing_ok=True)
        os.close(handle)


def _ahead(ticket: Path, *, timed: bool) -> list[str]:
    """The runs that must end before this one; the first of them measures now."""
    ahead, any_timed = [], timed
    for path in sorted(ticket.parent.glob(NUMBER + TICKET)):
        if path < ticket and (run := signed(path)):
            with suppress(OSError, KeyError):  # it has just ended, or no run of ppslab wrote it
                since = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                ahead.append(
                    f"{run['what']} (process {run['pid']}), since {since:%Y-%m-%d %H:%M:%S} UTC"
                )
                any_timed = any_timed or run["timed"]
    return ahead if any_timed or len(ahead) >= len(os.sched_getaffinity(0)) else []


def take_number(queue: Path, suffix: str, words: dict[str, Any]) -> tuple[Path, int]:
    """Sign the next number of a kind of file; those whose process has ended are removed."""
    # Two that look for the last number at once would get the same, or would each miss the other.
    mutex = os.open(queue, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(mutex, fcntl.LOCK_EX)
        last = 0
        for path in queue.glob(NUMBER + suffix):
            if signed(path) is None:
                with suppress(OSError):  # another user's, in the folder of a class
                    path.unlink()
                    continue
            last = max(last, int(path.stem))
        path = queue / f"{last + 1:08}{suffix}"
        return path, sign(path, words)
    finally:
        os.close(mutex)


def sign(path: Path, words: dict[str, Any]) -> int:
    """Write a new file that counts as long as this process keeps the handle open."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC)
    fcntl.flock(handle, fcntl.LOCK_EX)
    os.fchmod(handle, 0o644)  # whatever the umask: other users look whether it is locked
    os.write(handle, json.dumps(words).encode())
    return handle


def signed(path: Path) -> dict[str, Any] | None:
    """The words of a file whose process lives."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
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
