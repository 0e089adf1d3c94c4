"""Network cards by their PCI id: how many ports, how fast, and which link to the machine they have.

`nics.csv` holds a row a chip, with its source.  A row without ports is a virtual function: a part
of another card, which brings no port of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab import documents
from ppslab.errors import UsageError
from ppslab.planning.pcie import Link

FILE = Path(__file__).with_name("nics.csv")
COLUMNS = ("id", "card", "ports", "gbits", "generation", "width", "named", "source")
PCI_ID = re.compile(r"[0-9a-f]{4}:[0-9a-f]{4}")

# How the names in pci.ids say the speed, fastest first: "ConnectX-6 100GbE", "10-Gigabit X540".
_SPEEDS = (
    (re.compile(r"\b(\d+)[ -]?(?:GbE|Gb/s|Gbps|Gigabit|GBASE|GBase)", re.IGNORECASE), None),
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
            raise row.error(f"id {row['id']!r} is no PCI id such as 8086:10fb")
        if row["id"] in found:
            raise row.error(f"{row['id']} stands there twice")
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
    return next((each for each in load().values() if each.named in name), None)


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
    """`8086:10fb=10` as a speed for each id; UsageError for anything else."""
    speeds: dict[str, float] = {}
    for word in words:
        pci_id, _, speed = word.lower().partition("=")
        try:
            gbits = float(speed)
        except ValueError:
            gbits = 0.0
        if not PCI_ID.fullmatch(pci_id) or not 0 < gbits <= 1600:
            raise UsageError(f"--speed {word}: an id and its Gbit/s are wanted, as 8086:10fb=10")
        speeds[pci_id] = gbits
    return speeds
