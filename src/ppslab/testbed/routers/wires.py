"""The ends of a topology's wires, and what deploying it needs.

A Linux node's addresses are in the file (`exec`); a RouterOS's are in the start file that it names
(`startup-config`), under the names that it gives to its ports.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ppslab.core.errors import FileError
from ppslab.core.text.tables import Table, cells
from ppslab.model.lab.topology import ROUTEROS, Endpoint, NodeSpec, Topology
from ppslab.testbed.routers.routeros.rsc import script
from ppslab.testbed.routers.routeros.rsc.script import Statement

# What vrnetlab's launcher takes where the file says nothing (mikrotik/routeros/docker/launch.py).
DEFAULT_CPUS = 1
DEFAULT_MEMORY = 256

ADDRESSES = ("/ip/address", "/ipv6/address")


@dataclass(frozen=True)
class Port:
    """An interface of a node.

    `called`: the name that a RouterOS's start file gives it.  `mac`: empty where nobody sets it.
    `addresses`: with their prefix lengths, in the order of the file.
    """

    node: str
    interface: str
    called: str = ""
    mac: str = ""
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wire:
    """Two ports and what the wire between them carries: `mtu` in bytes."""

    a: Port
    b: Port
    mtu: int


def start_file(topology: Topology, node: NodeSpec) -> Path | None:
    """The start file of a node, None where it has none."""
    named = node.foreign.get("startup-config")
    return topology.path.parent / str(named) if named else None


def wires(topology: Topology) -> tuple[Wire, ...]:
    """Every wire of a topology in the order of the file.

    FileError where a start file is missing, or says what no RouterOS understands.
    """
    ports: dict[Endpoint, Port] = {}
    for node in topology.nodes.values():
        path = start_file(topology, node) if node.kind == ROUTEROS else None
        if path and not path.is_file():
            raise FileError(topology.path, None, f"node {node.name}: no start file {path}")
        statements = script.read(path) if path else None
        for name in topology.interfaces(node.name):
            ports[Endpoint(node.name, name)] = (
                _linux_port(node, name) if statements is None else _ros_port(node, name, statements)
            )
    return tuple(Wire(ports[link.a], ports[link.b], link.mtu) for link in topology.links)


def _linux_port(node: NodeSpec, interface: str) -> Port:
    name, commands = re.escape(interface), "\n".join(node.exec)
    addresses = re.findall(rf"^ip address add (\S+) dev {name}$", commands, re.MULTILINE)
    macs = re.findall(rf"^ip link set dev {name} address (\S+)$", commands, re.MULTILINE)
    return Port(node.name, interface, mac=(macs or [""])[0], addresses=tuple(addresses))


def _ros_port(node: NodeSpec, interface: str, statements: list[Statement]) -> Port:
    called, mac = interface, ""
    addresses = []
    for statement in statements:
        words = dict(statement.properties)
        default_names = [t.value for t in statement.find or () if t.key == "default-name"]
        if statement.menu == "/interface/ethernet" and interface in default_names:
            called = words.get("name", called)
            mac = words.get("mac-address", mac).lower()
        elif statement.menu in ADDRESSES and words.get("interface") == called:
            addresses.append(words["address"])
    return Port(node.name, interface, called if called != interface else "", mac, tuple(addresses))


def wires_table(topology: Topology) -> Table:
    """A table of the wires, a row each."""
    rows = []
    for wire in wires(topology):
        words = []
        for port in (wire.a, wire.b):
            called = f" ({port.called})" if port.called else ""
            words.append(f"{port.node} {port.interface}{called}")
            words.append(", ".join(filter(None, [*port.addresses, port.mac])))
        rows.append(cells(*words, str(wire.mtu)))
    header = ("from", "its addresses", "to", "its addresses", "MTU")
    return Table(title=f"The wires of {topology.path.name}", header=header, rows=tuple(rows))


def needs(topology: Topology) -> tuple[int, Counter[tuple[int, int]]]:
    """Containers without a machine in them; virtual machines by their CPUs and memory in MB."""
    machines = Counter(
        (
            int(node.env.get("QEMU_SMP", DEFAULT_CPUS)),
            int(node.env.get("QEMU_MEMORY", DEFAULT_MEMORY)),
        )
        for node in topology.nodes.values()
        if node.kind == ROUTEROS
    )
    return len(topology.nodes) - machines.total(), machines


def needs_table(topologies: Iterable[Topology]) -> Table:
    """A table of what deploying each topology needs, a row for each file."""
    rows = []
    for topology in topologies:
        containers, machines = needs(topology)
        cpus, memory = ([size[k] for size in machines.elements()] for k in (0, 1))
        numbers = (containers, len(cpus), sum(cpus), sum(memory), len(topology.links))
        rows.append(cells(topology.path.name, *(str(number or "-") for number in numbers)))
    header = ("file", "containers", "virtual machines", "their CPUs", "their memory, MB", "wires")
    return Table(title="What each topology takes", header=header, rows=tuple(rows))
