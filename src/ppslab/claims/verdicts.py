"""The four verdicts, and how an interval comes to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ppslab.published import Published
from ppslab.statistics import Interval, finite

REPRODUCED: Literal["reproduced"] = "reproduced"
CONTRADICTED: Literal["contradicted"] = "contradicted"
INCONCLUSIVE: Literal["inconclusive"] = "inconclusive"
NOT_TESTABLE: Literal["not testable here"] = "not testable here"
Verdict = Literal["reproduced", "contradicted", "inconclusive", "not testable here"]

_UNITS = {
    "pps": 1.0, "kpps": 1e3, "Mpps": 1e6,
    "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9,
}  # fmt: skip


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict.

    `measured` and `interval` are the quantity that decided (a ratio of router times per packet,
    or of rates); None where nothing was measured.
    """

    id: str
    lab: str
    source: str
    statement: str
    where: str
    published: str
    measured: float | None
    interval: tuple[float, float] | None
    verdict: Verdict
    reason: str
    settled_by: str = ""

    @property
    def measured_text(self) -> str:
        """The measured value with its interval, for reading."""
        if self.measured is None or self.interval is None:
            return "-"
        return f"{self.measured:.3g} [{self.interval[0]:.3g}, {self.interval[1]:.3g}]"

    def plain(self) -> dict[str, Any]:
        """The claim as `ppslab claims --json` prints it; null for an end that is infinite."""
        ends = self.interval and tuple(finite(end) for end in self.interval)
        return {**asdict(self), "interval": ends}


@dataclass(frozen=True)
class Finding:
    """A verdict and why; `interval`: the quantity that decided, None where nothing was measured."""

    verdict: Verdict
    reason: str
    interval: Interval | None = None


def band(found: Interval, low: float, high: float, said: str) -> Finding:
    """Reproduced where the whole interval lies inside the bounds, contradicted outside of them."""
    if found.within(low, high):
        return Finding(REPRODUCED, said, found)
    if found.outside(low, high):
        return Finding(CONTRADICTED, said, found)
    return Finding(INCONCLUSIVE, f"{said}: the interval crosses the bound", found)


def order(steps: Sequence[tuple[Interval, str]], noise: float, *, rising: bool) -> Finding:
    """Every step, a ratio with its words, must be above 1 (below, where not `rising`).

    A step the other way contradicts, one within `noise` of 1 decides nothing.
    """
    sign = 1.0 if rising else -1.0
    real = [found.excludes(1.0) and abs(found.estimate - 1) > noise for found, _ in steps]
    for sure, (found, said) in zip(real, steps, strict=True):
        if sure and sign * (found.estimate - 1) < 0:
            return Finding(CONTRADICTED, said, found)
    for sure, (found, said) in zip(real, steps, strict=True):
        if not sure:
            reason = f"{said}, no more than the noise of this run ({noise:.2g})"
            return Finding(INCONCLUSIVE, reason, found)
    weakest, said = min(steps, key=lambda step: sign * step[0].estimate)
    return Finding(REPRODUCED, f"smallest step: {said}", weakest)


def rate(row: Published) -> float:
    """A published rate in packets or bits per second; other units as they are."""
    return row.value * _UNITS.get(row.unit, 1.0)


def ratio_of_costs(rows: list[Published]) -> float:
    """Rates are the reverse of costs: what is dearer forwards less.

    The first row belongs to the numerator, the dearer condition.  One row alone is the ratio.
    """
    if len(rows) == 1:
        return rows[0].value
    return rate(rows[1]) / rate(rows[0])
