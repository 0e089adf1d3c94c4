"""The stations of a packet's way (stations.yml), and the table of a profile by station."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache
from pathlib import Path

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.text.quantities import quantity
from ppslab.core.text.tables import Table, cells
from ppslab.model.results import ConditionProfile, ProfileRecord

UNKNOWN = "unknown"

UNKNOWN_SHOWN = 5
"""Of the functions of no station, so many are named below the table."""


class Station(StrictModel):
    """One station: its words for the reader, and shell patterns of the functions it is made of."""

    name: str = Field(description="the station's name")
    title: str = Field(description="its title")
    symbols: tuple[str, ...] = Field(
        min_length=1, description="shell patterns of its functions' names"
    )


class _File(StrictModel):
    stations: tuple[Station, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Share:
    """How many samples were taken at a station."""

    name: str
    """The station's name."""
    title: str
    """Its title."""
    samples: int
    """Samples that were taken there."""


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
            found = self.of_symbol(symbol, caller)
            if found:
                return found
        return UNKNOWN

    def shares(self, stacks: Iterable[Sequence[str]]) -> list[Share]:
        """Samples by station, in the file's order; those without any are left out."""
        counted = Counter(self.of(stack) for stack in stacks)
        titles = {**self.titles, UNKNOWN: UNKNOWN}
        return [
            Share(name, title, counted[name]) for name, title in titles.items() if counted[name]
        ]

    def unknown(self, stacks: Iterable[Sequence[str]]) -> Counter[str]:
        """The innermost functions of the stacks of no station, with their samples."""
        return Counter(
            stack[0] if stack else "(no name)" for stack in stacks if self.of(stack) == UNKNOWN
        )


@lru_cache(maxsize=1)
def load() -> Stations:
    """The stations of stations.yml."""
    document = documents.load_yaml(Path(__file__).with_name("stations.yml"))
    return Stations(fitting.validate(document, _File).stations)


def stations_in(record: ProfileRecord) -> dict[str, str]:
    """The stations that any condition was sampled at, by name to title, in the packet's order."""
    titles = {s.name: s.title for profile in record.profiles for s in profile.stations}
    return {name: titles[name] for name in (*load().titles, UNKNOWN) if name in titles}


def unknown(profile: ConditionProfile) -> str:
    """The functions of no station that were seen most often; empty where all have one."""
    seen = list(profile.unknown.items())[:UNKNOWN_SHOWN]
    return ", ".join(f"{symbol} ({count})" for symbol, count in seen)


def stations_table(record: ProfileRecord) -> Table:
    """One row a station, one column a condition, each with two standard errors."""
    profiles = [profile for profile in record.profiles if profile.stations]
    two = len(profiles) == 2
    rows = []
    for name, title in stations_in(record).items():
        found = [next((s for s in p.stations if s.name == name), None) for p in profiles]
        shown = [f"{s.nanoseconds:.0f} ± {2 * s.error:.0f}" if s else "-" for s in found]
        rows.append(
            cells(title, *shown, *_difference([s.nanoseconds if s else None for s in found], two))
        )
    together = [p.total.estimate for p in profiles]
    rows += [
        cells("together", *(quantity(p.total) for p in profiles), *_difference(together, two)),
        *(
            cells(title, *label, *[""] * two)
            for title, label in (
                ("the router's part", [quantity(p.router) for p in profiles]),
                (f"times {record.reference}", [quantity(p.ratio) for p in profiles]),
                ("while sampled", [_rounded(p.sampled_total) for p in profiles]),
                ("samples", [str(p.samples) for p in profiles]),
            )
        ),
    ]
    notes = [f"{p.condition}, of no station: {label}." for p in profiles if (label := unknown(p))]
    return Table(
        title=f"Nanoseconds of a packet of {record.frame_size} bytes, by station",
        header=("station", *(p.condition for p in profiles), *["difference"] * two),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=record.provenance(),
        titles=record.titles,
    )


def _difference(values: Sequence[float | None], two: bool) -> list[str]:
    """By how much the second is more than the first, where there are two; none is nothing."""
    return [f"{(values[1] or 0.0) - (values[0] or 0.0):+.0f}"] if two else []


def _rounded(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"
