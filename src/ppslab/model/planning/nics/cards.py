"""Network cards by their PCI id (ports, speed, link), and processors by their name.

`nics.csv` holds a row a chip, with its source.  A row without ports is a virtual function: a part
of another card, which brings no port of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import UsageError
from ppslab.model.planning.nics.pcie import Link

FILE = Path(__file__).with_name("nics.csv")
CPUS = Path(__file__).with_name("cpus.csv")
QPI_BITS = 16
"""Data bits of one QPI transfer in one direction: 20 lanes, of which 16 carry data
(Intel, "An Introduction to the Intel QuickPath Interconnect", 2009)."""

PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")

# pci.ids: "X550 Virtual Function", "T520-CR Unified Wire Ethernet Controller [VF]", and Cisco's.
_PART = re.compile(r"Virtual Function|\bVF\b|VIC Userspace NIC|VIC Ethernet NIC Dynamic", re.I)

# The speed in a name of pci.ids, fastest first: "ConnectX-6 100GbE", "10-Gigabit X540",
# "Ethernet 10G 2P X520".
_SPEEDS = (
    (re.compile(r"\b(\d+)[ -]?(?:GbE|Gb/s|Gbps|Gigabit|GBASE|GBase|G\b)", re.IGNORECASE), None),
    (re.compile(r"\bGigabit|\b1000BASE", re.IGNORECASE), 1.0),
    (re.compile(r"\bFast Ethernet|\b10/100\b", re.IGNORECASE), 0.1),
)


@dataclass(frozen=True)
class KnownCard:
    """A chip.  `gbits`: the speed of one port in Gbit/s; `ports` 0 for a virtual function."""

    id: str
    card: str
    ports: int
    gbits: float
    generation: int
    width: int
    source: str

    @property
    def link(self) -> Link:
        """The link that the chip could run."""
        return Link(self.generation, self.width)


@lru_cache(maxsize=1)
def load() -> dict[str, KnownCard]:
    """Every known chip by its PCI id."""
    return {chip.id: chip for chip in documents.read_table(FILE, KnownCard, unique=["id"])}


def is_virtual(pci_id: str, name: str) -> bool:
    """True if an id or a name is that of a part of another card.

    >>> is_virtual("", "Cisco Systems Inc VIC Userspace NIC"), is_virtual("8086:10ed", "")
    (True, True)
    """
    chip = load().get(pci_id)
    return bool(_PART.search(name)) or (chip is not None and not chip.ports)


def speed_of_name(name: str) -> float | None:
    """Gbit/s as a name says it; None where it does not.

    >>> speed_of_name("Ethernet Controller E810-C 100GbE"), speed_of_name("RTL8111 Gigabit")
    (100.0, 1.0)
    """
    for pattern, fixed in _SPEEDS:
        if match := pattern.search(name):
            return fixed if fixed is not None else float(match[1])
    return None


def speeds_of(words: list[str]) -> dict[str, float]:
    """Parse `8086:10fb=10` as Gbit/s of a port by PCI id; UsageError for anything else."""
    speeds: dict[str, float] = {}
    for word in words:
        pci_id, _, speed = word.lower().partition("=")
        try:
            gbits = float(speed)
        except ValueError:
            gbits = 0.0
        if not PCI_ID.fullmatch(pci_id) or not 0 < gbits <= 1600:
            raise UsageError(
                f"--speed {word}: give a card's id and the Gbit/s of one port: 8086:10fb=10"
            )
        speeds[pci_id] = gbits
    return speeds


@dataclass(frozen=True)
class Cpu:
    """A processor.  `link_gts`: the link between sockets in GT/s; `pcie`: the generation."""

    cpu: str
    socket_link: str
    link_gts: float
    pcie: int
    source: str

    @property
    def link_gigabits(self) -> float:
        """Gbit/s of data of one link to the other socket, in one direction.

        >>> load_cpus()["E5-2650 v4"].link_gigabits
        153.6
        """
        return round(self.link_gts * QPI_BITS, 3)


@lru_cache(maxsize=1)
def load_cpus() -> dict[str, Cpu]:
    """The processors by name."""
    return {cpu.cpu: cpu for cpu in documents.read_table(CPUS, Cpu, unique=["cpu"])}


def cpu_of(model: str) -> Cpu | None:
    """The processor in a name such as `Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz`."""
    return next((each for name, each in load_cpus().items() if name in model), None)
