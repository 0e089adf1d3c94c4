"""One timed run at once on this machine, first come first served: two would measure each other.

A run holds a ticket from its arrival to its end: a numbered file that it keeps locked (flock(2)),
so that the lock goes with the process, however that ends.  A timed run goes when no ticket is
before its own, a counted one beside as many others that count as it may use CPUs.

A class has one queue for all seats, and may keep CPUs for timed runs.  Seats' shells leave those
alone.  That is agreed and read back, not enforced: sched_setaffinity(2) lets any process widen its
own CPUs within its cgroup.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.text.numbers import plural
from ppslab.model.results import Lease
from ppslab.testbed.backends import registry

SYSTEM: Final = Path("/run/ppslab-class")
"""Of a class that root serves: every user of the machine reads it."""

FILE: Final = "class.json"
SHELL: Final = ".shell"
LOOK_SECONDS: Final = 1.0
NOTICE_SECONDS: Final = 60.0

TICKET: Final = ".ticket"
NUMBER: Final = "[0-9]" * 8
STICKY: Final = 0o1777
"""Each seat adds files to the queue, and removes its own only."""

_REMEDY: Final = (
    "measure again with ppslab, which waits for its turn, or count instructions: --measure counted"
)
_leases: list[Lease] = []
"""Of this process's timed run."""


@dataclass(frozen=True)
class Class:
    """A class that is being taught on this machine."""

    title: str
    queue: Path
    """The folder in which its seats wait for their turn."""
    cpus: tuple[int, ...]
    """Those that are kept for timed runs; none: nobody is kept off any."""


def folder() -> Path:
    """The folder of the queue: $PPSLAB_TURN, that of a class, or the runtime folder.

    Those who share a machine under several names must name one folder that all of them may write.
    """
    if path := os.environ.get("PPSLAB_TURN"):
        return Path(path)
    workshop = current_class()
    return workshop.queue if workshop else registry.folder()


@contextmanager
def measuring(
    what: str, notify: Callable[[str], None], *, wait: bool = True, timed: bool = True
) -> Iterator[None]:
    """Wait for the turn of a run, as `holding` does; a timed run then has a lease."""
    workshop = current_class()
    if timed and workshop and folder().resolve() != workshop.queue.resolve():
        reason = (
            f"the class {workshop.title!r} measures here in turn, and its queue is "
            f"{workshop.queue}; PPSLAB_TURN names {folder()}"
        )
        raise CannotHereError(reason, "unset PPSLAB_TURN, or count: --measure counted")
    with holding(folder(), what, notify, wait=wait, timed=timed):
        if not timed:
            yield
            return
        with _on_kept_cpus(workshop):
            lease = _lease(what, workshop)
            if workshop and (shared := set(workshop.cpus).difference(lease.kept_free)):
                notify(f"another seat's programs may run on CPU {_text(shared)}, which measures")
            _leases.append(lease)
            try:
                yield
            finally:
                _leases.remove(lease)


def lease() -> Lease:
    """The lease of this process's timed run; CannotHereError where it has none.

    A class that began meanwhile has a queue of its own: then others may have measured too.
    """
    workshop = current_class()
    if not _leases:
        reason = (
            "the run was timed without waiting for its turn, so others may have measured meanwhile"
        )
        raise CannotHereError(reason, _REMEDY)
    if workshop and _leases[-1].workshop != workshop.title:
        reason = f"the class {workshop.title!r} began meanwhile, and its seats may have measured"
        raise CannotHereError(reason, _REMEDY)
    return _leases[-1]


def held() -> Lease | None:
    """The same, for what was measured in part and is judged by nobody; None where it has none."""
    return _leases[-1] if _leases else None


def _lease(what: str, workshop: Class | None) -> Lease:
    return Lease(
        holder=f"{os.environ.get('PPSLAB_SEAT') or getpass.getuser()}: {what}",
        since=datetime.now(UTC),
        cpus=tuple(sorted(os.sched_getaffinity(0))),
        kept_free=_kept_free(workshop) if workshop else (),
        workshop=workshop.title if workshop else "",
    )


def _class_folders() -> list[Path]:
    """The folders where a class may be: the first is for root's, the last for one's own."""
    own = registry.folder() / "class"
    return [own] if "PPSLAB_RUNTIME" in os.environ else [SYSTEM, own]


def current_class() -> Class | None:
    """The class whose server lives; None where there is none."""
    for place in _class_folders():
        if words := signed(place / FILE):
            return Class(words["title"], place / "queue", tuple(words["cpus"]))
    return None


@contextmanager
def open_class(title: str, cpus: Sequence[int] = ()) -> Iterator[Class]:
    """Teach a class here: runs wait in its queue, and `cpus` are kept for those that are timed.

    UsageError for CPUs that are not there, or that leave none to the seats' shells.
    """
    usable = os.sched_getaffinity(0)
    if strange := sorted(set(cpus) - usable):
        raise UsageError(f"no CPU {strange[0]} here: there are {_text(usable)}")
    if usable <= set(cpus):
        raise UsageError(
            f"CPUs {_text(cpus)} are for measuring, and no CPU is left for the shells of the seats"
        )
    place = _class_folders()[0 if os.geteuid() == 0 else -1]
    workshop = Class(title, place / "queue", tuple(sorted(set(cpus))))
    workshop.queue.mkdir(parents=True, exist_ok=True)
    workshop.queue.chmod(STICKY)
    (place / FILE).unlink(missing_ok=True)  # a server that was killed left it
    handle = sign(place / FILE, {"title": title, "cpus": workshop.cpus})
    try:
        yield workshop
    finally:
        (place / FILE).unlink(missing_ok=True)
        os.close(handle)


def enter(seat: str) -> Class | None:
    """Make this process a seat's shell: off the CPUs that are kept, and known to the queue.

    The program that it becomes inherits that.  None, and nothing done, where no class is taught.
    """
    if workshop := current_class():
        if others := os.sched_getaffinity(0) - set(workshop.cpus):
            os.sched_setaffinity(0, others)
        words = {"seat": seat, "pid": os.getpid()}
        _, handle = take_number(workshop.queue, SHELL, words)
        os.set_inheritable(handle, True)
    return workshop


@contextmanager
def _on_kept_cpus(workshop: Class | None) -> Iterator[None]:
    """Use the CPUs that are kept; CannotHereError where its cgroup does not let it."""
    if workshop is None or not workshop.cpus:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, workshop.cpus)
    except OSError as error:
        raise CannotHereError(
            f"the class measures on CPU {_text(workshop.cpus)}, which this process may not use: "
            f"{error.strerror}",
            "give the seat's unit these CPUs too (AllowedCPUs=), or count: --measure counted",
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


def _kept_free(workshop: Class) -> tuple[int, ...]:
    """The kept CPUs on which no program of another seat may run, read from the kernel."""
    words = [signed(path) for path in workshop.queue.glob(NUMBER + SHELL)]
    shells = {shell.get("pid") for shell in words if shell}
    parents = _parents()
    idle = _ancestry(os.getpid(), parents)  # they only wait for this run
    used: set[int] = set()
    for pid in parents:
        if pid not in idle and not shells.isdisjoint(_ancestry(pid, parents)):
            with suppress(OSError):
                used |= os.sched_getaffinity(pid)
    return tuple(cpu for cpu in workshop.cpus if cpu not in used)


def _ancestry(pid: int, parents: dict[int, int]) -> list[int]:
    """A process, its parent, and so on."""
    line = [pid]
    while line[-1] > 1:
        line.append(parents.get(line[-1], 0))
    return line


def _parents() -> dict[int, int]:
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            text = path.read_text(errors="replace")
            parents[int(path.parent.name)] = int(text[text.rindex(")") + 2 :].split()[1])
    return parents


def _text(cpus: Sequence[int] | set[int]) -> str:
    return ", ".join(str(cpu) for cpu in sorted(cpus))


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
                raise CannotHereError(message, "wait until it has ended, or stop it")
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
