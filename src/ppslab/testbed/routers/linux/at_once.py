"""Acting on several nodes at once: a guest has two CPUs, and most of the time is waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Actor = TypeVar("Actor")
Answer = TypeVar("Answer")


def at_once(actors: Sequence[Actor], act: Callable[[Actor], Answer]) -> Sequence[Answer]:
    """What `act` gives for each, in their order; the first error that one of them raises."""
    if not actors:
        return ()
    with ThreadPoolExecutor(max_workers=len(actors)) as pool:
        return list(pool.map(act, actors))
