"""A plan as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ppslab.core.text.tables import Table, cells
from ppslab.model.planning.nics import cards, grouping
from ppslab.model.planning.nics.grouping import SIZES, Bond, Plan
from ppslab.model.planning.nics.machine import ETHERNET, Card
from ppslab.model.planning.nics.pcie import in_words
from ppslab.model.planning.nics.placement import Guest, cpu_list
from ppslab.show.templates import page

UNKNOWN = "not said"


def node_table(plan: Plan) -> Table:
    """The NUMA nodes: socket, CPUs, memory, cards."""
    machine = plan.machine
    places = {node.index: _places([card for card in machine.cards if card.node == node.index])
             for node in machine.nodes}  # fmt: skip
    return Table.of(
        ", ".join(filter(None, (machine.source, machine.name, machine.cpu))),
        machine.nodes,
        {
            "node": lambda node: str(node.index),
            "socket": lambda node: ", ".join(f"CPU{package + 1}" for package in node.packages),
            "has": lambda node: f"{len(node.cores)} cores, {len(node.cpus)} CPUs",
            "memory": lambda node: f"{node.memory / 2**30:.0f} GiB" if node.memory else UNKNOWN,
            "network cards": lambda node: places[node.index] or "none",
        },
        *machine.notes,
    )


def card_table(plan: Plan) -> Table:
    """Cards of one kind on one node: their link, and how much of their ports' line rate it is."""
    alike: dict[tuple[str, ...], list[Card]] = {}
    for card in sorted(plan.machine.cards, key=_order):
        words = (
            card.name,
            UNKNOWN if card.node is None else str(card.node),
            _ports(card),
            _link(card),
            f"{card.carrying.gigabits:.4g} Gbit/s" if card.carrying else UNKNOWN,
            *(_share(card, size) for size in SIZES),
        )
        alike.setdefault(words, []).append(card)
    return Table(
        title="Links, and the share of their ports' line rate that they carry, both ways at once",
        header=("where", "card", "node", "ports", "link", "each way", *(f"{s} B" for s in SIZES)),
        rows=tuple(cells(_places(own), *words) for words, own in alike.items()),
        notes=(
            "B: bytes of a frame. Lower share: each descriptor is transferred alone. Higher share: "
            "no descriptors are transferred.",
        ),
    )


def bond_table(plan: Plan) -> Table:
    """The ports that belong together; the chosen ones first."""
    chosen = plan.chosen
    crossing = crossing_text(plan)
    return Table.of(
        "Ports to bond together: one NUMA node, one speed",
        sorted(plan.bonds, key=lambda each: each is not chosen),
        {
            "for": lambda bond: "the guest's bond" if bond is chosen else _fate(plan, bond),
            "node": lambda bond: UNKNOWN if bond.node is None else str(bond.node),
            "cards": lambda bond: _places(bond.cards),
            "ports": lambda bond: ", ".join(port.netdev or port.address for port in bond.ports),
            "each way": lambda bond: f"{len(bond.ports)} x {bond.gbits:g} = {bond.total:g} Gbit/s",
        },
        *filter(None, [crossing]),
    )


def placement_table(guest: Guest) -> Table:
    """The guest on its node: CPUs, memory, and the ports that it is given."""
    host = f"{cpu_list(guest.host) or 'none'} for the host"
    return Table(
        title="Placement of the guest chr",
        header=("what", "where"),
        rows=(
            cells("NUMA node", f"node {guest.node}"),
            cells("CPUs", f"{cpu_list(guest.cpus)}; {host}"),
            cells("topology", f"1 socket, {len(guest.cores)} cores, {guest.threads} threads each"),
            cells("memory", f"{guest.memory} MiB of the node, all reserved"),
            cells("ports", ", ".join(guest.addresses)),
        ),
    )


def crossing_text(plan: Plan) -> str:
    """Sentence on the traffic between the sockets with all ports in one bond; empty for none."""
    if not plan.elsewhere or plan.chosen is None:
        return ""
    gbits = sum(bond.total for bond in plan.elsewhere)
    total = sum(len(bond.ports) for bond in (plan.chosen, *plan.elsewhere))
    text = (
        f"With all {total} ports in one bond, up to {gbits:g} Gbit/s each way would pass through "
        f"cards that are not on node {plan.chosen.node}."
    )
    cpu = cards.cpu_of(plan.machine.cpu)
    if cpu:
        text += (
            f" One {cpu.socket_link} link of {cpu.link_gts:g} GT/s carries "
            f"{cpu.link_gigabits:g} Gbit/s each way"
            + (", so crossing costs time, not bandwidth." if cpu.link_gigabits > gbits else ".")
        )
    return text


def tables(plan: Plan) -> tuple[Table, ...]:
    """All tables of a plan that have rows."""
    shown = (node_table(plan), card_table(plan), bond_table(plan))
    return tuple(table for table in shown if table.rows)


def _order(card: Card) -> tuple[bool, int, str]:
    return (not card.slot.isdecimal(), int(card.slot) if card.slot.isdecimal() else 0, card.address)


def _places(own: Sequence[Card]) -> str:
    """Places of cards: `slots 1, 2, 3`, and the others by their own words."""
    slots = list(dict.fromkeys(each.slot_number for each in own if each.slot_number))
    others = [each.place for each in own if not each.slot_number]
    named = [f"slot{'s' if len(slots) > 1 else ''} {', '.join(slots)}"] if slots else []
    return ", ".join([*named, *dict.fromkeys(others)])


def _ports(card: Card) -> str:
    """`2 x 10 Gbit/s`; ports that are no Ethernet by their network."""
    speed = f"{card.gbits:g} Gbit/s" if card.gbits is not None else "speed not said"
    kinds = Counter(
        speed if port.kind == ETHERNET else grouping.OTHER_NETWORKS.get(port.kind, "no Ethernet")
        for port in card.ports
    )
    return ", ".join(f"{count} x {kind}" for kind, count in kinds.items())


def _link(card: Card) -> str:
    if card.link and card.capable and card.link != card.capable:
        return f"{card.link} (could {card.capable})"
    if card.links:
        return in_words(card.links)
    return f"{card.capable} by its kind" if card.capable else UNKNOWN


def _share(card: Card, size: int) -> str:
    shares = grouping.shares(card, size)
    return UNKNOWN if shares is None else f"{shares[0]:.0%} to {shares[1]:.0%}"


def _fate(plan: Plan, bond: Bond) -> str:
    if plan.chosen and bond.gbits != plan.chosen.gbits:
        return "the host"
    return "a second guest" if len(plan.machine.nodes) > 1 else "the host"


def libvirt_domain(guest: Guest) -> str:
    """The guest as libvirt's domain XML, for `virsh define FILE` (libvirt.org, Domain XML format).

    Each virtual CPU has one CPU of the host, and the threads of a core stay threads of a core;
    memory comes from the node only.  Passing a card on locks it there (libvirt does it by itself).
    """
    return page("libvirt.xml.j2", guest=guest, cpus=cpu_list)
