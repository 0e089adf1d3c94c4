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

Figure = Annotated[float, Field(gt=0)]


class Source(StrictModel):
    """Document and hardware of the measurements."""

    title: str
    url: str = Field(description="where its figures stand, at the version that was read")
    read: date
    machine: str
    kernel: str


class Result(StrictModel):
    """One result: figures as the source prints them, and ours that stands beside."""

    id: str
    where: str = Field(description="file, table and figures, as the source prints them")
    what: str = Field(description="what was measured")
    instructions: tuple[Figure, Figure] | None = Field(
        default=None, description="instructions and packets of the same second"
    )
    ratio: tuple[Figure, Figure] | None = Field(
        default=None, description="packets a second of the slower and of the faster one"
    )
    added: tuple[Figure, Figure, Figure] | None = Field(
        default=None, description="packets a second with a feature, without, of the reference"
    )
    condition: str = Field(description="the lab's condition that stands beside it")
    reference: str | None = Field(default=None, description="its reference; none of instructions")
    differs: str = Field(description="why ours may differ")

    @model_validator(mode="after")
    def _one(self) -> Result:
        if sum(map(bool, (self.instructions, self.ratio, self.added))) != 1:
            raise ValueError("one of instructions, ratio and added")
        if bool(self.reference) == bool(self.instructions):
            raise ValueError("instructions have no reference; ratio and added have one")
        return self

    @property
    def value(self) -> float:
        """Instructions a packet, a ratio of times, or an added time as a part of the reference."""
        if self.added:
            with_feature, without, reference = self.added
            return reference * (1 / with_feature - 1 / without)
        over, under = self.instructions or self.ratio or (0, 1)
        return over / under


class Elsewhere(StrictModel):
    """The whole file."""

    source: Source
    results: tuple[Result, ...]


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
        for name in filter(None, (result.condition, result.reference)):
            if name not in lab.conditions:
                near = did_you_mean(name, lab.conditions)
                raise document.error(("results", number), f"no condition {name!r} in the lab{near}")
    return read
