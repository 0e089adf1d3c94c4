"""Who waits for the machine, in the order in which they came, and how long it may take.

A ticket is a file that its process has locked: whoever ends, however it ends, is out of the queue.
"""

from __future__ import annotations

import fcntl
import json
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ppslab.base import documents
from ppslab.base.errors import FileError
from ppslab.base.text.numbers import plural

SUFFIX: Final = ".ticket"
DURATIONS: Final = "durations-{uid}.json"
"""One a user: none may replace another's file in the folder of a class."""

REMEMBERED: Final = 5
"""Durations of each measurement that are kept, and whose median is expected."""
SHARED: Final = 0o666
"""Several users of a machine may share the folder; the umask, or the folder, says who."""


@dataclass(frozen=True)
class Place:
    """A place in the queue: `ahead` wait before this one.

    `expected_seconds`: until its turn, by what the same took before; None where nobody knows.
    """

    ahead: int
    expected_seconds: float | None

    def __str__(self) -> str:
        """As the one that waits is told."""
        if self.expected_seconds is None:
            return f"place {self.ahead + 1} in the queue"
        minutes = plural(max(1, round(self.expected_seconds / 60)), "minute")
        return f"place {self.ahead + 1} in the queue, about {minutes}"


class Queue:
    """The tickets in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def waiting(self, what: str) -> Iterator[str]:
        """A ticket while this is open; returns its name, by which it is known to come later."""
        name = f"{time.time_ns():020d}-{os.getpid()}{SUFFIX}"
        path, unfinished = self.folder / name, self.folder / f".{name}"
        handle = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, SHARED)
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another user sees whether a ticket is locked only if it may write it.
            os.fchmod(handle, SHARED)
            os.pwrite(handle, json.dumps({"what": what}).encode(), 0)
            # Locked before it can be seen: an open ticket is one of somebody that has ended.
            unfinished.rename(path)
            yield name
        finally:
            unfinished.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
            os.close(handle)

    def ahead(self, name: str = "") -> list[str]:
        """What those measure that came before this ticket; without one, all that wait."""
        found = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            if path.name == name:
                break
            if (what := _alive(path)) is not None:
                found.append(what)
        return found

    def place(self, name: str, holder: str, held_seconds: float) -> Place:
        """The place of a ticket, while `holder` has measured for so long."""
        before = self.ahead(name)
        times = [self.usual(what) for what in (holder, *before)]
        known = [each for each in times if each is not None]
        if len(known) < len(times):
            return Place(len(before), None)
        return Place(len(before), max(0.0, known[0] - held_seconds) + sum(known[1:]))

    def usual(self, what: str) -> float | None:
        """The median of the last durations, seconds; None where none is known."""
        found = [
            seconds
            for path in self.folder.glob(DURATIONS.format(uid="*"))
            for seconds in _durations(path).get(what, [])
        ]
        return statistics.median(found) if found else None

    def took(self, what: str, seconds: float) -> None:
        """Remember how long a measurement took; a folder that cannot be written forgets it."""
        path = self.folder / DURATIONS.format(uid=os.geteuid())
        known = _durations(path)
        known[what] = [*known.get(what, []), round(seconds, 1)][-REMEMBERED:]
        with suppress(OSError, FileError):
            documents.write_json(path, known)
            path.chmod(0o644)


def _durations(path: Path) -> dict[str, list[float]]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return {str(what): [float(each) for each in told] for what, told in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def _alive(path: Path) -> str | None:
    """What the owner of a ticket measures; None, and the ticket gone, where it has ended."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return _what(os.pread(handle, 4096, 0))
    else:
        with suppress(OSError):  # another user's, who is asked to tidy it
            path.unlink()
        return None
    finally:
        os.close(handle)


def _what(told: bytes) -> str:
    try:
        return str(json.loads(told)["what"])
    except (ValueError, KeyError, TypeError):
        return ""
