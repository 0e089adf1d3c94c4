"""The table of a profile: where the nanoseconds of a packet go, by station."""

from __future__ import annotations

from collections.abc import Sequence

from ppslab.core.text.quantities import Content, Sentence, quantity
from ppslab.core.text.tables import Table, cells
from ppslab.measure.profiling.stations import UNKNOWN, load
from ppslab.model.results import ConditionProfile, ProfileRecord

UNKNOWN_SHOWN = 5
"""Of the functions of no station, so many are named below the table."""


def _stations_in(record: ProfileRecord) -> dict[str, str]:
    """The stations that any condition was sampled at, by name to title, in the packet's order."""
    titles = {s.name: s.title for profile in record.profiles for s in profile.stations}
    return {name: titles[name] for name in (*load().titles, UNKNOWN) if name in titles}


def _unknown(profile: ConditionProfile) -> str:
    """The functions of no station that were seen most often; empty where all have one."""
    seen = list(profile.unknown.items())[:UNKNOWN_SHOWN]
    return ", ".join(f"{symbol} ({count})" for symbol, count in seen)


def stations_table(record: ProfileRecord) -> Table:
    """Return one row a station, one column a condition, each with two standard errors."""
    profiles = [profile for profile in record.profiles if profile.stations]
    two = len(profiles) == 2
    rows = []
    for name, title in _stations_in(record).items():
        times = [next((s for s in p.stations if s.name == name), None) for p in profiles]
        shown = [f"{s.nanoseconds:.0f} ± {2 * s.error:.0f}" if s else "-" for s in times]
        rows.append(
            cells(title, *shown, *_difference([s.nanoseconds if s else None for s in times], two))
        )
    together = [p.total.estimate for p in profiles]
    sums: tuple[tuple[Content, Sequence[Content]], ...] = (
        ("the router's part", [quantity(p.router) for p in profiles]),
        (
            Sentence(("relative to ", record.named(record.reference))),
            [quantity(p.ratio) for p in profiles],
        ),
        ("while sampled", [f"{p.sampled_total:.0f}" if p.sampled_total else "-" for p in profiles]),
        ("samples", [str(p.samples) for p in profiles]),
    )
    rows += [
        cells("total", *(quantity(p.total) for p in profiles), *_difference(together, two)),
        *(cells(title, *numbers, *[""] * two) for title, numbers in sums),
    ]
    notes = [
        Sentence((record.named(p.condition), f", not assigned to a station: {label}."))
        for p in profiles
        if (label := _unknown(p))
    ]
    return Table(
        title=f"Nanoseconds per {record.frame_size}-byte packet, by station",
        header=("station", *(record.named(p.condition) for p in profiles), *["difference"] * two),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=record.provenance(),
    )


def _difference(values: Sequence[float | None], two: bool) -> list[str]:
    """By how much the second is more than the first, where there are two; none is nothing."""
    return [f"{(values[1] or 0.0) - (values[0] or 0.0):+.0f}"] if two else []
