"""The guest as lines of a Proxmox VE configuration (qm.conf(5), qm(1); PVE 7.3 or newer)."""

from __future__ import annotations

from ppslab.core.errors import UsageError
from ppslab.model.planning.nics.placement import Guest, cpu_list

MOST_DEVICES = 16
"""hostpci0 to hostpci15."""

MOST_NODES = 8
"""numa0 to numa7 are the guest's; a guest of one node needs one."""


def script(guest: Guest) -> str:
    """The lines; UsageError for more ports than Proxmox gives to one guest.

    Proxmox knows no threads inside of a guest's cores: `cores` counts virtual CPUs, and `affinity`
    keeps all of them on the node without pinning one to another's place.
    """
    devices = guest.addresses
    if len(devices) > MOST_DEVICES:
        raise UsageError(
            f"{len(devices)} ports, and Proxmox gives a guest {MOST_DEVICES}: keep some with --keep"
        )
    cpus = len(guest.cpus)
    lines = [
        "# /etc/pve/qemu-server/VMID.conf; the host's kernel needs iommu=pt, and intel_iommu=on.",
        f"name: {guest.name}",
        "machine: q35",
        "cpu: host",
        "sockets: 1",
        f"cores: {cpus}",
        f"memory: {guest.memory}",
        "balloon: 0",
        "numa: 1",
        f"numa0: cpus={cpu_list(tuple(range(cpus)))},hostnodes={guest.node},"
        f"memory={guest.memory},policy=bind",
        f"affinity: {cpu_list(guest.cpus)}",
        "net0: virtio,bridge=vmbr0",
        "boot: order=virtio0",
        "onboot: 1",
    ]
    lines += [f"hostpci{n}: {address},pcie=1" for n, address in enumerate(devices)]
    return "\n".join(lines) + "\n"
