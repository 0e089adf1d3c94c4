"""A guest with sockets: QEMU's arguments for a `ppslab.machine.Machine`.

Each socket is a NUMA node (ACPI SRAT and SLIT) with memory of its own, and a PCI Express root bus
(pxb-pcie, QEMU's docs/pcie_expander_bridge.txt) that says which node it belongs to.  Two cards
share a wire: a hub of QEMU's with two ports.  A card whose partner has no room for a frame waits,
as with Ethernet's pause frames (IEEE 802.3 annex 31B): the wire itself drops nothing.
"""

from __future__ import annotations

from ppslab.machine import Machine, Plugged, bus

# Everything by which one buffer is many frames, or a checksum is still to be made.
_OFF = ("csum", "gso", *(f"guest_{name}" for name in ("csum", "tso4", "tso6", "ecn", "ufo")))
_OFF += tuple(f"host_{name}" for name in ("tso4", "tso6", "ecn", "ufo"))


def smp(machine: Machine) -> str:
    """The value of -smp."""
    return f"{machine.all_cpus},sockets={machine.sockets},cores={machine.cores},threads=1"


def memory_mb(machine: Machine) -> int:
    """The memory of all sockets."""
    return machine.sockets * machine.memory_mb


def arguments(machine: Machine, plugged: tuple[Plugged, ...]) -> list[str]:
    """QEMU's arguments for sockets, distances, buses and cards."""
    argv: list[str] = []
    for socket in range(machine.sockets):
        cpus = machine.cpus_of(socket)
        argv += ["-object", f"memory-backend-ram,id=memory{socket},size={machine.memory_mb}M"]
        argv += ["-numa", f"node,nodeid={socket},cpus={cpus[0]}-{cpus[-1]},memdev=memory{socket}"]
    for socket in range(machine.sockets):
        for other in range(machine.sockets):
            if other != socket:
                argv += ["-numa", f"dist,src={socket},dst={other},val={machine.distance}"]
        argv += [
            "-device",
            f"pxb-pcie,id=socket{socket},bus=pcie.0,bus_nr={bus(socket)},numa_node={socket}",
        ]
    for number, card in enumerate(plugged):
        argv += ["-netdev", f"hubport,id=wire{number},hubid={card.wire}"]
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
