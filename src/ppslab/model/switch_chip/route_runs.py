"""Rows of prefixes as numbers: a table of a hundred thousand routes is a few of them."""

from __future__ import annotations

from ppslab.model.switch_chip.route_lines import Run
from ppslab.model.switch_chip.route_table import stays


def sized(runs: list[Run], part: int, parts: int) -> list[Run]:
    """The first `part` of `parts` of the prefixes, in the order in which they are written."""
    left = sum([run.count for run in runs]) * part // parts
    made: list[Run] = []
    for run in runs:
        count = min(run.count, left)
        if count:
            made.append(Run((run.family, run.address, run.length), count, run.kind, run.hops))
        left -= count
    return made


def apart(runs: list[Run]) -> list[Run]:
    """The same without what was said before (of the same prefix the first counts), as they stay."""
    made: list[Run] = []
    for run in runs:
        pieces = [run]
        for before in made:
            if before.family == run.family and before.length == run.length:
                pieces = [piece for one in pieces for piece in _without(one, before)]
        made += pieces
    return sorted(made, key=lambda run: stays(run.family, run.length, run.address))


def _without(run: Run, other: Run) -> list[Run]:
    """What is left of a row of prefixes where another of the same length has some of them."""
    if other.end <= run.address or run.end <= other.address:
        return [run]
    made: list[Run] = []
    for start, end in ((run.address, other.address), (other.end, run.end)):
        if end > start:
            count = (end - start) // run.step
            made.append(Run((run.family, start, run.length), count, run.kind, run.hops))
    return made
