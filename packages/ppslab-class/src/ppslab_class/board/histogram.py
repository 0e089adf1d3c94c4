"""The class's guesses as bars: numbers in bins, words each by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from ppslab_class.board.events import number

MOST_BINS = 12
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
MOST_WORDS = 10


@dataclass(frozen=True)
class Bar:
    """`low` (included) to `high` (not); both None for a word, or for what is no number."""

    label: str
    count: int
    low: float | None = None
    high: float | None = None


def bars(guesses: Iterable[str]) -> list[Bar]:
    """Bars of what was guessed; most guesses are numbers: then the others are one bar, at the end.

    Bins are of one width, of 1, 2, 2.5 or 5 times a power of ten, at most twelve between the lowest
    and the highest; where the highest is over a hundred times the lowest, they are of a decade's
    thirds (1, 2, 5).
    """
    told = [guess.strip() for guess in guesses if guess.strip()]
    values = [value for guess in told if (value := number(guess)) is not None]
    others = len(told) - len(values)
    if not values or others > len(values):
        return _words(told)
    edges = _edges(min(values), max(values))
    made = [
        Bar(
            f"{low:g} to {high:g}",
            sum(low <= value < high for value in values),
            low,
            high,
        )
        for low, high in pairwise(edges)
    ]
    return [*made, Bar("no number", others)] if others else made


def _words(told: list[str]) -> list[Bar]:
    counts = Counter(word.casefold() for word in told)
    shown = {word.casefold(): word for word in reversed(told)}
    common = counts.most_common(MOST_WORDS)
    made = [Bar(shown[word], count) for word, count in common]
    rest = len(told) - sum(count for _, count in common)
    return [*made, Bar("others", rest)] if rest else made


def _edges(low: float, high: float) -> list[float]:
    """The edges of the bins; the last lies above the highest value."""
    if low > 0 and high / low > 100:
        ladder = [
            step * 10.0**power
            for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 2)
            for step in (1, 2, 5)
        ]
        first = max(place for place, edge in enumerate(ladder) if edge <= low)
        last = next(place for place, edge in enumerate(ladder) if edge > high)
        return ladder[first : last + 1]
    spread = (high - low) or abs(high) or 1.0
    power = 10.0 ** math.floor(math.log10(spread / MOST_BINS))
    width = next(step * power for step in STEPS if spread / (step * power) <= MOST_BINS - 1)
    first_bin, last_bin = math.floor(low / width), math.floor(high / width)
    return [round(place * width, 12) for place in range(first_bin, last_bin + 2)]
