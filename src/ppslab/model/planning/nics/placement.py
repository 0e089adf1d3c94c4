"""The CHR's guest on one NUMA node: its CPUs, memory and ports, and its domain for libvirt.

RouterOS's kernel knows no NUMA (its configuration has CONFIG_NUMA unset), so a guest that spans two
nodes cannot know which of its CPUs is near to a card: the placement keeps all of it on one.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from typing import Any

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.model.planning.nics.grouping import Plan
from ppslab.model.planning.nics.machine import Port

MOST_CPUS = 64
"""NR_CPUS of RouterOS's x86_64 kernel configuration, as MikroTik published it."""

RECOMMENDED_MEMORY = 1024
MANAGEMENT = 1
"""Interfaces beside the ports: one paravirtual port, by which the router is reached."""


@dataclass(frozen=True)
class Guest:
    """A guest.  `cores`: the host's CPUs of each core of the guest; `memory` in MiB.

    `host`: CPUs of the node that stay with the host.  `topoext`: an AMD processor, whose threads a
    guest sees only then.
    """

    name: str
    node: int
    cores: tuple[tuple[int, ...], ...]
    host: tuple[int, ...]
    memory: int
    ports: tuple[Port, ...]
    topoext: bool = False

    @property
    def cpus(self) -> tuple[int, ...]:
        """The host's CPUs, in the order of the guest's."""
        return tuple(cpu for core in self.cores for cpu in core)

    @property
    def threads(self) -> int:
        """Hyper-threads of one core."""
        return len(self.cpus) // len(self.cores)

    @property
    def addresses(self) -> tuple[str, ...]:
        """The PCI addresses of all ports."""
        return tuple(port.address for port in self.ports)


def memory_for(cpus: int, interfaces: int) -> int:
    """MiB that a CHR needs: 512 + 8 x CPUs x (interfaces - 1), in whole GiB, at least 1 GiB.

    The formula is the one of MikroTik's manual on installing a CHR, for RouterOS 7; whole GiB are
    our own rounding.

    >>> memory_for(4, 8), memory_for(22, 9)
    (1024, 2048)
    """
    needed = 512 + 8 * cpus * (interfaces - 1)
    return max(RECOMMENDED_MEMORY, -(-needed // 1024) * 1024)


def place(
    plan: Plan, *, name: str = "chr", host_cores: int = 1, memory: int | None = None
) -> Guest:
    """The guest for the plan's chosen ports; the node's first `host_cores` stay with the host.

    CannotHereError where the inventory does not say enough; UsageError where the node is too small
    or `memory` is less than RouterOS needs.
    """
    if plan.chosen is None:
        raise CannotHereError(
            "no ports to place: no card of a known speed is in the inventory",
            "give the speed of a card with --speed VENDOR:DEVICE=GBITS",
        )
    node = plan.node
    if node is None:
        raise CannotHereError(
            "no placement: the inventory does not contain the NUMA node of the cards",
            "take it on the server itself, as root: lstopo --of xml FILE.xml",
        )
    if not 0 <= host_cores < len(node.cores):
        raise UsageError(
            f"--host-cores {host_cores}: node {node.index} has {len(node.cores)} cores, and the "
            "guest needs one"
        )
    given = node.cores[host_cores:]
    # A guest's topology is even: where some cores show one thread only, all of them give one.
    threads = min(len(core.cpus) for core in given)
    cores = tuple(core.cpus[:threads] for core in given)[: MOST_CPUS // threads]
    least = memory_for(len(cores) * threads, len(plan.chosen.ports) + MANAGEMENT)
    if memory is not None and memory < least:
        raise UsageError(
            f"--memory {memory}: RouterOS needs {least} MiB for so many CPUs and ports"
        )
    if node.memory is not None and (memory or least) * 2**20 > node.memory:
        raise UsageError(
            f"{memory or least} MiB for the guest, and NUMA node {node.index} has "
            f"{node.memory // 2**20}"
        )
    return Guest(
        name=name,
        node=node.index,
        cores=cores,
        host=tuple(sorted(set(node.cpus) - {cpu for core in cores for cpu in core})),
        memory=memory or least,
        ports=plan.chosen.ports,
        topoext=threads > 1 and "AMD" in plan.machine.cpu,
    )


def cpu_list(cpus: tuple[int, ...]) -> str:
    """CPUs as Linux writes them (cpuset(7), List format).

    >>> cpu_list((1, 2, 3, 7, 9))
    '1-3,7,9'
    """
    parts: list[list[int]] = []
    for cpu in sorted(cpus):
        if parts and parts[-1][-1] == cpu - 1:
            parts[-1].append(cpu)
        else:
            parts.append([cpu])
    return ",".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)


def libvirt_domain(guest: Guest) -> str:
    """The guest as libvirt's domain XML, for `virsh define FILE` (libvirt.org, Domain XML format).

    Each virtual CPU has one CPU of the host, and the threads of a core stay threads of a core;
    memory comes from the node only.  Passing a card on locks it there (libvirt does it by itself).
    """
    domain = ET.Element("domain", type="kvm")
    _add(domain, "name", guest.name)
    _add(domain, "memory", str(guest.memory), unit="MiB")
    _add(domain, "vcpu", str(len(guest.cpus)), placement="static", cpuset=cpu_list(guest.cpus))
    tune = _add(domain, "cputune")
    for number, cpu in enumerate(guest.cpus):
        _add(tune, "vcpupin", vcpu=number, cpuset=cpu)
    _add(tune, "emulatorpin", cpuset=cpu_list(guest.host or guest.cpus))
    _add(_add(domain, "numatune"), "memory", mode="strict", nodeset=guest.node)
    system = _add(domain, "os")
    _add(system, "type", "hvm", arch="x86_64", machine="q35")
    _add(system, "boot", dev="hd")
    features = _add(domain, "features")
    _add(features, "acpi")
    _add(features, "apic")
    cpu_element = _add(domain, "cpu", mode="host-passthrough")
    _add(
        cpu_element,
        "topology",
        sockets=1,
        dies=1,
        cores=len(guest.cores),
        threads=guest.threads,
    )
    if guest.topoext:
        _add(cpu_element, "feature", policy="require", name="topoext")
    devices = _add(domain, "devices")
    disk = _add(devices, "disk", type="file", device="disk")
    _add(disk, "driver", name="qemu", type="raw")
    _add(disk, "source", file=f"/var/lib/libvirt/images/{guest.name}.img")
    _add(disk, "target", dev="vda", bus="virtio")
    interface = _add(devices, "interface", type="bridge")
    _add(interface, "source", bridge="br0")
    _add(interface, "model", type="virtio")
    for address in guest.addresses:
        device = _add(devices, "hostdev", mode="subsystem", type="pci", managed="yes")
        domain_number, bus, rest = address.split(":")
        slot, function = rest.split(".")
        _add(
            _add(device, "source"),
            "address",
            domain=f"0x{domain_number}",
            bus=f"0x{bus}",
            slot=f"0x{slot}",
            function=f"0x{function}",
        )
    _add(_add(devices, "console", type="pty"), "target", type="serial", port=0)
    _add(devices, "memballoon", model="none")
    ET.indent(domain)
    return ET.tostring(domain, encoding="unicode") + "\n"


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: Any) -> ET.Element:
    element = ET.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})
    element.text = text
    return element
