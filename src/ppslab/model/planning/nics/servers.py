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
    return {cpu.cpu: cpu for cpu in documents.read_table(CPUS, Cpu, unique=["cpu"])}


@lru_cache(maxsize=1)
def load_slots() -> dict[str, tuple[Slot, ...]]:
    """The slots by chassis."""
    slots: dict[str, tuple[Slot, ...]] = {}
    for slot in documents.read_table(SLOTS, Slot, unique=["chassis", "slot"]):
        slots[slot.chassis] = (*slots.get(slot.chassis, ()), slot)
    return slots


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
