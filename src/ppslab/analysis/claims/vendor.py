"""MikroTik's own published test results, held against a claim: RouterOS itself speaks.

They stand in a lab's published.csv like any number, under a source of their own kind.  A ratio is
made inside one router's table only: pages are measured anew without a date, so two years never
stand in one ratio.  Over several routers it is their median, and its interval reaches from the
least to the greatest of them: what the next router would show lies about there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from typing import Any

from ppslab.analysis.claims import packets
from ppslab.analysis.claims.deciding import Band, Question, Size, Steps, Width
from ppslab.analysis.claims.schema import (
    Costs,
    LittleChange,
    Order,
    RateRatio,
    SizeIndependent,
    Tables,
)
from ppslab.analysis.claims.verdicts import rate
from ppslab.base.errors import did_you_mean
from ppslab.lab.published import Published
from ppslab.theory.statistics import Interval

SOURCES = "mikrotik-results-"
"""How the sources of MikroTik's own measurements begin in published.csv."""


class Results:
    """The rates of MikroTik's tables: packets a second by router, condition and frame size."""

    def __init__(self, numbers: Iterable[Published]) -> None:
        self.rows = [
            number
            for number in numbers
            if number.source.startswith(SOURCES) and number.quantity == "forwarding_rate"
        ]
        self.rates = {
            (number.source, number.hardware, number.condition, number.frame_size): rate(number).low
            for number in self.rows
        }

    @property
    def routers(self) -> list[tuple[str, str]]:
        """Each table's source and router, in the file's order."""
        return list(dict.fromkeys((number.source, number.hardware) for number in self.rows))

    @property
    def documents(self) -> dict[str, str]:
        """Each source's document, in the file's order."""
        return {number.source: number.document for number in self.rows}

    def ratios(
        self, above: tuple[str, int], below: tuple[str, int]
    ) -> dict[tuple[str, str], float]:
        """How many times the cost of `below` a packet has under `above`, by router's table.

        Both are a condition and a frame size; a cost is one over a rate.
        """
        found = {}
        for table in self.routers:
            dear, cheap = self.rates.get((*table, *above)), self.rates.get((*table, *below))
            if dear and cheap:
                found[table] = cheap / dear
        return found

    def ratio(self, above: tuple[str, int], below: tuple[str, int]) -> Interval | None:
        """The routers' median, from the least to the greatest; None where no table has both."""
        values = list(self.ratios(above, below).values())
        return _over(values) if values else None


def _over(ratios: Sequence[float]) -> Interval:
    return Interval(median(ratios), min(ratios), max(ratios), len(ratios))


def named(tables: Tables, numbers: Mapping[str, Published]) -> Steps:
    """What the rows that a claim names say: each router's dearer one against its cheaper one."""
    pairs = zip(tables.dearer, tables.cheaper, strict=True)
    ratio = _over([rate(numbers[cheap]).low / rate(numbers[dear]).low for dear, cheap in pairs])
    return Steps(
        ((ratio, f"a packet costs {ratio} times as much"),), rising=True, width=Width.ROUTERS
    )


def faults(tables: Tables, numbers: Mapping[str, Published]) -> Iterator[str]:
    """What is wrong with the rows that a claim names, the first to mend first."""
    unknown = [name for name in (*tables.dearer, *tables.cheaper) if name not in numbers]
    if unknown:
        yield f"published.csv has no row {unknown[0]!r}{did_you_mean(unknown[0], numbers)}"
        return
    if len(tables.dearer) != len(tables.cheaper):
        yield "each dearer row stands against one cheaper row"
        return
    for dear, cheap in zip(tables.dearer, tables.cheaper, strict=True):
        one, other = _place(numbers[dear]), _place(numbers[cheap])
        if not numbers[dear].source.startswith(SOURCES) or one != other:
            yield f"{dear} and {cheap} are no two rates of one router's table at one frame size"


def _place(row: Published) -> tuple[object, ...]:
    return row.source, row.hardware, row.frame_size, row.quantity == "forwarding_rate"


def question(word: Any, rows: Sequence[Published], results: Results) -> Question | None:
    """What MikroTik's tables say to a claim; None where they have not its conditions.

    A claim on rows of theirs is none that they could decide: they would agree with themselves.
    """
    if any(row.source.startswith(SOURCES) for row in rows):
        return None
    if isinstance(word, Order):
        return _order(word, results)
    if isinstance(word, SizeIndependent):
        larger, smaller = max(word.sizes), min(word.sizes)
        ratio = results.ratio((word.condition, larger), (word.condition, smaller))
        sentence = f"the frame is {larger / smaller:.3g} times as large"
        return _same(ratio, sentence) if ratio else None
    if isinstance(word, Costs | RateRatio):
        ratio = results.ratio((word.numerator, word.size), (word.denominator, word.size))
        if ratio and isinstance(word, LittleChange):
            return _same(ratio, "no change")
        return Size(packets.published_ratio(word, rows), ratio, Width.ROUTERS) if ratio else None
    return None


def _same(ratio: Interval, sentence: str) -> Band:
    return replace(packets.same(ratio, sentence), width=Width.ROUTERS)


def _order(word: Order, results: Results) -> Steps | None:
    steps = []
    for cheap, dear in pairwise(word.conditions):
        ratio = results.ratio((dear, word.size), (cheap, word.size))
        if ratio is None:
            return None
        steps.append((ratio, f"{dear} costs {ratio} times {cheap}"))
    return Steps(tuple(steps), rising=True, width=Width.ROUTERS)
