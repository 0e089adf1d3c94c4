"""Facts on processors and chassis beside an inventory: `cpus.csv` and `slots.csv`.

Each row says what of it stands in the article on the 100G build, and where the rest is from.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean

CPUS = Path(__file__).with_name("cpus.csv")
SLOTS = Path(__file__).with_name("slots.csv")
CPU_COLUMNS = (
    "cpu",
    "generation",
    "launched",
    "cores",
    "threads",
    "base_ghz",
    "turbo_ghz",
    "socket_link",
    "link_gts",
    "socket_links",
    "pcie",
    "lanes",
    "memory",
    "in_article",
    "source",
)
SLOT_COLUMNS = ("chassis", "slot", "cpu", "height", "lanes", "in_article", "note")

QPI_BITS = 16
"""Data bits of one QPI transfer in one direction: 20 lanes, of which 16 carry data
(Intel, "An Introduction to the Intel QuickPath Interconnect", 2009)."""


@dataclass(frozen=True)
class Cpu:
    """A processor.  Clocks in GHz; `link_gts`: the link between sockets in GT/s; `lanes`: PCIe."""

    cpu: str
    generation: str
    launched: int
    cores: int
    threads: int
    base_ghz: float
    turbo_ghz: float
    socket_link: str
    link_gts: float
    socket_links: int
    pcie: int
    lanes: int
    memory: str
    in_article: str
    source: str

    @property
    def link_gigabits(self) -> float:
        """Gbit/s of data of one link to the other socket, in one direction.

        >>> load_cpus()["E5-2650 v4"].link_gigabits
        153.6
        """
        return round(self.link_gts * QPI_BITS, 3)


@dataclass(frozen=True)
class Slot:
    """A slot of a chassis.  `cpu` counts from 1, as on the lid; `height` is low or full."""

    chassis: str
    slot: int
    cpu: int
    height: str
    lanes: int
    in_article: str
    note: str


@lru_cache(maxsize=1)
def load_cpus() -> dict[str, Cpu]:
    """The processors by name."""
    return read_cpus(CPUS)


@lru_cache(maxsize=1)
def load_slots() -> dict[str, tuple[Slot, ...]]:
    """The slots by chassis."""
    return read_slots(SLOTS)


def read_cpus(path: Path) -> dict[str, Cpu]:
    """The processors of a file; FileError names the line of what is wrong."""
    found: dict[str, Cpu] = {}
    for row in documents.read_csv(path, CPU_COLUMNS):
        try:
            made = Cpu(
                row["cpu"],
                row["generation"],
                int(row["launched"]),
                int(row["cores"]),
                int(row["threads"]),
                float(row["base_ghz"]),
                float(row["turbo_ghz"]),
                row["socket_link"],
                float(row["link_gts"]),
                int(row["socket_links"]),
                int(row["pcie"]),
                int(row["lanes"]),
                row["memory"],
                row["in_article"],
                row["source"],
            )
        except ValueError as error:
            raise row.error(f"not a number: {error}") from None
        if made.cpu in found:
            raise row.error(f"{made.cpu} appears twice")
        found[made.cpu] = made
    return found


def read_slots(path: Path) -> dict[str, tuple[Slot, ...]]:
    """The slots of a file by chassis; FileError names the line of what is wrong."""
    found: dict[str, list[Slot]] = {}
    for row in documents.read_csv(path, SLOT_COLUMNS):
        try:
            made = Slot(
                row["chassis"],
                int(row["slot"]),
                int(row["cpu"]),
                row["height"],
                int(row["lanes"]),
                row["in_article"],
                row["note"],
            )
        except ValueError as error:
            raise row.error(f"not a number: {error}") from None
        if any(each.slot == made.slot for each in found.get(made.chassis, ())):
            raise row.error(f"slot {made.slot} of the {made.chassis} appears twice")
        found.setdefault(made.chassis, []).append(made)
    return {name: tuple(slots) for name, slots in found.items()}


def cpu_of(model: str) -> Cpu | None:
    """The processor in a name such as `Intel(R) Xeon(R) CPU E5-2650 v4 @ 2.20GHz`."""
    return next((each for name, each in load_cpus().items() if name in model), None)


def chassis(name: str) -> tuple[Slot, ...]:
    """The slots of a chassis by its name or a part of it; UsageError where nobody knows it."""
    wanted = name.lower()
    fitting = [each for each in load_slots() if wanted in each.lower()]
    if len(fitting) != 1:
        known = ", ".join(load_slots())
        raise UsageError(f"no chassis {name!r}{did_you_mean(name, load_slots())}: {known}")
    return load_slots()[fitting[0]]


def of_cpu(slots: Iterable[Slot], cpu: int) -> tuple[int, ...]:
    """The numbers of the slots that belong to a processor."""
    return tuple(each.slot for each in slots if each.cpu == cpu)
