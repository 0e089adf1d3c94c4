"""A guest with sockets: QEMU's arguments for a `ppslab.model.lab.machine.Machine`.

Each socket is a NUMA node (ACPI SRAT and SLIT) with memory of its own, and a PCI Express root bus
(pxb-pcie, QEMU's docs/pcie_expander_bridge.txt) that says which node it belongs to.  Two cards
share a wire: a pair of sockets of this process, handed to QEMU.  A card whose partner has no room
for a frame waits, as with Ethernet's pause frames (IEEE 802.3 annex 31B): the wire itself drops
nothing.  QEMU's own hubs are no wires: where a card has to wait they bring frames out of order
(net_hub_flush() in net/hub.c passes the newer ones first).
Where a card has several queues its wire is made of taps (taps.py), which hold 32768 frames for it.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ppslab.model.lab.machine import Machine, Plugged, bus
from ppslab.testbed.backends.vm import taps

# Everything by which one buffer is many frames, or a checksum is still to be made.
_OFF = ("csum", "gso", *(f"guest_{name}" for name in ("csum", "tso4", "tso6", "ecn", "ufo")))
_OFF += tuple(f"host_{name}" for name in ("tso4", "tso6", "ecn", "ufo"))


def smp(machine: Machine) -> str:
    return f"{machine.all_cpus},sockets={machine.sockets},cores={machine.cores},threads=1"


def memory_mb(machine: Machine) -> int:
    return machine.sockets * machine.memory_mb


@dataclass(frozen=True)
class End:
    """The end of a wire at a card: open files, of a socket, or of a tap for each queue."""

    files: tuple[int, ...]
    tap: bool = False

    def close(self) -> None:
        """Close the files; QEMU has its own."""
        for each in self.files:
            os.close(each)


def with_one_queue(plugged: tuple[Plugged, ...]) -> tuple[Plugged, ...]:
    """The cards where this machine can have no taps: each with one queue."""
    return tuple(replace(each, card=each.card.model_copy(update={"queues": 1})) for each in plugged)


def wires(plugged: tuple[Plugged, ...]) -> list[End]:
    """The end of a wire for every card, in the cards' order; close them once QEMU has them.

    CannotHereError where a card has several queues, and there can be no taps.
    """
    numbers = sorted({card.wire for card in plugged})
    both = {n: [card.card.queues for card in plugged if card.wire == n] for n in numbers}
    several = [number for number in numbers if max(both[number]) > 1]
    left: dict[int, list[End]] = {}
    if several:
        made = taps.opened([(both[number][0], both[number][1]) for number in several])
        for number, files in zip(several, made, strict=True):
            left[number] = [End(tuple(each), tap=True) for each in files]
    for number in numbers:
        if number not in left:
            left[number] = [End((each.detach(),)) for each in socket.socketpair()]
    return [left[card.wire].pop(0) for card in plugged]


def arguments(machine: Machine, plugged: tuple[Plugged, ...], ends: Sequence[End]) -> list[str]:
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
    off = ",".join(f"{word}=off" for word in _OFF)
    for number, (card, end) in enumerate(zip(plugged, ends, strict=True)):
        wire, slot = f"wire{number}", f"slot{number}"
        # Without vhost: QEMU carries the frames itself, on every machine alike.
        fds = ":".join(map(str, end.files))
        carried = f"tap,id={wire},fds={fds},vhost=off" if end.tap else f"socket,id={wire},fd={fds}"
        place = f"bus=socket{card.card.socket},addr={card.place:x}.0"
        port = f"pcie-root-port,id={slot},{place},chassis={number + 1},slot={number + 1}"
        mac = f"02:00:00:70:70:{number + 1:02x}"
        # An interrupt for each queue each way, one for the configuration, one to spare (QEMU's
        # advice).
        queues = card.card.queues
        several = f",mq=on,vectors={2 * queues + 2}" if queues > 1 else ""
        virtio = f"virtio-net-pci,netdev={wire},bus={slot},mac={mac},romfile=,{off}{several}"
        argv += ["-netdev", carried, "-device", port, "-device", virtio]
    return argv
