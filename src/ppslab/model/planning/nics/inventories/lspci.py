"""Reads what `lspci -vv` writes, with or without -nn, -n and -D.

No library does: pylspci 0.4 reads `lspci -mm` and `-vmm`, which have no links in them; py-lspci
0.0.9 takes a link by its place in the line, and knows no MaxPayload and no virtual functions.

`lspci` knows cards and their links, and no CPU, which lists beside it have: `grep .
/sys/bus/pci/devices/*/numa_node` for the nodes of cards where lspci prints none, and
`lscpu -p=CPU,CORE,SOCKET,NODE`.
The words are those of pciutils' source (ls-caps.c, lspci.c), versions 3.5 to 3.13.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import FileError
from ppslab.model.planning.nics.assembling import assemble
from ppslab.model.planning.nics.machine import (
    ADDRESS,
    NETWORK,
    PCI_BRIDGE,
    Core,
    Device,
    Machine,
    Node,
    address_of,
)
from ppslab.model.planning.nics.pcie import PAYLOADS, WIDTHS, Link, generation_of

_HEAD = re.compile(rf"^({ADDRESS.pattern}) (.+)$", re.IGNORECASE)
_CLASS_CODE = re.compile(r"(?:^|\[)([0-9a-f]{4})\]?:", re.IGNORECASE)
_DEVICE_ID = re.compile(r"\b([0-9a-f]{4}:[0-9a-f]{4})\b", re.IGNORECASE)
_CAPABLE = re.compile(r"^\s+LnkCap:.*?Speed (\d+(?:\.\d+)?)GT/s.*?Width x(\d+)")
_STATE = re.compile(r"^\s+LnkSta:.*?Speed (\d+(?:\.\d+)?)GT/s.*?Width x(\d+)")
_CONTROL = re.compile(r"MaxPayload (\d+) bytes, MaxReadReq (\d+) bytes")
_NUMA = re.compile(r"^\s+NUMA node: (-?\d+)")
_SLOT = re.compile(r"^\s+Physical Slot: (\S+)")
_SLOT_NUMBER = re.compile(r"^\s+Slot #(\d+),")
_IOMMU = re.compile(r"^\s+IOMMU group: (\d+)")
_DRIVER = re.compile(r"^\s+Kernel driver in use: (\S+)")
_BUSES = re.compile(r"^\s+Bus: primary=([0-9a-f]{2}), secondary=([0-9a-f]{2})")
_ACTIVE = re.compile(r"^\s+LnkSta:.*DLActive\+")
_PARTS = re.compile(r"Number of VFs: (\d+),")
_PLACES = re.compile(r"VF offset: (\d+), stride: (\d+)")
_SYSFS = re.compile(rf"({ADDRESS.pattern})\S*[\s:=]+(-?\d+)\s*$", re.IGNORECASE)
_DENIED = "<access denied>"

# What lspci prints of a class whose code it does not print; the names are those of pci.ids.
_CLASSES = {
    "Ethernet controller": 0x0200,
    "Infiniband controller": 0x0207,
    "Fabric controller": 0x0208,
    "Network controller": 0x0280,
    "PCI bridge": PCI_BRIDGE,
}

_COMPLAINTS = ("lspci:", "pcilib:", "sysfs_read_vpd:")
_HOW = "as root: lspci -nnvv > FILE"


@dataclass(frozen=True)
class Beside:
    """What stands beside lspci's output: the nodes of cards by address, and the nodes' CPUs."""

    numa: Mapping[str, int] = field(default_factory=dict)
    nodes: tuple[Node, ...] = ()


def is_lspci(text: str) -> bool:
    """Whether a text looks like lspci's."""
    return any(_HEAD.match(line) for line in text.splitlines()[:50])


def read(
    path: Path, beside: Beside | None = None, speeds: Mapping[str, float] | None = None
) -> Machine:
    """The machine of a file; FileError says what is wrong with it."""
    return parse(documents.read_text(path), path, beside, speeds)


def parse(
    text: str,
    path: Path,
    beside: Beside | None = None,
    speeds: Mapping[str, float] | None = None,
) -> Machine:
    """The machine of lspci's words; `path` is what errors and the plan call it."""
    beside = beside or Beside()
    blocks = list(_blocks(text, path))
    if not blocks:
        raise FileError(path, None, f"the file contains no PCI device; create it {_HOW}")
    if all(not block.lines for block in blocks):
        raise FileError(
            path,
            None,
            f"this is output of lspci without -vv, so it contains no links; create it {_HOW}",
        )
    bridges = _bridges(blocks)
    doubts = list(_lost(text, blocks))
    devices = [block.device(bridges, beside.numa) for block in blocks]
    notes = [said for block in blocks if (said := block.unknown_link)]
    if any(_DENIED in line for block in blocks for line in block.lines):
        notes.append(f"lspci was not allowed to read the links: create the inventory {_HOW}.")
    network = [each for each in devices if each.network]
    if network and len(beside.nodes) != 1 and all(each.node is None for each in network):
        notes.append(
            "No NUMA node is printed: one node, or an old lspci. For the nodes: "
            "grep . /sys/bus/pci/devices/*/numa_node > FILE, then --numa-nodes FILE."
        )
    if not beside.nodes:
        notes.append(
            "lspci does not know the CPUs. For the placement of the guest: "
            "lscpu -p=CPU,CORE,SOCKET,NODE > FILE, then --cpus FILE."
        )
    return assemble(path.name, beside.nodes, devices, notes=notes, doubts=doubts, speeds=speeds)


@dataclass
class _Block:
    """One device: its line, and the lines below it with their numbers in the file."""

    path: Path
    address: str
    head: str
    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)

    def first(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The first line that the pattern fits."""
        return next((m for line in self.lines if (m := pattern.search(line))), None)

    def number(self, pattern: re.Pattern[str]) -> int | None:
        """The number of that line."""
        fitting = (
            n for n, line in zip(self.numbers, self.lines, strict=True) if pattern.search(line)
        )
        return next(fitting, None)

    def device(self, bridges: Mapping[str, str], numa: Mapping[str, int]) -> Device:
        """What the lines say."""
        node = self.first(_NUMA)
        control = self.first(_CONTROL)
        iommu = self.first(_IOMMU)
        driver = self.first(_DRIVER)
        slot = self.first(_SLOT)
        behind = self.first(_SLOT_NUMBER)  # of the slot below a root port; 0 is none
        number = int(node[1]) if node else -1
        name, pci_id = self._name()
        return Device(
            address=self.address,
            kind=self.kind,
            id=pci_id,
            name=name,
            node=number if number >= 0 else numa.get(self.address),
            slot=slot[1] if slot else behind[1] if behind and behind[1] != "0" else "",
            parent=bridges.get(self.address.rpartition(":")[0], ""),
            link=self._link(_STATE),
            capable=self._link(_CAPABLE),
            payload=self._bytes(control, 1),
            request=self._bytes(control, 2),
            parts=tuple(self._parts()),
            iommu=int(iommu[1]) if iommu else None,
            driver=driver[1] if driver else "",
        )

    @property
    def kind(self) -> int:
        """The class code, as a number or by the class's name."""
        code = _CLASS_CODE.search(self.head)
        if code:
            return int(code[1], 16)
        name = self.head.partition(":")[0].strip()
        return _CLASSES.get(name, 0)

    def _name(self) -> tuple[str, str]:
        """The device's name without what -nn and the revision add, and its id where printed."""
        rest = self.head.partition(": ")[2]
        ids = _DEVICE_ID.findall(rest)
        name = re.sub(r"\s*\((?:rev|prog-if)[^)]*\)", "", rest)
        name = re.sub(r"\s*\[[0-9a-f]{4}:[0-9a-f]{4}\]", "", name, flags=re.IGNORECASE).strip()
        return ("" if ids and name == ids[-1] else name), (ids[-1].lower() if ids else "")

    def _bytes(self, control: re.Match[str] | None, which: int) -> int | None:
        """MaxPayload or MaxReadReq; FileError for a size that a network card cannot have."""
        if control is None or self.kind >> 8 != NETWORK:
            return None
        size = int(control[which])
        if size not in PAYLOADS:
            name = ("MaxPayload", "MaxReadReq")[which - 1]
            raise FileError(
                self.path,
                self.number(_CONTROL),
                f"{name} {size} bytes: there are {', '.join(str(each) for each in PAYLOADS)}",
            )
        return size

    def _parts(self) -> Iterator[str]:
        """The addresses of its virtual functions (PCI Express Base Specification 5.0, 9.3.3.9)."""
        count, places = self.first(_PARTS), self.first(_PLACES)
        if count is None or places is None or not int(places[1]):
            return
        domain, bus, rest = self.address.split(":")
        device, function = rest.split(".")
        routing = int(bus, 16) << 8 | int(device, 16) << 3 | int(function)
        for number in range(min(int(count[1]), 0xFFFF)):
            at = routing + int(places[1]) + number * int(places[2])
            yield f"{domain}:{at >> 8 & 0xFF:02x}:{at >> 3 & 0x1F:02x}.{at & 7}"

    def _link(self, pattern: re.Pattern[str]) -> Link | None:
        """The link of a line; None where it is down (`Width x0`), not there, or not known here."""
        found = self.first(pattern)
        if found is None or self.kind >> 8 not in (NETWORK, PCI_BRIDGE >> 8):
            return None
        generation, width = generation_of(float(found[1])), int(found[2])
        return Link(generation, width) if generation is not None and width in WIDTHS else None

    @property
    def unknown_link(self) -> str:
        """In words, a card's link that no generation known here has; empty for all others."""
        found = self.first(_STATE)
        if self.kind >> 8 != NETWORK or found is None or found[2] == "0" or self._link(_STATE):
            return ""
        return f"{self.address}: {found[1]} GT/s x{found[2]} is no link of PCIe 1.0 to 5.0."


def _blocks(text: str, path: Path) -> Iterator[_Block]:
    block: _Block | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        head = _HEAD.match(line)
        if head:
            if block:
                yield block
            address = address_of(head[1])
            assert address is not None
            block = _Block(path, address, head[head.lastindex or 0])
        elif line[:1] in (" ", "\t") and block:
            block.lines.append(line)
            block.numbers.append(number)
        elif line.startswith(_COMPLAINTS):
            continue  # its own complaints, with 2>&1 in the same file
        elif line.strip() and block is not None:
            raise FileError(
                path,
                number,
                f"{line.strip()[:60]!r} is not a line of lspci -vv; create the file {_HOW}",
            )
    if block:
        yield block


def _lost(text: str, blocks: list[_Block]) -> Iterator[str]:
    """Why devices may be missing: the file ends too early, or a link leads to none of them."""
    if not text.endswith("\n"):
        yield (
            f"The inventory ends in the middle of the line {text.splitlines()[-1].strip()[:60]!r}: "
            f"it is cut off, and cards may be missing. Make it {_HOW}."
        )
    there = {block.address.rpartition(":")[0] for block in blocks}
    for block in blocks:
        buses = block.first(_BUSES)
        bus = f"{block.address.split(':')[0]}:{buses[2]}" if buses else ""
        if buses and buses[2] != "00" and block.first(_ACTIVE) and bus not in there:
            yield (
                f"The bridge {block.address} has a live link to bus {bus}, and no device of that "
                f"bus is in the inventory: it is cut off, or was taken of some devices only. Make "
                f"it {_HOW}."
            )


def _bridges(blocks: list[_Block]) -> dict[str, str]:
    """The bridge above each bus, by `domain:bus`."""
    above = {}
    for block in blocks:
        buses = block.first(_BUSES)
        if buses and buses[2] != "00":
            domain = block.address.split(":")[0]
            above[f"{domain}:{buses[2]}"] = block.address
    return above


def read_numa_nodes(path: Path) -> dict[str, int]:
    """Nodes by address from `grep . /sys/bus/pci/devices/*/numa_node`, or `ADDRESS NODE` lines.

    -1, which Linux says where it does not know, is left out.
    """
    found: dict[str, int] = {}
    for number, line in enumerate(documents.read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        match = _SYSFS.search(line)
        address = address_of(match[1]) if match else None
        if match is None or address is None:
            message = "write a PCI address and a node, as 0000:04:00.0 1"
            raise FileError(path, number, f"{line.strip()[:60]!r}: {message}")
        if (node := int(match.groups()[-1])) >= 0:
            found[address] = node
    if not found:
        raise FileError(path, None, "no device has a node here: this machine has one node, or none")
    return found


def read_cpus(path: Path) -> tuple[Node, ...]:
    """Nodes with their CPUs from `lscpu -p=CPU,CORE,SOCKET,NODE` (lscpu(1), --parse)."""
    text = documents.read_text(path)
    wanted = "lscpu -p=CPU,CORE,SOCKET,NODE > FILE"
    cores: dict[int, dict[tuple[int, int], list[int]]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") or not line.strip():
            continue
        parts = [part.strip() for part in line.split(",")]
        try:
            cpu, core, socket = (int(part) for part in parts[:3])
            # lscpu leaves the node empty where the kernel knows none.
            node = int(parts[3] or 0)
        except (ValueError, IndexError):
            raise FileError(
                path, number, f"four numbers are needed; create the file with: {wanted}"
            ) from None
        cores.setdefault(node, {}).setdefault((socket, core), []).append(cpu)
    if not cores:
        raise FileError(path, None, f"the file contains no CPU; create it with: {wanted}")
    return tuple(
        Node(
            node,
            None,
            tuple(
                sorted(
                    (Core(socket, tuple(sorted(cpus))) for (socket, _), cpus in each.items()),
                    key=lambda core: core.cpus,
                )
            ),
        )
        for node, each in sorted(cores.items())
    )
