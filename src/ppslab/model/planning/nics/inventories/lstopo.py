"""Reads what `lstopo --of xml` writes: hwloc's description of a machine, formats 1, 2 and 3.

The attributes are those of hwloc.dtd and hwloc2.dtd; how PCI objects hang below the part of the
machine that they are near to is in hwloc's manual, "I/O Devices".
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ppslab.core import documents
from ppslab.core.documents import bounded
from ppslab.core.errors import FileError
from ppslab.model.planning.nics.assembling import assemble
from ppslab.model.planning.nics.machine import Core, Device, Machine, Node, address_of

MOST_CHARACTERS = bounded.TEXT
PACKAGES = ("Package", "Socket")
PCI = ("PCIDev", "Bridge")
# Formats 1 and 2 number the kinds of devices, format 3 has a bit for each.
_NETWORK_NUMBER, _NETWORK_BIT = 2, 16
_PCI_TYPE = re.compile(r"\s*([0-9a-fA-F]{4})\s+\[([0-9a-fA-F]{4}):([0-9a-fA-F]{4})\]")
_NOT_XML = "this is not what `lstopo --of xml FILE.xml` writes"


def is_lstopo(text: str) -> bool:
    """Whether a text looks like hwloc's XML."""
    return text.lstrip()[:1] == "<"


def read(path: Path, speeds: Mapping[str, float] | None = None) -> Machine:
    """The machine of a file; FileError says what is wrong with it."""
    return parse(documents.read_text(path), path, speeds)


def parse(
    text: str,
    path: Path,
    speeds: Mapping[str, float] | None = None,
    numa: Mapping[str, int] | None = None,
) -> Machine:
    """The machine of hwloc's XML; `path` is what errors and the plan call it.

    `numa`: nodes by address, for cards that hwloc puts near to no node.
    """
    if len(text) > MOST_CHARACTERS:
        raise FileError(path, None, f"more than {MOST_CHARACTERS} characters: too large")
    if "<!ENTITY" in text:
        raise FileError(path, None, f"it declares entities: {_NOT_XML}")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise FileError(path, error.position[0], f"not XML: {error}") from None
    if root.tag != "topology":
        raise FileError(path, 1, f"the outermost element is {root.tag!r}: {_NOT_XML}")
    walk = _Walk(path, bits=root.get("version", "1").startswith("3"))
    walk.all_below(root)
    if not walk.threads:
        raise FileError(path, None, f"no CPU (object of type PU) in it: {_NOT_XML}")
    if not walk.devices:
        walk.notes.append(
            "No PCI device is in the inventory: lstopo leaves them out with --no-io, "
            "and in a container."
        )
    return assemble(
        path.name,
        walk.nodes(),
        [
            replace(each, node=numa.get(each.address)) if numa and each.node is None else each
            for each in walk.devices
        ],
        notes=walk.notes,
        speeds=speeds,
        name=walk.infos.get("DMIProductName", "").strip(),
        cpu=walk.infos.get("CPUModel", "").strip(),
    )


@dataclass(frozen=True)
class _Above:
    """What stands above an object: package, core, the CPUs of the place, the bridge, the slot."""

    package: int = 0
    core: int | None = None
    cpus: frozenset[int] = frozenset()
    bridge: str = ""


@dataclass
class _Walk:
    """One pass over the tree, in which everything hangs below what it is part of or near to."""

    path: Path
    bits: bool
    threads: list[tuple[int, int, int]] = field(default_factory=list)  # CPU, package, core
    memories: dict[int, tuple[frozenset[int], int | None]] = field(default_factory=dict)
    near: dict[str, frozenset[int]] = field(default_factory=dict)
    found: list[Device] = field(default_factory=list)
    infos: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    cores: int = 0

    def all_below(self, root: ET.Element) -> None:
        """Visit every object, in the order of the file, however deeply they are nested."""
        ahead = [(child, _Above()) for child in reversed(root.findall("object"))]
        while ahead:
            element, above = ahead.pop()
            inside = self.visit(element, above)
            ahead += [(child, inside) for child in reversed(element.findall("object"))]

    def visit(self, element: ET.Element, above: _Above) -> _Above:
        """Note an object; what is returned stands above its children."""
        kind = element.get("type", "")
        cpus = self._bitmap(element.get("cpuset"))
        if cpus is not None:
            above = _Above(above.package, above.core, cpus, above.bridge)
        if kind in ("Machine", *PACKAGES):
            self._infos(element)
        if kind in PACKAGES:
            above = _Above(self._number(element, "os_index"), None, above.cpus, above.bridge)
        elif kind == "Core":
            self.cores += 1
            above = _Above(above.package, self.cores, above.cpus, above.bridge)
        elif kind == "PU":
            self._thread(element, above)
        elif kind == "NUMANode":
            memory = element.get("local_memory")
            size = int(memory) if memory and memory.isdigit() else None
            self.memories[self._number(element, "os_index")] = (cpus or frozenset(), size)
        elif kind in PCI:
            above = self._device(element, above)
        return above

    @property
    def devices(self) -> list[Device]:
        """The PCI functions, each with the node that holds the CPUs it is near to."""
        return [
            Device(**{**vars(each), "node": self._node_of(self.near[each.address])})
            for each in self.found
        ]

    def nodes(self) -> Iterator[Node]:
        """The NUMA nodes that have CPUs; one with all CPUs where the file names none."""
        places = dict(self.memories) or {0: (frozenset(cpu for cpu, *_ in self.threads), None)}
        taken: set[int] = set()
        for index, (cpus, memory) in sorted(places.items()):
            if cpus <= taken:
                continue  # memory of another kind beside the same CPUs, or without any
            taken |= cpus
            cores: dict[tuple[int, int], list[int]] = {}
            for cpu, package, core in self.threads:
                if cpu in cpus:
                    cores.setdefault((package, core), []).append(cpu)
            if cores:
                made = (Core(package, tuple(sorted(cpu))) for (package, _), cpu in cores.items())
                yield Node(index, memory, tuple(sorted(made, key=lambda core: core.cpus)))

    def _node_of(self, cpus: frozenset[int]) -> int | None:
        """The one node whose CPUs these are; None where they belong to several."""
        places = {n: own for n, (own, _) in self.memories.items() if own & cpus}
        exact = [n for n, own in places.items() if own == cpus]
        if exact or len(places) == 1:
            # Memory without CPUs of its own, as HBM, shares the CPUs of a node: the first is it.
            return min(exact or places)
        return None

    def _infos(self, element: ET.Element) -> None:
        for info in element.findall("info"):
            name, value = info.get("name", ""), info.get("value", "")
            if name == "ppslabNote":
                self.notes.append(value)
            else:
                self.infos.setdefault(name, value)

    def _thread(self, element: ET.Element, above: _Above) -> None:
        self.cores += above.core is None
        core = above.core if above.core is not None else self.cores
        self.threads.append((self._number(element, "os_index"), above.package, core))

    def _device(self, element: ET.Element, above: _Above) -> _Above:
        """Note a function or a bridge; what is returned stands above its children."""
        bus = element.get("pci_busid")
        if bus is None:
            return above  # a host bridge: the CPU's own end of PCI
        address = address_of(bus)
        if address is None:
            raise FileError(self.path, None, f"pci_busid {bus!r} is not a PCI address")
        parts = _PCI_TYPE.match(element.get("pci_type", ""))
        infos = {each.get("name"): each.get("value", "") for each in element.findall("info")}
        speed = element.get("pci_link_speed", "0")
        try:
            gigabytes = float(speed)
        except ValueError:
            raise FileError(
                self.path, None, f"{address}: pci_link_speed {speed!r} is no number"
            ) from None
        names = [
            each.get("name", "")
            for each in element.findall("object")
            if each.get("type") == "OSDev" and self._is_network(each)
        ]
        self.near[address] = above.cpus
        self.found.append(
            Device(
                address=address,
                kind=int(parts[1], 16) if parts else 0,
                id=f"{parts[2]}:{parts[3]}".lower() if parts else "",
                name=" ".join(filter(None, (infos.get("PCIVendor"), infos.get("PCIDevice")))),
                slot=infos.get("PCISlot", ""),
                netdevs=tuple(names),
                parent=above.bridge,
                speed=gigabytes,
            )
        )
        return _Above(above.package, above.core, above.cpus, address)

    def _is_network(self, element: ET.Element) -> bool:
        kind = element.get("osdev_type", "")
        if not kind.isdigit():
            return False
        return bool(int(kind) & _NETWORK_BIT) if self.bits else int(kind) == _NETWORK_NUMBER

    def _number(self, element: ET.Element, name: str) -> int:
        value = element.get(name, "")
        if not value.isdigit():
            kind = element.get("type")
            raise FileError(self.path, None, f"a {kind} without {name}: {_NOT_XML}")
        return int(value)

    def _bitmap(self, text: str | None) -> frozenset[int] | None:
        """A bitmap of hwloc, `0x0000ffff,0xff000000`: words of 32 bits, the lowest last."""
        if text is None:
            return None
        found: set[int] = set()
        try:
            for position, word in enumerate(reversed(text.split(","))):
                if word == "0xf...f":
                    continue  # "and all above": no CPU of a machine is there
                bits = int(word, 16) if word else 0
                found.update(position * 32 + bit for bit in range(32) if bits >> bit & 1)
        except ValueError:
            raise FileError(self.path, None, f"{text!r} is not a set of CPUs") from None
        return frozenset(found)
