"""What a Linux router counts: a condition's own counters, and its tracked connections."""

from __future__ import annotations

from collections.abc import Mapping

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Node
from ppslab.testbed.routers.linux import shell


def read(node: Node, commands: Mapping[str, str], condition: str) -> dict[str, int]:
    """The counters as they stand, by name; `commands` print one each.

    BackendError where one is no whole number.
    """
    if not commands:
        return {}
    script = "".join(f"echo $( {command}\n)\n" for command in commands.values())
    lines = shell.run(node, script, f"{condition}: counters").splitlines()
    counts: dict[str, int] = {}
    for name, line in zip(commands, lines, strict=True):
        if not line.strip().isdigit():
            raise BackendError(
                f"router {node.name}: {condition}: counter {name!r}: "
                f"`{commands[name]}` printed {line!r}, which is no whole number"
            )
        counts[name] = int(line)
    return counts


def tracked_connections(node: Node) -> int:
    """Entries in the connection tracking table of the node's network namespace."""
    path = "/proc/sys/net/netfilter/nf_conntrack_count"
    answer = node.run(["cat", path], check=False)
    return int(answer.stdout) if answer.returncode == 0 else 0


def offloaded_connections(node: Node) -> int:
    """Tracked connections that the flowtable has taken over: nf_conntrack's flag OFFLOAD."""
    table = "/proc/net/nf_conntrack"
    listed = "{ conntrack -L; conntrack -L -f ipv6; } 2>/dev/null"
    found = "grep -c OFFLOAD"
    script = f"if [ -e {table} ]; then {found} {table}; else {listed} | {found}; fi || :"
    return int(shell.run(node, script, "offloaded connections"))
