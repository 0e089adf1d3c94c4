"""Two records of `ppslab tcp` compared, or two conditions of one: goodput by direction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ppslab.analysis import goodput
from ppslab.analysis.costs import NoDataError
from ppslab.analysis.goodput import NAMES
from ppslab.base.text.numbers import short
from ppslab.base.text.quantities import Quantity
from ppslab.presentation.report.comparing.comparison import Compared, Side, enough, hull
from ppslab.results import TcpDirection, TcpRecord
from ppslab.theory.statistics import Interval, median_interval
from ppslab.theory.statistics.difference import permutation_p, ratio_of_medians, sign_p

NO_NULL = "a run has no A/A transfers, so its noise is unknown"
ABSOLUTE = (
    "Goodput itself is not compared between two runs, as nothing says how far the machine drifted; "
    "compared is its ratio to the reference of the same run."
)


def within(record: TcpRecord, a: str, b: str) -> Iterator[Compared]:
    """Two conditions of one run: paired, round by round."""
    for direction, name in NAMES.items():
        above, below = (_goodputs(record, each, direction) for each in (b, a))
        ratios = [above[n] / below[n] for n in above if below.get(n, 0) > 0]
        if not ratios:
            continue
        row = Compared("tcp", "goodput", name, _text(record, a, direction),
                       _text(record, b, direction))  # fmt: skip
        noise = _noise(record, direction)
        ratio = median_interval(ratios, seed=record.seed)
        band = hull(None, noise or 0.0, "A/A")
        yield replace(
            row,
            ratio=ratio,
            band=band,
            p=sign_p(ratios, band.edge(ratio.estimate)),
            why_not=enough(ratios, ratios) or (NO_NULL if noise is None else ""),
        )


def across(a: Side, b: Side, one: TcpRecord, two: TcpRecord) -> Iterator[Compared]:
    """Two runs: each condition's goodput relative to the reference of its run."""
    if one.reference != two.reference:
        return
    named = a.condition or b.condition
    for condition in (each.name for each in one.conditions):
        if condition == one.reference or named not in (None, condition):
            continue
        for direction, name in NAMES.items():
            first, second = (_ratios(record, condition, direction) for record in (one, two))
            if not first or not second:
                continue
            noises = [_noise(one, direction), _noise(two, direction)]
            known = [noise for noise in noises if noise is not None]
            ratio = ratio_of_medians(second, first, seed=one.seed)
            band = hull(None, sum(known), "A/A of both runs")
            edge = band.edge(ratio.estimate)
            yield Compared(
                group="tcp",
                quantity=f"goodput relative to {one.reference}",
                subject=f"{condition}, {name}",
                a=Quantity.of(median_interval(first, seed=one.seed)),
                b=Quantity.of(median_interval(second, seed=two.seed)),
                ratio=ratio,
                band=band,
                p=permutation_p(first, [value / edge for value in second], seed=one.seed),
                why_not=enough(first, second) or ("" if len(known) == 2 else NO_NULL),
            )


def _goodputs(record: TcpRecord, condition: str, direction: TcpDirection) -> dict[int, float]:
    return {
        number: transfer.goodput
        for number, transfer in goodput.rounds(record, condition, direction).items()
    }


def _ratios(record: TcpRecord, condition: str, direction: TcpDirection) -> list[float]:
    above = _goodputs(record, condition, direction)
    below = _goodputs(record, record.reference, direction)
    return [above[n] / below[n] for n in above if below.get(n, 0) > 0]


def _text(record: TcpRecord, condition: str, direction: TcpDirection) -> str:
    interval: Interval = goodput.goodput(record, condition, direction)
    return f"{short(interval.estimate / 1e9)} Gbit/s"


def _noise(record: TcpRecord, direction: TcpDirection) -> float | None:
    try:
        null = goodput.a_a_interval(record, direction)
    except NoDataError:
        return None
    return max(abs(null.low - 1), abs(null.high - 1))
