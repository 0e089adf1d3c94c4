"""A day for given hours: each chapter's telling and running, its quiz, and tasks that still fit.

What must be is dealt out first, in the chapters' order; what is left over goes to tasks, one a
chapter and round, so that no chapter is only told.  What was dealt last is left out first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.core.text.tables import Cell, Table
from ppslab_class.content import Chapter

Category: TypeAlias = Literal[
    "welcome", "exports", "telling", "running", "task", "quiz", "cases", "break", "exit"
]

WELCOME, EXIT = 10, 10
"""Minutes: seats, cards and Wi-Fi; the exit ticket and goodbye."""
BREAK, LUNCH = 15, 60
SITTING = 90
"""After so many minutes there is a break."""
LUNCH_FROM, LUNCH_TO = 11 * 60 + 30, 12 * 60 + 30
"""A break that is due between these is the lunch; whoever works at the later has it then."""
FIRST_TASKS = 2
"""A chapter is taken, where it was not asked for, if so many of its tasks fit."""


@dataclass(frozen=True)
class Slot:
    """A part of the day, of so many minutes; `chapter` is empty for breaks and the like."""

    category: Category
    what: str
    minutes: int
    chapter: str = ""
    task: str = ""
    """CHAPTER/task/TASK, where it is one."""


@dataclass(frozen=True)
class Day:
    """A plan: `slots` one after the other from `start` (minutes after midnight)."""

    start: int
    slots: tuple[Slot, ...]
    left_out: tuple[str, ...] = ()
    """What does not fit, in words."""
    when_late: tuple[Slot, ...] = ()
    """What to leave out when the class is late, the first first."""
    choices: tuple[str, ...] = ()
    """What can be exchanged, in words."""

    @property
    def minutes(self) -> int:
        """From the beginning to the end."""
        return sum(slot.minutes for slot in self.slots)

    def of(self, category: Category) -> int:
        return sum(slot.minutes for slot in self.slots if slot.category == category)

    def table(self) -> Table:
        """When what begins, and what the day is slots of."""
        rows, now = [], self.start
        for slot in self.slots:
            rows.append(
                (Cell(clock(now)), Cell(slot.category), Cell(slot.what), Cell(f"{slot.minutes}"))
            )
            now += slot.minutes
        rows.append((Cell(clock(now)), Cell("end"), Cell(""), Cell(f"{self.minutes}")))
        kinds = dict.fromkeys(slot.category for slot in self.slots)
        shares = ", ".join(f"{kind} {self.of(kind)}" for kind in kinds)
        notes = (
            f"Minutes: {shares}.",
            *(f"{choice}." for choice in self.choices),
            *self._late(),
            *(f"Does not fit: {chapter}." for chapter in self.left_out),
        )
        return Table("The day", ("at", "kind", "what", "minutes"), tuple(rows), notes)

    def _late(self) -> tuple[str, ...]:
        """What to leave out, with the minutes that are saved up to it."""
        saved, words = 0, []
        for slot in self.when_late:
            saved += slot.minutes
            words.append(f"{slot.what} ({saved})")
        if not words:
            return ()
        return (f"If you are late, leave out in this order (minutes saved): {'; '.join(words)}.",)


@dataclass
class _Part:
    chapter: Chapter
    tasks: list[Slot] = field(default_factory=list)

    def slots(self) -> list[Slot]:
        chapter = self.chapter
        slots = [
            Slot(
                "telling",
                f"{chapter.title}: guess and explanation",
                chapter.reading,
                chapter.name,
            )
        ]
        if chapter.running:
            slots.append(
                Slot(
                    "running",
                    f"{chapter.title}: recorded runs, read together",
                    chapter.running,
                    chapter.name,
                )
            )
        slots += self.tasks
        if chapter.quiz_minutes:
            slots.append(Slot("quiz", f"{chapter.title}: quiz", chapter.quiz_minutes, chapter.name))
        return slots


@dataclass(frozen=True)
class _Frame:
    """A day without its chapters: when it begins, and what comes before and after them."""

    start: int
    before: tuple[Slot, ...] = ()
    after: tuple[Slot, ...] = ()

    def length(self, parts: Sequence[_Part]) -> int:
        return sum(slot.minutes for slot in _with_breaks(parts, self))


def plan(
    hours: float,
    start: int,
    chapters: Sequence[Chapter],
    *,
    given: bool,
    before: Sequence[Slot] = (),
    after: Sequence[Slot] = (),
) -> Day:
    """A day of these hours; `before` and `after` are the parts around its chapters.

    `given`: the chapters were asked for, so all must fit: UsageError says how long they take.
    Otherwise as many as fit, in their order, each after those that it builds on.
    """
    total, frame = round(hours * 60), _Frame(start, tuple(before), tuple(after))
    if given:
        parts, left_out = [_Part(chapter) for chapter in chapters], list[str]()
        if (least := frame.length(parts)) > total:
            raise UsageError(
                f"these chapters take {least} minutes without tasks, "
                f"but the day has {total}: name fewer chapters, or raise --hours"
            )
    else:
        parts, left_out = _choose(chapters, frame, total)
    return _deal(parts, frame, total, left_out)


def _choose(
    chapters: Sequence[Chapter], frame: _Frame, total: int
) -> tuple[list[_Part], list[str]]:
    """The chapters that fit with their first tasks, each after those that it builds on."""
    chosen: list[_Part] = []
    left_out: list[str] = []
    for chapter in chapters:
        known = {part.chapter.label for part in chosen}
        missing = [label for label in chapter.after if label not in known]
        tried = [*chosen, _Part(chapter, _tasks(chapter)[:FIRST_TASKS])]
        if missing:
            left_out.append(f"{chapter.title} (builds on {', '.join(missing)})")
        elif frame.length(tried) > total:
            left_out.append(f"{chapter.title} ({chapter.least} minutes without its tasks)")
        else:
            chosen = tried
    if not chosen:
        raise UsageError(f"no chapter fits into {total} minutes")
    return [_Part(part.chapter) for part in chosen], left_out


def _deal(parts: list[_Part], frame: _Frame, total: int, left_out: Sequence[str]) -> Day:
    """Give each chapter its tasks, round by round, in their order, while they fit."""
    waiting = {part.chapter.name: _tasks(part.chapter) for part in parts}
    open_ones = list(parts)
    dealt: list[Slot] = []
    while open_ones:
        for part in list(open_ones):
            queue = waiting[part.chapter.name]
            part.tasks += queue[:1]
            if not queue or frame.length(parts) > total:
                part.tasks = part.tasks[: len(part.tasks) - len(queue[:1])]
                open_ones.remove(part)
            else:
                dealt.append(queue.pop(0))
    more = [
        f"{part.chapter.title}: {plural(len(queue), 'more task')} "
        f"({sum(task.minutes for task in queue)} minutes)"
        for part in parts
        if (queue := waiting[part.chapter.name])
    ]
    quizzes = [slot for part in parts for slot in part.slots() if slot.category == "quiz"]
    first = [part.tasks[0] for part in parts if part.tasks]
    late = [slot for slot in reversed(dealt) if slot not in first]
    return Day(
        frame.start,
        tuple(_with_breaks(parts, frame)),
        (*more, *left_out),
        (*late, *reversed(quizzes)),
    )


def _tasks(chapter: Chapter) -> list[Slot]:
    """Its tasks, or its exercises as one where it has none."""
    if chapter.tasks:
        return [
            Slot("task", f"{chapter.title}: {task.title}", task.in_class, chapter.name, task.name)
            for task in chapter.tasks
        ]
    if chapter.exercises:
        return [Slot("task", f"{chapter.title}: exercises", chapter.exercises, chapter.name)]
    return []


def _with_breaks(parts: Sequence[_Part], frame: _Frame) -> list[Slot]:
    """The day with its breaks: before what would make a sitting too long, never before the end."""
    slots = [Slot("welcome", "Seats, cards, Wi-Fi", WELCOME)]
    now, sat = frame.start + WELCOME, WELCOME
    eaten = frame.start >= LUNCH_FROM
    told = [slot for part in parts for slot in part.slots()]
    for slot in (*frame.before, *told, *frame.after):
        due = sat + slot.minutes > SITTING
        if due or (not eaten and now >= LUNCH_TO):
            lunch = not eaten and now >= LUNCH_FROM
            pause = Slot("break", "Lunch", LUNCH) if lunch else Slot("break", "Break", BREAK)
            eaten = eaten or lunch
            slots.append(pause)
            now, sat = now + pause.minutes, 0
        slots.append(slot)
        now, sat = now + slot.minutes, sat + slot.minutes
    return [*slots, Slot("exit", "Exit ticket", EXIT)]


def clock(minutes: int) -> str:
    """A time of the day.

    >>> clock(9 * 60 + 5)
    '09:05'
    """
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def time_of_day(text: str) -> int:
    """Minutes after midnight of `HH:MM`; UsageError for anything else."""
    hours, _, minutes = text.partition(":")
    if not (hours.isdigit() and minutes.isdigit() and int(hours) < 24 and int(minutes) < 60):
        raise UsageError(f"a time is HH:MM, not {text!r}")
    return int(hours) * 60 + int(minutes)
