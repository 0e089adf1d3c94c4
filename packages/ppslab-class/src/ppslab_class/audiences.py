"""Days for people of one kind: which chapters, and what comes before and after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab_class import content, slides, timetable
from ppslab_class.timetable import Day, Slot

FILE = Path(__file__).parent / "audiences.yml"


class Part(StrictModel):
    """A part of the day that is no chapter; `page` below book/, without `.md`."""

    kind: Literal["exports", "cases"]
    page: str
    minutes: int = Field(ge=5, le=80)
    what: str
    how: str
    """What the instructor has the class do."""

    @property
    def slot(self) -> Slot:
        """The part in a timetable."""
        return Slot(self.kind, f"{self.what} (page {self.page})", self.minutes)


class Audience(StrictModel):
    """A day for people of one kind.

    `instead`: by chapter those that can take its place.
    """

    title: str
    before: tuple[Part, ...] = ()
    chapters: tuple[str, ...] = Field(min_length=1)
    instead: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    after: tuple[Part, ...] = ()

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be exchanged, in words."""
        return tuple(
            f"In place of {name}: {' or '.join(others)} (--chapters)"
            for name, others in self.instead.items()
        )

    def day(self, hours: float, start: int, chapters: Sequence[str] = ()) -> Day:
        """Its day, from `start` (minutes after midnight); `chapters` in place of its own."""
        course = [slides.timed(content.chapter(name)) for name in chapters or self.chapters]
        before = [part.slot for part in self.before]
        after = [part.slot for part in self.after]
        day = timetable.plan(hours, start, course, given=True, before=before, after=after)
        return replace(day, choices=self.choices)

    @property
    def parts(self) -> tuple[Part, ...]:
        """All that is no chapter, in its order."""
        return (*self.before, *self.after)


class File(StrictModel):
    """The whole of audiences.yml."""

    audiences: dict[str, Audience]


def load() -> dict[str, Audience]:
    """Every audience by its name; FileError if the file is malformed."""
    return fitting.validate(documents.load_yaml(FILE), File).audiences


def find(name: str) -> Audience:
    """The audience called `name`; UsageError names those that exist."""
    known = load()
    if name not in known:
        near = did_you_mean(name, known)
        raise UsageError(f"no day for {name!r}{near}: there are {', '.join(known)}")
    return known[name]
