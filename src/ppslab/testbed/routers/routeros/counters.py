"""What a RouterOS device counts: its fast paths, its ports, its connections, its CPUs.

The names are RouterOS's own (MikroTik's manual, packet flow; completions of 7.22.3): a claim that
a rate cannot carry, as on a CHR without a licence, is judged by them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from typing import Any

from ppslab.core.errors import BackendError
from ppslab.testbed.routers.rest import RefusedError
from ppslab.testbed.routers.routeros.api import Api, Row
from ppslab.testbed.routers.routeros.rsc.statement import CONNECTIONS

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

TEST_NETWORKS = (
    ipaddress.ip_network("198.18.0.0/15"),
    ipaddress.ip_network("2001:2::/48"),
)
"""Ours are the connections from there; the one by which we ask is not."""


def read(api: Api, ports: Mapping[str, str]) -> dict[str, int]:
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
    for menu in CONNECTIONS:
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


def cpu_load(api: Api) -> dict[int, int]:
    """Per cent of each CPU that are in use now, by its number.

    RouterOS's own mean over its last second or so, which no page of the manual defines.
    """
    return {
        int(row["cpu"].removeprefix("cpu")): int(row["load"])
        for row in api.rows("/system/resource/cpu")
        if "cpu" in row and row.get("load", "").isdigit()
    }


def profile(api: Api, seconds: int = 5) -> list[tuple[str, str, float]]:
    """What the CPUs do: class (`firewall`, `networking`), CPU, per cent; /tool/profile.

    [INF] the answer over REST: rows with name, cpu and usage, as the manual prints them.
    """
    words = {"duration": f"{seconds}s"}
    try:
        rows = api.run("/tool/profile", {**words, "cpu": "all"}, seconds=seconds)
    except (
        RefusedError
    ):  # a device of one CPU knows no cpu= (command trees of 7.20.8, 7.22 to 7.24)
        rows = api.run("/tool/profile", words, seconds=seconds)
    if not isinstance(rows, list):
        raise BackendError(f"{api.where}: /tool/profile answers {str(rows)[:80]!r}")
    return [
        (str(row["name"]), str(row.get("cpu", "")), float(str(row["usage"]).rstrip("%")))
        for row in rows
        if isinstance(row, dict) and "name" in row and "usage" in row
    ]


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
