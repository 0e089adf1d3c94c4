"""The limits of L3 hardware offload in an export: lines that keep packets from a switch chip.

rosexplain's rules hold them, each with the facts that say so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ppslab.model import manual
from ppslab.model.switch_chip.chips import Chip
from rosexplain import matching, offload
from rosexplain.base import base
from rosexplain.network import Network
from rosexplain.parse import Command, Export

MEANINGS: Mapping[str, str] = {
    "off": "not beside L3 hardware offload",
    "cpu": "goes by the CPU",
    "blind": "does not see what the chip routes",
    "note": "to be known",
}
"""The effects, the worst first."""


@dataclass(frozen=True)
class Limit:
    """A rule about offload: what meets it, on which chips, by which facts."""

    id: str
    rule: Mapping[str, Any]
    effect: str
    facts: tuple[str, ...]

    @property
    def says(self) -> str:
        """The facts' sentences, one after the other."""
        return " ".join(manual.says(name) for name in self.facts)

    def meets(self, line: Command) -> bool:
        """True for an export's line of this limit."""
        return line.menu in self.rule["menus"] and matching.meets(
            dict(self.rule), line.properties.get
        )


@lru_cache(maxsize=1)
def limits() -> Mapping[str, Limit]:
    """Every one by its id."""
    return {
        rule["id"]: Limit(
            rule["id"],
            rule,
            rule["offload"]["effect"],
            tuple(rule["offload"]["facts"]),
        )
        for rule in base()["rules"]
        if rule["offload"]
    }


@dataclass(frozen=True)
class Finding:
    """One thing in an export: its limit, and the line it stands on (0: nowhere).

    `seen` is what several lines came to, in words, empty where the line says it all.
    """

    limit: Limit
    line: int
    text: str
    seen: str = ""

    @property
    def effect(self) -> str:
        """Effect on packets."""
        return self.limit.effect

    @property
    def says(self) -> str:
        """The line, and RouterOS's behaviour."""
        return f"{self.seen}: {self.limit.says}" if self.seen else self.limit.says

    @property
    def source(self) -> str:
        """Source of the behaviour."""
        return "; ".join(manual.fact(name).cited for name in self.limit.facts)


def findings(export: Export, chip: Chip) -> list[Finding]:
    """List the lines that keep packets from the chip, the worst first, then by line."""
    lines = [line for line in export.commands if line.command in ("add", "set")]
    there = [line for line in lines if line.properties.get("disabled") != "yes"]
    members = Network([export], base()).tagged
    found = [
        Finding(limit, line.number, line.text)
        for limit in limits().values()
        for line in there
        if limit.meets(line)
    ]
    for name, met, seen in offload.findings(there, chip.ecmp_ways or 0, members):
        number, text = (met.number, met.text) if met else (0, "")
        found.append(Finding(limits()[name], number, text, seen))
    (classes,) = (row["classes"] for row in base()["chips"] if row["name"] == chip.name)
    found = [each for each in found if each.limit.rule["offload"]["chips"] in classes]
    order = list(MEANINGS)
    return sorted(found, key=lambda finding: (order.index(finding.effect), finding.line))


def ipv6_hw(lines: Sequence[Command]) -> bool:
    """True if an export has IPv6 routed in hardware; RouterOS's default is no."""
    return offload.ipv6_hw(list(lines))
