"""The table of a profile: nanoseconds by station, beside the router's part and the ratio."""

from __future__ import annotations

from ppslab.profiling.stations import UNKNOWN, load
from ppslab.results import ConditionProfile, Estimate, ProfileRecord
from ppslab.statistics import Interval
from ppslab.tables import Table, cells

UNKNOWN_SHOWN = 5
"""Of the functions of no station, so many are named below the table."""


def stations_in(record: ProfileRecord) -> dict[str, str]:
    """The stations that any condition was sampled at, by name to title, in the packet's order."""
    titles = {s.name: s.title for profile in record.profiles for s in profile.stations}
    return {name: titles[name] for name in (*load().titles, UNKNOWN) if name in titles}


def estimate(found: Estimate | None) -> str:
    """`estimate [low, high]`, or a dash."""
    if found is None:
        return "-"
    return str(Interval(found.estimate, found.low, found.high, found.count))


def unknown(profile: ConditionProfile) -> str:
    """The functions of no station that were seen most often; empty where all have one."""
    seen = list(profile.unknown.items())[:UNKNOWN_SHOWN]
    return ", ".join(f"{symbol} ({count})" for symbol, count in seen)


def stations_table(record: ProfileRecord) -> Table:
    """One row a station, one column a condition, each with two standard errors."""
    profiles = [profile for profile in record.profiles if profile.stations]
    rows = []
    for name, title in stations_in(record).items():
        found = [next((s for s in p.stations if s.name == name), None) for p in profiles]
        rows.append(
            cells(title, *(f"{s.nanoseconds:.0f} ± {2 * s.error:.0f}" if s else "-" for s in found))
        )
    rows.append(cells("together", *(estimate(p.total) for p in profiles)))
    rows.append(cells("the router's part", *(estimate(p.router) for p in profiles)))
    rows.append(cells(f"times {record.reference}", *(estimate(p.ratio) for p in profiles)))
    notes = [f"{p.condition}, of no station: {said}." for p in profiles if (said := unknown(p))]
    return Table(
        title=f"Nanoseconds of a packet of {record.frame_size} bytes, by station",
        header=("station", *(p.condition for p in profiles)),
        rows=tuple(rows),
        notes=tuple(notes),
        provenance=record.provenance(),
    )
