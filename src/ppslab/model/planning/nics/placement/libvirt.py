"""The guest as libvirt's domain XML (libvirt.org, "Domain XML format")."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

from ppslab.model.planning.nics.placement import Guest, cpu_list


def script(guest: Guest) -> str:
    """The domain, for `virsh define FILE`.

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
    made = ET.SubElement(parent, tag, {key: str(value) for key, value in attributes.items()})
    made.text = text
    return made
