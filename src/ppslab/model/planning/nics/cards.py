"""Network cards by their PCI id: how many ports, how fast, and which link to the machine they have.

`nics.csv` holds a row a chip, with its source.  A row without ports is a virtual function: a part
of another card, which brings no port of its own.  `named` is how pci.ids calls it, with ` | `
between the names that it has had.
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
COLUMNS = ("id", "card", "ports", "gbits", "generation", "width", "named", "source")
PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")

_CARD = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}:[0-9a-f]{2})(?:\.[0-7])?")

# pci.ids: "X550 Virtual Function", "T520-CR Unified Wire Ethernet Controller [VF]", and Cisco's.
_PART = re.compile(r"Virtual Function|\bVF\b|VIC Userspace NIC|VIC Ethernet NIC Dynamic", re.I)

# How the names in pci.ids say the speed, fastest first: "ConnectX-6 100GbE", "10-Gigabit X540",
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
    named: str
    source: str

    @property
    def virtual(self) -> bool:
        """Whether it is a part of another card."""
        return self.ports == 0


@lru_cache(maxsize=1)
def load() -> dict[str, KnownCard]:
    """Every known chip by its PCI id."""
    return read(FILE)


def read(path: Path) -> dict[str, KnownCard]:
    """The chips of a file; FileError names the line of what is wrong."""
    found: dict[str, KnownCard] = {}
    for row in documents.read_csv(path, COLUMNS):
        if not PCI_ID.fullmatch(row["id"]):
            raise row.error(f"id {row['id']!r} is not a PCI id such as 8086:10fb")
        if row["id"] in found:
            raise row.error(f"{row['id']} appears twice")
        try:
            ports, gbits = int(row["ports"]), float(row["gbits"])
            link = Link(int(row["generation"]), int(row["width"])) if ports else None
        except ValueError as error:
            raise row.error(f"ports, gbits, generation and width are numbers: {error}") from None
        except UsageError as error:
            raise row.error(str(error)) from None
        found[row["id"]] = KnownCard(
            row["id"], row["card"], ports, gbits, link, row["named"], row["source"]
        )
    return found


def known(pci_id: str, name: str) -> KnownCard | None:
    """The chip by its id, or by the name that lspci prints where it prints no id."""
    if pci_id:
        return load().get(pci_id)
    for each in load().values():
        if any(named in name for named in each.named.split(" | ")):
            return each
    return None


def virtual(pci_id: str, name: str) -> bool:
    """Whether an id or a name is that of a part of another card.

    >>> virtual("", "Cisco Systems Inc VIC Userspace NIC"), virtual("8086:10ed", "")
    (True, True)
    """
    chip = known(pci_id, name)
    return bool(_PART.search(name)) or (chip is not None and chip.virtual)


def speed_of_name(name: str) -> float | None:
    """Gbit/s as a name says it; None where it does not.

    >>> speed_of_name("Ethernet Controller E810-C 100GbE"), speed_of_name("RTL8111 Gigabit")
    (100.0, 1.0)
    """
    for pattern, fixed in _SPEEDS:
        if found := pattern.search(name):
            return fixed if fixed is not None else float(found[1])
    return None


def told(words: list[str]) -> dict[str, float]:
    """`8086:10fb=10` or `04:00.0=10` as a speed by id or by the card's address, `0000:04:00`.

    UsageError for anything else.
    """
    speeds: dict[str, float] = {}
    for word in words:
        which, _, speed = word.lower().partition("=")
        try:
            gbits = float(speed)
        except ValueError:
            gbits = 0.0
        place = _CARD.fullmatch(which)
        if not (place or PCI_ID.fullmatch(which)) or not 0 < gbits <= 1600:
            raise UsageError(
                f"--speed {word}: give a card's id or its address, and the Gbit/s of one port: "
                "8086:10fb=10 or 04:00.0=10"
            )
        speeds[f"{place[1] or '0000'}:{place[2]}" if place else which] = gbits
    return speeds
