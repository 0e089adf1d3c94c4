"""Agreement in size of a measured ratio with a published one, by the numbers of `agreement.yml`."""

from __future__ import annotations

from functools import cache
from math import inf, sqrt
from pathlib import Path

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.model.lab.published import Value


class Slider(StrictModel):
    """The scoreboard's slider."""

    least: float = Field(gt=1)
    most: float
    step: float = Field(gt=0)


class Agreement(StrictModel):
    """The words of agreement.yml."""

    factor: float = Field(gt=1)
    same: float = Field(gt=1)
    repeats: float = Field(gt=1)
    counting: float = Field(gt=1)
    kernels: float = Field(gt=1)
    slider: Slider


@cache
def load() -> Agreement:
    """The file; it comes with the package."""
    document = documents.load_yaml(Path(__file__).with_name("agreement.yml"))
    return fitting.validate(document, Agreement)


def rises(published: Value) -> bool | None:
    """Return True for a published ratio above 1, False below, None where it may be either."""
    if published.low > 1:
        return True
    return False if published.high < 1 else None


def around(published: Value, factor: float) -> tuple[float, float]:
    """The lowest and the highest measured ratio that has the published one's size.

    A published bound is a bound: nothing is taken off it.  Around a number or a range lies the
    factor, but never so much of it that more than half of the difference from 1 is lost.
    """
    if published.at_least:
        return published.low, inf
    if published.at_most:
        return 0.0, published.high
    rising = rises(published)
    if rising is None:
        return published.low / factor, published.high * factor
    nearest = published.low if rising else 1 / published.high
    near = min(factor, sqrt(nearest))
    return published.low / near, published.high * near
