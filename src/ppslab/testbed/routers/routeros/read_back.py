"""A RouterOS device's own answers: rows against the applied statements, counters, facts, licence.

The counters' names are RouterOS's own (MikroTik's manual, packet flow; completions of 7.22.3): a
claim that a rate cannot carry, as on a CHR without a licence, is judged by them.

A CHR without a paid licence sends 1 Mbit/s on each interface (MikroTik's manual, CHR licensing):
its rates, and what a packet costs at a rate, are then the licence's.  What remains are counters:
which path each packet took.  [INF] that the limit holds for a packet of the fast path and for the
traffic generator too.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ppslab.core.errors import BackendError
from ppslab.testbed.routers.contract import ReadBack
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.changes import AppliedStatement
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
    """Merge the properties of all statements: a later one overrides an earlier one."""
    wanted: Wanted = {}
    for one in applied:
        for item in one.rows:
            place = wanted.setdefault((one.statement.menu, item), {})
            for key, value in one.statement.wanted.items():
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
            if one.statement.menu == menu and one.statement.command == "add":
                ours += one.rows
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
    """Write the router's answers for the record: settings, the rows of ours and of the lists."""
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


# --- counters -------------------------------------------------------------------------------------


FAST_PATHS = {
    "/ip/settings": (
        "ipv4-fast-path-packets", "ipv4-fast-path-bytes",
        "ipv4-fasttrack-packets", "ipv4-fasttrack-bytes",
    ),
    "/ipv6/settings": (
        "ipv6-fast-path-packets", "ipv6-fast-path-bytes",
        "ipv6-fasttrack-packets", "ipv6-fasttrack-bytes",
    ),
    "/interface/bridge/settings": (
        "bridge-fast-path-packets", "bridge-fast-path-bytes",
        "bridge-fast-forward-packets", "bridge-fast-forward-bytes",
    ),
}  # fmt: skip
"""By the menu of settings that prints them; a version may lack some (IPv6 before 7.18)."""

OF_A_PORT = (
    "rx-packet", "tx-packet", "fp-rx-packet", "fp-tx-packet",
    "rx-drop", "tx-drop", "tx-queue-drop", "rx-error", "tx-error",
)  # fmt: skip

TEST_NETWORKS = (ipaddress.ip_network("198.18.0.0/15"), ipaddress.ip_network("2001:2::/48"))
"""Ours are the connections from there; the one by which we ask is not."""


def read_counters(api: Api, ports: Mapping[str, str]) -> dict[str, int]:
    """All counters as they stand.  `ports`: the lab's port to the interface's present name.

    A port's counters have its name in front: `p1 fp-rx-packet`.
    """
    counts: dict[str, int] = {}
    for menu, names in FAST_PATHS.items():
        settings = api.settings_or_none(menu) or {}
        counts |= {name: _whole(settings, name, menu) for name in names if name in settings}
    rows = {row.get("name"): row for row in api.rows("/interface")}
    for port, name in ports.items():
        row = rows.get(name)
        if row is None:
            raise BackendError(f"{api.where}: no interface {name}, which was port {port}")
        counts |= {
            f"{port} {counter}": _whole(row, counter, "/interface")
            for counter in OF_A_PORT
            if counter in row
        }
    return counts


def connections(api: Api) -> Iterator[tuple[str, Row]]:
    """The menu and the row of each tracked connection from the test networks."""
    for menu in ("/ip/firewall/connection", "/ipv6/firewall/connection"):
        for row in api.rows_or_none(menu) or []:
            if _is_ours(row.get("src-address", "")):
                yield menu, row


def forget_connections(api: Api) -> None:
    """Remove the tracked connections of the condition before.

    One that is fast-tracked stays so until it ends, whatever rules stand now (MikroTik's manual).
    """
    for menu, row in list(connections(api)):
        api.remove(menu, row[".id"])


def is_fast_tracked(row: Row) -> bool:
    """Flag F of a connection.  [INF] its name over REST, as no recording has such a row."""
    return row.get("fasttrack") in ("true", "yes", "")


def _is_ours(source: str) -> bool:
    """An address, with its port or without: 198.18.1.2:100, [2001:2::1]:100."""
    address = source.partition("]")[0].removeprefix("[")
    if address.count(":") == 1:
        address = address.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    return any(parsed in network for network in TEST_NETWORKS)


def _whole(row: Mapping[str, Any], name: str, menu: str) -> int:
    said = str(row[name]).replace(" ", "")
    if not said.isdigit():
        raise BackendError(f"RouterOS: {menu}: {name} is {row[name]!r}, which is no whole number")
    return int(said)


# --- facts ----------------------------------------------------------------------------------------


CHR_CANNOT_SHOW = (
    "A CHR is RouterOS in a virtual machine: it has no switch chip and no NUMA support, and its "
    "packets also pass through the hypervisor and the host's network, so a rate is that of all "
    "three. With the free licence, a port sends at most 1 Mbit/s, and only counters are useful."
)

HARDWARE_CANNOT_SHOW = (
    "The results are valid only for this board, this version of RouterOS and these settings, not "
    "for a board with another CPU or switch chip."
)

_RESOURCE = (
    "version", "board-name", "architecture-name", "cpu", "cpu-count", "cpu-frequency",
    "total-memory", "platform",
)  # fmt: skip

_SETTINGS = {
    "/ip/settings": ("allow-fast-path", "ipv4-fast-path-active", "ipv4-fasttrack-active",
                     "ip-forward", "rp-filter"),
    "/ipv6/settings": ("allow-fast-path", "ipv6-fast-path-active", "disable-ipv6", "forward"),
    "/interface/bridge/settings": ("allow-fast-path", "bridge-fast-path-active", "use-ip-firewall"),
    "/ip/firewall/connection/tracking": ("enabled",),
}  # fmt: skip


def read_facts(api: Api, resource: Row) -> dict[str, Any]:
    """Board, version, licence level and settings; no serial number, no system-id."""
    licence = api.settings_or_none("/system/license") or {}
    settings = {}
    for menu, names in _SETTINGS.items():
        found = api.settings_or_none(menu) or {}
        settings[menu] = {name: found[name] for name in names if name in found}
    board = api.settings_or_none("/system/routerboard") or {}
    model = {name: board[name] for name in ("model", "current-firmware") if name in board}
    # CHR says level, a board nlevel (MikroTik's manual, licensing).
    level = licence.get("level") or licence.get("nlevel")
    told = {"level": level} if level else {}
    return {
        "routeros": {name: resource[name] for name in _RESOURCE if name in resource} | model | told,
        "licence": level or "unknown",
        "settings": settings,
    }


def cannot_show(resource: Row) -> str:
    """Return the limits of this device's numbers, in sentences for the reader."""
    return CHR_CANNOT_SHOW if is_chr(resource) else HARDWARE_CANNOT_SHOW


def is_chr(resource: Row) -> bool:
    """Return whether it is a virtual machine: board CHR, or `CHR QEMU ...` in newer versions."""
    return resource.get("board-name", "").startswith("CHR")


def device_digest(api: Api) -> str:
    """Return a digest of the device's identity: a journal is undone on no other."""
    licence = api.settings_or_none("/system/license") or {}
    board = api.settings_or_none("/system/routerboard") or {}
    told = [
        *(licence.get(name, "") for name in ("system-id", "software-id")),
        board.get("serial-number", ""),
    ]
    return hashlib.sha256("/".join(told).encode()).hexdigest()[:16]


# --- licence --------------------------------------------------------------------------------------


LIMITS: dict[str, float | None] = {"free": 1e6, "p1": 1e9, "p10": 1e10, "p-unlimited": None}
"""Bits a second that each interface of a CHR sends; None: as many as it can."""

COUNTERS_ONLY = "free"

TRIAL = (
    "on the router: /system/license/renew account=... password=... level=p-unlimited, with an "
    "account of mikrotik.com; the first 60 days cost nothing"
)


@dataclass(frozen=True)
class Licence:
    """`level`: of a CHR its name, of other routers their number; `bits`: a second and interface.

    `chr`: whether it is a CHR's.
    """

    level: str
    chr: bool
    bits: float | None

    @property
    def counters_only(self) -> bool:
        """Return whether rates and times of this router are its licence's."""
        return self.chr and self.level == COUNTERS_ONLY

    @property
    def said(self) -> str:
        """In words, for the reader of a run."""
        if not self.chr:
            return f"licence level {self.level}: it limits no rate"
        if self.bits is None:
            return f"licence {self.level}: it limits no rate"
        if self.counters_only:
            return (
                "licence free: each interface sends at most 1 Mbit/s, so only counters are judged, "
                "not rates"
            )
        return f"licence {self.level}: each interface sends at most {self.bits / 1e9:g} Gbit/s"


def licence(api: Api) -> Licence | None:
    """Read the router's licence; None where its level is unknown."""
    settings = api.settings("/system/license")
    level = settings.get("level")
    if level is not None:
        if level not in LIMITS:
            return None
        return Licence(level, True, LIMITS[level])
    number = settings.get("nlevel")
    return None if number is None else Licence(number, False, None)
