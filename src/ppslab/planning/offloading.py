"""What in an export keeps packets from a switch chip: the limits of L3 hardware offload.

`l3hw_features.csv` beside this file holds them, each with where it is said: MikroTik's manual (L3
Hardware Offloading, read in August 2026), the article on the CRS326 (February 2023), or what
follows, as the CPU cannot treat a packet that it does not see.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ppslab import documents
from ppslab.planning.chips import Chip
from ppslab.planning.export import Line

Effect = Literal["off", "cpu", "blind", "note"]

MEANINGS: Mapping[Effect, str] = {
    "off": "not beside L3 hardware offload",
    "cpu": "goes by the CPU",
    "blind": "does not see what the chip routes",
    "note": "to be known",
}
"""The effects, the worst first."""

MTU_PROFILES = 8

_FILE = Path(__file__).with_name("l3hw_features.csv")
_COLUMNS = ("id", "menu", "where", "chips", "effect", "says", "source")

_CHIPS: dict[str, Callable[[Chip], bool]] = {
    "all": lambda chip: True,
    "nat": lambda chip: chip.nat != 0,
    "no-nat": lambda chip: chip.nat == 0,
    "no-vrf": lambda chip: not chip.vrf,
    "fasttrack": lambda chip: chip.fasttrack != 0,
}


@dataclass(frozen=True)
class Finding:
    """One thing in an export: its effect, what it says, and the line it stands on (0: nowhere)."""

    effect: Effect
    says: str
    line: int
    text: str
    source: str


def findings(lines: Sequence[Line], chip: Chip) -> list[Finding]:
    """What in the export keeps packets from the chip, the worst first, then by line."""
    there = [line for line in lines if line.words.get("disabled") != "yes"]
    found = [*_listed(there, chip), *_worked_out(there, chip)]
    order = list(MEANINGS)
    return sorted(found, key=lambda finding: (order.index(finding.effect), finding.line))


def _listed(lines: Sequence[Line], chip: Chip) -> Iterator[Finding]:
    for row in documents.read_csv(_FILE, _COLUMNS):
        if not _CHIPS[row["chips"]](chip):
            continue
        name, _, expression = row["where"].partition("=")
        for line in lines:
            if line.menu != row["menu"]:
                continue
            if name and not re.fullmatch(expression, line.words.get(name, "")):
                continue
            effect = cast(Effect, row["effect"])
            yield Finding(effect, row["says"], line.number, line.text, row["source"])


def _worked_out(lines: Sequence[Line], chip: Chip) -> Iterator[Finding]:
    """What no single line says."""

    def of(menu: str) -> list[Line]:
        return [line for line in lines if line.menu == menu]

    def finding(effect: Effect, says: str, line: Line | None, source: str = "manual") -> Finding:
        return Finding(effect, says, line.number if line else 0, line.text if line else "", source)

    switch = of("/interface/ethernet/switch")
    if not any(line.words.get("l3-hw-offloading") == "yes" for line in switch):
        yield finding("off", "the chip's l3-hw-offloading=yes is not set: the CPU routes", None)
    bridges = [line for line in of("/interface/bridge") if line.command == "add"]
    for line in bridges[1:]:
        yield finding("cpu", "only one bridge is in hardware", line)
    names = {line.words.get("name", "") for line in bridges}
    vlans = [line for line in of("/interface/vlan") if line.command == "add"]
    inner = {line.words.get("name", "") for line in vlans}
    for line in vlans:
        below = line.words.get("interface", "")
        if below in inner:
            yield finding("cpu", "a VLAN inside a VLAN (QinQ) is routed by the CPU", line)
        elif below not in names:
            yield finding("cpu", "a VLAN is in hardware only on the hardware bridge", line)
    if of("/ipv6/route") and not any(
        line.words.get("ipv6-hw") == "yes"
        for line in of("/interface/ethernet/switch/l3hw-settings")
    ):
        yield finding("cpu", "ipv6-hw=yes is not set: the CPU routes IPv6", of("/ipv6/route")[0])
    yield from _paths(of("/ip/route"), chip, finding)
    if chip.fasttrack == 0:
        yield from _macs(lines, finding)
    mtus = Counter(line.words["mtu"] for line in lines if "mtu" in line.words)
    if len(mtus) > MTU_PROFILES:
        said = f"{len(mtus)} different MTUs; the chip has {MTU_PROFILES} profiles"
        yield finding("cpu", said, None)


def _paths(
    routes: Sequence[Line], chip: Chip, finding: Callable[..., Finding]
) -> Iterator[Finding]:
    ways: Counter[str] = Counter()
    for line in routes:
        target = line.words.get("dst-address", "0.0.0.0/0")
        ways[target] += len(line.words.get("gateway", "").split(","))
        if chip.ecmp_ways and ways[target] > chip.ecmp_ways:
            said = f"{target} has more than {chip.ecmp_ways} next hops (ECMP)"
            yield finding("cpu", said, line)


def _macs(lines: Sequence[Line], finding: Callable[..., Finding]) -> Iterator[Finding]:
    """98DX2000 and 98DX3000: addresses of routing interfaces differ in the last byte only."""
    first: str | None = None
    for line in lines:
        mac = line.words.get("mac-address") or line.words.get("admin-mac")
        if not mac or not line.menu.startswith("/interface/"):
            continue
        first = first or mac[:-3].upper()
        if mac[:-3].upper() != first:
            said = f"{mac}: this chip's MAC addresses may differ in the last byte only"
            yield finding("cpu", said, line, "article; manual")
