"""The licence of a router, and what it lets a run say.

A CHR without a paid licence sends 1 Mbit/s on each interface (MikroTik's manual, CHR licensing):
its rates, and what a packet costs at a rate, are then the licence's.  What remains are counters:
which path each packet took.  [INF] that the limit holds for a packet of the fast path and for the
traffic generator too.
"""

from __future__ import annotations

from dataclasses import dataclass

from ppslab.testbed.routers.routeros.api import Api

LIMITS: dict[str, float | None] = {"free": 1e6, "p1": 1e9, "p10": 1e10, "p-unlimited": None}
"""Bits a second that each interface of a CHR sends; None: as many as it can."""

COUNTERS_ONLY = "free"

TRIAL = (
    "on the router: /system/license/renew account=... password=... level=p-unlimited, with an "
    "account of mikrotik.com; the first 60 days cost nothing"
)


@dataclass(frozen=True)
class Licence:
    """`level`: of a CHR its name, of other routers their number; `bits`: a second and interface.

    `chr`: whether it is a CHR's.
    """

    level: str
    chr: bool
    bits: float | None

    @property
    def counters_only(self) -> bool:
        """Whether rates and times of this router are its licence's."""
        return self.chr and self.level == COUNTERS_ONLY

    @property
    def said(self) -> str:
        """In words, for the reader of a run."""
        if not self.chr:
            return f"licence level {self.level}: it limits no rate"
        if self.bits is None:
            return f"licence {self.level}: it limits no rate"
        if self.counters_only:
            return (
                "licence free: each interface sends 1 Mbit/s at most, so only what counters tell "
                "is judged, and no rate"
            )
        return f"licence {self.level}: each interface sends {self.bits / 1e9:g} Gbit/s at most"


def licence(api: Api) -> Licence | None:
    """What the router says of it; None where it says no level that is known."""
    settings = api.settings("/system/license")
    level = settings.get("level")
    if level is not None:
        if level not in LIMITS:
            return None
        return Licence(level, True, LIMITS[level])
    number = settings.get("nlevel")
    return None if number is None else Licence(number, False, None)
