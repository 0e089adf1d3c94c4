"""Pairs of measured rows, each pair of one router, by which one kind of packet costs more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from pydantic import Field, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.judge.claims.deciding import IN_WORDS, Question, Size, Steps, Width
from ppslab.judge.claims.judges import Judge, OfTwoRows
from ppslab.model.lab.published import Published, Value
from ppslab.model.statistics import Interval


class Pairs(StrictModel):
    """The rows by which a packet of one kind costs more than another's.

    The first `dearer` row and the first `cheaper` one are of the same router, and so on.
    """

    dearer: tuple[str, ...] = Field(min_length=1)  # ids of rows
    cheaper: tuple[str, ...] = Field(min_length=1)  # as many, of the same routers
    at_least: float | None = None  # how many times as much, where the claim says it in words
    # each ratio is a lower bound of the claim's: `because` says why, such as a cheaper row that
    # does more than the claim's
    lower_bounds: bool = False
    because: str  # what the two rows of a router are, and why that decides

    @model_validator(mode="after")
    def _in_pairs(self) -> Pairs:
        if len(self.dearer) != len(self.cheaper):
            raise ValueError("each dearer row stands against one cheaper row")
        return self

    @property
    def named(self) -> tuple[str, ...]:
        """Every row, the dearer ones first."""
        return (*self.dearer, *self.cheaper)

    @property
    def step(self) -> str:
        """The words for the ratio of a claim that has no size."""
        return "a packet costs {} times as much"

    def asked(self, ratio: Interval, judge: Judge, rows: Sequence[Published]) -> Question:
        """Make the question of a ratio.

        It is the bound that the claim says, its published ratio, or just which costs more.
        """
        width = Width.ROUTERS
        if self.lower_bounds:
            ratio, width = replace(ratio, high=inf), Width.LOWER_BOUNDS
        if self.at_least is not None:
            return Size(ratio, Value(self.at_least, inf), width, IN_WORDS)
        if isinstance(judge, OfTwoRows) and judge.makes_ratio:
            return Size(ratio, judge.published_ratio(rows), width)
        return Steps(((ratio, self.step),), rising=True, width=width)
