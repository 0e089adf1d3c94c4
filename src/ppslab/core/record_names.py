"""The names of records, and which of two is the newer: `[KIND-]LAB-TIME-BACKEND[-TURN].json`.

A name has whole seconds, and a clock can be set back.  So a run that would not come last by its
time begins another turn, and the turn counts before the time: what ran last is the newest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

_NAME: Final = re.compile(
    r"-(?P<time>\d{8}T\d{6}Z)-(?P<backend>[a-z]+)(?:-(?P<turn>\d+))?(?:\.[a-z]+)*$"
)


def age_key(name: str) -> tuple[int, str, str]:
    """By this the names of one measurement's records sort, the oldest first."""
    found = _NAME.search(name)
    if not found:
        return 0, "", name
    return int(found["turn"] or 1), found["time"], name


def new_name(prefix: str, started: datetime, backend: str, others: Iterable[str]) -> str:
    """The name of a run that starts now; `others`: the names that its measurement has already."""
    stamp = started.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    last = max((age_key(name) for name in others), default=(1, "", ""))
    turn = max(1, last[0]) + (1 if last[1] >= stamp else 0)
    return f"{prefix}-{stamp}-{backend}{f'-{turn}' if turn > 1 else ''}.json"
