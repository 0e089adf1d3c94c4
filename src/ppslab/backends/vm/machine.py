"""A guest with sockets: QEMU's arguments for a `ppslab.lab.machine.Machine`.

Each socket is a NUMA node (ACPI SRAT and SLIT) with memory of its own, and a PCI Express root bus
(pxb-pcie, QEMU's docs/pcie_expander_bridge.txt) that says which node it belongs to.  Two cards
share a wire: a pair of sockets of this process, handed to QEMU.  A card whose partner has no room
for a frame waits, as with Ethernet's pause frames (IEEE 802.3 annex 31B): the wire itself drops
nothing.  QEMU's own hubs are no wires: where a card has to wait they bring frames out of order
(net_hub_flush() in net/hub.c passes the newer ones first).
"""

from __future__ import annotations

import socket
from collections.abc import Sequence

from ppslab.lab.machine import Machine, Plugged, bus

# Everything by which one buffer is many frames, or a checksum is still to be made.
_OFF = ("csum", "gso", *(f"guest_{name}" for name in ("csum", "tso4", "tso6", "ecn", "ufo")))
_OFF += tuple(f"host_{name}" for name in ("tso4", "tso6", "ecn", "ufo"))


def smp(machine: Machine) -> str:
    """The value of -smp."""
    return f"{machine.all_cpus},sockets={machine.sockets},cores={machine.cores},threads=1"


def memory_mb(machine: Machine) -> int:
    """The memory of all sockets."""
    return machine.sockets * machine.memory_mb


def wires(plugged: tuple[Plugged, ...]) -> list[socket.socket]:
    """The end of a wire for every card, in the cards' order; close them once QEMU has them."""
    pairs = {number: socket.socketpair() for number in {card.wire for card in plugged}}
    left = {number: list(pair) for number, pair in pairs.items()}
    return [left[card.wire].pop() for card in plugged]


def arguments(
    machine: Machine, plugged: tuple[Plugged, ...], ends: Sequence[socket.socket]
) -> list[str]:
    """QEMU's arguments for sockets, distances, buses and cards; `ends` as `wires` made them."""
    argv: list[str] = []
    for node in range(machine.sockets):
        cpus = machine.cpus_of(node)
        argv += ["-object", f"memory-backend-ram,id=memory{node},size={machine.memory_mb}M"]
        argv += ["-numa", f"node,nodeid={node},cpus={cpus[0]}-{cpus[-1]},memdev=memory{node}"]
    for node in range(machine.sockets):
        for other in range(machine.sockets):
            if other != node:
                argv += ["-numa", f"dist,src={node},dst={other},val={machine.distance}"]
        if not plugged:  # nothing would hang at the socket's bus
            continue
        argv += [
            "-device",
            f"pxb-pcie,id=socket{node},bus=pcie.0,bus_nr={bus(node)},numa_node={node}",
        ]
    for number, (card, end) in enumerate(zip(plugged, ends, strict=True)):
        argv += ["-netdev", f"socket,id=wire{number},fd={end.fileno()}"]
        argv += ["-device", _slot(number, card), "-device", _card(number)]
    return argv


def _slot(number: int, card: Plugged) -> str:
    return (
        f"pcie-root-port,id=slot{number},bus=socket{card.card.socket},addr={card.place:x}.0,"
        f"chassis={number + 1},slot={number + 1}"
    )


def _card(number: int) -> str:
    off = ",".join(f"{word}=off" for word in _OFF)
    mac = f"02:00:00:70:70:{number + 1:02x}"
    return f"virtio-net-pci,netdev=wire{number},bus=slot{number},mac={mac},romfile=,{off}"
