"""Claims on what a packet costs the router, and on which frames came and how."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from ppslab import analysis, units
from ppslab.claims.verdicts import Finding, band, order, rate, ratio_of_costs
from ppslab.claims.words import (
    AtLeast,
    AtMost,
    Capacity,
    CounterShare,
    LineRate,
    LittleChange,
    Lost,
    Order,
    Ratio,
    Share,
    SizeIndependent,
    SizeRatio,
)
from ppslab.published import Published
from ppslab.results import Record, Trial
from ppslab.statistics import Interval, median_interval


def judge(word: Any, rows: list[Published], record: Record) -> Finding:
    """The finding of one record of `ppslab run`; NoDataError where it has no such trials."""
    if isinstance(word, Order):
        return _order(word, record)
    if isinstance(word, Share):
        return _share(word, record)
    if isinstance(word, SizeIndependent):
        larger, smaller = max(word.sizes), min(word.sizes)
        found = analysis.size_ratio(record, word.condition, larger, smaller)
        times = f"{larger / smaller:.3g}"
        return band(found, 1 / word.within, word.within, f"the frame is {times} times as large")
    if isinstance(word, SizeRatio):
        found = analysis.size_ratio(record, word.condition, word.larger, word.smaller)
        return _against_published(word, ratio_of_costs(rows), found)
    found = analysis.ratio(record, word.numerator, word.denominator, word.size)
    if isinstance(word, LittleChange):
        said = f"little change means a factor below {word.within:g}"
        return band(found, 1 / word.within, word.within, said)
    return _against_published(word, ratio_of_costs(rows), found)


def _against_published(
    word: Ratio | SizeRatio | AtLeast | AtMost, value: float, found: Interval
) -> Finding:
    lowest, highest = value / word.factor, value * word.factor
    if isinstance(word, Ratio | SizeRatio):
        said = f"published {value:.3g}, judged within a factor of {word.factor:g}"
        return band(found, lowest, highest, said)
    if isinstance(word, AtMost):
        said = f"published {value:.3g} or less, judged up to {highest:.3g}"
        return band(found, float("-inf"), highest, said)
    said = f"published {value:.3g} or more, judged from {lowest:.3g} up"
    return band(found, lowest, float("inf"), said)


def _order(word: Order, record: Record) -> Finding:
    """Every step must be dearer by more than the noise; one that is cheaper contradicts."""
    noise = analysis.noise(record, word.size)
    steps = []
    for cheaper, dearer in pairwise(word.conditions):
        found = analysis.ratio(record, dearer, cheaper, word.size)
        steps.append((found, f"{dearer} costs {found} times {cheaper}"))
    return order(steps, noise, rising=True)


def _share(word: Share, record: Record) -> Finding:
    trials = [
        trial
        for trial in record.trials
        if trial.valid
        and trial.purpose in ("cost", "search")
        and trial.condition == word.condition
        and trial.frame_size == word.size
        and trial.counts
    ]
    value = _value_of(word)
    shares = [share for trial in trials if (share := value(trial)) is not None]
    if not shares:
        what = getattr(word, "counter", "such frames")
        raise analysis.NoDataError(
            f"no valid trials of {word.condition} at {word.size} bytes that count {what}"
        )
    low = float("-inf") if word.at_least is None else word.at_least
    high = float("inf") if word.at_most is None else word.at_most
    bounds = [f"at least {word.at_least:g}"] if word.at_least is not None else []
    bounds += [f"at most {word.at_most:g}"] if word.at_most is not None else []
    said = f"{_named(word)}: {' and '.join(bounds)}, in the median of {len(shares)} trials"
    return band(median_interval(shares, seed=record.seed), low, high, said)


def _named(word: Share) -> str:
    if isinstance(word, CounterShare):
        return f"{word.counter} as a share of {word.of}"
    return "lost of offered frames" if isinstance(word, Lost) else "reordered of received frames"


def _value_of(word: Share) -> Callable[[Trial], float | None]:
    def value(trial: Trial) -> float | None:
        counts: dict[str, Any] = trial.counts or {}
        if isinstance(word, CounterShare):
            above = trial.counters.get(word.counter)
            below = trial.counters.get(word.of, counts.get(word.of))
        elif isinstance(word, Lost):
            below = counts["offered"]
            above = below - counts["received"]
        else:
            above, below = counts.get("reordered"), counts["received"]
        return above / below if above is not None and below else None

    return value


def arithmetic(word: LineRate | Capacity, rows: list[Published]) -> Finding:
    """The published numbers alone: whether the ports can carry them."""
    if isinstance(word, LineRate):
        return line_rate(word, rows)
    limit = word.ports * word.speed
    shares = [rate(row) / limit for row in rows]
    found = Interval(sum(shares) / len(shares), min(shares), max(shares), len(shares))
    said = (
        f"{word.ports} ports of {word.speed / 1e9:g} Gbit/s carry {limit / 1e9:g} Gbit/s: "
        "arithmetic on the published numbers"
    )
    return band(found, float("-inf"), 1.0, said)


def line_rate(word: LineRate, rows: list[Published]) -> Finding:
    """Arithmetic on the published numbers."""
    limit = word.ports * units.line_rate(word.size, word.speed)
    shares = [rate(row) / limit for row in rows]
    found = Interval(sum(shares) / len(shares), min(shares), max(shares), len(shares))
    said = (
        f"{word.ports} ports of {word.speed / 1e9:g} Gbit/s carry "
        f"{units.human_rate(limit)} of {word.size} bytes: arithmetic on the published numbers"
    )
    return band(found, 1 - word.within, 1 + word.within, said)
