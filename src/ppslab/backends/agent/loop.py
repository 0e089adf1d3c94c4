"""The agent's event loop: file handles, clocks, ends of processes. One thread, no asyncio.

asyncio alone takes 30 ms to import, 0.3 s under emulation.
"""

from __future__ import annotations

import heapq
import itertools
import selectors
import time
from collections.abc import Callable
from typing import Protocol

READ = selectors.EVENT_READ
WRITE = selectors.EVENT_WRITE


class _HasFileno(Protocol):
    def fileno(self) -> int: ...


Handle = int | _HasFileno


class Timer:
    """A call at a moment of time.monotonic(), unless cancelled before."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Do not call."""
        self.call = None


class Loop:
    """Calls back when a handle is ready or a time has come."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()

    def watch(self, handle: Handle, events: int, call: Callable[[], object]) -> None:
        """Call when the handle is ready; replaces an earlier watch on it."""
        try:
            self._selector.modify(handle, events, call)
        except KeyError:
            self._selector.register(handle, events, call)

    def forget(self, handle: Handle) -> None:
        """Watch a handle no longer (before it is closed)."""
        try:
            self._selector.unregister(handle)
        except KeyError:
            return

    def after(self, seconds: float, call: Callable[[], None]) -> Timer:
        """Call once after so many seconds."""
        timer = Timer(call)
        heapq.heappush(self._timers, (time.monotonic() + seconds, next(self._order), timer))
        return timer

    def step(self) -> None:
        """Wait for an event and handle it."""
        while self._timers and self._timers[0][2].call is None:
            heapq.heappop(self._timers)
        wait = None
        if self._timers:
            wait = max(0.0, self._timers[0][0] - time.monotonic())
        for key, _ in self._selector.select(wait):
            if self._selector.get_map().get(key.fd) is key:  # not cancelled by an earlier call
                key.data()
        now = time.monotonic()
        while self._timers and self._timers[0][0] <= now:
            call = heapq.heappop(self._timers)[2].call
            if call:
                call()
