"""Whether the answers of containerlab, Docker and a router show that all is ready.

The JSON of `containerlab inspect` is that of https://containerlab.dev/cmd/inspect/ (0.79):
`{"LAB": [{"name", "kind", "image", "state", "status", "ipv4_address", ...}]}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Set
from typing import Any

# exec/exec.go: a command of a file's `exec` that failed is logged, and the deploy goes on.
_FAILED_EXEC = re.compile(r"^.*Failed to execute command.*$", re.M)


def inspected(said: str, run: str) -> dict[str, dict[str, Any]]:
    """A lab's containers by name, out of `containerlab inspect --format json`; ValueError."""
    data = json.loads(said or "{}")
    rows = data.get(run, []) if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise ValueError("not what containerlab's documentation shows")
    return {str(row["name"]): row for row in rows if isinstance(row, dict) and "name" in row}


def all_run(said: str, run: str, nodes: Mapping[str, str], healthy: Set[str]) -> str:
    """What is missing until every container of `nodes` runs; those in `healthy` must be so too."""
    try:
        there = inspected(said, run)
    except ValueError as error:
        return f"containerlab inspect: {error}"
    for container, node in nodes.items():
        row = there.get(container)
        if row is None:
            return f"node {node}: no container {container}"
        state, status = str(row.get("state", "")), str(row.get("status", ""))
        if state != "running":
            return f"node {node}: {state or 'no state'}"
        if container in healthy and status != "healthy":
            return f"node {node}: {status or 'not healthy'}"
    return ""


def addresses(said: str, run: str) -> dict[str, str]:
    """Management addresses by container, IPv4 before IPv6; without those that have none."""
    found: dict[str, str] = {}
    for name, row in inspected(said, run).items():
        for key in ("ipv4_address", "ipv6_address"):
            address = str(row.get(key) or "").partition("/")[0]
            if re.fullmatch(r"[0-9a-fA-F.:]+", address):  # not "N/A"
                found.setdefault(name, address)
    return found


def failed_execs(log: str) -> list[str]:
    """The lines of a deploy's log that say which command of the file failed."""
    return [line.strip() for line in _FAILED_EXEC.findall(log)]


def answered_twice(marker: str) -> Callable[[str], str]:
    """Tells what is missing until a router's identity was right twice in a row.

    `/rest/system/identity` is a singleton with `name`, as MikroTik's manual of REST has them
    [INF: no recording of this very menu].
    """
    times = 0

    def missing(said: str) -> str:
        nonlocal times
        try:
            data = json.loads(said)
            name = data.get("name") if isinstance(data, dict) else None
        except ValueError:
            name = None
        if name is None or (marker and name != marker):
            times = 0
            return f"it says {said.strip()[:200] or 'nothing'}"
        times += 1
        return "" if times > 1 else "right once; again"

    return missing
