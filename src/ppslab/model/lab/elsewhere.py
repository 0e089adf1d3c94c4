"""Others' measurements of the same thing in another way: a lab's `elsewhere.yml`.

These are no numbers that the lab reproduces: nothing judges them.  They stand beside ours so that
a reader sees how far a stand-in is from a router with network cards, and why.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.model.lab.lab import Lab

FILE = "elsewhere.yml"

Rate = Annotated[float, Field(gt=0)]


class Source(StrictModel):
    """Author and hardware of a measurement."""

    title: str = Field(description="the document's title")
    url: str = Field(description="where its figures stand, at the version that was read")
    read: date = Field(description="the day on which it was read")
    machine: str = Field(description="the machine that was measured")
    kernel: str = Field(description="its kernel")


class Instructions(StrictModel):
    """A CPU's own count of a busy second, and the packets of that second."""

    per_second: Rate = Field(description="instructions a second")
    packets_per_second: Rate = Field(description="packets of the same second")

    @property
    def value(self) -> float:
        """Instructions a packet."""
        return self.per_second / self.packets_per_second


class Ratio(StrictModel):
    """Ratio of two times per packet, the inverse of the rates' ratio."""

    above_pps: Rate = Field(description="packets per second of the slower one")
    below_pps: Rate = Field(description="packets per second of the faster one")

    @property
    def value(self) -> float:
        """Times, without a unit."""
        return self.below_pps / self.above_pps


class Added(StrictModel):
    """Time that one feature adds to a packet, as a part of the reference's."""

    with_pps: Rate = Field(description="packets per second with the feature")
    without_pps: Rate = Field(description="packets per second without it")
    reference_pps: Rate = Field(description="packets per second of the reference")

    @property
    def value(self) -> float:
        """A part of the reference, without a unit."""
        return self.reference_pps * (1 / self.with_pps - 1 / self.without_pps)


class Ours(StrictModel):
    """The conditions of the lab that stand beside it."""

    condition: str = Field(description="the condition's name in the lab")
    reference: str | None = Field(
        default=None, description="the condition that it is compared with, where there is one"
    )


class Result(StrictModel):
    """One result, with what it is made of."""

    id: str = Field(description="the result's name")
    source: str = Field(description="the name of its source")
    where: str = Field(description="file, table and figures, as the source prints them")
    what: str = Field(description="what was measured")
    instructions: Instructions | None = Field(
        default=None, description="given for instructions a packet"
    )
    ratio: Ratio | None = Field(default=None, description="given for a ratio of times")
    added: Added | None = Field(default=None, description="given for what a feature adds")
    ours: Ours = Field(description="what of the lab stands beside it")
    differs: str = Field(description="why ours may differ")

    @model_validator(mode="after")
    def _one(self) -> Result:
        given = [each for each in (self.instructions, self.ratio, self.added) if each]
        if len(given) != 1:
            raise ValueError("one of instructions, ratio and added")
        if (self.ours.reference is None) != (self.instructions is not None):
            raise ValueError("ours: instructions have no reference, a ratio and a part have one")
        return self

    @property
    def value(self) -> float:
        """Instructions a packet, or a number of times or a part of the reference."""
        given = self.instructions or self.ratio or self.added
        assert given is not None
        return given.value


class Elsewhere(StrictModel):
    """The whole file."""

    sources: dict[str, Source] = Field(description="the sources, by name")
    results: tuple[Result, ...] = Field(description="the results")

    @model_validator(mode="after")
    def _named(self) -> Elsewhere:
        for result in self.results:
            if result.source not in self.sources:
                near = did_you_mean(result.source, self.sources)
                raise ValueError(f"{result.id}: no source {result.source!r}{near}")
        return self


def load(lab: Lab) -> Elsewhere | None:
    """Read a lab's `elsewhere.yml`; None where it has none.

    FileError, with the line, where it is wrong or names a condition that the lab has not.
    """
    path = lab.folder / FILE
    if not path.is_file():
        return None
    document = documents.load_yaml(path)
    read = fitting.validate(document, Elsewhere)
    for number, result in enumerate(read.results):
        for key in ("condition", "reference"):
            name = getattr(result.ours, key)
            if name is not None and name not in lab.conditions:
                near = did_you_mean(name, lab.conditions)
                raise document.error(
                    ("results", number, "ours", key), f"no condition {name!r} in the lab{near}"
                )
    return read
