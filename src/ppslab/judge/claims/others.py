"""Others' measurements of RouterOS, held against a claim.

A claim names two rows of `model/devices/measurements.csv` for each measurement: those of one
source, device and frame size, so that their ratio is of one router in one set-up.  Several
measurements make an interval from the least to the greatest, as with MikroTik's own tables.  A rate
that a port or the tester limited is a lower bound, and leaves its ratio open at that side; one from
a search by steps lies between the last that passed and the next.  Where a source says how far its
repeated runs differ, both rates of a ratio may be that far off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf
from statistics import median

from ppslab.core.errors import did_you_mean
from ppslab.judge.claims.deciding import Question
from ppslab.judge.claims.judges import Judge, LittleChange, SizeRatio
from ppslab.judge.claims.pairs import Pairs
from ppslab.model.devices import measured
from ppslab.model.lab.published import Published, Value
from ppslab.model.statistics import Interval


class Measurements(Pairs):
    """Rows of measurements.csv: what others measured on one router."""

    def faults(self, judge: Judge) -> Iterator[str]:
        """Yield the faults of the rows, the first to mend first."""
        if isinstance(judge, LittleChange) or (isinstance(judge, SizeRatio) and judge.same):
            yield "the rows say which costs more, and the claim says that both cost the same"
            return
        known = measured.load()
        for name in self.named:
            if name not in known:
                yield f"measurements.csv has no row {name!r}{did_you_mean(name, known)}"
                return
        for dear, cheap in self._pairs():
            if dear.measurement != cheap.measurement:
                yield f"{dear.id} and {cheap.id} are not of one source, device and frame size"
            elif dear.at_least and cheap.at_least:
                yield f"{dear.id} and {cheap.id} are both lower bounds: their ratio can be anything"

    @property
    def step(self) -> str:
        """A ratio of costs, or, where the rows differ in their streams, of rates.

        A router with several cores at work spends more of them on a higher rate, so the rates of
        one stream and of many tell nothing of what a packet costs.
        """
        dear, cheap = (
            " or ".join(dict.fromkeys(row.streams for row in rows))
            for rows in zip(*self._pairs(), strict=True)
        )
        if dear == cheap:
            return super().step
        return f"with {cheap}, {{}} times as many packets get through as with {dear}"

    def question(self, judge: Judge, rows: Sequence[Published]) -> Question:
        """Make the claim's question: its bound, its published ratio, or just which costs more."""
        ratio = _over(
            [
                (_rate(cheap).over(_rate(dear)), cheap.repeats * dear.repeats)
                for dear, cheap in self._pairs()
            ]
        )
        return self.asked(ratio, judge, rows)

    @property
    def cited(self) -> str:
        """The routers, the traffic and the loss rules of each pair, and their sources."""
        pairs = self._pairs()
        rows = dict.fromkeys(
            f"{dear.device}, {dear.version}, {dear.frame_bytes} bytes, "
            f"{_both(dear.streams, cheap.streams)}, loss rule: {_both(dear.loss, cheap.loss)}"
            for dear, cheap in pairs
        )
        sources = dict.fromkeys(f"{dear.source.named}{_repeats(dear)}" for dear, _ in pairs)
        return f"{'; '.join(rows)}: {'; '.join(sources)}"

    def _pairs(self) -> list[tuple[measured.Measured, measured.Measured]]:
        known = measured.load()
        return [
            (known[dear], known[cheap])
            for dear, cheap in zip(self.dearer, self.cheaper, strict=True)
        ]


def _both(dear: str, cheap: str) -> str:
    return dear if dear == cheap else f"{dear} against {cheap}"


def _repeats(row: measured.Measured) -> str:
    more = 100 * (row.repeats - 1)
    return f", whose repeated runs differ by up to {more:.0f} %" if more else ""


def _rate(row: measured.Measured) -> Value:
    return Value(row.pps, inf if row.at_least else row.lost_at or row.pps)


def _over(ratios: Sequence[tuple[Value, float]]) -> Interval:
    """The median of the ends that are known, and the least and greatest that are possible.

    Each ratio with the factor that it may be off by.
    """
    return Interval(
        median(end for ratio, _ in ratios for end in ratio.ends),
        min(ratio.low / off for ratio, off in ratios),
        max(ratio.high * off for ratio, off in ratios),
        len(ratios),
    )
