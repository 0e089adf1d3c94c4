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


Sizes = Counter[tuple[int, int]]
"""Virtual machines by their CPUs and memory in MB: how many of each size."""


def needs(topology: Topology) -> tuple[int, Sizes]:
    """Containers without a machine in them, and the virtual machines, of a topology.

    FileError where a machine's size is no number.
    """
    machines = Counter(
        (
            _number(topology, node, "QEMU_SMP", DEFAULT_CPUS),
            _number(topology, node, "QEMU_MEMORY", DEFAULT_MEMORY),
        )
        for node in topology.nodes.values()
        if node.kind == ROUTEROS
    )
    return len(topology.nodes) - machines.total(), machines


def _number(topology: Topology, node: NodeSpec, variable: str, default: int) -> int:
    text = node.env.get(variable, str(default))
    if not text.isdecimal() or int(text) == 0:
        message = f"node {node.name}: env {variable}: should be a whole number, not {text!r}"
        raise FileError(topology.path, None, message)
    return int(text)


def start_file(topology: Topology, node: NodeSpec) -> Path | None:
    """The start file of a node, None where it has none."""
    told = node.foreign.get("startup-config")
    return topology.path.parent / str(told) if told else None


def wires(topology: Topology) -> tuple[Wire, ...]:
    """Every wire of a topology in the order of the file.

    FileError where a start file is missing, or says what no RouterOS understands.
    """
    ports = {
        end: port
        for node in topology.nodes.values()
        for end, port in _ports(topology, node).items()
    }
    return tuple(Wire(ports[link.a], ports[link.b], link.mtu) for link in topology.links)


def _ports(topology: Topology, node: NodeSpec) -> dict[Endpoint, Port]:
    path = start_file(topology, node)
    interfaces = topology.interfaces(node.name)
    if path is None or node.kind != ROUTEROS:
        return {Endpoint(node.name, each): _linux_port(node, each) for each in interfaces}
    if not path.is_file():
        raise FileError(topology.path, None, f"node {node.name}: no start file {path}")
    statements = script.read(path)
    return {Endpoint(node.name, each): _ros_port(node, each, statements) for each in interfaces}


def _linux_port(node: NodeSpec, interface: str) -> Port:
    name = re.escape(interface)
    addresses = [re.match(rf"ip address add (\S+) dev {name}$", text) for text in node.exec]
    macs = [re.match(rf"ip link set dev {name} address (\S+)$", text) for text in node.exec]
    return Port(
        node.name,
        interface,
        mac=next((found[1] for found in macs if found), ""),
        addresses=tuple(found[1] for found in addresses if found),
    )


def _ros_port(node: NodeSpec, interface: str, statements: list[Statement]) -> Port:
    called, mac = interface, ""
    addresses = []
    for statement in statements:
        words = dict(statement.properties)
        if statement.menu == "/interface/ethernet" and interface in _default_names(statement):
            called = words.get("name", called)
            mac = words.get("mac-address", mac).lower()
        elif statement.menu in ADDRESSES and words.get("interface") == called:
            addresses.append(words["address"])
    named = called if called != interface else ""
    return Port(node.name, interface, named, mac, tuple(addresses))


def _default_names(statement: Statement) -> list[str]:
    return [test.value for test in statement.find or () if test.key == "default-name"]


def wires_table(topology: Topology) -> Table:
    """A table of the wires, a row each."""
    rows = tuple(
        cells(*(word for port in (wire.a, wire.b) for word in _end(port)), str(wire.mtu))
        for wire in wires(topology)
    )
    header = ("from", "its addresses", "to", "its addresses", "MTU")
    return Table(title=f"The wires of {topology.path.name}", header=header, rows=rows)


def _end(port: Port) -> tuple[str, str]:
    called = f" ({port.called})" if port.called else ""
    return f"{port.node} {port.interface}{called}", ", ".join(
        filter(None, [*port.addresses, port.mac])
    )


def needs_table(topologies: Iterable[Topology]) -> Table:
    """A table of what deploying each topology needs, a row for each file."""
    rows = []
    for topology in topologies:
        containers, machines = needs(topology)
        numbers = (
            containers,
            machines.total(),
            sum(cpus * count for (cpus, _), count in machines.items()),
            sum(memory * count for (_, memory), count in machines.items()),
            len(topology.links),
        )
        rows.append(cells(topology.path.name, *(str(number or "-") for number in numbers)))
    header = ("file", "containers", "virtual machines", "their CPUs", "their memory, MB", "wires")
    return Table(title="What each topology takes", header=header, rows=tuple(rows))
