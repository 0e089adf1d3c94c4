"""Two sides compared, quantity by quantity, and whether each difference is real.

A band of ratios counts as no difference: how much the same thing differs from itself (A/A), and how
much the tester alone changed between two runs.  A difference is real where the whole interval of
the ratio lies beyond that band, and chance alone would hardly carry it there, counting how many
questions the comparison asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from ppslab.core.text.numbers import percent_text, short
from ppslab.core.text.quantities import Content
from ppslab.model.statistics import FEWEST, Interval
from ppslab.show.report.sources import Source

CHANCE = 0.05
"""Of one false difference in a whole comparison; shared out over its rows (Bonferroni)."""


NONE = "No difference is shown: no difference is larger than chance, noise and drift together."
NOTHING_JUDGED = "Nothing could be judged, so no differences are reported."


@dataclass(frozen=True)
class Side:
    """A record, all of it or one condition; `where` in sentences: "in A", "with routing-plain"."""

    source: Source
    condition: str | None
    where: str


@dataclass(frozen=True)
class Band:
    """Ratios that count as no difference: noise, and what the machine itself changed."""

    low: float = 1.0
    high: float = 1.0

    def __str__(self) -> str:
        return f"{short(self.low)} to {short(self.high)}"

    def edge(self, ratio: float) -> float:
        """The end of the band that lies nearest to a ratio below or above 1: what to test against.

        A test against 1 would call it a difference when both sides changed as the machine did.
        """
        return self.low if ratio < 1 else self.high


@dataclass(frozen=True)
class Compared:
    """One quantity of one subject on both sides.

    `ratio`: side B over side A.  `p`: the chance of it if the truth were the edge of the band.
    `bounds`: the interval is that of two searches, not 95 %.  `why_not`: the reason for which it
    cannot be judged.
    """

    group: str
    quantity: str
    subject: str
    a: Content
    b: Content
    ratio: Interval | None = None
    band: Band = Band()
    p: float | None = None
    bounds: bool = False
    why_not: str = ""

    @property
    def judged(self) -> bool:
        """True if it counts among the questions that were asked."""
        return self.ratio is not None and self.p is not None and not self.why_not

    def real(self, questions: int) -> bool:
        """True for a real difference, among so many questions."""
        if not self.judged or self.ratio is None or self.p is None:
            return False
        return self.p < CHANCE / questions and self.ratio.outside(self.band.low, self.band.high)

    @property
    def direction(self) -> str:
        """Of the second side: "higher" or "lower"."""
        assert self.ratio is not None
        return "higher" if self.ratio.estimate > 1 else "lower"


@dataclass(frozen=True)
class Comparison:
    """Two sides, quantity by quantity; `notes` say how it was judged and what it cannot show."""

    a: Side
    b: Side
    rows: tuple[Compared, ...]
    notes: tuple[str, ...]

    @property
    def questions(self) -> int:
        return sum(row.judged for row in self.rows)

    def verdict(self, row: Compared) -> str:
        """The table's verdict on a row."""
        if not row.judged:
            return f"not judged: {row.why_not}"
        return row.direction if row.real(self.questions) else "no difference shown"

    def differences(self) -> list[Compared]:
        return [row for row in self.rows if row.real(self.questions)]

    def conclusion(self) -> tuple[str, ...]:
        """The sentences, or one that says why there are none."""
        return self.sentences() or (NONE if self.questions else NOTHING_JUDGED,)

    def sentences(self) -> tuple[str, ...]:
        """One plain sentence for each subject and group with a real difference."""
        together: dict[tuple[str, str], list[Compared]] = {}
        for row in self.differences():
            together.setdefault((row.subject, row.group), []).append(row)
        return tuple(
            f"{subject}: {'; '.join(self._clause(row, rows[0] is row) for row in rows)}."
            for (subject, _), rows in together.items()
        )

    def _clause(self, row: Compared, first: bool) -> str:
        """Return a difference in words; only the first of a sentence names both sides."""
        assert row.ratio is not None
        here, there = (f" {self.b.where}", f" {self.a.where}") if first else ("", "")
        than = f"{row.direction} than{there}" if first else row.direction
        estimate, high = row.ratio.estimate, row.ratio.high
        if estimate >= 2:
            than = f"{short(estimate)} times {f'that{there}' if first else 'as much'}"
        else:
            than = f"{percent_text(abs(estimate - 1))} {than}"
        times = f"{short(row.ratio.low)} to {short(high) if isfinite(high) else 'any'} times"
        return f"{row.quantity}{here} is {than} ({row.b} against {row.a}; {times})"


def enough(first: Sequence[float], second: Sequence[float]) -> str:
    """Empty where both sides have enough values to be judged, else the reason."""
    least = min(len(first), len(second))
    if least >= FEWEST:
        return ""
    return f"{len(first)} against {len(second)} values, {FEWEST} a side are needed"


def hull(drift: Interval | None, noise: float) -> Band:
    """The ratios between no change and the drift, widened by the noise on either side."""
    low = min(1.0, drift.low if drift else 1.0)
    high = max(1.0, drift.high if drift else 1.0)
    return Band(low / (1 + noise), high * (1 + noise))
