"""The CHR's guest on one NUMA node: its CPUs, memory and ports.

RouterOS's kernel knows no NUMA (its configuration has CONFIG_NUMA unset), so a guest that spans two
nodes cannot know which of its CPUs is near to a card: the placement keeps all of it on one.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model.planning.nics.grouping import Plan
from ppslab.model.planning.nics.machine import Port

MOST_CPUS = 64
"""NR_CPUS of RouterOS's x86_64 kernel configuration, as MikroTik published it."""

RECOMMENDED_MEMORY = 1024
MANAGEMENT = 1
"""Interfaces beside the ports: one paravirtual port, by which the router is reached."""


@dataclass(frozen=True)
class Guest:
    """A guest.  `cores`: the host's CPUs of each core of the guest; `memory` in MiB.

    `host`: CPUs of the node that stay with the host.  `topoext`: an AMD processor, whose threads a
    guest sees only then.
    """

    node: int
    cores: tuple[tuple[int, ...], ...]
    host: tuple[int, ...]
    memory: int
    ports: tuple[Port, ...]
    topoext: bool = False

    @property
    def cpus(self) -> tuple[int, ...]:
        """The host's CPUs, in the order of the guest's."""
        return tuple(cpu for core in self.cores for cpu in core)

    @property
    def threads(self) -> int:
        """Hyper-threads of one core."""
        return len(self.cpus) // len(self.cores)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The PCI addresses of all ports."""
        return tuple(port.address for port in self.ports)

    @property
    def places(self) -> list[list[str]]:
        """Domain, bus, slot and function of each, in hexadecimal."""
        return [address.replace(".", ":").split(":") for address in self.addresses]


def memory_for(cpus: int, interfaces: int) -> int:
    """MiB that a CHR needs: 512 + 8 x CPUs x (interfaces - 1), in whole GiB, at least 1 GiB.

    The formula is the one of MikroTik's manual on installing a CHR, for RouterOS 7; whole GiB are
    our own rounding.

    >>> memory_for(4, 8), memory_for(22, 9)
    (1024, 2048)
    """
    needed = 512 + 8 * cpus * (interfaces - 1)
    return max(RECOMMENDED_MEMORY, -(-needed // 1024) * 1024)


def place(plan: Plan, *, host_cores: int = 1) -> Guest:
    """The guest for the plan's chosen ports; the node's first `host_cores` stay with the host.

    CannotHereError where the inventory does not say enough; UsageError where the node is too small.
    """
    if plan.chosen is None:
        raise CannotHereError(
            "no ports to place: no card of a known speed is in the inventory",
            "give the speed of a card with --speed VENDOR:DEVICE=GBITS",
        )
    node = plan.node
    if node is None:
        raise CannotHereError(
            "no placement: the inventory does not contain the NUMA node of the cards",
            "take it on the server itself, as root: lstopo --of xml FILE.xml",
        )
    if not 0 <= host_cores < len(node.cores):
        raise UsageError(
            f"--host-cores {host_cores}: node {node.index} has {len(node.cores)} cores, and the "
            "guest needs one"
        )
    given = node.cores[host_cores:]
    # A guest's topology is even: where some cores show one thread only, all of them give one.
    threads = min(len(core.cpus) for core in given)
    cores = tuple(core.cpus[:threads] for core in given)[: MOST_CPUS // threads]
    memory = memory_for(len(cores) * threads, len(plan.chosen.ports) + MANAGEMENT)
    if node.memory is not None and memory * 2**20 > node.memory:
        raise UsageError(
            f"{memory} MiB for the guest, and NUMA node {node.index} has {node.memory // 2**20}"
        )
    return Guest(
        node=node.index,
        cores=cores,
        host=tuple(sorted(set(node.cpus) - {cpu for core in cores for cpu in core})),
        memory=memory,
        ports=plan.chosen.ports,
        topoext=threads > 1 and "AMD" in plan.machine.cpu,
    )


def cpu_list(cpus: tuple[int, ...]) -> str:
    """CPUs as Linux writes them (cpuset(7), List format).

    >>> cpu_list((1, 2, 3, 7, 9))
    '1-3,7,9'
    """
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and parts[-1][-1] == cpu - 1:
            parts[-1].append(cpu)
        else:
            parts.append([cpu])
    return ",".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)
