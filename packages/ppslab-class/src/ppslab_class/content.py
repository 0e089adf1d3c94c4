"""What the board must know of the course: tasks with their minutes, and figures beside a guess."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ppslab.course.learning import quiz
from ppslab.course.learning.chapters import listed
from ppslab.course.tasks import reading
from ppslab.model import results
from ppslab.model.lab import lab as labs
from ppslab.model.lab import published
from ppslab.model.lab.lab import Lab
from ppslab.show import record_tables


@dataclass(frozen=True)
class TaskWords:
    """A task as the board names it: `name` is CHAPTER/task/TASK."""

    name: str
    title: str
    minutes: int


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

    @property
    def minutes(self) -> dict[str, int]:
        """How long each task should take."""
        return {task.name: task.minutes for all_ in self.tasks.values() for task in all_}


def load() -> Content:
    """Every lab's tasks, and the questions that its chapter asks with the figures to them.

    In the order of the book, in which a board lists its chapters.
    """
    found = [labs.find(name) for name in labs.in_order()]
    return Content(
        chapters={lab.name: lab.title for lab in found},
        tasks={lab.name: tasks for lab in found if (tasks := tasks_of(lab))},
        questions={each.name: each for lab in found for each in _questions(lab)},
        quizzes={each.name: each for each in _quizzes()},
    )


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
    made = []
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
        made.append(Question(f"{lab.name}/prediction/{name}", title, tuple(figures)))
    return made


def _one(pair: record_tables.Beside) -> float | None:
    return pair.published.low if pair.published.exact else None
