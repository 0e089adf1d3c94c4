"""Reads the two lists beside lspci's output: the NUMA nodes of cards, and the CPUs of nodes.

Where the NUMA node of a card is not in the output, a list of `/sys/bus/pci/devices/*/numa_node`
says it; `lscpu -p=CPU,CORE,SOCKET,NODE` says the CPUs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.model.planning.nics.machine import ADDRESS, Core, Node, address_of

_SYSFS = re.compile(rf"({ADDRESS.pattern})\S*[\s:=]+(-?\d+)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Beside:
    """What stands beside lspci's output: the nodes of cards by address, and the nodes' CPUs."""

    numa: Mapping[str, int] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()


def read_numa_nodes(path: Path) -> dict[str, int]:
    """Nodes by address from `grep . /sys/bus/pci/devices/*/numa_node`, or `ADDRESS NODE` lines.

    -1, which Linux says where it does not know, is left out.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(documents.read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        match = _SYSFS.search(line)
        address = address_of(match[1]) if match else None
        if match is None or address is None:
            message = "write a PCI address and a node, as 0000:04:00.0 1"
            raise FileError(path, number, f"{line.strip()[:60]!r}: {message}")
        if (node := int(match.groups()[-1])) >= 0:
            found[address] = node
    if not found:
        raise FileError(path, None, "no device has a node here: this machine has one node, or none")
    return found


def read_cpus(path: Path) -> tuple[Node, ...]:
    """Nodes with their CPUs from `lscpu -p=CPU,CORE,SOCKET,NODE` (lscpu(1), --parse)."""
    text = documents.read_text(path)
    wanted = "lscpu -p=CPU,CORE,SOCKET,NODE > FILE"
    cores: dict[int, dict[tuple[int, int], list[int]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        parts = [part.strip() for part in line.split(",")]
        try:
            cpu, core, socket = (int(part) for part in parts[:3])
            # lscpu leaves the node empty where the kernel knows none.
            node = int(parts[3] or 0)
        except (ValueError, IndexError):
            raise FileError(
                path, number, f"four numbers are needed; make it with: {wanted}"
            ) from None
        cores.setdefault(node, {}).setdefault((socket, core), []).append(cpu)
    if not cores:
        raise FileError(path, None, f"no CPU in it; make it with: {wanted}")
    return tuple(
        Node(
            node,
            None,
            tuple(
                sorted(
                    (Core(socket, tuple(sorted(cpus))) for (socket, _), cpus in each.items()),
                    key=lambda core: core.cpus,
                )
            ),
        )
        for node, each in sorted(cores.items())
    )
