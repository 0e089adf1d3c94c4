"""Ports that belong together: by the NUMA node of their cards, and by their speed.

A bond (802.3ad) joins ports of one speed.  Ports of one node can be served by CPUs of that node;
a frame that comes in on one node and goes out on another crosses the link between the sockets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ppslab.core.errors import UsageError
from ppslab.model.planning.nics.machine import ETHERNET, Card, Machine, Node, Port
from ppslab.model.planning.nics.pcie import in_words, line_frames

SIZES = (64, 512, 1518)

# Classes of PCI that are network controllers and no Ethernet (pci.ids, class 02).
OTHER_NETWORKS = {0x0207: "InfiniBand", 0x0208: "a fabric (Omni-Path)"}


@dataclass(frozen=True)
class Bond:
    """Ports of one speed on one NUMA node (None: the inventory does not say which)."""

    node: int | None
    gbits: float
    cards: tuple[Card, ...]
    ports: tuple[Port, ...]

    @property
    def total(self) -> float:
        """Gbit/s of all its ports in one direction."""
        return self.gbits * len(self.ports)


@dataclass(frozen=True)
class Plan:
    """A machine, the bonds that its ports can form, the chosen one, and warnings."""

    machine: Machine
    bonds: tuple[Bond, ...]
    chosen: Bond | None
    warnings: tuple[str, ...]

    @property
    def node(self) -> Node | None:
        """The node of the chosen bond."""
        return self.machine.node(self.chosen.node) if self.chosen else None

    @property
    def elsewhere(self) -> tuple[Bond, ...]:
        """The bonds of other nodes, with ports of the chosen one's speed."""
        if self.chosen is None or self.chosen.node is None:
            return ()
        return tuple(
            bond
            for bond in self.bonds
            if bond.gbits == self.chosen.gbits and bond.node not in (None, self.chosen.node)
        )


def plan(machine: Machine, *, node: int | None = None, keep: Iterable[str] = ()) -> Plan:
    """The plan: the bond with the most Gbit/s is chosen, or the largest of `node`.

    `keep`: addresses or names of ports that stay with the host.  UsageError where they are none
    of the machine's, or where `node` has no port.
    """
    kept = _kept(machine, tuple(keep))
    bonds = _bonds(machine, kept)
    chosen = _choose(machine, bonds, node)
    unwarned = Plan(machine, bonds, chosen, ())
    return replace(unwarned, warnings=tuple(_warnings(unwarned)))


def _kept(machine: Machine, words: Sequence[str]) -> frozenset[str]:
    names = {port.address: port for card in machine.cards for port in card.ports}
    netdevs = {port.netdev: port.address for port in names.values() if port.netdev}
    addresses = set()
    for word in words:
        address = netdevs.get(word, word if word in names else f"0000:{word}")
        if address not in names:
            known = ", ".join(port.netdev or port.address for port in names.values())
            raise UsageError(f"--keep {word}: the inventory has no such port: {known or 'none'}")
        addresses.add(address)
    return frozenset(addresses)


def _bonds(machine: Machine, kept: frozenset[str]) -> tuple[Bond, ...]:
    groups: dict[tuple[int | None, float], dict[str, tuple[Card, tuple[Port, ...]]]] = {}
    for card in machine.cards:
        own = tuple(
            port for port in card.ports if port.kind == ETHERNET and port.address not in kept
        )
        if card.gbits is not None and own:
            groups.setdefault((card.node, card.gbits), {})[card.address] = (card, own)
    bonds = [
        Bond(
            node,
            gbits,
            tuple(card for card, _ in cards.values()),
            tuple(port for _, own in cards.values() for port in own),
        )
        for (node, gbits), cards in groups.items()
    ]
    return tuple(sorted(bonds, key=lambda bond: (-bond.total, -bond.gbits, bond.node or 0)))


def _choose(machine: Machine, bonds: tuple[Bond, ...], node: int | None) -> Bond | None:
    if node is None:
        return bonds[0] if bonds else None
    if machine.node(node) is None and all(card.node != node for card in machine.cards):
        known = ", ".join(str(each.index) for each in machine.nodes) or "none"
        raise UsageError(f"--node {node}: the inventory has no such NUMA node: {known}")
    own = [bond for bond in bonds if bond.node == node]
    if not own:
        raise UsageError(f"--node {node}: no port of a known speed is on that node")
    return own[0]


def shares(card: Card, size: int) -> tuple[float, float] | None:
    """The share of its ports' line rate that the link carries, both ways at once: worst and best.

    Worst with every descriptor moved by itself, best with none (see Link.frames); 1.0 is all.
    None where the link or the ports' speed is unknown.
    """
    if card.carrying is None or not card.total:
        return None
    needed = line_frames(card.total, size)
    worst, best = (card.carrying.frames(size, descriptors) / needed for descriptors in (1, 0))
    return worst, best


def _warnings(plan: Plan) -> Iterable[str]:
    machine, chosen = plan.machine, plan.chosen
    if not machine.cards:
        yield "No network card is in the inventory."
    for card in machine.cards:
        yield from _card_warnings(card)
    yield from _shared_roots(machine)
    if chosen is not None:
        for bond in plan.elsewhere:
            yield (
                f"{_count(bond)} on NUMA node {bond.node}, and not in the guest on node "
                f"{chosen.node}: give them to a second guest (--node {bond.node}), or move the "
                "cards."
            )
    if any(card.node is None for card in machine.cards) and len(machine.nodes) > 1:
        yield "Cards without a NUMA node are in no placement: the inventory names none for them."


def _count(bond: Bond) -> str:
    verb = "port is" if len(bond.ports) == 1 else "ports are"
    return f"{len(bond.ports)} {verb} of {bond.gbits:g} Gbit/s"


def _card_warnings(card: Card) -> Iterable[str]:
    where = f"{card.name} in {card.place}"
    yield from _other_networks(card, where)
    if card.gbits is None and any(port.kind == ETHERNET for port in card.ports):
        yield (
            f"{where}: the speed of its ports is unknown: --speed "
            f"{card.id or 'VENDOR:DEVICE'}=GBITS."
        )
    if card.link and card.capable and card.link != card.capable:
        narrow = card.link.width < card.capable.width
        why = "the slot has fewer lanes, or contacts are dirty" if narrow else "an older slot"
        yield f"{where}: the link runs at {card.link}, but the card supports {card.capable}: {why}."
    if len(card.links) > 1 and card.capable:
        yield (
            f"{where}: the link runs at {in_words(card.links)}, which carry the same, and the card "
            f"supports {card.capable}: lspci -vv as root shows which it is."
        )
    carried = shares(card, 1518)
    if carried and carried[1] < 1:
        yield (
            f"{where}: its link carries {carried[1]:.0%} of its ports' line rate, even with large "
            "frames."
        )


def _other_networks(card: Card, where: str) -> Iterable[str]:
    """The ports that a bond cannot have: LACP is Ethernet's (IEEE 802.1AX)."""
    others = [port for port in card.ports if port.kind != ETHERNET]
    for kind in dict.fromkeys(port.kind for port in others):
        named = ", ".join(port.netdev or port.address for port in others if port.kind == kind)
        what = OTHER_NETWORKS.get(kind, "a network other than Ethernet")
        yield f"{where}: {named} is {what} (PCI class {kind:04x}), not Ethernet: in no bond." + (
            " mlxconfig switches a card that supports both (LINK_TYPE_P1=2); then create the "
            "inventory again."
            if kind == 0x0207
            else ""
        )


def _shared_roots(machine: Machine) -> Iterable[str]:
    """Cards behind one root port share its lanes."""
    below: dict[str, list[Card]] = {}
    for card in machine.cards:
        if card.root:
            below.setdefault(card.root, []).append(card)
    for root, cards in below.items():
        links = cards[0].root_links
        need = sum(card.total or 0 for card in cards)
        if len(cards) > 1 and links and links[0].gigabits < need:
            places = " and ".join(card.address for card in cards)
            yield (
                f"{places} share the root port {root}, {in_words(links)}: "
                f"{links[0].gigabits:.0f} Gbit/s for {need:g} Gbit/s of ports."
            )
