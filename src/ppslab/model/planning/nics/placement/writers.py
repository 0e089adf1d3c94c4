"""The hypervisors by name."""

from __future__ import annotations

from collections.abc import Mapping

from ppslab.model.planning.nics.placement import Writer, esxi, libvirt, proxmox, qemu

WRITERS: Mapping[str, Writer] = {
    "qemu": qemu.script,
    "libvirt": libvirt.script,
    "proxmox": proxmox.script,
    "esxi": esxi.script,
}
