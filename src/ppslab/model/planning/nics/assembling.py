"""Cards of the PCI functions that an inventory lists: ports together, links, virtual functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ppslab.core.errors import UsageError
from ppslab.model.planning.nics import cards, servers
from ppslab.model.planning.nics.machine import Card, Device, Machine, Node, Port
from ppslab.model.planning.nics.pcie import SPEEDS, Link, from_gigabytes


def assemble(
    source: str,
    nodes: Iterable[Node],
    devices: Iterable[Device],
    *,
    notes: Iterable[str] = (),
    doubts: Iterable[str] = (),
    speeds: Mapping[str, float] | None = None,
    name: str = "",
    cpu: str = "",
) -> Machine:
    """The machine with its network functions gathered into cards, in the order of addresses.

    `speeds`: Gbit/s of one port by PCI id or by a card's address, for cards that nics.csv does not
    know; UsageError for one that is of no card.
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
    known_cpu = servers.cpu_of(cpu)
    made = _Assembly(found, dict(speeds or {}), known_cpu.pcie if known_cpu else max(SPEEDS))
    built = [made.card(functions) for functions in gathered.values()]
    cards_found = tuple(card for card in built if card is not None)
    _check_speeds(made.speeds, cards_found)
    return Machine(
        source,
        known_nodes,
        made.with_parts(cards_found),
        tuple(found.values()),
        tuple(dict.fromkeys(notes)),
        name,
        cpu,
        tuple(doubts),
    )


def _check_speeds(speeds: Iterable[str], found: Iterable[Card]) -> None:
    there = {word for card in found for word in (card.id, card.address)}
    for word in speeds:
        if word not in there:
            known = ", ".join(card.id or card.address for card in found if card.gbits is None)
            raise UsageError(
                f"--speed {word}: no such card is in the inventory; without a speed are: "
                f"{known or 'none'}. Plain lspci -vv prints no ids: give the card's address, "
                "or create the inventory with lspci -nnvv"
            )


@dataclass
class _Assembly:
    """Makes cards; knows all functions, since a card's slot and link may be told above it.

    `newest`: the generation of PCIe that the processor has, where that is known.
    """

    devices: Mapping[str, Device]
    speeds: Mapping[str, float]
    newest: int

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
        address = first.address.rpartition(".")[0]
        told = self.speeds.get(address) or self.speeds.get(first.id)
        gbits = told or (chip.gbits if chip else None)
        root = next((each for each in reversed(path) if each.bridge), None)
        return Card(
            address=address,
            id=first.id,
            name=chip.card if chip else first.name or first.id,
            node=next((each.node for each in real if each.node is not None), None),
            slot=next((each.slot for each in (*real, *path) if each.slot), ""),
            ports=tuple(_port(each) for each in real),
            gbits=gbits or cards.speed_of_name(first.name),
            links=(link,) if link else self._candidates(first.speed, capable),
            capable=capable,
            payload=first.payload,
            request=first.request,
            root=root.address if root else "",
            root_links=self._root_links(root) if root else (),
        )

    def with_parts(self, found: tuple[Card, ...]) -> tuple[Card, ...]:
        """The cards with their virtual functions counted, wherever these are."""
        count = Counter(
            self._owner(each, found)
            for each in self.devices.values()
            if each.network and self._is_virtual(each)
        )
        return tuple(replace(card, virtual_functions=count[card.address]) for card in found)

    def _owner(self, part: Device, found: tuple[Card, ...]) -> str:
        """The address of the card that a virtual function is a part of; empty for none.

        Where no function says that it is its own: the last card before it that is of the same
        maker, on its bus or below the same bridge.
        """
        whole = self._owners.get(part.address)
        if whole:
            return whole.rpartition(".")[0]
        bus, vendor = part.address.rpartition(":")[0], part.id.partition(":")[0]
        near = [
            card.address
            for card in found
            if card.address <= part.address
            and (not vendor or card.id.partition(":")[0] in ("", vendor))
            and (card.address.rpartition(":")[0] == bus or self._parent(card) == part.parent != "")
        ]
        return max(near, default="")

    def _parent(self, card: Card) -> str:
        return self.devices[card.ports[0].address].parent

    @cached_property
    def _owners(self) -> Mapping[str, str]:
        """By the address of a virtual function, the function that says that it is its own."""
        return {part: each.address for each in self.devices.values() for part in each.parts}

    def _is_virtual(self, device: Device) -> bool:
        return device.address in self._owners or cards.virtual(device.id, device.name)

    def _root_links(self, root: Device) -> tuple[Link, ...]:
        return (root.link,) if root.link else self._candidates(root.speed, None)

    def _candidates(self, speed: float, capable: Link | None) -> tuple[Link, ...]:
        """The links of so many GB/s that the processor and the card could have, oldest first.

        PCIe 3.0 x16, 4.0 x8 and 5.0 x4 carry the same, so a rate alone does not say which it is:
        it is the whole of what the card could run if that fits.
        """
        found = sorted(each for each in from_gigabytes(speed) if each.generation <= self.newest)
        if capable is None:
            return tuple(found)
        if capable in found:
            return (capable,)
        # A card never runs more than it could, so the others are out of the question; where none
        # is left, the inventory knows better than the list of cards.
        possible = tuple(
            each
            for each in found
            if each.generation <= capable.generation and each.width <= capable.width
        )
        return possible or tuple(found)


def _port(device: Device) -> Port:
    return Port(device.address, "/".join(device.netdevs), device.iommu, device.kind)
