"""In which line of a JSON text a value stands, without a second parser's data of all of it."""

from __future__ import annotations

import re
from json import JSONDecoder
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = JSONDecoder()


def line_of(text: str, keys: tuple[Any, ...]) -> int | None:
    """The 1-based line of the value at `keys` (of its key, in an object); None: it is not there.

    `text` is JSON that was read before.  Values beside the way are skipped at the reader's own
    speed: the lines of a record of megabytes take milliseconds.
    """
    at = _after(text, 0)
    shown = at
    try:
        for key in keys:
            found = _in_object(text, at, key) if text[at] == "{" else _in_array(text, at, key)
            if found is None:
                return None
            shown, at = found
    except (ValueError, IndexError, RecursionError):
        return None
    return text.count("\n", 0, shown) + 1


def _after(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _in_object(text: str, at: int, key: Any) -> tuple[int, int] | None:
    at = _after(text, at + 1)
    while text[at] == '"':
        start = at
        name, at = _DECODER.raw_decode(text, at)
        at = _after(text, _after(text, at) + 1)  # behind the colon
        if name == key:
            return start, at
        at = _next(text, at)
    return None


def _in_array(text: str, at: int, key: Any) -> tuple[int, int] | None:
    if text[at] != "[" or not isinstance(key, int) or key < 0:
        return None
    at = _after(text, at + 1)
    for _ in range(key):
        if text[at] == "]":
            return None
        at = _next(text, at)
    return None if text[at] == "]" else (at, at)


def _next(text: str, at: int) -> int:
    """What stands behind the value at `at` and its comma."""
    _, at = _DECODER.raw_decode(text, at)
    at = _after(text, at)
    return _after(text, at + 1) if text[at] == "," else at
