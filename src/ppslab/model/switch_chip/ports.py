"""Which Ethernet ports of a device the manual counts among those of its switch chip.

`ports.csv` beside this file: `ethernet` is how many the manual's page "Marvell Prestera switch chip
features" counts, `printed` as it stands there (a copy of 2026-08); the fact `l3hw-ports-counted`.
They are ether1 and so on.  A device may have one more, for management, of which that page says
nothing; `elsewhere` are those of which the manual says that they are not the chip's
(`l3hw-other-switch`).  Ports for modules and combo ports are all counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.core import documents

_FILE = Path(__file__).with_name("ports.csv")


@dataclass(frozen=True)
class Ports:
    """The Ethernet ports of a device; `device`: how the names of its models begin.

    `ethernet`: the chip has ether1 to this; None where the page does not tell their names.
    """

    device: str
    ethernet: int | None
    elsewhere: tuple[str, ...]


@lru_cache(maxsize=1)
def load() -> tuple[Ports, ...]:
    """All devices; FileError with the line where the table is wrong."""
    found = []
    for row in documents.read_csv(_FILE, ("device", "ethernet", "elsewhere", "printed")):
        try:
            count = int(row["ethernet"]) if row["ethernet"] else None
        except ValueError as error:
            raise row.error(f"not a number: {error}") from None
        found.append(Ports(row["device"], count, tuple(row["elsewhere"].split())))
    return tuple(found)


@dataclass(frozen=True)
class Bridging:
    """What a chip without L3 hardware offload bridges, by the manual's tables of bridge offload.

    Which chip a model has, and with which ports, is from its page "Switch Chip Features" (a copy of
    2026-08).
    `refuses`: the settings of a bridge with which the CPU forwards (rstp, mstp, vlan, igmp, dhcp);
    `since`: the RouterOS before which it refuses rstp, mstp and vlan too; `ports`: those that the
    manual counts to each chip of the device, none where it is not told here.
    """

    device: str
    chip: str
    refuses: tuple[str, ...]
    since: str
    ports: tuple[tuple[str, ...], ...]


@lru_cache(maxsize=1)
def bridging() -> tuple[Bridging, ...]:
    """Read `bridging.csv`; devices as a model's name begins, in capitals and without its RB."""
    return tuple(
        Bridging(
            row["device"],
            row["chip"],
            tuple(row["refuses"].split()),
            row["since"],
            tuple(tuple(group.split()) for group in row["ports"].split(";") if group),
        )
        for row in documents.read_csv(
            _FILE.with_name("bridging.csv"), ("device", "chip", "refuses", "since", "ports")
        )
    )


@dataclass(frozen=True)
class Features:
    """The bridge settings with which the chips of a family still forward by themselves.

    `devices`: some that have such a chip; `keeps`: each of `SETTINGS`, and whether it does so.
    """

    chips: tuple[str, ...]
    devices: str
    keeps: dict[str, bool]


SETTINGS = ("rstp", "mstp", "vlan", "igmp", "dhcp", "bonding")
"""Spanning tree in its two kinds, VLAN filtering, IGMP and DHCP snooping, and bonds as ports."""


@lru_cache(maxsize=1)
def features() -> tuple[Features, ...]:
    """Read `features.csv`, the manual's tables of bridge offload (a copy of 2026-08-10).

    No chip forwards for a port with a horizon, so the file has no column for it.
    """
    return tuple(
        Features(
            tuple(row["chips"].split(", ")),
            row["devices"],
            {name: row[name] == "yes" for name in SETTINGS},
        )
        for row in documents.read_csv(
            _FILE.with_name("features.csv"), ("chips", "devices", *SETTINGS)
        )
    )
