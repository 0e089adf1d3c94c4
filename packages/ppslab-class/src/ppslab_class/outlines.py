"""MikroTik's published course outlines beside this course, point by point (`outlines.yml`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.tables import NOTHING, Cell, Table

FILE = Path(__file__).parent / "outlines.yml"


class Point(StrictModel):
    """One point; `lab`: the outline wants it done by hand; `where`: chapters, or LAB/TASK.

    `note`: what of it is not taught, or why none of it is.
    """

    part: str
    point: str
    lab: bool = False
    extent: Literal["whole", "part", "none"]
    where: tuple[str, ...] = ()
    note: str = ""

    @model_validator(mode="after")
    def _has_its_reason(self) -> Point:
        if self.extent != "whole" and not self.note:
            raise ValueError(f"{self.point}: what is not wholly taught needs a note that says why")
        return self


class Outline(StrictModel):
    """A course of MikroTik's: its points, in its order.

    `edition`: the day of its last change; `read`: when we read it at `source`.
    """

    title: str
    edition: date
    read: date
    source: str = Field(pattern="^https://")
    points: tuple[Point, ...]

    def table(self, name: str, address: Callable[[str], str] | None = None) -> Table:
        """Point by point, with what is covered where.

        `address`: of a chapter or task, for a page.
        """
        rows = tuple(
            (
                Cell(each.part),
                Cell(f"{each.point} + LAB" if each.lab else each.point),
                Cell(each.extent),
                Cell("; ".join(each.where) or NOTHING, links=_links(each, address)),
                Cell(each.note),
            )
            for each in self.points
        )
        counts = ", ".join(
            f"{extent} {sum(each.extent == extent for each in self.points)}"
            for extent in ("whole", "part", "none")
        )
        notes = (
            f"Of {len(self.points)} points: {counts}.",
            f"Outline: {self.source}, read {self.read}.",
        )
        title = f"{name}, {self.title} (edition of {self.edition})"
        return Table(title, ("part", "point", "taught", "where", "note"), rows, notes)


class Unread(StrictModel):
    """An outline that MikroTik publishes and nobody here has read; `tried`: when we last looked."""

    title: str
    source: str = Field(pattern="^https://")
    tried: date

    def sentence(self, name: str) -> str:
        """What there is to say of it."""
        return (
            f"{name}, {self.title}: not mapped. MikroTik links its outline from {self.source}, "
            f"which we could not read ({self.tried}); we do not use copies by others."
        )


class Outlines(StrictModel):
    """Every outline that is mapped, and those that could not be read, by name."""

    mapped: dict[str, Outline]
    unread: dict[str, Unread]


def load() -> Outlines:
    """What is known of MikroTik's outlines."""
    return Outlines.model_validate(documents.load_yaml(FILE).data)


def find(name: str) -> Outline:
    """The outline called `name`; UsageError where it is not mapped, with the reason."""
    known = load()
    if name.upper() in known.unread:
        raise UsageError(known.unread[name.upper()].sentence(name.upper()))
    if name.upper() not in known.mapped:
        near = did_you_mean(name.upper(), [*known.mapped, *known.unread])
        raise UsageError(
            f"no outline of {name!r}{near} is mapped; mapped are {', '.join(known.mapped)}"
        )
    return known.mapped[name.upper()]


def _links(point: Point, address: Callable[[str], str] | None) -> tuple[str, ...]:
    return tuple(map(address, point.where)) if address else ()
