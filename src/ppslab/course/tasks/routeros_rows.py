"""A RouterOS menu as a task's check sees it: its rows, compared with the expected values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ppslab.core.errors import BackendError
from ppslab.course.tasks.check_schema import RouterOSCheck
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.rsc.values import same, shown


def _rows(api: Api, menu: str) -> list[Row]:
    """The rows of a menu; its settings as one row."""
    found = api.ask("GET", menu)
    if isinstance(found, dict):
        return [found]
    if not isinstance(found, list):
        raise BackendError(f"{api.where}: {menu}: rows are wanted, not {str(found)[:80]!r}")
    return found


def look(api: Api, check: RouterOSCheck) -> tuple[bool, str]:
    """Whether the rows that a check means are as it wants them, and what they are."""
    rows = _rows(api, check.menu)
    meant = [row for row in rows if _meant(check, row)]
    good = bool(meant) if check.rows is None else len(meant) == check.rows
    good = good and all(fits(check.expect, row) for row in meant)
    if check.before is not None:
        places = [number for number, row in enumerate(rows) if fits(check.before, row)]
        mine = [number for number, row in enumerate(rows) if _meant(check, row)]
        good = good and bool(mine) and (not places or mine[0] < places[0])
    wanted = [*check.where, *check.expect]
    lines = [in_short(row, wanted) for row in (meant or rows)[:6]]
    return good, f"{check.menu}: {len(meant)} such rows\n" + "\n".join(lines)


def total(api: Api, check: RouterOSCheck) -> int:
    """The sum over the matching rows; a row without the property counts 0."""
    found = 0
    for row in _rows(api, check.menu):
        said = str(row.get(check.property or "", "0")).replace(" ", "")
        if _meant(check, row):
            if not said.isdigit():
                raise BackendError(f"{check.menu}: {check.property} is {said!r}, no whole number")
            found += int(said)
    return found


def _meant(check: RouterOSCheck, row: Mapping[str, str]) -> bool:
    """Whether a row is one that a check is about."""
    return fits(check.where, row) or bool(check.or_where and fits(check.or_where, row))


def fits(wanted: Mapping[str, str], row: Mapping[str, str]) -> bool:
    """Whether a row has all expected values: a value as RouterOS means it, `~regex`, `!value`."""
    return all(_fits(value, row.get(key)) for key, value in wanted.items())


def _fits(wanted: str, found: str | None) -> bool:
    if wanted.startswith("!"):
        return not _fits(wanted[1:], found)
    if wanted.startswith("~"):
        return found is not None and re.search(wanted[1:], found) is not None
    return same(wanted, found)


def in_short(row: Mapping[str, str], keys: Sequence[str] = ()) -> str:
    """A row in short: the properties that are asked about, or all but what every row has."""
    dull = {".id", "dynamic", "disabled", "invalid", "bytes", "packets", "log", "log-prefix"}
    named = list(dict.fromkeys(keys)) or [key for key in row if key not in dull]
    return " ".join(f"{key}={shown(key, row[key])}" for key in named[:8] if key in row) or "(none)"
