"""Two figures where one would be wrong: the best and the worst that a chip with indexes may take.

A chip that holds prefixes takes what fits, and that is one figure.  Of one that holds indexes
MikroTik promises none (`l3hw-indexes`): under a default route with the same next hop any number of
routes fits, and in the worst case a CCR2216 held 37 729.  So the plan says both, and what decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ppslab.model import manual
from ppslab.model.switch_chip import index_table, offload
from ppslab.model.switch_chip.chips import Chip
from ppslab.model.switch_chip.offload import Choice
from ppslab.model.switch_chip.routes import Route

Name = Literal["table", "joined", "best", "worst"]


@dataclass(frozen=True)
class Bound:
    """One case: its name, what the chip then holds, and the facts that say so."""

    name: Name
    says: str
    choice: Choice
    facts: tuple[str, ...]


def of(
    routes: Sequence[Route], chip: Chip, *, ipv6_hw: bool = True, hosts: int = 0
) -> tuple[Bound, ...]:
    """The cases, the best first; one where the chip's table holds prefixes, or all are joined."""

    def choose(room: int | None) -> Choice:
        return offload.choose(routes, chip, ipv6_hw=ipv6_hw, hosts=hosts, room=room)

    if not chip.indexes:
        return (Bound("table", "", choose(None), ("l3hw-prefixes", "l3hw-shorter-leave")),)
    family = 4 if any(route.prefix.family == 4 for route in routes) else 6
    decides, other = index_table.decides(
        [(r.prefix.length, r.hops, 1) for r in routes if r.prefix.family == family]
    )
    if decides == index_table.JOINED:
        says = f"All go the way of the default route. {manual.says('l3hw-indexes-default')}"
        whole = chip.takes(6) * len(routes) + chip.room
        return (Bound("joined", says, choose(whole), ("l3hw-indexes-default",)),)
    why = (
        "There is no default route that they could share their next hop with"
        if decides == index_table.NO_DEFAULT
        else f"{other} of the routes go another way than the default route"
    )
    best = f"{why}. At best the chip takes what MikroTik prints for it, {chip.printed} prefixes."
    found = [Bound("best", best, choose(None), ("l3hw-indexes",))]
    if chip.shown_worst is not None:
        says = f"At worst {chip.shown_worst}. {manual.says('l3hw-indexes-gaps')}"
        found.append(Bound("worst", says, choose(chip.shown_worst), ("l3hw-indexes-gaps",)))
    return tuple(found)
