"""A class on this machine: the queue that its seats share, the CPUs that measure, and its shells.

Whoever serves the class opens it; while that process lives every measurement of time waits in its
queue.  A seat's shell leaves the measuring CPUs to whoever has the turn.  That is agreed and read
back, not enforced: sched_setaffinity(2) lets any process widen its own CPUs within its cgroup.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ppslab.backends import registry
from ppslab.base import documents, processes
from ppslab.base.errors import CannotHereError, UsageError
from ppslab.measurement.session.queue import SHARED

SYSTEM: Final = Path("/run/ppslab-class")
"""Of a class that root serves: every user of the machine reads it."""

FILE: Final = "class.json"
SHELL: Final = ".shell.json"
STICKY: Final = 0o1777
"""Each seat adds files to the queue, and removes its own only."""


@dataclass(frozen=True)
class Class:
    """A class that is being taught on this machine."""

    title: str
    """The day's name."""
    queue: Path
    """The folder in which its seats wait for their turn."""
    cpus: tuple[int, ...]
    """Those that measure, which shells leave alone; none: nobody is kept off any."""
    pid: int
    """The process that serves it."""
    started: int
    """When that started, in clock ticks since boot."""


def _folders() -> list[Path]:
    """Where a class may be: the first is for root's, the last for one's own."""
    own = registry.folder() / "class"
    return [own] if "PPSLAB_RUNTIME" in os.environ else [SYSTEM, own]


def active() -> Class | None:
    """The class whose server lives; None where there is none."""
    for folder in _folders():
        try:
            told = json.loads((folder / FILE).read_text(encoding="utf-8"))
            cpus = tuple(int(each) for each in told["cpus"])
            found = Class(
                str(told["title"]), Path(told["queue"]), cpus, told["pid"], told["started"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if processes.is_running(found.pid, found.started):
            return found
    return None


@contextmanager
def taught(title: str, cpus: Sequence[int] = ()) -> Iterator[Class]:
    """A class is taught here while this is open; `cpus` measure.

    UsageError for CPUs that are not there, or that leave none to the seats' shells.
    """
    usable = os.sched_getaffinity(0)
    if strange := sorted(set(cpus) - usable):
        raise UsageError(f"no CPU {strange[0]} here: there are {_text(usable)}")
    if usable <= set(cpus):
        raise UsageError(f"CPUs {_text(cpus)} measure, and none is left for the seats' shells")
    folder = _folders()[0 if os.geteuid() == 0 else -1]
    queue = folder / "queue"
    queue.mkdir(parents=True, exist_ok=True)
    queue.chmod(STICKY)
    # The kernel opens no file of another user's in a sticky folder (fs.protected_regular), but
    # those of the folder's owner.
    for name in ("measuring.lock", *(f"counting-{n}.lock" for n in range(len(usable)))):
        (queue / name).touch()
        (queue / name).chmod(SHARED)
    pid = os.getpid()
    made = Class(title, queue, tuple(sorted(set(cpus))), pid, processes.start_time(pid) or 0)
    documents.write_json(
        folder / FILE,
        {"title": title, "queue": str(queue), "cpus": made.cpus, "pid": pid}
        | {"started": made.started},
    )
    (folder / FILE).chmod(0o644)
    try:
        yield made
    finally:
        (folder / FILE).unlink(missing_ok=True)


def enter(seat: str) -> Class | None:
    """Make this process a seat's shell: off the measuring CPUs, and known to the queue.

    What it starts inherits that.  None, and nothing done, where no class is taught here.
    """
    if (taught_now := active()) is None:
        return None
    others = os.sched_getaffinity(0) - set(taught_now.cpus)
    if others:
        os.sched_setaffinity(0, others)
    pid = os.getpid()
    documents.write_json(
        taught_now.queue / f"{pid}{SHELL}",
        {"seat": seat, "pid": pid, "started": processes.start_time(pid)},
    )
    (taught_now.queue / f"{pid}{SHELL}").chmod(0o644)
    return taught_now


def kept_free(taught_now: Class, but: int) -> tuple[int, ...]:
    """The measuring CPUs on which no process of a seat's shell may run, read from the kernel.

    `but`: the process that measures, whose ancestors only wait for it.
    """
    parents = _parents()
    ours = {but}
    while (but := parents.get(but, 0)) > 1:
        ours.add(but)
    shells = _shells(taught_now.queue)
    used: set[int] = set()
    for pid in parents:
        line = [pid]
        while line[-1] > 1 and line[-1] not in shells:
            line.append(parents.get(line[-1], 0))
        if line[-1] in shells and pid not in ours:
            with suppress(OSError):
                used |= os.sched_getaffinity(pid)
    return tuple(cpu for cpu in taught_now.cpus if cpu not in used)


@contextmanager
def on_the_measuring_cpus(taught_now: Class) -> Iterator[None]:
    """Use the CPUs that measure; CannotHereError where its cgroup does not let it."""
    before = os.sched_getaffinity(0)
    try:
        if taught_now.cpus:
            os.sched_setaffinity(0, taught_now.cpus)
    except OSError as error:
        raise CannotHereError(
            f"the class measures on CPU {_text(taught_now.cpus)}, which this process may not use: "
            f"{error.strerror}",
            "give the seat's unit these CPUs too (AllowedCPUs=), or count: --measure counted",
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


def _shells(queue: Path) -> set[int]:
    found = set()
    for path in queue.glob(f"*{SHELL}"):
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            if processes.is_running(int(told["pid"]), int(told["started"])):
                found.add(int(told["pid"]))
                continue
        except (OSError, ValueError, KeyError, TypeError):
            pass
        with suppress(OSError):
            path.unlink()
    return found


def _parents() -> dict[int, int]:
    """Every process with its parent."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            text = path.read_text(errors="replace")
            found[int(path.parent.name)] = int(text[text.rindex(")") + 2 :].split()[1])
    return found


def _text(cpus: Sequence[int] | set[int]) -> str:
    return ", ".join(str(each) for each in sorted(cpus))
