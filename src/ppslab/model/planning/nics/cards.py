"""Network cards by their PCI id: ports, their speed, and the link to the machine.

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
COLUMNS = ("id", "card", "ports", "gbits", "generation", "width", "source")
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
    """A chip.  `gbits`: the speed of one port in Gbit/s; `link`: None for a virtual function."""

    id: str
    card: str
    ports: int
    gbits: float
    link: Link | None
    source: str


@lru_cache(maxsize=1)
def load() -> dict[str, KnownCard]:
    """Every known chip by its PCI id."""
    return read(FILE)


def read(path: Path) -> dict[str, KnownCard]:
    """The chips of a file; FileError names the line of what is wrong."""
    chips: dict[str, KnownCard] = {}
    for row in documents.read_csv(path, COLUMNS):
        if not PCI_ID.fullmatch(row["id"]):
            raise row.error(f"id {row['id']!r} is not a PCI id such as 8086:10fb")
        if row["id"] in chips:
            raise row.error(f"{row['id']} appears twice")
        try:
            ports, gbits = int(row["ports"]), float(row["gbits"])
            link = Link(int(row["generation"]), int(row["width"])) if ports else None
        except ValueError as error:
            raise row.error(f"ports, gbits, generation and width are numbers: {error}") from None
        except UsageError as error:
            raise row.error(str(error)) from None
        chips[row["id"]] = KnownCard(row["id"], row["card"], ports, gbits, link, row["source"])
    return chips


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
