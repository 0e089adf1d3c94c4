"""The switch chips of RouterOS's L3 hardware offload: what fits into the tables of each.

`chips.csv` beside this file holds MikroTik's manual, "L3 Hardware Offloading", section "L3HW
Device Support" (read in August 2026).  Figures printed as 36K count as 36 000.  The manual says
"up to": what a chip really takes depends on its routes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab import documents
from ppslab.errors import UsageError, did_you_mean

SOURCE = "MikroTik's manual, L3 Hardware Offloading, L3HW Device Support"

_FILE = Path(__file__).with_name("chips.csv")

_COLUMNS = (
    "chip",
    "devices",
    "ipv4_routes",
    "ipv6_routes",
    "ipv4_hosts",
    "next_hops",
    "ecmp_ways",
    "fasttrack",
    "nat",
    "vrf",
    "printed",
)


@dataclass(frozen=True)
class Chip:
    """A chip's tables, in entries.

    `ipv4_routes` prefixes fill the table where there is no IPv6, `ipv6_routes` where there is no
    IPv4: they share one memory.  `ipv4_hosts` 0: hosts stand among the routes.  None: not printed.
    `devices`: how the names of its models begin.
    """

    name: str
    devices: tuple[str, ...]
    ipv4_routes: int
    ipv6_routes: int
    ipv4_hosts: int
    next_hops: int | None
    ecmp_ways: int | None
    fasttrack: int | None
    nat: int | None
    vrf: bool
    printed: str

    @property
    def room(self) -> int:
        """The table's size in IPv4 prefixes."""
        return self.ipv4_routes

    def takes(self, family: int) -> int:
        """How many IPv4 prefixes' room a prefix of the family takes, rounded up."""
        return 1 if family == 4 else -(-self.ipv4_routes // self.ipv6_routes)


@lru_cache(maxsize=1)
def load() -> tuple[Chip, ...]:
    """All chips; FileError with the line where the table is wrong."""
    found = []
    for row in documents.read_csv(_FILE, _COLUMNS):

        def count(column: str, row: documents.Row = row) -> int | None:
            return int(row[column]) if row[column] else None

        try:
            chip = Chip(
                name=row["chip"],
                devices=tuple(row["devices"].split()),
                ipv4_routes=int(row["ipv4_routes"]),
                ipv6_routes=int(row["ipv6_routes"]),
                ipv4_hosts=int(row["ipv4_hosts"]),
                next_hops=count("next_hops"),
                ecmp_ways=count("ecmp_ways"),
                fasttrack=count("fasttrack"),
                nat=count("nat"),
                vrf=row["vrf"] == "yes",
                printed=row["printed"],
            )
        except ValueError as error:
            raise row.error(f"a number is wanted: {error}") from None
        found.append(chip)
    return tuple(found)


def of(device: str) -> Chip:
    """The chip of a device, by its name (`CRS326-24G-2S+`, with or without RM, IN and so on).

    UsageError names the devices that are near where there is none.
    """
    models = {model: chip for chip in load() for model in chip.devices}
    name = device.upper()
    known = [model for model in models if name.startswith(model)]
    if known:
        return models[max(known, key=len)]
    near = did_you_mean(name, models) or f"; known: {', '.join(sorted(models))}"
    raise UsageError(f"no chip with L3 hardware offload is known of a device {device!r}{near}")
