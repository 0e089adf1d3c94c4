"""What an answer of `ppslab explain` takes from us: our records' costs, and MikroTik's rates."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.core.errors import PpslabError
from ppslab.judge import costs
from ppslab.model import devices
from ppslab.model.results import storing
from ppslab.show.record_tables import router_costs
from rosexplain import report
from rosexplain.base import base as rule_base


def recorded(lab: str, condition: str, against: str = "") -> dict[str, str] | None:
    """Cost of a packet under a condition, or its ratio to that under another.

    `cost` in words, `of`: which measure of which lab, and where it was taken.  None where no record
    has it: no record, no number.
    """
    try:
        path = storing.newest_path(lab)
        return _recorded(path, path.stat().st_mtime_ns, lab, condition, against) if path else None
    except (PpslabError, OSError):
        return None


@lru_cache(maxsize=128)
def _recorded(
    path: Path, changed: int, lab: str, condition: str, against: str
) -> dict[str, str] | None:
    """Cost or ratio by the record at `path`, read again once `changed`."""
    record = storing.load(path)
    size = min(record.frame_sizes)
    # Beside an answer on RouterOS: whose instructions these are.
    on = "on the Linux stand-in" if record.router["name"] == "linux" else "on RouterOS"
    try:
        if against:
            cost = f"{on} {costs.ratio(record, condition, against, size)} times"
        else:
            taken = costs.cost(record, condition, size)
            cost = f"{on} {router_costs.amount(taken, record.measure)}"
    except costs.NoDataError:
        return None
    beside = f" against {against}" if against else ""
    of = f"{lab}: {condition}{beside}, {size} bytes; {record.provenance().sentence}"
    return {"cost": cost, "of": of}


@lru_cache(maxsize=1)
def published() -> dict[str, list[dict[str, Any]]]:
    """MikroTik's rates of routing by product code, as `rosexplain.summary` takes them.

    A device without rates has those of one with the same CPU, cores and clock, named in `of`.
    """
    known: dict[str, list[dict[str, Any]]] = {}
    for row in devices.results():
        if row.mode == "Routing" and row.by_mikrotik and row.frame_bytes:
            known.setdefault(row.code, []).append(
                {
                    "configuration": row.configuration,
                    "bytes": row.frame_bytes,
                    "kpps": row.kpps,
                    "mbps": row.mbps,
                    "year": row.year,
                    "source": row.source.title,
                }
            )
    own = dict(known)
    for device in devices.load():
        alike = next((each for each in device.published_relatives if each.code in own), None)
        if device.code not in own and alike:
            known[device.code] = [{**row, "of": alike.name} for row in own[alike.code]]
    return known


def every_cost() -> dict[str, dict[str, str]]:
    """All costs that an answer may ask for, for a page that reads no records."""
    base = rule_base()
    return _costs([*base["paths"], *(rule["cost"] for rule in base["rules"] if rule["cost"])])


def with_costs(plain: dict[str, Any]) -> dict[str, Any]:
    """The answer with what our records say of each path, reason and note."""
    return report.with_costs(plain, _costs(report.asked_of_records(plain)))


def _costs(asked: Iterable[dict[str, Any]]) -> dict[str, dict[str, str]]:
    known = {}
    for each in asked:
        cost = recorded(each["lab"], each["condition"], each.get("against", ""))
        if cost:
            known[report.cost_key(each)] = cost
    return known
