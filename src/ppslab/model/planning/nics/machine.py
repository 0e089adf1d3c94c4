"""A server as its inventory describes it: NUMA nodes with their CPUs, cards with their links.

Whatever reads an inventory (inventories/) makes Devices; assembling.py makes cards of them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ppslab.model.planning.nics.pcie import Link

ADDRESS = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])")
NETWORK = 0x02
ETHERNET = 0x0200
PCI_BRIDGE = 0x0604


@dataclass(frozen=True)
class Core:
    """A core with the numbers of its CPUs: two where it has two hyper-threads."""

    package: int
    cpus: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A NUMA node: its memory in bytes (None where the inventory does not say) and its cores."""

    index: int
    memory: int | None
    cores: tuple[Core, ...]

    @property
    def packages(self) -> tuple[int, ...]:
        """The sockets that its cores are in."""
        return tuple(sorted({core.package for core in self.cores}))

    @property
    def cpus(self) -> tuple[int, ...]:
        """All of its CPUs, hyper-threads too."""
        return tuple(sorted(cpu for core in self.cores for cpu in core.cpus))


@dataclass(frozen=True)
class Device:
    """One PCI function.

    `address`: `0000:04:00.0`; `kind`: the class code's first two bytes, 0x0200 for Ethernet;
    `id`: `8086:10fb`, empty where not printed; `node`: None where the inventory does not say;
    `parent`: the address of the bridge above, empty at a root; `link`: what it runs now;
    `speed`: GB/s where that is all that is known of the link; `capable`: what it could run;
    `payload` and `request`: bytes, see pcie.Budget; `parts`: addresses of its virtual functions,
    where it says them.
    """

    address: str
    kind: int
    id: str = ""
    name: str = ""
    node: int | None = None
    slot: str = ""
    netdevs: tuple[str, ...] = ()
    parent: str = ""
    link: Link | None = None
    speed: float = 0.0
    capable: Link | None = None
    payload: int | None = None
    request: int | None = None
    iommu: int | None = None
    parts: tuple[str, ...] = ()
    driver: str = ""

    @property
    def network(self) -> bool:
        """Whether it is a network controller of any kind."""
        return self.kind >> 8 == NETWORK

    @property
    def bridge(self) -> bool:
        """Whether it is a PCI bridge."""
        return self.kind == PCI_BRIDGE


@dataclass(frozen=True)
class Port:
    """A port of a card: its function's address and class, and the name that the system gave it."""

    address: str
    netdev: str
    iommu: int | None = None
    kind: int = ETHERNET


@dataclass(frozen=True)
class Card:
    """A network chip with its ports.

    `address`: without the function, `0000:04:00`; `gbits`: the speed of one port, None where
    nobody says; `links`: the one that it runs, several where only their common rate is known, none
    where nothing is; `capable`: what the chip could run; `root`: the root port above it, which it
    may share with others.
    """

    address: str
    id: str
    name: str
    node: int | None
    slot: str
    ports: tuple[Port, ...]
    gbits: float | None
    links: tuple[Link, ...]
    capable: Link | None
    payload: int | None = None
    request: int | None = None
    root: str = ""
    root_links: tuple[Link, ...] = ()
    virtual_functions: int = 0

    @property
    def slot_number(self) -> str:
        """The number of its slot, without leading zeros; empty where its slot has none."""
        return (self.slot.lstrip("0") or "0") if self.slot[:1].isdigit() else ""

    @property
    def place(self) -> str:
        """Where it is, for people: its slot, else its address."""
        return f"slot {self.slot_number}" if self.slot_number else self.slot or self.address

    @property
    def link(self) -> Link | None:
        """What it runs; None where that cannot be told."""
        return self.links[0] if len(self.links) == 1 else None

    @property
    def total(self) -> float | None:
        """Gbit/s of all its ports in one direction."""
        return None if self.gbits is None else self.gbits * len(self.ports)


@dataclass(frozen=True)
class Machine:
    """A server.

    `notes`: what the inventory says of itself, or does not say; `doubts`: why it may not be whole.
    """

    source: str
    nodes: tuple[Node, ...]
    cards: tuple[Card, ...]
    devices: tuple[Device, ...]
    notes: tuple[str, ...] = ()
    name: str = ""
    cpu: str = ""
    doubts: tuple[str, ...] = ()

    def node(self, index: int | None) -> Node | None:
        """A node by its number."""
        return next((each for each in self.nodes if each.index == index), None)


def address_of(text: str) -> str | None:
    """A PCI address with its domain: `04:00.0` becomes `0000:04:00.0`; None for anything else.

    >>> address_of("04:00.0")
    '0000:04:00.0'
    """
    found = ADDRESS.fullmatch(text.strip().lower())
    if not found:
        return None
    domain, bus, device, function = found.groups()
    return f"{domain or '0000'}:{bus}:{device}.{function}"
