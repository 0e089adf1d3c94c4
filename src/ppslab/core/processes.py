"""Processes: which is which, which signals end a command, and what is done while one runs.

A process is known by its number and its start time (proc(5), stat field 22), for numbers are
given again; and by the boot, for a runtime folder may outlive it.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any


def boot_id() -> str:
    """Another one after every boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def start_time(pid: int) -> int | None:
    """The start of a process in clock ticks since boot; None without one, and for a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The name, in parentheses, may itself hold blanks and parentheses.
    values = stat[stat.rindex(")") + 2 :].split()
    return None if values[0] in "ZX" else int(values[19])


def is_running(pid: int, started: int) -> bool:
    """True while the process of that number is the one that started then."""
    return start_time(pid) == started


ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def finished_first() -> Iterator[None]:
    """Ctrl-C and SIGTERM take effect at the end of the block; a second one does at once.

    For what cannot be taken back while nobody knows whether it has happened.  Only the main thread
    gets signals; in any other this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    noted: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        if len(noted) > 1:
            before[number](number, frame)

    before: dict[int, Any] = {number: signal.getsignal(number) for number in ENDING}
    ours = [number for number in ENDING if callable(before[number])]
    for number in ours:
        signal.signal(number, note)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
        if len(noted) == 1:
            before[noted[0]](noted[0], None)


class Meanwhile:
    """Calls `act` in a thread after `seconds`; at the end of its `with` block it has ended.

    What `act` raises is raised at the end of the block, unless the block raised first.
    A block that ends early waits for an act that has begun, and cancels one that has not.
    `outlasted`, after the block: the act had not ended when the block did.
    """

    def __init__(self, seconds: float, act: Callable[[], None]) -> None:
        self._act = act
        self._failed: BaseException | None = None
        self._ended = False
        self.outlasted = False
        self._timer = threading.Timer(seconds, self._run)
        self._timer.daemon = True

    def _run(self) -> None:
        try:
            self._act()
        except BaseException as error:
            self._failed = error
        self._ended = True

    def __enter__(self) -> Meanwhile:
        self._timer.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.outlasted = not self._ended
        self._timer.cancel()
        self._timer.join()
        if error is None and self._failed is not None:
            raise self._failed
