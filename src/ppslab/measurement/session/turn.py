"""One measurement of time at a time: two at once would measure each other.

Those that count instructions disturb no other that counts: they take turns by the number of CPUs
only, and together they keep those that take time waiting.  Who waits comes in its turn (`queue`).

The lock is the kernel's (fcntl(2), F_SETLK), so it goes with the process that holds it, however
that ends.  It is not flock(2)'s, which the processes that hold a lab's nodes would inherit.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ppslab.backends import registry
from ppslab.base.errors import CannotHereError
from ppslab.measurement.session import classroom
from ppslab.measurement.session.classroom import Class
from ppslab.measurement.session.queue import SHARED, Queue
from ppslab.results import Lease

LOOK_SECONDS: Final = 1.0
TELL_SECONDS: Final = 60.0


_held: list[Lease] = []
"""Under which this process takes time now."""


def folder() -> Path:
    """Where lock and queue are: $PPSLAB_TURN, the queue of a class, or that of what is alive.

    Those who share a machine under several names must name one folder that all of them may write.
    """
    if told := os.environ.get("PPSLAB_TURN"):
        return Path(told)
    taught = classroom.active()
    return taught.queue if taught else registry.folder()


def lock_file() -> Path:
    """The lock of those that take time."""
    return folder() / "measuring.lock"


def lease() -> Lease:
    """The turn under which this process takes time; CannotHereError where it has none.

    A class that began meanwhile has a queue of its own: then others may have measured too.
    """
    taught = classroom.active()
    if not _held:
        reason = "time was taken without the machine's turn, so others may have measured meanwhile"
        raise CannotHereError(reason, _TAKE)
    if taught and _held[-1].workshop != taught.title:
        reason = f"the class {taught.title!r} began meanwhile, and its seats may have measured"
        raise CannotHereError(reason, _TAKE)
    return _held[-1]


def held() -> Lease | None:
    """The same, for what was measured in part and is judged by nobody; None where it has none."""
    return _held[-1] if _held else None


_TAKE: Final = (
    "measure again with ppslab, which waits for its turn, or count instructions: --measure counted"
)


def _must_be_the_queue_of(taught: Class) -> None:
    if folder().resolve() != taught.queue.resolve():
        reason = (
            f"the class {taught.title!r} measures here in turn, and its queue is {taught.queue}; "
            f"PPSLAB_TURN names {folder()}"
        )
        raise CannotHereError(reason, "unset PPSLAB_TURN, or count: --measure counted")


@contextmanager
def measuring(
    what: str,
    tell: Callable[[str], None],
    *,
    wait: bool = True,
    alone: bool = True,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold the lock while measuring; `what`: the command, for whoever comes meanwhile.

    `alone`: time is taken.  Otherwise instructions are counted, beside as many others that count
    as this process may use CPUs.
    Where another measures or came before, `tell` hears who, since when and the place in the queue,
    now and every minute, until it is this one's turn; without `wait`: CannotHereError.
    """
    taught = classroom.active()
    if alone and taught:
        _must_be_the_queue_of(taught)
    queue = Queue(folder())
    with ExitStack() as stack:
        ours = _opened(lock_file(), stack)
        places = [] if alone else [_opened(place, stack) for place in _places()]
        with ExitStack() as until_taken:
            ticket = until_taken.enter_context(queue.waiting(what)) if wait else ""
            waited = 0.0
            while (signed := None if queue.ahead(ticket) else _taken(ours, places)) is None:
                holder = _holder(ours, places)
                message = f"another measurement runs: {holder}"
                if not wait:
                    raise CannotHereError(message, "wait until it is done, or stop it")
                if waited % TELL_SECONDS < LOOK_SECONDS:
                    place = queue.place(ticket, holder.what, holder.seconds)
                    tell(f"waiting, for {message}; {place}")
                sleep(LOOK_SECONDS)
                waited += LOOK_SECONDS
            _sign(signed, what)
        if alone:
            held = _leased(stack, what, taught)
            _held.append(held)
            stack.callback(_held.remove, held)
            if taught and (shared := set(taught.cpus).difference(held.kept_free)):
                cpus = ", ".join(str(each) for each in sorted(shared))
                tell(f"another seat's programs may run on CPU {cpus}, which measures")
        begun = time.monotonic()
        try:
            yield
            queue.took(what, time.monotonic() - begun)
        finally:
            os.ftruncate(signed, 0)


def _leased(stack: ExitStack, what: str, taught: Class | None) -> Lease:
    """The turn that was just taken, on the CPUs that measure."""
    since = datetime.now(UTC)
    if taught:
        stack.enter_context(classroom.on_the_measuring_cpus(taught))
    return Lease(
        holder=f"{os.environ.get('PPSLAB_SEAT') or getpass.getuser()}: {what}",
        since=since,
        cpus=tuple(sorted(os.sched_getaffinity(0))),
        kept_free=classroom.kept_free(taught, os.getpid()) if taught else (),
        workshop=taught.title if taught else "",
    )


def _places() -> list[Path]:
    """A lock for each guest that may count at once."""
    cpus = len(os.sched_getaffinity(0))
    return [lock_file().with_name(f"counting-{number}.lock") for number in range(cpus)]


def _opened(path: Path, stack: ExitStack) -> int:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, SHARED)
    stack.callback(os.close, handle)
    return handle


def _taken(ours: int, places: Sequence[int]) -> int | None:
    """The lock to sign, where all that is wanted could be taken; else nothing is held."""
    if not places:
        return ours if _locked(ours, fcntl.LOCK_EX) else None
    if not _locked(ours, fcntl.LOCK_SH):
        return None
    free = next((place for place in places if _locked(place, fcntl.LOCK_EX)), None)
    if free is None:
        fcntl.lockf(ours, fcntl.LOCK_UN)
    return free


def _locked(handle: int, how: int) -> bool:
    try:
        fcntl.lockf(handle, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sign(handle: int, what: str) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    text = json.dumps({"pid": os.getpid(), "what": what, "since": now})
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)


@dataclass(frozen=True)
class Holder:
    """Who measures, as it signed: `what`, as which process `pid`, `since` when.

    Without a time it has not signed yet.
    """

    what: str = ""
    pid: int = 0
    since: datetime | None = None

    @property
    def seconds(self) -> float:
        """For how long it has measured."""
        return (datetime.now(UTC) - self.since).total_seconds() if self.since else 0.0

    def __str__(self) -> str:
        """As others are told."""
        if self.since is None:
            return "one that has only just begun"
        return f"{self.what} (process {self.pid}), since {self.since:%Y-%m-%d %H:%M:%S} UTC"


def _holder(ours: int, places: Sequence[int]) -> Holder:
    """Who measures: one that takes time, or else the first that counts."""
    # Those that count share that lock, and sign one of their own.
    if _is_signed(ours, fcntl.LOCK_SH):
        return _signed(ours)
    with ExitStack() as stack:
        handles = places or [_opened(place, stack) for place in _places()]
        found = (_signed(each) for each in handles if _is_signed(each, fcntl.LOCK_EX))
        return next(found, Holder())


def _is_signed(handle: int, how: int) -> bool:
    """Whether a holder has signed; what one left that was killed is wiped."""
    if not os.pread(handle, 1, 0):
        return False
    if not _locked(handle, how):
        return True
    os.ftruncate(handle, 0)
    fcntl.lockf(handle, fcntl.LOCK_UN)
    return False


def _signed(handle: int) -> Holder:
    try:
        told = json.loads(os.pread(handle, 4096, 0))
        return Holder(told["what"], told["pid"], datetime.fromisoformat(told["since"]))
    except (ValueError, KeyError, TypeError):
        return Holder()
