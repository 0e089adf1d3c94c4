"""The switch chips of RouterOS's L3 hardware offload: what fits into the tables of each.

rosexplain's `chips.csv` holds MikroTik's manual, "L3 Hardware Offloading", section "L3HW
Device Support" (read on 6 October 2026; a copy of 10 August 2026 has the same figures).  Figures
printed as 36K count as 36 000; next hops printed as 8K as 8192, as the page's own monitor shows
(nexthop-cap).  The manual says "up to": what a chip really takes depends on its routes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ppslab.core import documents
from ppslab.core.errors import UsageError
from rosexplain.base import RULES

SOURCE = "MikroTik's manual, L3 Hardware Offloading, L3HW Device Support"

_FILE = RULES / "chips.csv"


@dataclass(frozen=True)
class Chip:
    """A chip's tables, in entries.

    `ipv4_routes` prefixes fill the table where there is no IPv6, `ipv6_routes` where there is no
    IPv4: they share one memory.  `ipv4_hosts` 0: hosts stand among the routes.  None: not printed.
    `devices`: how the names of its models begin.  `table`: whether it holds prefixes, or indexes of
    the whole range of addresses, whose number no number of routes tells; `shown_best` and
    `shown_worst` are the routes that MikroTik's manual shows one such chip to hold.
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
    table: str = "prefixes"
    shown_best: int | None = None
    shown_worst: int | None = None

    @property
    def room(self) -> int:
        """The table's size in IPv4 prefixes."""
        return self.ipv4_routes

    @property
    def indexes(self) -> bool:
        """True if it holds indexes of the address range, not prefixes (`l3hw-indexes`)."""
        return self.table == "indexes"

    def takes(self, family: int) -> int:
        """Room of a prefix of the family, in IPv4 prefixes, rounded up."""
        return 1 if family == 4 else -(-self.ipv4_routes // self.ipv6_routes)

    @property
    def facts(self) -> dict[str, Any]:
        """Facts for `filling`, ready for JSON."""
        return {
            "name": self.name,
            "room": self.room,
            "takes": [self.takes(4), self.takes(6)],
            "next_hops": self.next_hops,
            "ways": self.ecmp_ways,
        }


@lru_cache(maxsize=1)
def load() -> tuple[Chip, ...]:
    """All chips; FileError with the line where the table is wrong."""
    return tuple(documents.read_table(_FILE, Chip, name="chip"))


def of(device: str) -> Chip:
    """The chip of a device, by its name (`CRS326-24G-2S+`, with or without RM, IN and so on).

    UsageError names the devices that are near where there is none.
    """
    models = {model: chip for chip in load() for model in chip.devices}
    name = device.upper()
    known = [model for model in models if name.startswith(model)]
    if known:
        return models[max(known, key=len)]
    # Not did_you_mean: the number that looks most alike is that of another router.
    for begins in (re.match(r"[A-Z]+\d+", name), re.match(r"[A-Z]+", name)):
        family = sorted(model for model in models if begins and model.startswith(begins[0]))
        if begins and family:
            which = f"{begins[0]} models with L3 hardware offload: {', '.join(family)}"
            break
    else:
        which = f"models with L3 hardware offload: {', '.join(sorted(models))}"
    raise UsageError(f"unknown device {device!r}. {which[:1].upper() + which[1:]}")
