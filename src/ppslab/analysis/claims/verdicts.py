"""The verdicts, the kinds of evidence, and a claim that has both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ppslab.base.text.quantities import NOTHING, Quantity
from ppslab.lab.published import Published
from ppslab.lab.published_value import PACKETS, Value
from ppslab.theory.statistics import Interval, finite

REPRODUCED: Literal["reproduced"] = "reproduced"
DIRECTION_ONLY: Literal["direction only"] = "direction only"
CONTRADICTED: Literal["contradicted"] = "contradicted"
INCONCLUSIVE: Literal["inconclusive"] = "inconclusive"
NOT_TESTABLE: Literal["not testable here"] = "not testable here"
Verdict = Literal[
    "reproduced", "direction only", "contradicted", "inconclusive", "not testable here"
]

ROUTEROS: Literal["RouterOS"] = "RouterOS"
TIMED: Literal["timed"] = "timed"
COUNTED: Literal["counted"] = "counted"
EVENTS: Literal["events"] = "events"
ARITHMETIC: Literal["arithmetic"] = "arithmetic"
BY_CONSTRUCTION: Literal["by construction"] = "by construction"
Evidence = Literal["RouterOS", "timed", "counted", "events", "arithmetic", "by construction"]
"""What a verdict rests on: a RouterOS router; times or counted instructions of the stand-in; events
that the stand-in counted; the published numbers alone; or what we ourselves built in."""

_UNITS = {**PACKETS, "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}


@dataclass(frozen=True)
class Other:
    """What the other measure says of the same claim."""

    evidence: Evidence
    verdict: Verdict
    measured: float
    interval: tuple[float, float]

    @property
    def text(self) -> str:
        """For reading, below the measured value."""
        return f"{self.evidence}: {Quantity(self.measured, *self.interval)}, {self.verdict}"


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict.

    `evidence` None: nothing was measured.  `measured` and `interval` are the quantity that decided
    (a ratio of router times per packet, or of rates), of `runs` runs together.  `by_factor`: from
    which factor on which verdict holds, where the factor of agreement.yml decides.
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
    evidence: Evidence | None
    reason: str
    runs: int = 0
    by_factor: tuple[tuple[float, Verdict], ...] = ()
    others: tuple[Other, ...] = ()
    settled_by: str = ""
    times_more: float | None = None
    """How many times as many rounds would decide an open claim, infinite where none would; None
    where it is decided, or where no round has spoken of it yet."""

    @property
    def quantity(self) -> Quantity | str:
        """The measured value with its interval, or a dash."""
        if self.measured is None or self.interval is None:
            return NOTHING
        return Quantity(self.measured, *self.interval)

    def plain(self) -> dict[str, Any]:
        """The claim as `ppslab claims --json` prints it; null for an end that is infinite."""
        ends = self.interval and tuple(finite(end) for end in self.interval)
        others = [
            {**asdict(each), "interval": tuple(finite(end) for end in each.interval)}
            for each in self.others
        ]
        more = None if self.times_more is None else finite(self.times_more)
        return {**asdict(self), "interval": ends, "others": others, "times_more": more}


@dataclass(frozen=True)
class Finding:
    """A verdict and why; `interval`: the quantity that decided, None where nothing was measured."""

    verdict: Verdict
    reason: str
    interval: Interval | None = None


def rate(row: Published) -> Value:
    """A published rate in packets or bits per second; other units as they are."""
    return row.said.times(_UNITS.get(row.unit, 1.0))


def ratio_of_costs(rows: Sequence[Published]) -> Value:
    """Rates are the reverse of costs: what is dearer forwards less.

    The first row belongs to the numerator, the dearer condition.  One row alone is the ratio.
    """
    if len(rows) == 1:
        return rows[0].said
    return rate(rows[1]).over(rate(rows[0]))


def bounded(at_least: float | None, at_most: float | None) -> str:
    """Two bounds in words; None where there is none."""
    bounds = [f"at least {at_least:g}"] if at_least is not None else []
    bounds += [f"at most {at_most:g}"] if at_most is not None else []
    return " and ".join(bounds)
