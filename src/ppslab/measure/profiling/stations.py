"""The stations of a packet's way (stations.yml), and the samples at each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel

UNKNOWN = "unknown"


class Station(StrictModel):
    """One station: its words for the reader, and shell patterns of the functions it is made of."""

    name: str = Field(description="the station's name")
    title: str = Field(description="its title")
    symbols: tuple[str, ...] = Field(
        min_length=1, description="shell patterns of its functions' names"
    )


class _File(StrictModel):
    stations: tuple[Station, ...] = Field(min_length=1)


class Stations:
    """The stations in the order of the file; the first pattern that fits a function decides."""

    def __init__(self, stations: Sequence[Station]) -> None:
        self.titles = {station.name: station.title for station in stations}
        # Who called it says more of a function than its own name, so pairs are asked first.
        patterns = [(s.name, one, "<" in one) for s in stations for one in s.symbols]
        patterns.sort(key=lambda entry: not entry[2])
        self._patterns = [(name, re.compile(translate(one)), pair) for name, one, pair in patterns]
        self._known: dict[tuple[str, str], str | None] = {}

    def of_symbol(self, symbol: str, caller: str = "") -> str | None:
        """The station that a function belongs to; None where no pattern names it."""
        if (symbol, caller) not in self._known:
            both = f"{symbol} < {caller}"
            self._known[symbol, caller] = next(
                (name for name, one, pair in self._patterns if one.match(both if pair else symbol)),
                None,
            )
        return self._known[symbol, caller]

    def of(self, stack: Sequence[str]) -> str:
        """The station of a stack, innermost function first; UNKNOWN where none has one."""
        for symbol, caller in zip(stack, (*stack[1:], ""), strict=False):
            station = self.of_symbol(symbol, caller)
            if station:
                return station
        return UNKNOWN

    def unknown(self, stacks: Iterable[Sequence[str]]) -> Counter[str]:
        """The innermost functions of the stacks of no station, with their samples."""
        return Counter(
            stack[0] if stack else "(no name)" for stack in stacks if self.of(stack) == UNKNOWN
        )


@lru_cache(maxsize=1)
def load() -> Stations:
    document = documents.load_yaml(Path(__file__).with_name("stations.yml"))
    return Stations(fitting.validate(document, _File).stations)


def fold(stacks: Iterable[Sequence[str]]) -> dict[tuple[str, ...], int]:
    """Count the samples by stack, the outermost function first; `stacks`: the innermost first."""
    return dict(Counter(tuple(reversed(stack)) or ("(no name)",) for stack in stacks))
