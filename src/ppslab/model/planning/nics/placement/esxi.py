"""The guest as commands and advanced settings of VMware ESXi 7.

Sources: vSphere Resource Management, "Using NUMA Systems with ESXi" (numa.nodeAffinity,
numa.vcpu.preferHT, and that CPU affinity takes a guest out of the NUMA scheduler's care);
Broadcom's knowledge base, article 309986 (16 passed devices a guest, memory reserved whole).
"""

from __future__ import annotations

from ppslab.core.errors import UsageError
from ppslab.model.planning.nics.machine import address_of
from ppslab.model.planning.nics.placement import Guest

MOST_DEVICES = 16


def device_id(address: str) -> str:
    """The address as a .vmx file has it: all four parts decimal.

    >>> device_id("0000:82:00.1")
    '00000:130:00.1'
    """
    assert address_of(address) is not None
    domain, bus, rest = address.split(":")
    slot, function = rest.split(".")
    return f"{int(domain, 16):05d}:{int(bus, 16):03d}:{int(slot, 16):02d}.{function}"


def script(guest: Guest) -> str:
    """Commands for the host's shell, then lines for the guest's .vmx file.

    UsageError for more ports than ESXi 7 gives to one guest.
    """
    devices = guest.addresses
    if len(devices) > MOST_DEVICES:
        raise UsageError(
            f"{len(devices)} ports, and ESXi 7 gives a guest {MOST_DEVICES}: keep some with --keep"
        )
    lines = ["# In the host's shell (the same as Manage > Hardware > PCI devices > Toggle):"]
    lines += [
        f"esxcli hardware pci pcipassthru set --device-id={each} --enable=true" for each in devices
    ]
    lines += [
        "esxcli hardware pci list          # look here: NUMA Node of each port, as ESXi counts",
        "esxcli system uuid get            # for systemId below",
        "",
        "# In the guest's .vmx file, or Edit Settings > VM Options > Advanced:",
    ]
    cpus = len(guest.cpus)
    settings = {
        "numvcpus": str(cpus),
        "cpuid.coresPerSocket": str(cpus),
        "memSize": str(guest.memory),
        "sched.mem.min": str(guest.memory),
        "sched.mem.minSize": str(guest.memory),
        "sched.mem.pin": "TRUE",
        "numa.nodeAffinity": str(guest.node),
        # Without it, more virtual CPUs than cores are spread over both nodes.
        "numa.vcpu.preferHT": "TRUE" if guest.threads > 1 else "FALSE",
        "ethernet0.present": "TRUE",
        "ethernet0.virtualDev": "vmxnet3",
    }
    lines += [f'{key} = "{value}"' for key, value in settings.items()]
    for number, address in enumerate(devices):
        vendor, _, device = guest.ids.get(address, "").partition(":")
        lines.append(f'pciPassthru{number}.present = "TRUE"')
        lines.append(f'pciPassthru{number}.id = "{device_id(address)}"')
        if device:
            lines.append(f'pciPassthru{number}.vendorId = "0x{vendor}"')
            lines.append(f'pciPassthru{number}.deviceId = "0x{device}"')
        lines.append(f'pciPassthru{number}.systemId = "UUID-OF-THE-HOST"')
    return "\n".join(lines) + "\n"
