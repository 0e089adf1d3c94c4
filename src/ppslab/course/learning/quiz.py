"""Quizzes: questions whose every answer is explained, and the checks that keep them true.

A question rests on a sentence of its page (`from`), word for word; where an answer can be
calculated, `reckon` says how.  An explanation begins with what it says of its answer, so whoever
turns an answer around in one place has to turn it around in all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import Document, fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.learning import calculations
from ppslab.model.manual import FactIds

FOLDER = Path("book/quizzes")
OWN = "quiz.yml"
"""The file of a chapter's own quiz, in the chapter's folder."""
RIGHT, WRONG = "Yes", "No"
FEWEST_WORDS = 6
"""An explanation of fewer words explains nothing."""

_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_OPENING = re.compile(rf"({RIGHT}|{WRONG})[.,:]\s")


class Answer(StrictModel):
    """A possible answer, and why it is right or wrong; one line of Markdown each."""

    says: str = Field(min_length=1)
    because: str = Field(min_length=1)


class Origin(StrictModel):
    """The sentence that a question rests on: the page without `.md`, below `book/`."""

    page: str
    says: str = Field(min_length=12)


class Situation(StrictModel):
    """What is asked; `answers` by letter, `right` the letters of the right ones."""

    ask: str = Field(min_length=1)
    answers: dict[str, Answer] = Field(min_length=2)
    right: tuple[str, ...] = Field(min_length=1)
    reckon: str | None = None


class Question(Situation):
    """A situation, and the sentence that it comes from."""

    origin: Origin = Field(alias="from")
    facts: FactIds = ()
    """Facts on RouterOS that the right answer rests on: ids of rosexplain's."""

    @property
    def several(self) -> bool:
        """True if more than one answer is right."""
        return len(self.right) > 1


class Quiz(StrictModel):
    """A file of book/quizzes/: the questions in their order, by name."""

    questions: dict[str, Question] = Field(min_length=1)

    def question(self, name: str) -> Question:
        """The question called `name`; UsageError names the questions that exist."""
        if name not in self.questions:
            near = did_you_mean(name, self.questions)
            raise UsageError(f"no question {name!r}{near}: there are {', '.join(self.questions)}")
        return self.questions[name]


def folder() -> Path:
    return paths.project_root() / FOLDER


def path_of(name: str) -> Path:
    """The file of a quiz: a lab may keep its own beside its chapter, `book/LAB/quiz.yml`."""
    shared = folder() / f"{name}.yml"
    return shared if shared.is_file() else folder().parent / name / OWN


def names() -> list[str]:
    own = {path.parent.name for path in folder().parent.glob(f"*/{OWN}")}
    return sorted({path.stem for path in folder().glob("*.yml")} | own)


def find(name: str) -> Quiz:
    """The quiz called `name`, checked; UsageError if there is none, FileError if it is wrong."""
    if name not in names():
        near = did_you_mean(name, names())
        raise UsageError(f"no quiz {name!r}{near}: there are {', '.join(names())}")
    return load(path_of(name))


def load(path: Path) -> Quiz:
    """The quiz of a file, checked against the pages of the book that holds its folder."""
    return of_document(documents.load_yaml(path), path.parent.parent)


def of_document(document: Document, book: Path) -> Quiz:
    """The quiz in a document; FileError with the line of its first fault.

    `book`: the folder of the pages that the questions rest on.
    """
    quiz = fitting.validate(document, Quiz)
    for name, question in quiz.questions.items():
        for keys, wrong in faults(name, question, book):
            raise document.error(("questions", name, *keys), f"question {name}: {wrong}")
    return quiz


def faults(name: str, question: Question, book: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """The keys of each fault within a question, and what is wrong there."""
    if not _NAME.fullmatch(name):
        yield (), "a name is small letters, digits and dashes"
    letters = list(question.answers)
    if letters != [chr(ord("a") + place) for place in range(len(letters))]:
        yield ("answers",), f"answers are lettered a, b, c in order, not {', '.join(letters)}"
    unknown = [letter for letter in question.right if letter not in question.answers]
    if unknown or len(set(question.right)) < len(question.right):
        yield ("right",), f"name letters of answers, each once, not {', '.join(question.right)}"
    if len(question.right) == len(question.answers):
        yield ("right",), "every answer is right, so there is nothing to choose"
    for kind in ("says", "because"):
        said = [getattr(answer, kind).strip().lower() for answer in question.answers.values()]
        if len(set(said)) < len(said):
            yield ("answers",), f"two answers have the same words under {kind}"
    for letter, answer in question.answers.items():
        wrong = _wrong_explanation(answer.because, right=letter in question.right)
        if wrong:
            yield ("answers", letter, "because"), f"answer {letter}: {wrong}"
    yield from _wrong_origin(question.origin, book)
    if question.reckon is not None:
        yield from _wrong_number(question, question.reckon)


def _wrong_explanation(text: str, *, right: bool) -> str:
    opening = _OPENING.match(text)
    if opening is None:
        return f'an explanation begins with "{RIGHT}." or "{WRONG}."'
    if (opening[1] == RIGHT) != right:
        return f'it is {"right" if right else "wrong"}, and its explanation says "{opening[1]}"'
    if len(text[opening.end() :].split()) < FEWEST_WORDS:
        return "the explanation does not say why"
    return ""


def _wrong_origin(origin: Origin, book: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    page = book / f"{origin.page}.md"
    if not page.is_file():
        yield ("from", "page"), f"there is no page {origin.page}.md in {book.name}/"
    elif flat(origin.says) not in flat(documents.read_text(page)):
        yield ("from", "says"), f"{origin.page}.md has no such words: {origin.says!r}"


def _wrong_number(question: Question, words: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The number must be in the right answers, and in no wrong one."""
    number = calculations.number(words.split())
    for letter, answer in question.answers.items():
        has = number in calculations.numbers_in(answer.says)
        if has != (letter in question.right):
            verb = "has" if has else "lacks"
            yield (
                ("answers", letter, "says"),
                f"{words} comes to {number}, and answer {letter} {verb} it",
            )


def flat(text: str) -> str:
    """Text without its line breaks and double spaces."""
    return " ".join(text.split())
