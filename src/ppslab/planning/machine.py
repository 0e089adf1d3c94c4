"""A server as its inventory describes it: NUMA nodes with their CPUs, cards with their links.

Whatever reads an inventory (lstopo.py, lspci.py) makes Devices; `assemble` makes cards of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ppslab.planning import cards
from ppslab.planning.pcie import Link, from_gigabytes

ADDRESS = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7])")
NETWORK = 0x02
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
    `payload` and `request`: bytes, see pcie.Budget.
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
    virtual: bool = False
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
    """A port of a card: its function's address, and the name that the system gave it."""

    address: str
    netdev: str
    iommu: int | None = None


@dataclass(frozen=True)
class Card:
    """A network chip with its ports.

    `address`: without the function, `0000:04:00`; `gbits`: the speed of one port, None where
    nobody says; `link`: what it runs, or the candidates' best match; `capable`: what the chip
    could run; `root`: the root port above it, which it may share with others.
    """

    address: str
    id: str
    name: str
    node: int | None
    slot: str
    ports: tuple[Port, ...]
    gbits: float | None
    link: Link | None
    capable: Link | None
    payload: int | None = None
    request: int | None = None
    root: str = ""
    root_link: Link | None = None
    virtual_functions: int = 0

    @property
    def place(self) -> str:
        """Where it is, for people: its slot, else its address."""
        if self.slot[:1].isdigit():
            return f"slot {self.slot.lstrip('0') or '0'}"
        return self.slot or self.address

    @property
    def total(self) -> float | None:
        """Gbit/s of all its ports in one direction."""
        return None if self.gbits is None else self.gbits * len(self.ports)


@dataclass(frozen=True)
class Machine:
    """A server.  `notes`: what the inventory says of itself, or does not say."""

    source: str
    nodes: tuple[Node, ...]
    cards: tuple[Card, ...]
    devices: tuple[Device, ...]
    notes: tuple[str, ...] = ()
    name: str = ""
    cpu: str = ""

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


def assemble(
    source: str,
    nodes: Iterable[Node],
    devices: Iterable[Device],
    *,
    notes: Iterable[str] = (),
    speeds: Mapping[str, float] | None = None,
    name: str = "",
    cpu: str = "",
) -> Machine:
    """The machine with its network functions gathered into cards, in the order of addresses.

    `speeds`: Gbit/s of one port by PCI id, for cards that nics.csv does not know.
    """
    found = {each.address: each for each in devices}
    known_nodes = tuple(sorted(nodes, key=lambda node: node.index))
    if len(known_nodes) == 1:
        # Linux prints no node for a card where there is but one.
        only = known_nodes[0].index
        found = {a: d if d.node is not None else replace(d, node=only) for a, d in found.items()}
    gathered: dict[str, list[Device]] = {}
    for each in sorted(found.values(), key=lambda device: device.address):
        if each.network:
            gathered.setdefault(each.address.rpartition(".")[0], []).append(each)
    made = _Assembly(found, dict(speeds or {}))
    built = [made.card(functions) for functions in gathered.values()]
    return Machine(
        source,
        known_nodes,
        tuple(card for card in built if card is not None),
        tuple(found.values()),
        tuple(dict.fromkeys(notes)),
        name,
        cpu,
    )


@dataclass
class _Assembly:
    """Makes cards; knows all functions, since a card's slot and link may be told above it."""

    devices: Mapping[str, Device]
    speeds: Mapping[str, float]

    def above(self, device: Device) -> list[Device]:
        """The bridges from the device up to its root port."""
        path: list[Device] = []
        while device.parent in self.devices and len(path) < 32:
            device = self.devices[device.parent]
            path.append(device)
        return path

    def card(self, functions: list[Device]) -> Card | None:
        """The card of these functions; None where all of them are virtual."""
        real = [each for each in functions if not self._is_virtual(each)]
        if not real:
            return None
        first = real[0]
        chip = cards.known(first.id, first.name)
        path = self.above(first)
        capable = first.capable or (chip.link if chip else None)
        link = next((each.link for each in real if each.link), None)
        gbits = self.speeds.get(first.id) or (chip.gbits if chip else None)
        root = next((each for each in reversed(path) if each.bridge), None)
        return Card(
            address=first.address.rpartition(".")[0],
            id=first.id,
            name=chip.card if chip else first.name or first.id,
            node=next((each.node for each in real if each.node is not None), None),
            slot=next((each.slot for each in (*real, *path) if each.slot), ""),
            ports=tuple(_port(each) for each in real),
            gbits=gbits or cards.speed_of_name(first.name),
            link=link or _candidate(first.speed, capable),
            capable=capable,
            payload=first.payload,
            request=first.request,
            root=root.address if root else "",
            root_link=(root.link or _candidate(root.speed, capable)) if root else None,
            virtual_functions=len(functions) - len(real),
        )

    def _is_virtual(self, device: Device) -> bool:
        chip = cards.known(device.id, device.name)
        return device.virtual or "Virtual Function" in device.name or bool(chip and chip.virtual)


def _port(device: Device) -> Port:
    return Port(device.address, "/".join(device.netdevs), device.iommu)


def _candidate(speed: float, capable: Link | None) -> Link | None:
    """The link of so many GB/s: what the card could run if that fits, else the newest that does."""
    found = from_gigabytes(speed)
    if capable in found:
        return capable
    if capable is not None:
        # A card never runs more than it could, so the others are out of the question.
        found = tuple(
            each
            for each in found
            if each.generation <= capable.generation and each.width <= capable.width
        )
    return found[0] if found else None
