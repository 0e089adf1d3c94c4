"""The verdicts, the kinds of evidence, and a claim that has both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any, Final, Literal

from ppslab.core.text.numbers import plural
from ppslab.core.text.quantities import NOTHING, Content, Quantity, named
from ppslab.model.lab.published import PACKETS, Published, Value
from ppslab.model.statistics import Interval, finite

CONFIRMED: Final = "confirmed"
REFUTED: Final = "refuted"
CONSISTENT: Final = "consistent"
INCONSISTENT: Final = "inconsistent"
IN_SIZE: Final = "agrees in size"
IN_DIRECTION: Final = "agrees in direction"
DIFFERS: Final = "differs"
HOLDS: Final = "holds on Linux"
DOES_NOT_HOLD: Final = "does not hold on Linux"
CANNOT_TELL: Final = "cannot tell"
NO_VERDICT: Final = "no verdict"
NOT_TESTABLE: Final = "not testable here"
Verdict = Literal[
    "confirmed",
    "refuted",
    "consistent",
    "inconsistent",
    "agrees in size",
    "agrees in direction",
    "differs",
    "holds on Linux",
    "does not hold on Linux",
    "cannot tell",
    "no verdict",
    "not testable here",
]
"""Words of their evidence.  RouterOS itself, or its manual: confirmed, refuted.  The published
numbers alone: consistent, inconsistent.  The Linux stand-in agrees in size, agrees in direction, or
differs; what is held against a bound of our own, and no published size, holds on Linux or does not.
What is so by construction has no verdict."""

ROUTEROS: Final = "RouterOS"
PUBLISHED: Final = "RouterOS, published by MikroTik"
DOCUMENTED: Final = "documented"
MEASURED: Final = "RouterOS, measured by others"
ARITHMETIC: Final = "arithmetic"
TIMED: Final = "timed"
EVENTS: Final = "events"
COUNTED: Final = "counted"
EMULATED: Final = "timed in emulation"
BY_CONSTRUCTION: Final = "by construction"
Evidence = Literal[
    "RouterOS",
    "RouterOS, published by MikroTik",
    "documented",
    "RouterOS, measured by others",
    "arithmetic",
    "timed",
    "events",
    "counted",
    "timed in emulation",
    "by construction",
]
"""Grounds of a verdict, the strongest first: a router of the reader's; MikroTik's own published
measurements; its manual or changelog; what others measured on RouterOS and describe; the published
numbers alone; the stand-in, timed on a real
CPU, by events that it counted, or by counted instructions; the clock of an emulated CPU, which
decides nothing; or what we ourselves built in."""


class Comparison(Enum):
    """The outcome of comparing a measured quantity with the source's."""

    SIZE = "has the published size"
    NEAR = "has about the published size, but the interval does not reach it"
    ORDER = "a claim about an order or a bound holds"
    DIRECTION = "the direction holds, the size differs"
    AGAINST = "shows no such difference, or the opposite one"
    OTHER_SIZE = "has another size, and the direction is open"
    WITHIN = "lies within the claim's own bounds"
    BEYOND = "lies beyond the claim's own bounds"
    OPEN = "the interval holds more than one answer"


def verdict_of(evidence: Evidence, comparison: Comparison) -> Verdict:
    """The verdict's word for this evidence.

    A stand-in never refutes RouterOS.  RouterOS on another device than the source's confirms a
    size only where its interval reaches it: one that is near, or of which only the direction
    holds, stays open.
    """
    if evidence == BY_CONSTRUCTION:
        return NO_VERDICT
    if evidence == EMULATED:
        return CANNOT_TELL
    routeros, arithmetic, stand_in = _WORDS[comparison]
    if evidence in (ROUTEROS, PUBLISHED, DOCUMENTED, MEASURED):
        return routeros
    return arithmetic if evidence == ARITHMETIC else stand_in


_WORDS: Mapping[Comparison, tuple[Verdict, Verdict, Verdict]] = {
    Comparison.SIZE: (CONFIRMED, CONSISTENT, IN_SIZE),
    Comparison.NEAR: (CANNOT_TELL, CONSISTENT, IN_SIZE),
    Comparison.ORDER: (CONFIRMED, CONSISTENT, IN_DIRECTION),
    Comparison.DIRECTION: (CANNOT_TELL, CONSISTENT, IN_DIRECTION),
    Comparison.AGAINST: (REFUTED, INCONSISTENT, DIFFERS),
    Comparison.OTHER_SIZE: (CANNOT_TELL, INCONSISTENT, DIFFERS),
    Comparison.WITHIN: (CONFIRMED, CONSISTENT, HOLDS),
    Comparison.BEYOND: (REFUTED, INCONSISTENT, DOES_NOT_HOLD),
    Comparison.OPEN: (CANNOT_TELL, CANNOT_TELL, CANNOT_TELL),
}
"""The words of RouterOS, of the published numbers alone, and of the stand-in."""

CONFIDENCE = "95 % confidence interval"
SEARCHES = "bounds of the searches"
ANOTHER_STAND_IN = "the range that another stand-in may show"
INTERVALS = (
    "What an interval is depends on the evidence. Measurements by MikroTik or by others: the least "
    "to the greatest, or one figure. Timed or counted ratios: the range that another stand-in may "
    "show. Events: how well the runs repeat. Runs of your own RouterOS router, and times that are "
    "no ratios: the 95 % confidence interval, or the bounds of a search."
)
"""The meaning of an interval's two ends; `Judged.interval_kind` has it for one claim."""


def least_to_greatest(measurements: int) -> str:
    """The kind of an interval of MikroTik's or of others': that of so many measurements."""
    if measurements == 1:
        return "one figure"
    return f"least to greatest of {plural(measurements, 'measurement')}"


def repeatability(runs: int) -> str:
    """The kind of an interval that says only how well the same router repeats."""
    return f"repeatability of {runs} runs" if runs > 1 else "repeatability within one run"


_UNITS = {**PACKETS, "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}


@dataclass(frozen=True)
class Other:
    """The verdict of another kind of evidence on the same claim."""

    evidence: Evidence
    verdict: Verdict
    measured: float | None
    interval: tuple[float, float] | None
    interval_kind: str = ""

    @property
    def text(self) -> str:
        """For reading, below the measured value."""
        if self.measured is None or self.interval is None:
            return f"{self.evidence}: {self.verdict}"
        return f"{self.evidence}: {Quantity(self.measured, *self.interval)}, {self.verdict}"


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict.

    `evidence` None: nothing was measured.  `measured` and `interval` are the quantity that decided
    (a ratio of router times per packet, or of rates), of `runs` runs together.  `interval_kind`:
    what its ends are, as the least and the greatest of so many measurements; empty where it has
    none.  `repeatability`: how far the same stand-in agrees with itself.
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
    conditions: tuple[str, ...] = ()
    runs: int = 0
    others: tuple[Other, ...] = ()
    settled_by: str = ""
    repeatability: tuple[float, float] | None = None
    interval_kind: str = ""
    times_more: float | None = None
    """Factor on the rounds that would decide an open claim, infinite where none would; None
    where it is decided, or where no round has spoken of it yet."""

    @property
    def quantity(self) -> Quantity | str:
        """The measured value with its interval, or a dash."""
        if self.measured is None or self.interval is None:
            return NOTHING
        return Quantity(self.measured, *self.interval)

    def why(self, titles: Mapping[str, str]) -> Content:
        """The reason with the conditions that it names, by the titles of the lab's."""
        # One word alone (`plain`, `queue`) is an id only where the claim compares that condition.
        compared = self.conditions if len(self.conditions) > 1 else ()
        known = {n: title for n, title in titles.items() if "-" in n or n in compared}
        return named(self.reason, known)

    def plain(self) -> dict[str, Any]:
        """The claim as `ppslab claims --json` prints it; null for an end that is infinite."""
        ends = self.interval and tuple(finite(end) for end in self.interval)
        repeats = self.repeatability and tuple(finite(end) for end in self.repeatability)
        others = [
            {**asdict(other), "interval": other.interval and tuple(map(finite, other.interval))}
            for other in self.others
        ]
        more = None if self.times_more is None else finite(self.times_more)
        fields = asdict(self)
        del fields["conditions"]
        return {
            **fields,
            "interval": ends,
            "repeatability": repeats,
            "others": others,
            "times_more": more,
        }


@dataclass(frozen=True)
class Finding:
    """A comparison with its reason; `interval` decided it, None where nothing was measured."""

    comparison: Comparison
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
    """Bounds in words, `at least 0.5 and at most 1`; empty where both are None."""
    bounds = [f"at least {at_least:g}"] if at_least is not None else []
    bounds += [f"at most {at_most:g}"] if at_most is not None else []
    return " and ".join(bounds)
