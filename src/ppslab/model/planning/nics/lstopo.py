"""The inventory that `lstopo --of xml` writes: hwloc's description of a machine, formats 1 to 3.

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
from ppslab.core.documents import disk
from ppslab.core.errors import FileError, UsageError
from ppslab.core.text.numbers import plural
from ppslab.model.planning.nics import cards
from ppslab.model.planning.nics.machine import Card, Core, Machine, Node, Port
from ppslab.model.planning.nics.pcie import SPEEDS, Link, from_gigabytes

PACKAGES = ("Package", "Socket")
PCI = ("PCIDev", "Bridge")
NETWORK = 0x02
PCI_BRIDGE = 0x0604
# Formats 1 and 2 number the kinds of devices, format 3 has a bit for each.
_NETWORK_NUMBER, _NETWORK_BIT = 2, 16
_ADDRESS = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
_PCI_TYPE = re.compile(r"\s*([0-9a-fA-F]{4})\s+\[([0-9a-fA-F]{4}:[0-9a-fA-F]{4})\]")
_NOT_XML = "this is not what `lstopo --of xml FILE.xml` writes"


def read(path: Path, speeds: Mapping[str, float] | None = None) -> Machine:
    """The machine of a file; FileError says what is wrong with it."""
    return parse(documents.read_text(path), path, speeds)


def parse(text: str, path: Path, speeds: Mapping[str, float] | None = None) -> Machine:
    """The machine of hwloc's XML; `path` is what errors and the plan call it.

    `speeds`: Gbit/s of one port by PCI id, for cards that nics.csv does not know; UsageError for
    one that is of no card.
    """
    if len(text) > disk.TEXT:
        raise FileError(path, None, f"more than {disk.TEXT} characters: too large")
    if not text.strip():
        raise FileError(path, None, "the file is empty")
    if "<!ENTITY" in text:
        raise FileError(path, None, f"it declares entities: {_NOT_XML}")
    try:
        root = ET.fromstring(text)
    except ET.ParseError as error:
        raise FileError(path, error.position[0], f"not XML ({error}): {_NOT_XML}") from None
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
    nodes = tuple(walk.nodes())
    cpu = walk.infos.get("CPUModel", "").strip()
    found = _cards(walk, nodes, dict(speeds or {}), cpu)
    return Machine(
        path.name,
        nodes,
        found,
        tuple(dict.fromkeys(walk.notes)),
        walk.infos.get("DMIProductName", "").strip(),
        cpu,
    )


@dataclass(frozen=True)
class _Function:
    """One PCI function.

    `kind`: the class code's first two bytes, 0x0200 for Ethernet; `id`: `8086:10fb`; `cpus`: those
    that it is near to; `parent`: the address of the bridge above, empty at a root; `speed`: GB/s of
    its link.
    """

    address: str
    kind: int
    id: str
    name: str
    slot: str
    netdevs: tuple[str, ...]
    cpus: frozenset[int]
    parent: str
    speed: float


@dataclass(frozen=True)
class _Above:
    """The place of an object in the tree: package, core, the CPUs near to it, the bridge above."""

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
    devices: dict[str, _Function] = field(default_factory=dict)
    infos: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    cores: int = 0

    def all_below(self, root: ET.Element) -> None:
        """Visit every object, in the order of the file, however deeply they are nested."""
        ahead = [(child, _Above()) for child in reversed(root.findall("object"))]
        while ahead:
            element, above = ahead.pop()
            inside = self._visit(element, above)
            ahead += [(child, inside) for child in reversed(element.findall("object"))]

    def _visit(self, element: ET.Element, above: _Above) -> _Above:
        """Note an object; what is returned stands above its children."""
        kind = element.get("type", "")
        cpus = self._bitmap(element.get("cpuset"))
        if cpus is not None:
            above = replace(above, cpus=cpus)
        if kind in ("Machine", *PACKAGES):
            self._infos(element)
        if kind in PACKAGES:
            above = replace(above, package=self._number(element, "os_index"), core=None)
        elif kind == "Core":
            self.cores += 1
            above = replace(above, core=self.cores)
        elif kind == "PU":
            self.cores += above.core is None
            core = above.core if above.core is not None else self.cores
            self.threads.append((self._number(element, "os_index"), above.package, core))
        elif kind == "NUMANode":
            memory = element.get("local_memory")
            size = int(memory) if memory and memory.isdecimal() else None
            self.memories[self._number(element, "os_index")] = (cpus or frozenset(), size)
        elif kind in PCI:
            above = self._function(element, above)
        return above

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
                whole = (Core(package, tuple(sorted(cpu))) for (package, _), cpu in cores.items())
                yield Node(index, memory, tuple(sorted(whole, key=lambda core: core.cpus)))

    def node_of(self, cpus: frozenset[int]) -> int | None:
        """The one node whose CPUs these are; None where they belong to several."""
        places = {n: own for n, (own, _) in self.memories.items() if own & cpus}
        exact = [n for n, own in places.items() if own == cpus]
        if exact or len(places) == 1:
            # Memory without CPUs of its own, as HBM, shares the CPUs of a node: the first is it.
            return min(exact or places)
        return None

    def above(self, function: _Function) -> list[_Function]:
        """The bridges from a function up to its root port."""
        path: list[_Function] = []
        # A damaged file may go round in a ring.
        while function.parent and len(path) < len(self.devices):
            function = self.devices[function.parent]
            path.append(function)
        return path

    def _infos(self, element: ET.Element) -> None:
        for info in element.findall("info"):
            name, value = info.get("name", ""), info.get("value", "")
            if name == "ppslabNote":
                self.notes.append(value)
            else:
                self.infos.setdefault(name, value)

    def _function(self, element: ET.Element, above: _Above) -> _Above:
        """Note a function or a bridge; what is returned stands above its children."""
        address = element.get("pci_busid")
        if address is None:
            return above  # a host bridge: the CPU's own end of PCI
        address = address.lower()
        if not _ADDRESS.fullmatch(address):
            raise FileError(self.path, None, f"pci_busid {address!r} is not a PCI address")
        kind = _PCI_TYPE.match(element.get("pci_type", ""))
        infos = {info.get("name"): info.get("value", "") for info in element.findall("info")}
        try:
            speed = float(element.get("pci_link_speed", "0"))
        except ValueError:
            text = element.get("pci_link_speed")
            raise FileError(
                self.path, None, f"{address}: pci_link_speed {text!r} is no number"
            ) from None
        self.devices[address] = _Function(
            address=address,
            kind=int(kind[1], 16) if kind else 0,
            id=kind[2].lower() if kind else "",
            name=" ".join(filter(None, (infos.get("PCIVendor"), infos.get("PCIDevice")))),
            slot=infos.get("PCISlot", ""),
            netdevs=tuple(
                child.get("name", "")
                for child in element.findall("object")
                if child.get("type") == "OSDev" and self._is_network(child)
            ),
            cpus=above.cpus,
            parent=above.bridge,
            speed=speed,
        )
        return replace(above, bridge=address)

    def _is_network(self, element: ET.Element) -> bool:
        kind = element.get("osdev_type", "")
        if not kind.isdecimal():
            return False
        return bool(int(kind) & _NETWORK_BIT) if self.bits else int(kind) == _NETWORK_NUMBER

    def _number(self, element: ET.Element, name: str) -> int:
        value = element.get(name, "")
        if not value.isdecimal():
            kind = element.get("type")
            raise FileError(self.path, None, f"a {kind} without {name}: {_NOT_XML}")
        return int(value)

    def _bitmap(self, text: str | None) -> frozenset[int] | None:
        """A bitmap of hwloc, `0x0000ffff,0xff000000`: words of 32 bits, the lowest last."""
        if text is None:
            return None
        cpus: set[int] = set()
        try:
            for position, word in enumerate(reversed(text.split(","))):
                if word == "0xf...f":
                    continue  # "and all above": no CPU of a machine is there
                bits = int(word, 16) if word else 0
                cpus.update(position * 32 + bit for bit in range(32) if bits >> bit & 1)
        except ValueError:
            raise FileError(self.path, None, f"{text!r} is not a set of CPUs") from None
        return frozenset(cpus)


def _cards(
    walk: _Walk, nodes: tuple[Node, ...], speeds: Mapping[str, float], cpu: str
) -> tuple[Card, ...]:
    """Gather the network functions into cards, in the order of their addresses."""
    own: dict[str, list[_Function]] = {}
    virtual = 0
    for function in sorted(walk.devices.values(), key=lambda function: function.address):
        if function.kind >> 8 != NETWORK:
            continue
        if cards.is_virtual(function.id, function.name):
            virtual += 1
        else:
            own.setdefault(function.address.rpartition(".")[0], []).append(function)
    if virtual:
        walk.notes.append(
            f"{plural(virtual, 'virtual function is', 'virtual functions are')} on; turn them off "
            "before you pass a whole port through (sriov_numvfs = 0)."
        )
    processor = cards.cpu_of(cpu)
    newest = processor.pcie if processor else max(SPEEDS)
    gathered = tuple(_card(walk, each, nodes, speeds, newest) for each in own.values())
    for pci_id in speeds:
        if all(card.id != pci_id for card in gathered):
            without = ", ".join(card.id for card in gathered if card.gbits is None) or "none"
            raise UsageError(
                f"--speed {pci_id}: no card of the inventory; without a speed are: {without}"
            )
    return gathered


def _card(
    walk: _Walk,
    functions: list[_Function],
    nodes: tuple[Node, ...],
    speeds: Mapping[str, float],
    newest: int,
) -> Card:
    """The card of these functions; `newest`: the processor's generation of PCIe."""
    first = functions[0]
    chip = cards.load().get(first.id)
    path = walk.above(first)
    capable = chip.link if chip else None
    root = next((each for each in reversed(path) if each.kind == PCI_BRIDGE), None)
    near = (walk.node_of(each.cpus) for each in functions)
    # Linux knows no node of a card where there is but one.
    node = nodes[0].index if len(nodes) == 1 else next((n for n in near if n is not None), None)
    return Card(
        address=first.address.rpartition(".")[0],
        id=first.id,
        name=chip.card if chip else first.name or first.id,
        node=node,
        slot=next((each.slot for each in (*functions, *path) if each.slot), ""),
        ports=tuple(Port(each.address, "/".join(each.netdevs), each.kind) for each in functions),
        gbits=speeds.get(first.id)
        or (chip.gbits if chip else None)
        or cards.speed_of_name(first.name),
        links=_links(first.speed, capable, newest),
        capable=capable,
        root=root.address if root else "",
        root_links=_links(root.speed, None, newest) if root else (),
    )


def _links(speed: float, capable: Link | None, newest: int) -> tuple[Link, ...]:
    """The links of so many GB/s that the processor and the card could have, oldest first.

    PCIe 3.0 x16, 4.0 x8 and 5.0 x4 carry the same, so a rate alone does not say which it is:
    it is the whole of what the card could run if that fits.
    """
    links = sorted(link for link in from_gigabytes(speed) if link.generation <= newest)
    if capable is None:
        return tuple(links)
    if capable in links:
        return (capable,)
    # A card never runs more than it could, so the others are out of the question; where none
    # is left, the inventory knows better than the list of cards.
    possible = tuple(
        link
        for link in links
        if link.generation <= capable.generation and link.width <= capable.width
    )
    return possible or tuple(links)
