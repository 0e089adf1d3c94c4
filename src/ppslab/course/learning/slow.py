"""The dialogue "My router only does X Mbit/s": questions, causes, and what leads to which.

book/slow.yml has the data.  Answers lead from a question to another one or to a cause; every walk
ends, and everything is reached.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.model.manual import FactIds

FILE = "book/slow.yml"
ANSWERS = ("yes", "no", "unknown")


class Way(StrictModel):
    """The next question or cause of an answer, and what follows from it on the way."""

    to: str
    because: str = ""


class Reading(StrictModel):
    """The part of an output that answers a question: a property's last value, or its count."""

    command: str
    """The menu and the kind of output: `/ip/settings print`, `/queue/tree count`"""
    where: str = ""
    """Beginning of a word of the command, which tells this count from others of the menu."""
    property: tuple[str, ...] = ()
    """The names of the property, in the order of RouterOS's versions; none: the count."""
    fine: str
    """The values of the good answer, `0,1`; behind `!` those of the bad one."""
    says: str
    """The answer in a sentence, with `{value}`."""
    otherwise: str = ""
    """Instead of it where the value is not fine."""
    looked_at: bool = False
    """A value that is not fine does not decide: the reader has to look."""
    missing: str = ""
    """The sentence, and a good answer, where the router has no such menu."""


class Question(StrictModel):
    """A question to which yes is the good answer, and the command whose output answers it."""

    id: str
    title: str
    asks: str
    command: str
    how: str = ""
    """Advice on reading the output, where the two examples are not enough."""
    good: str
    bad: str
    reads: Reading | None = None
    yes: Way
    no: Way
    unknown: str = ""
    """Next step of "I don't know"; empty: that of yes."""
    facts: FactIds = ()

    def to(self, answer: str) -> str:
        """The question or cause that an answer leads to."""
        if answer == "unknown":
            return self.unknown or self.yes.to
        return (self.yes if answer == "yes" else self.no).to


class Cause(StrictModel):
    """An end of the dialogue: what it is, the commands that remedy it, and what they cost."""

    id: str
    title: str
    means: str
    commands: str
    loses: str
    chapters: tuple[str, ...] = Field(min_length=1)
    facts: FactIds = ()


class Symptom(StrictModel):
    """A reader's complaint, and the question or cause that it leads to."""

    asks: str
    to: str


class Dialogue(StrictModel):
    """The whole file; the dialogue begins with its first question."""

    questions: tuple[Question, ...] = Field(min_length=1)
    causes: tuple[Cause, ...] = Field(min_length=1)
    symptoms: tuple[Symptom, ...]

    @cached_property
    def asked(self) -> Mapping[str, Question]:
        """The questions by id."""
        return {question.id: question for question in self.questions}

    @cached_property
    def ends(self) -> Mapping[str, Cause]:
        """The causes by id."""
        return {cause.id: cause for cause in self.causes}

    @cached_property
    def most(self) -> Mapping[str, int]:
        """For each question the most questions that can follow it, itself included."""
        counts: dict[str, int] = {}

        def count(name: str, above: tuple[str, ...] = ()) -> int:
            if name in above:
                raise ValueError(f"{name}: the answers lead back to this question")
            question = self.asked.get(name)
            if question is not None and name not in counts:
                counts[name] = 1 + max(count(question.to(a), (*above, name)) for a in ANSWERS)
            return counts.get(name, 0)

        for name in self.asked:
            count(name)
        return counts

    def readings(self) -> list[dict[str, Any]]:
        """The readings of the questions, as `course.models.slow` takes them."""
        return [
            {"question": question.id, **question.reads.model_dump()}
            for question in self.questions
            if question.reads is not None
        ]

    def walk(self, answers: Mapping[str, str], begin: str = "") -> tuple[str, ...]:
        """The questions that these answers pass, and where they end: a cause, or what is open."""
        passed = [begin or self.questions[0].id]
        while passed[-1] in self.asked and passed[-1] in answers:
            passed.append(self.asked[passed[-1]].to(answers[passed[-1]]))
        return tuple(passed)

    def _led(self) -> Iterator[tuple[str, str]]:
        for question in self.questions:
            yield from ((question.id, question.to(answer)) for answer in ANSWERS)
        yield from ((symptom.asks, symptom.to) for symptom in self.symptoms)

    @model_validator(mode="after")
    def _whole(self) -> Dialogue:
        names = [*(each.id for each in self.questions), *(each.id for each in self.causes)]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} is the id of two questions or causes")
        reached = {self.questions[0].id}
        for source, to in self._led():
            if to not in names:
                near = did_you_mean(to, names)
                raise ValueError(f"{source}: no question or cause {to!r}{near}")
            reached.add(to)
        for name in names:
            if name not in reached:
                raise ValueError(f"{name}: nothing leads there")
        assert self.most
        return self


def load(path: Path) -> Dialogue:
    """The dialogue; FileError with the line of what is wrong in it."""
    return fitting.validate(documents.load_yaml(path), Dialogue)
