"""A server as its inventory describes it: NUMA nodes with their CPUs, cards with their links."""

from __future__ import annotations

from dataclasses import dataclass

from ppslab.model.planning.nics.pcie import Link

ETHERNET = 0x0200


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
        """Numbers of the sockets that its cores are in."""
        return tuple(sorted({core.package for core in self.cores}))

    @property
    def cpus(self) -> tuple[int, ...]:
        """All of its CPUs, hyper-threads too."""
        return tuple(sorted(cpu for core in self.cores for cpu in core.cpus))


@dataclass(frozen=True)
class Port:
    """A port of a card: its function's address and class, and the name that the system gave it."""

    address: str
    netdev: str
    kind: int = ETHERNET


@dataclass(frozen=True)
class Card:
    """A network chip with its ports.

    `address`: without the function, `0000:04:00`; `gbits`: the speed of one port, None where
    nobody says; `links`: several where only their common rate is known, none where nothing is;
    `capable`: the link that the chip could run; `root`: the root port above it, which it may share
    with others.
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
    root: str = ""
    root_links: tuple[Link, ...] = ()

    @property
    def slot_number(self) -> str:
        """The number of its slot, without leading zeros; empty where its slot has none."""
        return (self.slot.lstrip("0") or "0") if self.slot[:1].isdigit() else ""

    @property
    def place(self) -> str:
        """Its slot for people, or else its address."""
        return f"slot {self.slot_number}" if self.slot_number else self.slot or self.address

    @property
    def link(self) -> Link | None:
        """The link that it runs; None where that cannot be told."""
        return self.links[0] if len(self.links) == 1 else None

    @property
    def carrying(self) -> Link | None:
        """The link by which it is judged: of several, which carry the same, any will do."""
        return self.links[0] if self.links else self.capable

    @property
    def total(self) -> float | None:
        """Gbit/s of all its ports in one direction."""
        return None if self.gbits is None else self.gbits * len(self.ports)


@dataclass(frozen=True)
class Machine:
    """A server.  `notes`: remarks on the inventory."""

    source: str
    nodes: tuple[Node, ...]
    cards: tuple[Card, ...]
    notes: tuple[str, ...] = ()
    name: str = ""
    cpu: str = ""

    def node(self, index: int | None) -> Node | None:
        """A node by its number."""
        return next((node for node in self.nodes if node.index == index), None)
