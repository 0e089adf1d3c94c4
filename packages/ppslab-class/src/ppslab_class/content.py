"""The course as a class needs it.

`load` is for a board: tasks with their minutes, and figures beside a guess.  `chapter` is for
slides and notes: goals, key points, tasks and quiz, read from a chapter's pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.core import documents, paths
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.course import practice
from ppslab.course.learning import quiz
from ppslab.course.learning.chapters import files, listed
from ppslab.course.tasks import reading
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab
from ppslab.show import record_tables

IN_CLASS = 2
"""A class takes so many times the minutes that a task names for one who works alone, at least.

An estimate: no class of people has been timed.
"""


@dataclass(frozen=True)
class TaskWords:
    """A task as the board names it: `name` is CHAPTER/task/TASK.

    `par`: of a case, in moves; 0 for a task.  `page`: its place below the site's address, where
    somebody needs it.
    """

    name: str
    title: str
    minutes: int
    par: int = 0
    page: str = ""

    @property
    def in_class(self) -> int:
        """Minutes to plan for it in a class; those of a case are a class's already."""
        return self.minutes if self.par else IN_CLASS * self.minutes


@dataclass(frozen=True)
class Beside:
    """A figure to set beside the class's: its source, and its text."""

    source: str
    text: str


@dataclass(frozen=True)
class Question:
    """A ratio to guess: `name` is CHAPTER/prediction/NAME."""

    name: str
    title: str
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True)
class Content:
    """The course, as far as a board needs it; empty where only the built site is at hand."""

    chapters: Mapping[str, str] = field(default_factory=dict)
    """Title by name."""
    tasks: Mapping[str, tuple[TaskWords, ...]] = field(default_factory=dict)
    """By chapter."""
    questions: Mapping[str, Question] = field(default_factory=dict)
    guesses: frozenset[str] = frozenset()
    """Names of what pages let their readers guess, besides the questions."""

    @property
    def minutes(self) -> dict[str, int]:
        """The minutes that each task should take, by its name."""
        return {task.name: task.minutes for all_ in self.tasks.values() for task in all_}


def load() -> Content:
    """Every lab's tasks and drills, and the questions that its chapter asks with their figures.

    In the order of the book, in which a board lists its chapters; the cases come last, as the
    tasks of a chapter of their own.
    """
    course = [labs.find(name) for name in labs.in_order()]
    own = {lab.name: tasks for lab in course if (tasks := (*tasks_of(lab), *_drills(lab.name)))}
    return Content(
        chapters={**{lab.name: lab.title for lab in course}, CASES: "Slow routers"},
        tasks={**own, CASES: tuple(_cases())},
        questions={each.name: each for lab in course for each in _questions(lab)},
        guesses=frozenset(_guesses()),
    )


_GUESS = re.compile(r"\{ppslab-guess\} (\S+) (\S+)")


def _guesses() -> Iterator[str]:
    """CHAPTER/prediction/NAME of each guess in the book's text."""
    for page in (paths.project_root() / "book").rglob("*.md"):
        for chapter, name in _GUESS.findall(documents.read_text(page)):
            yield f"{chapter}/prediction/{name}"


def _drills(chapter: str) -> Iterator[TaskWords]:
    for name, drill in practice.drills(f"{chapter}-").items():
        yield TaskWords(f"{chapter}/task/{name}", drill.title, drill.minutes)


CASES = "cases"
CASE_MINUTES = {1: 10, 2: 15, 3: 20}
"""By difficulty what a class gives a case; nobody has measured it yet."""


def _cases() -> Iterator[TaskWords]:
    for name, case in practice.cases().items():
        minutes = CASE_MINUTES[case.difficulty]
        yield TaskWords(f"{CASES}/task/{name}", case.title, minutes, case.par)


def tasks_of(lab: Lab) -> tuple[TaskWords, ...]:
    """The tasks of a lab; none where it has none."""
    if not reading.has(lab):
        return ()
    return tuple(
        TaskWords(f"{lab.name}/task/{task.name}", task.title, task.minutes)
        for task in reading.load(lab).all
    )


def _questions(lab: Lab) -> list[Question]:
    """One a condition: how many times as much as the reference it costs."""
    reference = lab.spec.reference
    record = results.newest(lab.name)
    pairs = record_tables.beside(lab, published.load(lab), record)
    questions = []
    for name, condition in lab.conditions.items():
        if name == reference:
            continue
        figures = [
            Beside(each.hardware, each.published_text)
            for each in pairs
            if (each.condition, each.base) == (name, reference)
        ]
        if record is not None:
            size = min(record.frame_sizes)
            ratio = record_tables.ratio(record, name, reference, size)
            if not isinstance(ratio, str):
                figures.append(Beside("this course's newest run", str(ratio)))
        title = (
            f'{lab.title}: cost of "{condition.title}", '
            f'where "{lab.conditions[reference].title}" costs 1'
        )
        questions.append(Question(f"{lab.name}/prediction/{name}", title, tuple(figures)))
    return questions


# --- a chapter, for slides and notes --------------------------------------------------------------

_BOX = re.compile(r":::\{ppslab-(goals|keys)\}\n(.*?)\n:::", re.DOTALL)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Chapter:
    """A chapter; `name`: its folder or file below `book/`, e.g. `measuring/searching`."""

    name: str
    title: str
    goals: tuple[str, ...]
    keys: tuple[str, ...]
    tasks: tuple[TaskWords, ...]
    questions: tuple[quiz.Question, ...]


def chapter_names() -> list[str]:
    """Return every chapter with goals, in the order of the table of contents."""
    return [name for name in listed() if _boxes(_page(name), "goals")]


def chapter(name: str) -> Chapter:
    """Return a chapter by its folder or file; UsageError where there is none with goals."""
    known = chapter_names()
    if name not in known:
        raise UsageError(
            f"no chapter {name!r}{did_you_mean(name, known)}: there are {', '.join(known)}"
        )
    page = _page(name)
    title = _TITLE.search(documents.read_text(page))
    if title is None:
        raise FileError(page, None, "has no title: a line that begins with '# '")
    stem = Path(name).name
    asked = quiz.find(stem).questions if stem in quiz.names() else {}
    return Chapter(
        name=name,
        title=title[1].strip(),
        goals=_points(_boxes(page, "goals")[:1]),
        # Any page of a chapter may hold them, as a rule the last.
        keys=_points(box for each in chapter_pages(name) for box in _boxes(each, "keys")),
        tasks=tasks_of(labs.find(name)) if name in labs.names() else (),
        questions=tuple(asked.values()),
    )


def _page(name: str) -> Path:
    book = paths.project_root() / "book"
    folder = book / name / "index.md"
    return folder if folder.is_file() else book / f"{name}.md"


def _boxes(page: Path, kind: str) -> list[str]:
    if not page.is_file():
        return []
    return [body for word, body in _BOX.findall(documents.read_text(page)) if word == kind]


def chapter_pages(name: str) -> list[Path]:
    """The pages of a chapter, in the order of the table of contents.

    Of a folder's chapter all of its pages, but for those that are chapters of their own.
    """
    page = _page(name)
    if page.name != "index.md":
        return [page]
    pages = [
        paths.project_root() / "book" / f"{file}.md"
        for file in files()
        if file.startswith(f"{name}/")
    ]
    return [one for one in pages if one == page or not _boxes(one, "goals")]


def _points(boxes: Iterable[str]) -> tuple[str, ...]:
    lines = [line.strip() for box in boxes for line in box.splitlines()]
    return tuple(line[2:].rstrip(",.") for line in lines if line.startswith("- "))
