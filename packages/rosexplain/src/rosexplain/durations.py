"""Times as RouterOS writes them."""

from __future__ import annotations

from rosexplain.selection import is_number

IN_TIME = (3600_000, 60_000, 1000)
"""The milliseconds of each part of `00:00:10`."""
UNITS = {"t": 1, "s": 1000, "m": 60_000, "h": 3600_000, "d": 86400_000, "w": 604800_000}
"""The milliseconds of each unit; `t` is read for `ms`, which has two letters."""


def milliseconds_of(text: str) -> int:
    """The milliseconds of a time such as `1m30s`, `300ms` or `00:00:10`; 0 where it is none."""
    if ":" in text:
        parts = text.split(":")
        if not all(map(is_number, parts)) or len(parts) != len(IN_TIME):
            return 0
        return sum(int(part) * unit for part, unit in zip(parts, IN_TIME, strict=True))
    time, digits = 0, ""
    for letter in text.replace("ms", "t"):
        if letter in UNITS and digits:
            time, digits = time + int(digits) * UNITS[letter], ""
        elif is_number(letter):
            digits += letter
        else:
            return 0
    return 0 if digits else time
