"""The reasons of a record's invalid trials."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ppslab.core.text.numbers import plural
from ppslab.model.results import Transfer, Trial


def reasons(noun: str, measured: Sequence[Trial | Transfer]) -> tuple[str, ...]:
    """Why trials are not valid, the most frequent first: `2 trials: such as lost 3 of 9`.

    Reasons that are alike but for their numbers are one; `noun` is `trial` or `transfer`.
    """
    alike: dict[str, list[str]] = {}
    for reason in (reason for one in measured for reason in one.invalid_because):
        alike.setdefault(re.sub(r"\d+(\.\d+)?", "", reason), []).append(reason)
    return tuple(
        f"{plural(len(some), noun)}: {'such as ' if len(set(some)) > 1 else ''}{some[0]}"
        for some in sorted(alike.values(), key=len, reverse=True)
    )
