"""What a record says of a Linux router: what configures it, and what it cannot show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ppslab.model.lab.lab import LabSpec
from ppslab.model.lab.machine import Machine
from ppslab.testbed.backends import Node
from ppslab.testbed.routers import rest

CANNOT_SHOW = (
    "A router made of the Linux kernel and veth pairs has no switch chip, no line rate and no "
    "hardware queues: it shows which condition costs more and by how much, not the packets per "
    "second of a router of MikroTik's."
)

CARDS_CANNOT_SHOW = (
    "A router in a machine that QEMU emulates has sockets, cards and interrupts to place, but the "
    "link between the sockets takes no time, a card has one queue, and all CPUs share those of the "
    "host: it shows who does which work, not what a placement costs."
)

QUEUES_CANNOT_SHOW = (
    "A router in a machine that QEMU emulates has CPUs to share packets out to, but these share "
    "the CPUs of the host. Who shares out is Linux, after a virtual wire, or the host's tap "
    "driver, ahead of a virtual card, and never a card's own hash: it shows who does which work, "
    "not how much faster more of them do it."
)

CPUS_CANNOT_SHOW = (
    "A router of veth pairs in a machine that QEMU emulates has CPUs to share packets out to, but "
    "these share the CPUs of the host, and Linux makes the hash that a card with several queues "
    "makes itself: it shows who does which work, not how much faster more of them do it."
)


def of_machine(machine: Machine | None) -> str:
    """What a router in a machine of its own cannot show."""
    if machine is None or not machine.cards:
        return CPUS_CANNOT_SHOW
    return QUEUES_CANNOT_SHOW if machine.several_queues else CARDS_CANNOT_SHOW


def read(node: Node, lab: LabSpec, ports: Sequence[str]) -> dict[str, Any]:
    """The programs that configure it, and of a machine of its own what was built."""
    programs: dict[str, str] = {}
    for name, argv in {"nft": ["nft", "--version"], "iproute2": ["ip", "-V"]}.items():
        answer = node.run(argv, check=False)
        programs[name] = answer.stdout.strip() or answer.stderr.strip()
    facts: dict[str, Any] = {"programs": programs}
    machine = lab.machine
    if machine is not None:
        cards = machine.cards_of(lab.topology, node.name)
        facts["sockets"] = {
            "built": rest.built(machine),
            "shown": rest.shown(node, [port for port in ports if port in cards]),
        }
    return facts
