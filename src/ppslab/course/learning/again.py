"""Questions with which a chapter begins: points of earlier quizzes, asked of another situation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import Document, fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.learning import quiz
from ppslab.course.learning.quiz import Question, Situation

FILE = Path("book/again.yml")


class File(StrictModel):
    """The situations of every chapter by `QUIZ/QUESTION`, the point that each repeats.

    Its sentence and its facts are that question's.
    """

    chapters: dict[str, dict[str, Situation]] = Field(min_length=1)


@dataclass(frozen=True)
class Asked:
    """A question, the quiz and the name of its point, and the chapter in which it counts."""

    quiz: str
    name: str
    chapter: str
    question: Question


def path() -> Path:
    return paths.project_root() / FILE


def of(chapter: str) -> tuple[Asked, ...]:
    """The questions that a chapter begins with; UsageError names the chapters that have some.

    FileError with the line of a question that is wrong, or that repeats the quiz's words.
    """
    document = documents.load_yaml(path())
    rows = fitting.validate(document, File).chapters
    if chapter not in rows:
        near = did_you_mean(chapter, rows)
        raise UsageError(f"{FILE} has no row {chapter!r}{near}: there are {', '.join(rows)}")
    return tuple(_asked(document, chapter, *row) for row in rows[chapter].items())


def _asked(document: Document, chapter: str, reference: str, situation: Situation) -> Asked:
    name, _, word = reference.partition("/")
    point = quiz.find(name).question(word)
    question = point.model_copy(update=dict(situation))
    at = ("chapters", chapter, reference)
    if situation.ask == point.ask:
        raise document.error((*at, "ask"), f"{reference} asks this in the same words")
    for keys, wrong in quiz.faults(word, question, quiz.folder().parent):
        raise document.error((*at, *keys), f"question {reference}: {wrong}")
    return Asked(name, word, point.origin.page.partition("/")[0], question)
