"""Judges of TCP: goodput, what is sent again, round-trip time, and how busy the CPUs were."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from pydantic import Field, model_validator

from ppslab.judge import goodput
from ppslab.judge.claims.deciding import Band, Difference, Question, Size, Steps
from ppslab.judge.claims.judges import Bounds, Judge, OfTwoRows
from ppslab.judge.claims.verdicts import rate
from ppslab.model.lab.lab import Name
from ppslab.model.lab.published import Published
from ppslab.model.lab.published_value import Value
from ppslab.model.results import TcpDirection, TcpRecord
from ppslab.model.statistics import Interval


class OfTcp(Judge):
    """A judge of transfers in one direction of `ppslab tcp`.

    Every ratio, and every difference, is at least as wide as the A/A one of the run.
    """

    command = "tcp"

    direction: TcpDirection = Field(default="there", description="there, back or both")

    def goodputs(self, record: TcpRecord, above: str, below: str) -> Interval:
        """The goodput of one condition over another's."""
        noise = goodput.noise_factor(record, self.direction)
        return goodput.ratio(record, above, below, self.direction).as_wide_as(noise)


class GoodputRatio(OfTcp, OfTwoRows):
    """The published ratio of the first row's goodput to the second's; agreement.yml: how near."""

    numerator: Name = Field(description="its row of published.csv is first")
    denominator: Name = Field(description="its row is second")

    @property
    def conditions(self) -> tuple[str, ...]:
        """Both."""
        return (self.numerator, self.denominator)

    def ratio_of(self, rows: Sequence[Published]) -> Value:
        """The first row over the second."""
        return rate(rows[0]).over(rate(rows[1]))

    def question(self, record: TcpRecord, rows: Sequence[Published]) -> Size:
        """The size of the ratio."""
        ratio = self.goodputs(record, self.numerator, self.denominator)
        return Size(self.published_ratio(rows), ratio)


class TcpOrder(OfTcp):
    """Each condition carries less TCP goodput than the one before it, or its round trip is longer.

    Or a larger share of the segments is sent again under the second of two.
    """

    of: Literal["goodput", "round_trip", "retransmitted"] = Field(
        default="goodput", description="goodput, round_trip or retransmitted"
    )
    conditions: tuple[Name, ...] = Field(
        min_length=2, description="the fastest first, which is the one that sends least again"
    )

    @model_validator(mode="after")
    def _two(self) -> TcpOrder:
        if self.of == "retransmitted" and len(self.conditions) != 2:
            raise ValueError("what is sent again is compared between two conditions")
        return self

    @property
    def by_events(self) -> bool:
        """It counts segments that are sent again."""
        return self.of == "retransmitted"

    def question(self, record: TcpRecord, rows: Sequence[Published]) -> Question:
        """Every step must differ by more than the noise; one the other way contradicts."""
        del rows
        if self.of == "retransmitted":
            return self._retransmitted(record, *self.conditions)
        steps = []
        for first, second in pairwise(self.conditions):
            if self.of == "goodput":
                ratio = self.goodputs(record, second, first)
                steps.append((ratio, f"{second} carries {ratio} times as much as {first}"))
            else:
                ratio = goodput.round_trip_ratio(record, second, first, self.direction)
                sentence = f"a round trip under {second} takes {ratio} times one under {first}"
                steps.append((ratio, sentence))
        return Steps(tuple(steps), rising=self.of == "round_trip")

    def _retransmitted(self, record: TcpRecord, less: str, more: str) -> Difference:
        noise = goodput.a_a_retransmits(record, self.direction)
        interval = goodput.more_retransmitted(record, more, less, self.direction)
        sentence = f"retransmitted share of {more} less that of {less}"
        return Difference(interval.as_far_as(max(abs(noise.low), abs(noise.high))), sentence)


class TcpBounds(OfTcp, Bounds):
    """While TCP fills the way: how busy the busiest CPU is, or TCP's smoothed round-trip time."""

    of: Literal["busy", "round_trip"] = Field(
        description="busy: a share of the time; round_trip: milliseconds, the streams' median"
    )
    at_least: float | None = Field(default=None, description="the lowest share or shortest time")
    at_most: float | None = Field(default=None, description="the highest share or longest time")

    def question(self, record: TcpRecord, rows: Sequence[Published]) -> Band:
        """The median of the rounds, between its bounds."""
        del rows
        if self.of == "busy":
            busiest = goodput.busiest(record, self.condition, self.direction)
            return self.between(busiest, "share of the time that the busiest CPU worked")
        round_trip = goodput.round_trip_ms(record, self.condition, self.direction)
        return self.between(round_trip, "TCP's round-trip time", " ms")
