"""Signals that end a command, and what has to be finished before one does."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

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
