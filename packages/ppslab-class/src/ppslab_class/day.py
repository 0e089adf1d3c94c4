"""A trainer's day: which slides, drills and cases, in which order, and how long each takes.

`day.yml` names them; titles and the minutes of slides come from the chapters, keys from the drills
and cases.  The site's timetable, the decks and the papers of the download are made of one `Day`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
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
    """A step of a demonstration: `do` and `see` in Markdown, the rest in RouterOS.

    `type` is for router 1, `second` for router 2; `undo` and `undo_second` take back what they
    change.  Beside slides, `after` is the title of the slide before it, and it takes `minutes`.
    """

    after: str = ""
    minutes: int = Field(default=0, ge=0, le=30)
    do: Sentence
    type: str = ""
    second: str = ""
    undo: str = ""
    undo_second: str = ""
    see: Sentence
    facts: FactIds = Field(default=(), description="the manual's sentences that explain it")


class Part(StrictModel):
    """A part of the day, by its `kind`.

    `slides` of a `chapter`, by their titles, take the minutes of the slides and of the `script`'s
    steps.  A `drill` takes its own `minutes` times `content.IN_CLASS`.  A `case` takes the minutes
    of its difficulty.  Every other kind has a `title`, its `minutes`, and in `how` what the trainer
    does then.
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
        plain = ("title", "minutes", "how")
        mine = needs.get(self.kind, plain)
        others = {key for keys in (*needs.values(), plain) for key in keys}
        for key in sorted(others):
            if bool(getattr(self, key)) != (key in mine):
                missing = "needs" if key in mine else "has no"
                raise ValueError(f"a part of the kind {self.kind} {missing} `{key}`")
        for step in self.script:
            if self.kind == "slides" and not (step.after in self.slides and step.minutes):
                raise ValueError(f"{step.do!r} needs `minutes`, and `after` with a slide's title")
            if self.kind != "slides" and (step.after or step.minutes):
                raise ValueError(f"{step.do!r} has `after` or `minutes`, and no slides before it")
        places = [self.slides.index(step.after) for step in self.script if step.after]
        if places != sorted(places):
            raise ValueError("the script's steps come in the order of their slides")
        return self

    @property
    def shown(self) -> int:
        """Minutes of the demonstrations beside its slides."""
        return sum(step.minutes for step in self.script)


class Plan(StrictModel):
    """The keys of `day.yml`."""

    title: str
    start: Annotated[str, Field(pattern=r"^[012]\d:[0-5]\d$")]
    people: str = Field(default="", description="how many seats and helpers")
    needs: tuple[Sentence, ...] = Field(default=(), description="what the demonstrations need")
    setup: tuple[Step, ...] = Field(default=(), description="what to type the evening before")
    parts: Annotated[tuple[Part, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Slot:
    """A part with its place in the day: `at` and `minutes` in minutes, `at` after midnight."""

    part: Part
    at: int
    minutes: int
    title: str


@dataclass(frozen=True)
class Turn:
    """A slide or a demonstration with its time: `at` in minutes after midnight.

    `number`: of a demonstration, from 1; 0 for a slide.  `ask`: of a demonstration, what to do.
    """

    at: int
    minutes: int
    title: str
    ask: str
    wrong: str = ""
    number: int = 0


@dataclass(frozen=True)
class Day:
    """The whole day; `slots` one after the other."""

    title: str
    slots: tuple[Slot, ...]
    people: str = ""
    needs: tuple[str, ...] = ()
    setup: tuple[Step, ...] = ()

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

    def exercises(self, chapter: str) -> tuple[TaskWords, ...]:
        """The drills and cases that follow the slides of a chapter, as the tasks of its deck."""
        taught, own = "", []
        for slot in self.slots:
            taught = slot.part.chapter or taught
            if taught == chapter and slot.part.kind in ("drill", "case"):
                own.append(exercise(slot))
        return tuple(own)

    @cached_property
    def chapters(self) -> dict[str, tuple[Chapter, tuple[Slide, ...]]]:
        """Each chapter of the day with its slides, by name, in the day's order."""
        return {
            slot.part.chapter: (
                content.chapter(slot.part.chapter),
                tuple(
                    replace(slide, then=_then(slot.part, slide.title))
                    for slide in _chosen(slot.part.chapter, slot.part.slides)
                ),
            )
            for slot in self.slots
            if slot.part.kind == "slides"
        }

    def turns(self, slot: Slot) -> tuple[Turn, ...]:
        """The slides of a slot and, after its slide, each demonstration, with their times."""
        turns, now = list[Turn](), slot.at
        for slide in self.chapters[slot.part.chapter][1]:
            turns.append(Turn(now, slide.minutes, slide.title, slide.ask, slide.wrong))
            now += slide.minutes
            for number, step in enumerate(slot.part.script, 1):
                if step.after == slide.title:
                    title = f"Demonstration {number}"
                    turns.append(Turn(now, step.minutes, title, step.do, number=number))
                    now += step.minutes
        return tuple(turns)

    def table(self) -> Table:
        """When what begins, with the class's own work marked, and the sums of the minutes."""
        rows = [
            (
                Cell(clock(slot.at)),
                Cell(name(slot) + _with_demonstrations(slot.part)),
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


def _with_demonstrations(part: Part) -> str:
    return f", with {part.shown} minutes of demonstrations" if part.shown else ""


def _then(part: Part, title: str) -> str:
    """The demonstrations after a slide, for the notes of its speaker."""
    return "\n\n".join(
        f"Then demonstration {number}, {step.minutes} minutes: {step.do}"
        for number, step in enumerate(part.script, 1)
        if step.after == title
    )


def exercise(slot: Slot) -> TaskWords:
    """A drill or a case of the day, with its place on the site."""
    if slot.part.kind == "case":
        case, page = practice.case(slot.part.case), place(slot.part)
        return TaskWords(f"cases/{slot.part.case}", slot.title, slot.minutes, case.par, page)
    drill = practice.drill(slot.part.drill)
    return TaskWords(f"drills/{slot.part.drill}", slot.title, drill.minutes, page=place(slot.part))


def place(part: Part) -> str:
    """What the class opens for a part, below the site's address; empty where it opens nothing.

    A drill and a case have an anchor of their own, e.g. `book/cases.html#03-branch`.
    """
    match part.kind:
        case "drill":
            return f"book/{part.drill.partition('-')[0]}/tasks.html#{part.drill}"
        case "case":
            return f"book/{content.CASES}.html#{part.case}"
    return f"{part.page}.html" if part.page else ""


def undo(script: tuple[Step, ...]) -> tuple[str, str]:
    """What takes back a demonstration, the last step first: for router 1, and for router 2."""
    first = [step.undo.strip() for step in reversed(script) if step.undo]
    second = [step.undo_second.strip() for step in reversed(script) if step.undo_second]
    return "\n".join(first), "\n".join(second)


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
    return Day(plan.title, tuple(slots), plan.people, plan.needs, plan.setup)


def _title_and_minutes(part: Part) -> tuple[str, int]:
    """Return the title and the minutes of a part; UsageError for a name that is not there."""
    match part.kind:
        case "slides":
            chosen = _chosen(part.chapter, part.slides)
            length = sum(slide.minutes for slide in chosen) + part.shown
            return content.chapter(part.chapter).title, length
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
