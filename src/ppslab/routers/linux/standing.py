"""What may stand on a Linux node, by kind: what the next condition has to take away first.

Under emulation a process takes 80 ms, so what does not stand is not taken away.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from ppslab.lab.conditions import LinuxSpec, PortQueues

NOTHING: Final = LinuxSpec()
"""What a condition makes of a node that it does not name."""


@dataclass(frozen=True)
class Standing:
    """Of each kind of configuration, whether some of it may stand on a node."""

    configured: bool = False
    """Anything at all was asked of the node, also what leaves nothing behind."""
    links: bool = False
    """Links, addresses, routes and neighbours, by `ip -batch` or by programs."""
    routes: bool = False
    """Routes of a file of many."""
    bridge: bool = False
    rules: bool = False
    """nftables."""
    queues: bool = False
    """By `tc -batch`."""
    bpf: bool = False
    interrupts: bool = False
    """Interrupts of cards, moved to other CPUs than the kernel's choice."""
    port_queues: Mapping[str, PortQueues] = field(default_factory=dict)
    """Ports with more queues than one, or with CPUs of their own."""
    programs: bool = False
    connections: bool = False
    """Entries of connection tracking."""

    @classmethod
    def of(cls, asked: LinuxSpec) -> Self:
        """Of a node on which a condition stands."""
        return cls(
            configured=asked != NOTHING,
            links=asked.makes_links,
            routes=bool(asked.routes),
            bridge=asked.bridge,
            rules=bool(asked.nft),
            queues=bool(asked.tc),
            bpf=asked.bpf is not None,
            interrupts=asked.interrupts is not None,
            port_queues=asked.port_queues,
            programs=bool(asked.programs),
            connections=asked.expect.conntrack is not False,
        )


UNKNOWN: Final = Standing(
    configured=True,
    links=True,
    routes=True,
    bridge=True,
    rules=True,
    queues=True,
    bpf=True,
    programs=True,
    connections=True,
)
"""Of a node that nobody has configured yet, or whose configuration failed.

Interrupts are not in it: to put them back, one must have seen where they were.
"""

DROPPING: Final = Standing(configured=True, rules=True)
"""Of a node that drops every frame at its ingress."""
