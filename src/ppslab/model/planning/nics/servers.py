"""Facts on processors beside an inventory: `cpus.csv`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents

CPUS = Path(__file__).with_name("cpus.csv")
QPI_BITS = 16
"""Data bits of one QPI transfer in one direction: 20 lanes, of which 16 carry data
(Intel, "An Introduction to the Intel QuickPath Interconnect", 2009)."""


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
