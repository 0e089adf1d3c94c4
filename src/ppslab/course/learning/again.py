"""Questions of earlier chapters with which a chapter begins, by reference to their quizzes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.learning import quiz
from ppslab.course.learning.quiz import Question

FILE = Path("book/again.yml")


class File(StrictModel):
    """The references of every chapter, each `QUIZ/QUESTION`."""

    chapters: dict[str, tuple[str, ...]] = Field(min_length=1)


@dataclass(frozen=True)
class Asked:
    """A question, its quiz and its name there, and the chapter in which its answer counts."""

    quiz: str
    name: str
    chapter: str
    question: Question


def path() -> Path:
    """The file of the references."""
    return paths.project_root() / FILE


def references() -> dict[str, tuple[str, ...]]:
    """Every chapter's references, in the order of the file; FileError if it is malformed."""
    return fitting.validate(documents.load_yaml(path()), File).chapters


def of(chapter: str) -> tuple[Asked, ...]:
    """The questions that a chapter begins with; UsageError names the chapters that have some."""
    rows = references()
    if chapter not in rows:
        near = did_you_mean(chapter, rows)
        raise UsageError(f"{FILE} has no row {chapter!r}{near}: there are {', '.join(rows)}")
    return tuple(_asked(each) for each in rows[chapter])


def _asked(reference: str) -> Asked:
    name, _, word = reference.partition("/")
    question = quiz.find(name).question(word)
    return Asked(name, word, question.origin.page.partition("/")[0], question)
