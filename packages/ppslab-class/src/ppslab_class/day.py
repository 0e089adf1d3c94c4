"""A trainer's day: which slides, drills and cases, in which order, and how long each takes.

`day.yml` names them; titles and the minutes of slides come from the chapters, keys from the drills
and cases.  The site's timetable, the decks and the papers of the download are made of one `Day`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.core.text.tables import Cell, Table
from ppslab.course import practice
from ppslab.model.manual import FactIds
from ppslab_class import content, slides
from ppslab_class.content import CASE_MINUTES, Chapter, TaskWords
from ppslab_class.slides import Slide

FILE: Final = Path(__file__).parent / "day.yml"

Kind = Literal["welcome", "exports", "slides", "drill", "case", "break", "ticket"]
HANDS_ON: Final = frozenset({"exports", "drill", "case"})
"""The kinds of parts in which the class types."""

Sentence = Annotated[str, Field(min_length=10)]


class Step(StrictModel):
    """A step of a demonstration: `do` and `see` in Markdown, `type` in RouterOS."""

    do: Sentence
    type: str = ""
    see: Sentence
    facts: FactIds = Field(default=(), description="the manual's sentences that explain it")


class Part(StrictModel):
    """A part of the day, by its `kind`.

    `slides` of a `chapter`, by their titles, take the minutes of the slides.  A `drill` takes its
    own `minutes` times `content.IN_CLASS`.  A `case` takes the minutes of its difficulty.  Every
    other kind has a `title` and its `minutes`.
    `late`: leave it out first if the class is late.
    """

    kind: Kind
    title: str = ""
    minutes: int = Field(default=0, ge=0, le=120)
    chapter: str = ""
    slides: tuple[str, ...] = ()
    drill: str = ""
    case: str = ""
    page: str = Field(default="", description="the page of the site that the class opens")
    how: str = ""
    script: tuple[Step, ...] = ()
    late: bool = False

    @model_validator(mode="after")
    def _keys_of_its_kind(self) -> Part:
        needs = {"slides": ("chapter", "slides"), "drill": ("drill",), "case": ("case",)}
        mine = needs.get(self.kind, ("title", "minutes"))
        others = {key for keys in (*needs.values(), ("title", "minutes")) for key in keys}
        for key in sorted(others):
            if bool(getattr(self, key)) != (key in mine):
                missing = "needs" if key in mine else "has no"
                raise ValueError(f"a part of the kind {self.kind} {missing} `{key}`")
        return self


class Plan(StrictModel):
    """The keys of `day.yml`."""

    title: str
    start: Annotated[str, Field(pattern=r"^[012]\d:[0-5]\d$")]
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Slot:
    """A part with its place in the day: `at` and `minutes` in minutes, `at` after midnight."""

    part: Part
    at: int
    minutes: int
    title: str


@dataclass(frozen=True)
class Day:
    """The whole day; `slots` one after the other."""

    title: str
    slots: tuple[Slot, ...]

    @property
    def end(self) -> int:
        """Minutes after midnight at which the last part ends."""
        return self.slots[-1].at + self.slots[-1].minutes

    @property
    def working(self) -> int:
        """Minutes without the breaks."""
        return sum(slot.minutes for slot in self.slots if slot.part.kind != "break")

    @property
    def hands_on(self) -> int:
        """Minutes in which the class types."""
        return sum(slot.minutes for slot in self.slots if slot.part.kind in HANDS_ON)

    def drills(self, chapter: str) -> tuple[TaskWords, ...]:
        """The day's drills of a chapter, e.g. of `fasttrack`, as the tasks of its deck."""
        return tuple(
            TaskWords(f"drills/{part.drill}", drill.title, drill.minutes)
            for part in (slot.part for slot in self.slots)
            if part.kind == "drill" and part.drill.partition("-")[0] == chapter
            for drill in (practice.drill(part.drill),)
        )

    @cached_property
    def chapters(self) -> dict[str, tuple[Chapter, tuple[Slide, ...]]]:
        """Each chapter of the day with its slides, by name, in the day's order."""
        return {
            slot.part.chapter: (
                content.chapter(slot.part.chapter),
                _chosen(slot.part.chapter, slot.part.slides),
            )
            for slot in self.slots
            if slot.part.kind == "slides"
        }

    def table(self) -> Table:
        """When what begins, with the class's own work marked, and the sums of the minutes."""
        rows = [
            (
                Cell(clock(slot.at)),
                Cell(name(slot)),
                Cell(f"{slot.minutes}"),
                Cell("yes" if slot.part.kind in HANDS_ON else ""),
            )
            for slot in self.slots
        ]
        rows.append((Cell(clock(self.end)), Cell("End"), Cell(""), Cell("")))
        return Table(
            self.title, ("at", "what", "minutes", "hands-on"), tuple(rows), tuple(self._notes())
        )

    def _notes(self) -> Iterator[str]:
        share = round(100 * self.hands_on / self.working)
        yield (
            f"Hands-on: {self.hands_on} of {self.working} minutes ({share} %), "
            "not counting the breaks."
        )
        late = [slot for slot in reversed(self.slots) if slot.part.late]
        if late:
            words = "; ".join(f"{name(slot)} ({slot.minutes})" for slot in late)
            yield f"If you are late, leave out, in this order (minutes): {words}."


def name(slot: Slot) -> str:
    """The slot's words in a timetable, e.g. `Drill: Limit fast-tracked packets`."""
    match slot.part.kind:
        case "slides":
            return f"Slides: {slot.title}"
        case "drill":
            return f"Drill: {slot.title}"
        case "case":
            return f"Case {int(slot.part.case.partition('-')[0])}: {slot.title}"
    return slot.title


def load(file: Path = FILE) -> Day:
    """Read the day; FileError with the line for a key, a chapter, a slide, a drill or a case that
    is not there.
    """
    document = documents.load_yaml(file)
    plan = fitting.validate(document, Plan)
    hours, _, minutes = plan.start.partition(":")
    now = int(hours) * 60 + int(minutes)
    slots = []
    for place, part in enumerate(plan.parts):
        try:
            title, length = _title_and_minutes(part)
        except UsageError as error:
            raise FileError(file, document.line("parts", place), str(error)) from None
        slots.append(Slot(part, now, length, title))
        now += length
    return Day(plan.title, tuple(slots))


def _title_and_minutes(part: Part) -> tuple[str, int]:
    """Return the title and the minutes of a part; UsageError for a name that is not there."""
    match part.kind:
        case "slides":
            chosen = _chosen(part.chapter, part.slides)
            return content.chapter(part.chapter).title, sum(slide.minutes for slide in chosen)
        case "drill":
            _known(part.drill, practice.names("drills"))
            drill = practice.drill(part.drill)
            return drill.title, content.IN_CLASS * drill.minutes
        case "case":
            _known(part.case, practice.names())
            case = practice.case(part.case)
            return case.title, CASE_MINUTES[case.difficulty]
    return part.title, part.minutes


def _chosen(chapter: str, titles: tuple[str, ...]) -> tuple[Slide, ...]:
    content.chapter(chapter)
    by_title = {slide.title: slide for slide in slides.of(chapter)}
    for title in titles:
        _known(title, tuple(by_title))
    return tuple(by_title[title] for title in titles)


def _known(name: str, there: tuple[str, ...]) -> None:
    if name not in there:
        near = did_you_mean(name, there)
        raise UsageError(f"no {name!r}{near}: there are {', '.join(there)}")


def clock(minutes: int) -> str:
    """A time of the day.

    >>> clock(9 * 60 + 5)
    '09:05'
    """
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"
