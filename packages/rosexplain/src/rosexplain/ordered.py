"""Lists that have each thing once, in its order: MicroPython's dict keeps none."""

from __future__ import annotations

from typing import Any


def unique(things: list[Any], key: Any = None) -> list[Any]:
    """Each thing once, in its order; `key` gives what is the same of the same things."""
    once: list[Any] = []
    known: set[Any] = set()
    for thing in things:
        mark = thing if key is None else key(thing)
        if mark not in known:
            known.add(mark)
            once.append(thing)
    return once
