"""Waiting for a condition: how long it takes says what else the machine does."""

from __future__ import annotations

import os
import secrets
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 120.0
"""Seconds after which something does not come any more: a hundred times what it takes."""


def until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait until a condition holds; `what` it is that is waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds:.0f} s for {what}"
        time.sleep(0.02)


def a_long_time() -> str:
    """So many seconds to sleep that no other process of this machine has the same command.

    What a killed run left asleep is not taken for this run's.
    """
    return str(10**6 + secrets.randbelow(10**9))


def running(*words: str) -> list[int]:
    """The processes with each of these words in their command."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().split(b"\0")
        except OSError:  # it has ended meanwhile
            continue
        if all(word.encode() in command for word in words):
            found.append(int(path.parent.name))
    return found


@contextmanager
def ctrl_c(once: Callable[[], object]) -> Iterator[None]:
    """Ctrl-C in this block as soon as a condition holds, and never after it.

    A signal that comes later, by a timer, would end the tests themselves.
    """
    over = threading.Event()
    deciding = threading.Lock()  # the block may end while the condition is looked at

    def press() -> None:
        while not once():
            if over.wait(0.02):
                return
        with deciding:
            if not over.is_set():
                os.kill(os.getpid(), signal.SIGINT)

    presses = threading.Thread(target=press, daemon=True)
    presses.start()
    try:
        yield
    finally:
        with deciding:
            over.set()
        presses.join()
