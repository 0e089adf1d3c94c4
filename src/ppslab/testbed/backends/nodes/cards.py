"""The network cards of a guest: taken for a deployment, and given back when it ends.

A card that no deployment uses has no driver.  So a deployment gets every card as new, whatever
the one before did to it (addresses, queues, programs, interrupts), and one that ends gives its
cards back at once, although the kernel takes namespaces down later.

Runs in the agent, whose /sys and /proc are those of the guest's first network and PID namespaces:
a new card appears there.
"""

from __future__ import annotations

import os
from pathlib import Path

from ppslab.testbed.backends.nodes import kernel, veth

_VIRTIO = Path("/sys/bus/virtio")
_DRIVER = _VIRTIO / "drivers/virtio_net"
_PCI = Path("/sys/bus/pci/devices")
_FIRST_NETWORK = "/proc/1/ns/net"


class Cards:
    def __init__(self) -> None:
        self._taken: list[str] = []

    def take(self, port: str, node: int, name: str, mtu: int, cpu: int | None) -> None:
        """Give the card in the slot `port` (a root port's PCI address) to a node, as `name`.

        `node`: a pid in the node; `cpu` serves the card's interrupts from the start.
        Raises OSError: no such card, or somebody has it.
        """
        device = _device(port)
        _load()
        (_DRIVER / "bind").write_text(device.name)
        self._taken.append(device.name)
        interface = next((device / "net").iterdir())
        index = int((interface / "ifindex").read_text())
        first = os.open(_FIRST_NETWORK, os.O_RDONLY | os.O_CLOEXEC)
        try:
            with kernel.in_network(first):
                netlink = veth.opened()
        finally:
            os.close(first)
        with netlink:
            given = (veth.NS_PID, node), (veth.IFNAME, name), (veth.MTU, mtu)
            try:
                veth.change(netlink, index, *given)
            except OSError as error:
                raise OSError(error.errno, error.strerror, name) from None
        if cpu is not None:
            for vector in (device.parent / "msi_irqs").iterdir():
                Path("/proc/irq", vector.name, "smp_affinity_list").write_text(str(cpu))

    def give_back(self) -> None:
        """Unbind the driver from every card, which takes it out of its node."""
        while self._taken:
            (_DRIVER / "unbind").write_text(self._taken.pop())


def _device(port: str) -> Path:
    """The virtio device of the card in a slot."""
    found = list((_PCI / port).glob("*/virtio*"))
    if not found:
        raise FileNotFoundError(2, "there is no card", f"slot {port}")
    return found[0].resolve()


def _load() -> None:
    """The driver, without the cards that it would take by itself."""
    if _DRIVER.exists():
        return
    (_VIRTIO / "drivers_autoprobe").write_text("0")
    if os.spawnvp(os.P_WAIT, "modprobe", ["modprobe", "virtio_net"]):
        raise FileNotFoundError(2, "the kernel has no such driver", "virtio_net")
