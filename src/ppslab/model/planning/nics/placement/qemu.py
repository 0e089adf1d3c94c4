"""The guest as a QEMU command (qemu(1); docs/pcie.txt of QEMU on where PCIe functions go)."""

from __future__ import annotations

import shlex

from ppslab.model.planning.nics.placement import Guest, cpu_list


def arguments(guest: Guest) -> list[str]:
    """QEMU's arguments: memory on the node, each card on a root port of its own.

    QEMU gives its threads no CPU; `script` starts it where all of them stay on the node.
    """
    argv = ["-name", guest.name, "-nodefaults", "-no-user-config", "-display", "none"]
    argv += ["-machine", "q35,memory-backend=ram"]
    argv += ["-accel", "kvm", "-cpu", "host,topoext=on" if guest.topoext else "host"]
    cpus = len(guest.cpus)
    argv += ["-smp", f"{cpus},sockets=1,cores={len(guest.cores)},threads={guest.threads}"]
    argv += ["-m", f"{guest.memory}M"]
    memory = f"memory-backend-ram,id=ram,size={guest.memory}M"
    argv += ["-object", f"{memory},host-nodes={guest.node},policy=bind,prealloc=on"]
    argv += ["-drive", f"file={guest.name}.img,format=raw,if=virtio"]
    argv += ["-netdev", "bridge,id=management,br=br0"]
    argv += ["-device", "virtio-net-pci,netdev=management"]
    argv += ["-serial", "mon:stdio"]
    for number, ports in enumerate(guest.ports, start=1):
        root = f"card{number}"
        argv += ["-device", f"pcie-root-port,id={root},chassis={number},slot={number}"]
        for function, port in enumerate(ports):
            device = f"vfio-pci,host={port.address},bus={root},addr=00.{function}"
            first = ",multifunction=on" if function == 0 and len(ports) > 1 else ""
            argv += ["-device", device + first]
    return argv


def script(guest: Guest) -> str:
    """A shell script: the ports to vfio-pci, then QEMU on the node's CPUs."""
    argv = arguments(guest)
    pairs: list[str] = []
    for word in argv:
        if word.startswith("-") or not pairs:
            pairs.append(word)
        else:
            pairs[-1] += f" {shlex.quote(word)}"
    lines = [
        "#!/bin/sh",
        "# The host's kernel needs intel_iommu=on (AMD: nothing) and iommu=pt on its command line.",
        "set -e",
        "modprobe vfio-pci",
        f"for port in {' '.join(guest.addresses)}; do",
        "    device=/sys/bus/pci/devices/$port",
        '    echo vfio-pci > "$device/driver_override"',
        '    if [ -e "$device/driver" ]; then echo "$port" > "$device/driver/unbind"; fi',
        '    echo "$port" > /sys/bus/pci/drivers_probe',
        "done",
        f"# CPUs {cpu_list(guest.host) or 'none'} of the node stay with the host.",
        f"exec numactl --physcpubind={cpu_list(guest.cpus)} --membind={guest.node} \\",
        "    qemu-system-x86_64 \\",
    ]
    lines += [f"    {pair} \\" for pair in pairs[:-1]] + [f"    {pairs[-1]}"]
    return "\n".join(lines) + "\n"
