"""Claims on TCP: goodput and what is sent again."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ppslab import goodput
from ppslab.analysis import NoDataError
from ppslab.claims.verdicts import (
    CONTRADICTED,
    INCONCLUSIVE,
    REPRODUCED,
    Finding,
    band,
    order,
    rate,
)
from ppslab.claims.words import GoodputOrder, GoodputRatio
from ppslab.published import Published
from ppslab.results import TcpRecord
from ppslab.statistics import median_interval


def judge(word: Any, rows: list[Published], record: TcpRecord) -> Finding:
    """The finding of one record of `ppslab tcp`; NoDataError where it has no such transfers."""
    if isinstance(word, GoodputRatio):
        found = goodput.ratio(record, word.numerator, word.denominator, word.direction)
        value = rate(rows[0]) / rate(rows[1])
        said = f"published {value:.3g}, judged within a factor of {word.factor:g}"
        return band(found, value / word.factor, value * word.factor, said)
    if isinstance(word, GoodputOrder):
        return _order(word, record)
    more = goodput.rounds(record, word.condition, word.direction)
    less = goodput.rounds(record, word.than, word.direction)
    common = [number for number in more if number in less]
    if not common:
        raise NoDataError(f"no valid rounds of {word.condition} and {word.than}")
    found = median_interval(
        [
            goodput.retransmitted(record, more[number])
            - goodput.retransmitted(record, less[number])
            for number in common
        ],
        seed=record.seed,
    )
    said = f"retransmitted share of {word.condition} less that of {word.than}"
    if not found.excludes(0.0):
        return Finding(INCONCLUSIVE, f"{said}: the interval holds 0", found)
    return Finding(REPRODUCED if found.estimate > 0 else CONTRADICTED, said, found)


def _order(word: GoodputOrder, record: TcpRecord) -> Finding:
    """Every step must carry less by more than the noise; one that carries more contradicts."""
    try:
        null = goodput.null_interval(record, word.direction)
        noise = max(abs(null.low - 1), abs(null.high - 1))
    except NoDataError:
        noise = 0.0
    steps = []
    for faster, slower in pairwise(word.conditions):
        found = goodput.ratio(record, slower, faster, word.direction)
        steps.append((found, f"{slower} carries {found} times as much as {faster}"))
    return order(steps, noise, rising=False)
