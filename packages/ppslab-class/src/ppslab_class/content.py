"""The course as a class needs it.

`load` is for a board: tasks with their minutes, and figures beside a guess.  `chapter` is for a
day: what a chapter takes and leaves, read from its pages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.core import documents, paths
from ppslab.core.errors import FileError, UsageError, did_you_mean
from ppslab.course import practice
from ppslab.course.learning import quiz, reading_time
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

    `par`: of a case, in moves; 0 for a task.
    """

    name: str
    title: str
    minutes: int
    par: int = 0

    @property
    def in_class(self) -> int:
        """Minutes to plan for it in a class."""
        return IN_CLASS * self.minutes


@dataclass(frozen=True)
class Beside:
    """A figure to set beside the class's: where it is from, as it is shown, and its number.

    `value` is None where it is no single number.
    """

    source: str
    text: str
    value: float | None


@dataclass(frozen=True)
class Question:
    """What can be guessed: `name` is CHAPTER/prediction/NAME."""

    name: str
    title: str
    beside: tuple[Beside, ...] = ()


@dataclass(frozen=True)
class QuizQuestion:
    """A question of a chapter's quiz: `name` is CHAPTER/quiz/QUESTION; answers by letter."""

    name: str
    ask: str
    answers: tuple[tuple[str, str], ...]
    right: tuple[str, ...]

    @property
    def chapter(self) -> str:
        """Whose quiz it is of."""
        return self.name.partition("/")[0]


@dataclass(frozen=True)
class Content:
    """The course, as far as a board needs it; empty where only the built site is at hand."""

    chapters: Mapping[str, str] = field(default_factory=dict)
    """Title by name."""
    tasks: Mapping[str, tuple[TaskWords, ...]] = field(default_factory=dict)
    """By chapter."""
    questions: Mapping[str, Question] = field(default_factory=dict)
    quizzes: Mapping[str, QuizQuestion] = field(default_factory=dict)
    guesses: frozenset[str] = frozenset()
    """Names of what pages let their readers guess, besides the questions."""

    @property
    def minutes(self) -> dict[str, int]:
        """How long each task should take."""
        return {task.name: task.minutes for all_ in self.tasks.values() for task in all_}


def load() -> Content:
    """Every lab's tasks, and the questions that its chapter asks with the figures to them.

    In the order of the book, in which a board lists its chapters; the cases come last, as the
    tasks of a chapter of their own.
    """
    course = [labs.find(name) for name in labs.in_order()]
    own = {lab.name: tasks for lab in course if (tasks := tasks_of(lab))}
    return Content(
        chapters={**{lab.name: lab.title for lab in course}, CASES: "Slow routers"},
        tasks={**own, CASES: tuple(_cases())},
        questions={each.name: each for lab in course for each in _questions(lab)},
        quizzes={each.name: each for each in _quizzes()},
        guesses=frozenset(_guesses()),
    )


_GUESS = re.compile(r"\{ppslab-guess\} (\S+) (\S+)")


def _guesses() -> Iterator[str]:
    """CHAPTER/prediction/NAME of each guess in the book's text."""
    for page in (paths.project_root() / "book").rglob("*.md"):
        for chapter, name in _GUESS.findall(documents.read_text(page)):
            yield f"{chapter}/prediction/{name}"


CASES = "cases"
CASE_MINUTES = {1: 10, 2: 15, 3: 20}
"""By difficulty what a class gives a case; nobody has measured it yet."""


def _cases() -> Iterator[TaskWords]:
    for name, case in practice.cases().items():
        minutes = CASE_MINUTES[case.difficulty]
        yield TaskWords(f"{CASES}/task/{name}", case.title, minutes, case.par)


def _quizzes() -> Iterator[QuizQuestion]:
    """Every question of every quiz, as text without marks: a board shows no Markdown."""
    for name in _in_order(quiz.names()):
        for word, asked in quiz.find(name).questions.items():
            answers = ((letter, _plain(each.says)) for letter, each in asked.answers.items())
            yield QuizQuestion(
                f"{name}/quiz/{word}", _plain(asked.ask), tuple(answers), tuple(asked.right)
            )


def _in_order(quizzes: list[str]) -> list[str]:
    """The quizzes by their chapters' places in the book; one that is in no chapter comes last."""
    chapters = [Path(name).name for name in listed()]
    place = {name: number for number, name in enumerate(chapters)}
    return sorted(quizzes, key=lambda name: place.get(name, len(place)))


def _plain(markdown: str) -> str:
    return markdown.replace("`", "").replace("*", "")


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
            Beside(each.hardware, each.published_text, _one(each))
            for each in pairs
            if (each.condition, each.base) == (name, reference)
        ]
        if record is not None:
            size = min(record.frame_sizes)
            ratio = record_tables.ratio(record, name, reference, size)
            if not isinstance(ratio, str):
                figures.append(Beside("this course's newest run", str(ratio), ratio.value))
        title = (
            f'{lab.title}: cost of "{condition.title}", '
            f'where "{lab.conditions[reference].title}" costs 1'
        )
        questions.append(Question(f"{lab.name}/prediction/{name}", title, tuple(figures)))
    return questions


def _one(pair: record_tables.Beside) -> float | None:
    return pair.published.low if pair.published.exact else None


# --- a chapter, for a day ------------------------------------------------------------------------

QUESTION_MINUTES = 1
"""For one question of a quiz, and why its wrong answers are wrong."""

_BOX = re.compile(r":::\{ppslab-(goals|keys)\}\n(.*?)\n:::", re.DOTALL)
_OPTION = re.compile(r"^:(\w+): *(.+)$", re.MULTILINE)
_LABEL = re.compile(r"^\((\S+)\)=$", re.MULTILINE)
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Chapter:
    """A chapter as a day needs it.

    `name`: its folder or file below `book/`; `label`: by which other chapters name it; `exercises`:
    minutes of its own exercises, where it has no tasks.
    """

    name: str
    title: str
    label: str
    after: tuple[str, ...]
    reading: int
    running: int
    exercises: int
    goals: tuple[str, ...]
    keys: tuple[str, ...]
    tasks: tuple[TaskWords, ...]
    questions: tuple[quiz.Question, ...]

    @property
    def least(self) -> int:
        """Minutes without any task."""
        return self.reading + self.running + self.quiz_minutes

    @property
    def quiz_minutes(self) -> int:
        return len(self.questions) * QUESTION_MINUTES


def chapter_names() -> list[str]:
    """Every chapter that names minutes, in the order of the table of contents."""
    return [name for name in listed() if _goals(_page(name)) is not None]


def chapter(name: str) -> Chapter:
    """A chapter by its folder or file; UsageError where there is none that names minutes."""
    page = _page(name)
    goals = _goals(page) if name in listed() else None
    if goals is None:
        known = chapter_names()
        near = did_you_mean(name, known)
        raise UsageError(f"no chapter {name!r}{near}: there are {', '.join(known)}")
    text = documents.read_text(page)
    minutes, points = goals
    title, label = _TITLE.search(text), _LABEL.search(text)
    if title is None:
        raise FileError(page, None, "has no title: a line that begins with '# '")
    return Chapter(
        name=name,
        title=title[1].strip(),
        label=label[1] if label else name,
        after=tuple(minutes.get("after", "").split()),
        reading=reading_time.minutes(page) + _minutes(minutes, "planning"),
        running=_minutes(minutes, "running"),
        exercises=_minutes(minutes, "exercises"),
        goals=points,
        keys=_keys(name),
        tasks=_tasks(name),
        questions=_quiz(name),
    )


def _page(name: str) -> Path:
    book = paths.project_root() / "book"
    folder = book / name / "index.md"
    return folder if folder.is_file() else book / f"{name}.md"


def _boxes(page: Path, kind: str) -> list[str]:
    if not page.is_file():
        return []
    return [body for word, body in _BOX.findall(documents.read_text(page)) if word == kind]


def _goals(page: Path) -> tuple[dict[str, str], tuple[str, ...]] | None:
    boxes = _boxes(page, "goals")
    return (dict(_OPTION.findall(boxes[0])), _points(boxes[0])) if boxes else None


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
    return [one for one in pages if one == page or _goals(one) is None]


def _keys(name: str) -> tuple[str, ...]:
    """Any page of a chapter may hold them, as a rule the last."""
    return tuple(
        point
        for each in chapter_pages(name)
        for box in _boxes(each, "keys")
        for point in _points(box)
    )


def _points(body: str) -> tuple[str, ...]:
    lines = [line.strip() for line in body.splitlines()]
    return tuple(line[2:].rstrip(",.") for line in lines if line.startswith("- "))


def _minutes(options: dict[str, str], kind: str) -> int:
    return int(options.get(kind, "0"))


def _tasks(name: str) -> tuple[TaskWords, ...]:
    return tasks_of(labs.find(name)) if name in labs.names() else ()


def _quiz(name: str) -> tuple[quiz.Question, ...]:
    stem = Path(name).name
    if stem not in quiz.names():
        return ()
    return tuple(quiz.find(stem).questions.values())
