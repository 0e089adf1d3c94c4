"""What a RouterOS device says that it is, compared with the statements that stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ppslab.testbed.routers.contract import ReadBack
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.changes.configurator import AppliedStatement
from ppslab.testbed.routers.routeros.rsc.values import SECRETS, plain, same, shown

LISTS = (
    "/ip/firewall/filter", "/ip/firewall/nat", "/ip/firewall/mangle", "/ip/firewall/raw",
    "/ipv6/firewall/filter", "/ipv6/firewall/nat", "/ipv6/firewall/mangle", "/ipv6/firewall/raw",
    "/interface/bridge/filter", "/interface/bridge/nat", "/queue/simple", "/queue/tree",
)  # fmt: skip
"""Menus whose rows packets meet one after the other: one of somebody else's changes every cost."""

STATES = ("/ip/settings", "/ipv6/settings", "/interface/bridge/settings",
          "/ip/firewall/connection/tracking")  # fmt: skip
"""Shown in every read-back, whether a statement sets them or not."""

MOST_ROWS = 60
"""Of a menu in the text: of twelve thousand routes the first and their number."""

_DUMMY = "special dummy rule to show fasttrack"
"""The comment of the rule that RouterOS itself puts on top where a connection is fast-tracked."""

_UNSTEADY = re.compile(
    r"(^|-)(bytes?|packets?|entries|drop|error|count|per-cpu-count)$|^last-|^(rate|uptime|load)$"
)
"""Properties that change by themselves."""


def read(api: Api, applied: Sequence[AppliedStatement], ports: Mapping[str, str]) -> ReadBack:
    """Compare.  `ports`: the lab's port to the interface's present name."""
    wanted = _wanted(applied)
    rows: dict[str, list[Row]] = {}
    settings: dict[str, Row | None] = {}
    for menu, item in wanted:
        if item is None:
            settings.setdefault(menu, api.settings_or_none(menu))
        elif menu not in rows:
            rows[menu] = api.rows_or_none(menu) or []
    for menu in LISTS:
        if menu not in rows:
            found = api.rows_or_none(menu)
            if found:
                rows[menu] = found
    for menu in STATES:
        if menu not in settings:
            settings[menu] = api.settings_or_none(menu)
    problems = [
        *_properties(wanted, rows, settings),
        *_order(applied, rows),
        *_others(wanted, rows),
        *_links(api.rows("/interface"), ports),
    ]
    return ReadBack(tuple(problems), _text(wanted, rows, settings))


Wanted = dict[tuple[str, str | None], dict[str, tuple[str, str]]]
"""By menu and row (None: its settings): property to value and the file and line that wants it."""


def _wanted(applied: Iterable[AppliedStatement]) -> Wanted:
    """What all statements together want: a later one overrides an earlier one."""
    wanted: Wanted = {}
    for one in applied:
        for item in one.rows:
            place = wanted.setdefault((one.statement.menu, item), {})
            for key, value in one.wanted.items():
                place[key] = (value, one.statement.where)
    return wanted


def _properties(
    wanted: Wanted, rows: Mapping[str, list[Row]], settings: Mapping[str, Row | None]
) -> Iterator[str]:
    by_id = {menu: {row.get(".id"): row for row in listed} for menu, listed in rows.items()}
    for (menu, item), properties in wanted.items():
        found = settings[menu] if item is None else by_id[menu].get(item)
        first = next(iter(properties.values()), ("", ""))[1]
        if found is None:
            yield f"{first}: what it made in {menu} is not there any more"
            continue
        for key, (value, where) in properties.items():
            if key not in SECRETS and not same(value, found.get(key)):
                value_shown = repr(found[key]) if key in found else "not shown"
                yield f"{where}: {menu}: {key} is {value_shown}, not {value!r}"
        for flag, meaning in (("invalid", "RouterOS calls it invalid"), ("inactive", "inactive")):
            if plain(found.get(flag, "no")) == "true" and found.get("disabled") != "true":
                yield f"{first}: {menu}: {meaning}"


def _order(applied: Sequence[AppliedStatement], rows: Mapping[str, list[Row]]) -> Iterator[str]:
    """Rules stand in the order of the scripts."""
    for menu in LISTS:
        ours: list[str | None] = []
        for one in applied:
            if one.statement.menu != menu or one.statement.command != "add":
                continue
            if one.before is None:
                ours += one.rows
            elif one.before in ours:
                place = ours.index(one.before)
                ours[place:place] = one.rows
        there = [row.get(".id") for row in rows.get(menu, ())]
        found = [item for item in there if item in ours]
        if found != [item for item in ours if item in there]:
            yield f"{menu}: the rows are not in the order of the scripts"


def _others(wanted: Wanted, rows: Mapping[str, list[Row]]) -> Iterator[str]:
    """Rows of somebody else that packets meet too."""
    for menu in LISTS:
        others = [
            row
            for row in rows.get(menu, ())
            if (menu, row.get(".id")) not in wanted
            and row.get("disabled") != "true"
            and _DUMMY not in row.get("comment", "")
        ]
        if others:
            what = "row" if len(others) == 1 else "rows"
            first = others[0].get("comment") or others[0].get("name") or others[0].get(".id")
            yield (
                f"{menu}: {len(others)} {what} of the router's own, the first is {first!r}: "
                "packets meet them too; disable them while you measure"
            )


def _links(interfaces: Sequence[Row], ports: Mapping[str, str]) -> Iterator[str]:
    by_name = {row.get("name"): row for row in interfaces}
    for port, name in ports.items():
        row = by_name.get(name)
        if row is None:
            yield f"port {port}: the router has no interface {name}"
        elif row.get("running") != "true":
            yield f"port {port}: {name} has no link"


def _text(wanted: Wanted, rows: Mapping[str, list[Row]], settings: Mapping[str, Row | None]) -> str:
    """What the router answered, for the record: settings, the rows of ours and of the lists."""
    lines = []
    for menu, found in settings.items():
        if found is not None:
            lines += [f"## {menu}", _line(found)]
    for menu, listed in rows.items():
        ours = [row for row in listed if menu in LISTS or (menu, row.get(".id")) in wanted]
        lines += [f"## {menu}", *map(_line, ours[:MOST_ROWS])]
        if len(ours) > MOST_ROWS:
            lines.append(f"and {len(ours) - MOST_ROWS} more")
    return "\n".join(lines) + "\n"


def _line(row: Row) -> str:
    """A row as RouterOS's print detail has it, without what changes by itself."""
    steady = {key: shown(key, v) for key, v in row.items() if not _UNSTEADY.search(key)}
    return " ".join(f'{key}="{value}"' if " " in value else f"{key}={value}"
                    for key, value in steady.items())  # fmt: skip
