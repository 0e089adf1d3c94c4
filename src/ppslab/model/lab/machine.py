"""A machine built to order for a lab: sockets, their distance, and network cards on each.

A link of the topology whose two ends are cards is a wire between two cards of the machine; every
other link is a virtual one.  Only the vm backend builds machines (testbed/backends/vm/machine.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError
from ppslab.model.lab import Name, topology
from ppslab.model.lab.topology import Endpoint

FEATURE = "numa"
"""The word of `needs` that every condition of a lab with a machine has."""

QUEUES = "card-queues"
"""The word of `needs` that a condition has which uses several queues of a card."""


class Card(StrictModel):
    """A network card, on the PCI Express lanes of a socket."""

    socket: int = Field(ge=0)  # whose lanes it is on
    # how many it has, each to receive and to send; of more than one, conditions that use them need
    # card-queues
    queues: int = Field(default=1, ge=1)
    # serves its interrupts from the start; left out: as the kernel chooses
    cpu: int | None = Field(default=None, ge=0)


class Cpus(StrictModel):
    """Roles of the CPUs; the conditions name those that serve the router's interrupts."""

    sender: int = Field(ge=0)  # the CPU that sends
    router: int = Field(ge=0)  # the CPU that routes
    reader: int = Field(ge=0)  # the CPU that reads what arrives


class Machine(StrictModel):
    """The words of `machine:` in lab.yml.

    Each socket is a NUMA node with memory, CPUs and an expander bus of its own.  CPUs are numbered
    socket by socket.
    """

    sockets: int = Field(default=2, ge=1, le=4)  # how many sockets it has
    # Under emulation Linux 6.1 hangs in stop_machine() with three cores a socket.
    cores: Literal[1, 2, 4] = 2  # of each socket
    # of another socket, where the own is 10 (ACPI SLIT)
    distance: int = Field(default=21, ge=11, le=254)
    memory_mb: int = Field(default=1024, ge=256)  # of each socket
    cpus: Cpus  # which CPU does what
    # topology to NODE:INTERFACE to the card that it is
    cards: dict[Name, dict[str, Card]] = Field(default_factory=dict)

    @field_validator("cards")
    @classmethod
    def _ends(cls, cards: dict[str, dict[str, Card]]) -> dict[str, dict[str, Card]]:
        for ends in cards.values():
            for end in ends:
                if end.count(":") != 1 or not all(end.split(":")):
                    raise ValueError(f"{end!r} should be NODE:INTERFACE")
        return cards

    @model_validator(mode="after")
    def _inside(self) -> Machine:
        last = self.sockets * self.cores - 1
        for end, card in self._every():
            if card.socket >= self.sockets:
                raise ValueError(f"card {end}: there are sockets 0 to {self.sockets - 1}")
            if card.cpu is not None and card.cpu > last:
                raise ValueError(f"card {end}: there are CPUs 0 to {last}")
            if card.queues > last + 1:
                raise ValueError(
                    f"card {end}: {card.queues} queues, and there are {last + 1} CPUs to serve them"
                )
        for role, cpu in self.cpus:
            if cpu > last:
                raise ValueError(f"cpus: {role}: there are CPUs 0 to {last}")
        return self

    @property
    def several_queues(self) -> bool:
        """True if a card has more than one queue."""
        return any(card.queues > 1 for _, card in self._every())

    def cards_of(self, topology: str, node: str) -> dict[str, Card]:
        ends = self.cards.get(topology, {})
        return {
            end.partition(":")[2]: card
            for end, card in ends.items()
            if end.partition(":")[0] == node
        }

    def _every(self) -> list[tuple[str, Card]]:
        return [pair for ends in self.cards.values() for pair in ends.items()]

    @property
    def all_cpus(self) -> int:
        return self.sockets * self.cores

    def cpus_of(self, socket: int) -> range:
        return range(socket * self.cores, (socket + 1) * self.cores)


@dataclass(frozen=True)
class Plugged:
    """A card in its slot.

    `place`: number of the slot on the socket's bus, from 0; `wire`: number of the wire that it
    shares with one other card.
    """

    topology: str  # the topology whose end the card is
    end: Endpoint  # the node's interface that the card is
    card: Card  # the card
    place: int
    wire: int

    @property
    def port(self) -> str:
        """PCI address of the slot, a root port, such as "0000:20:01.0"."""
        return f"0000:{bus(self.card.socket):02x}:{self.place:02x}.0"


def bus(socket: int) -> int:
    """Number of the PCI root bus of a socket's expander."""
    return 0x20 * (socket + 1)


def plug(machine: Machine) -> tuple[Plugged, ...]:
    """Every card with its slot and its wire, in the order of the topologies' links.

    UsageError where the cards are not the ends of links.
    """
    plugged: list[Plugged] = []
    places: dict[int, int] = {}
    wires = 0
    for name, ends in machine.cards.items():
        left = dict(ends)
        wiring = topology.find(name)
        for link in wiring.links:
            pair = [
                (end, left.pop(f"{end.node}:{end.interface}", None)) for end in (link.a, link.b)
            ]
            if all(card is None for _, card in pair):
                continue
            for end, card in pair:
                if card is None:
                    raise UsageError(
                        f"machine: cards: {name}: {end.node}:{end.interface} is no card, but the "
                        "other end of its link is"
                    )
                place = places.setdefault(card.socket, 0)
                places[card.socket] += 1
                plugged.append(Plugged(wiring.name, end, card, place, wires))
            wires += 1
        if left:
            raise UsageError(
                f"machine: cards: {name}: no link of the topology ends at {next(iter(left))}"
            )
    return tuple(plugged)


def plain_links(plugged: tuple[Plugged, ...], plain: Mapping[str, Any]) -> dict[str, Any]:
    """A topology as an agent is told it (`Topology.plain`), with the cards of its links.

    A link of two cards gets `cards`: for each end the PCI address of its slot, and the CPU that
    serves its interrupts or None.
    """
    here = {
        (each.end.node, each.end.interface): {"port": each.port, "cpu": each.card.cpu}
        for each in plugged
        if each.topology == plain["name"]
    }
    links = []
    for link in plain["links"]:
        ends = [tuple(end) for end in link["endpoints"]]
        cards = [here[end] for end in ends if end in here]
        links.append({**link, "cards": cards} if cards else link)
    return {**plain, "links": links}
