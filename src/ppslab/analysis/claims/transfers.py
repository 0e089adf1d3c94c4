"""Claims on TCP: goodput, what is sent again, round-trip time, and how busy the CPUs were."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import Any

from ppslab.analysis import goodput
from ppslab.analysis.claims.deciding import Band, Difference, Question, Size, Steps
from ppslab.analysis.claims.schema import (
    Busy,
    GoodputOrder,
    GoodputRatio,
    MoreRetransmits,
    RoundTripOrder,
    RoundTripTime,
)
from ppslab.analysis.claims.verdicts import bounded, rate
from ppslab.lab.published import Published
from ppslab.results import TcpRecord
from ppslab.theory.statistics import Interval


def question(word: Any, rows: Sequence[Published], record: TcpRecord) -> Question:
    """What one record of `ppslab tcp` says to a claim; NoDataError where it has no such transfers.

    Every ratio, and every difference, is at least as wide as the A/A one of the run.
    """
    if isinstance(word, GoodputRatio):
        interval = _ratio(record, word.numerator, word.denominator, word)
        return Size(rate(rows[0]).over(rate(rows[1])), interval)
    if isinstance(word, GoodputOrder):
        return _order(word, record)
    if isinstance(word, Busy):
        return _busy(word, record)
    if isinstance(word, RoundTripTime):
        return _round_trip(word, record)
    if isinstance(word, RoundTripOrder):
        return _round_trip_order(word, record)
    assert isinstance(word, MoreRetransmits)
    noise = goodput.a_a_retransmits(record, word.direction)
    interval = goodput.more_retransmitted(record, word.condition, word.than, word.direction)
    sentence = f"retransmitted share of {word.condition} less that of {word.than}"
    return Difference(interval.as_far_as(max(abs(noise.low), abs(noise.high))), sentence)


def _ratio(
    record: TcpRecord, above: str, below: str, word: GoodputRatio | GoodputOrder
) -> Interval:
    noise = goodput.noise_factor(record, word.direction)
    return goodput.ratio(record, above, below, word.direction).as_wide_as(noise)


def _order(word: GoodputOrder, record: TcpRecord) -> Steps:
    """Every step must carry less by more than the noise; one that carries more contradicts."""
    steps = []
    for faster, slower in pairwise(word.conditions):
        ratio = _ratio(record, slower, faster, word)
        steps.append((ratio, f"{slower} carries {ratio} times as much as {faster}"))
    return Steps(tuple(steps), rising=False)


def _busy(word: Busy, record: TcpRecord) -> Band:
    found = goodput.busiest(record, word.condition, word.direction)
    return _band(word, found, "share of the time that the busiest CPU worked: {}")


def _round_trip(word: RoundTripTime, record: TcpRecord) -> Band:
    found = goodput.round_trip_ms(record, word.condition, word.direction)
    return _band(word, found, "TCP's round-trip time: {} ms")


def _band(word: Busy | RoundTripTime, found: Interval, sentence: str) -> Band:
    low = -inf if word.at_least is None else word.at_least
    high = inf if word.at_most is None else word.at_most
    return Band(found, low, high, sentence.format(bounded(word.at_least, word.at_most)))


def _round_trip_order(word: RoundTripOrder, record: TcpRecord) -> Steps:
    """Every step must be longer by more than the noise; one that is shorter contradicts."""
    steps = []
    for shorter, longer in pairwise(word.conditions):
        ratio = goodput.round_trip_ratio(record, longer, shorter, word.direction)
        steps.append(
            (ratio, f"a round trip under {longer} takes {ratio} times one under {shorter}")
        )
    return Steps(tuple(steps), rising=True)
