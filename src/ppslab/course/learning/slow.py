"""The dialogue "My router only does X Mbit/s": questions, causes, the walk from one to the next.

book/slow.yml has the data, and book/slow-signs.yml how answers speak for a cause.  The walk is
read like a chain of the firewall, from its top after each answer, so it ends in any order of the
answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import did_you_mean
from ppslab.model.manual import FactIds

FILE = "book/slow.yml"
SIGNS = "book/slow-signs.yml"
PRIOR = "prior"
"""Of a cause's signs: how often it is, whatever was answered."""
OFFERED = 2
"""Causes beside the likely one."""
OLD, NEW = VERSIONS = (6, 7)
"""Of RouterOS, where its commands differ."""
CPU = "cpu"
"""The question whether a core is full."""
IDLE = "idle"
"""Its answer that none is."""
UNKNOWN = "unknown"
"""The answer "I don't know", which every question has."""
FIGURE, REACHED = "figure", "reached"
"""What the page answers itself: the reader's rate is at least the device's own figure."""

Answers = Mapping[str, str]
"""Question to answer; where several may be chosen, with commas between."""


class Case(StrictModel):
    """Values of several properties that come together, and the answer that they mean."""

    when: dict[str, str] = Field(alias="if", min_length=1)
    """Property to values, written as in `Reading.fine`; one that is not printed has none."""
    answer: str
    says: str


class Reading(StrictModel):
    """The part of an output that answers a question: one of a property's values, or its count."""

    command: str
    """The menu and the kind of output: `/ip/settings print`, `/queue/tree count`"""
    where: str = ""
    """Beginning of a word of the command, which tells this count from others of the menu."""
    property: tuple[str, ...] = ()
    """The names of the property, in the order of RouterOS's versions; none: the count."""
    pick: Literal["last", "least", "sum"] = "last"
    """The value that counts, where the output has several."""
    fine: str = ""
    """The values of the good answer: `0,1`, or `>=1500`; behind `!` those of the bad one."""
    cases: tuple[Case, ...] = ()
    """Asked before the property, from the top; the first that holds answers."""
    lines: tuple[tuple[str, str], ...] = ()
    """Instead of a value: text of a line, and the answer that it means; the first one counts."""
    says: str = ""
    """The answer in a sentence, with `{value}`; none: only `cases` answer."""
    otherwise: str = ""
    """Instead of it where the value is not fine, or no line has a text of `lines`."""
    looked_at: bool = False
    """A value that is not fine does not decide: the reader has to look."""
    missing: str = ""
    """The sentence, and a good answer, where the router has no such menu."""


class Answer(StrictModel):
    """An answer's button, the output that stands for it, and the cause that it leads to."""

    label: str
    shows: str = ""
    ends: str = ""
    """The cause that it settles: the question looked at the cause itself."""
    hints: str = ""
    """The likely cause: it says when or where, which others have in common."""

    @property
    def cause(self) -> str:
        """The cause where the walk ends with this answer."""
        return self.ends or self.hints


class Question(StrictModel):
    """A question, its answers by name, and the command whose output answers it."""

    id: str
    title: str
    asks: str
    many: bool = False
    """Several answers may be chosen."""
    command: str = ""
    how: str = ""
    """Advice on reading the output, where the examples are not enough."""
    answers: dict[str, Answer] = Field(min_length=2)
    reads: Reading | None = None
    facts: FactIds = ()


class Cause(StrictModel):
    """An end of the dialogue: what it is, the commands that remedy it, and what they cost."""

    id: str
    title: str
    means: str
    commands: str
    loses: str
    loads: bool = False
    """It explains a full CPU, and is settled only where one is."""
    chapters: tuple[str, ...] = Field(min_length=1)
    facts: FactIds = ()

    def of_version(self, version: int) -> str:
        """The commands as this version of RouterOS takes them.

        `# in RouterOS 6: kind=sfq` above a command is version 6's property, or its whole command.
        """
        lines: list[str] = []
        other = ""
        for line in self.commands.rstrip("\n").split("\n"):
            if line.startswith(f"# in RouterOS {OLD}"):
                other = line.partition(": ")[2]
                continue
            lines.append(_instead(line, other) if version == OLD and other else line)
            other = ""
        return "\n".join(lines)


def _instead(command: str, other: str) -> str:
    """A command in which another one's property, or all of it, stands."""
    name, equals, _ = other.partition("=")
    if other.startswith(("/", "#")) or not equals:
        return other
    return " ".join(other if word.startswith(f"{name}=") else word for word in command.split(" "))


class Line(StrictModel):
    """A line of the walk: a question, a cause that follows, or the likely one of what is left."""

    when: dict[str, str] = Field(default={}, alias="if")
    """Question to answers: `a,b` one of them, `!a,b` none of them."""
    ask: str = ""
    cause: str = ""
    likely: str = ""

    def holds(self, answers: Answers) -> bool:
        """Return True if the answers so far meet every condition."""
        for name, none_of, options in self._conditions:  # a loop: a walk asks each line each time
            if options.isdisjoint(answers.get(name, "").split(",")) != none_of:
                return False
        return True

    @cached_property
    def _conditions(self) -> list[tuple[str, bool, frozenset[str]]]:
        """By question: whether none of these answers is wanted, or one of them."""
        return [
            (name, wanted.startswith("!"), frozenset(wanted.lstrip("!").split(",")))
            for name, wanted in self.when.items()
        ]


class Symptom(StrictModel):
    """A reader's complaint, and the answers that it gives, or the cause that it is."""

    asks: str
    answers: dict[str, str] = Field(default={})
    to: str = ""


class Dialogue(StrictModel):
    """The whole file."""

    walk: tuple[Line, ...]
    questions: tuple[Question, ...]
    causes: tuple[Cause, ...]
    symptoms: tuple[Symptom, ...]
    signs: dict[str, dict[str, int]] = Field(default={})
    """By cause: its prior, and the answers that speak for it or, below zero, against it.

    In decibans: `{"prior": -18, "has.sfp": 6, "cpu.full": -4}`.
    """

    @cached_property
    def asked(self) -> Mapping[str, Question]:
        return {question.id: question for question in self.questions}

    @cached_property
    def ends(self) -> Mapping[str, Cause]:
        return {cause.id: cause for cause in self.causes}

    def facts(self) -> dict[str, Any]:
        """The readings of the questions and the tasks to choose from, for `course.models.slow`."""
        readings = [
            {"question": question.id, **question.reads.model_dump()}
            for question in self.questions
            if question.reads is not None
        ]
        return {"readings": readings, "tasks": [*self.asked["busy"].answers]}

    def line(self, answers: Answers) -> Line:
        """The line of the walk that decides what follows these answers."""
        holding = (line for line in self.walk if line.holds(answers))
        return next(line for line in holding if self._decides(line, answers))

    def _decides(self, line: Line, answers: Answers) -> bool:
        if line.likely:  # the line weighs the answers that it names
            others = {name: answer for name, answer in answers.items() if name not in line.when}
            return not self._ruled_out(line.likely, others)
        return not line.ask or line.ask not in answers or bool(self._end(line, answers))

    def _end(self, line: Line, answers: Answers) -> str:
        answer = self.asked[line.ask].answers.get(answers.get(line.ask, ""))
        return answer.cause if answer else ""

    def follows(self, answers: Answers) -> tuple[str, bool]:
        """The question or the cause that follows these answers, and whether they settle it."""
        line = self.line(answers)
        end = self._end(line, answers) if line.ask else line.cause
        name = end or line.ask or line.likely
        if not end or (line.ask and self.asked[line.ask].answers[answers[line.ask]].hints):
            return name, False
        return name, not (self.ends[end].loads and answers.get(CPU) in (IDLE, UNKNOWN))

    def through(self, known: Answers) -> tuple[list[str], str, bool]:
        """The questions that are asked of somebody who knows this, the cause, and if it is settled.

        What is not known is answered "I don't know".
        """
        answers: dict[str, str] = {name: known[name] for name in (FIGURE,) if name in known}
        passed: list[str] = []
        while True:
            name, settled = self.follows(answers)
            if name in self.ends:
                return passed, name, settled
            passed.append(name)
            answers[name] = known.get(name, UNKNOWN)

    def offers(self, answers: Answers, end: str) -> list[str]:
        """The causes that the answers speak for beside a likely one, the strongest first."""
        given = {f"{name}.{word}" for name, answer in answers.items() for word in answer.split(",")}
        strength = {
            cause: sum(points[sign] for sign in points if sign == PRIOR or sign in given)
            for cause, points in self.signs.items()
            if cause != end and not self._ruled_out(cause, answers)
        }
        return sorted(strength, key=lambda cause: -strength[cause])[:OFFERED]

    def _ruled_out(self, cause: str, answers: Answers) -> bool:
        """Return True if each question that leads to this cause has an answer that does not."""
        leading = self._leading.get(cause, ())
        given = [question.answers.get(answers.get(question.id, UNKNOWN)) for question in leading]
        return bool(given) and all(answer and answer.cause != cause for answer in given)

    @cached_property
    def _leading(self) -> Mapping[str, list[Question]]:
        """The questions that lead to each cause."""
        leading: dict[str, list[Question]] = {}
        for question in self.questions:
            for cause in {answer.cause for answer in question.answers.values()}:
                leading.setdefault(cause, []).append(question)
        return leading

    def _named(self) -> Iterator[tuple[str, str]]:
        """Each place that names a cause, and the cause."""
        for number, line in enumerate(self.walk, 1):
            if end := line.cause or line.likely:
                yield f"walk, line {number}", end
        for question in self.questions:
            yield from ((question.id, answer.cause) for answer in question.answers.values()
                        if answer.cause)  # fmt: skip
        yield from ((symptom.asks, symptom.to) for symptom in self.symptoms if symptom.to)

    def _conditions(self) -> Iterator[tuple[str, str, str]]:
        """Each place that names answers: the place, the question, the answers."""
        for number, line in enumerate(self.walk, 1):
            yield from ((f"walk, line {number}", *pair) for pair in line.when.items())
        for symptom in self.symptoms:
            yield from ((symptom.asks, *pair) for pair in symptom.answers.items())
        for question in self.questions:
            if reads := question.reads:
                names = [name for _, name in reads.lines] + [case.answer for case in reads.cases]
                yield from ((f"{question.id}, reads", question.id, name) for name in names)

    @model_validator(mode="after")
    def _whole(self) -> Dialogue:
        names = [question.id for question in self.questions]
        names += [cause.id for cause in self.causes]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"{name} is the id of two questions or causes")
        for place, end in self._named():
            if end not in self.ends:
                raise ValueError(f"{place}: no cause {end!r}{did_you_mean(end, self.ends)}")
        for number, line in enumerate(self.walk, 1):
            if sum(map(bool, (line.ask, line.cause, line.likely))) != 1:
                raise ValueError(f"walk, line {number}: one of ask, cause, likely")
            if line.ask and line.ask not in self.asked:
                near = did_you_mean(line.ask, self.asked)
                raise ValueError(f"walk, line {number}: no question {line.ask!r}{near}")
        for place, name, wanted in self._conditions():
            known = [REACHED] if name == FIGURE else self._answers(place, name)
            for answer in wanted.lstrip("!").split(","):
                if answer not in known:
                    near = did_you_mean(answer, known)
                    raise ValueError(f"{place}: {name} has no answer {answer!r}{near}")
        last = self.walk[-1]
        if last.when or last.ask:
            raise ValueError("walk: the last line has to end it without a condition")
        unused = {*self.asked} - {line.ask for line in self.walk}
        unused |= {*self.ends} - {end for _, end in self._named()}
        if unused:
            raise ValueError(f"{min(unused)}: nothing leads there")
        return self

    def _answers(self, place: str, name: str) -> list[str]:
        if name not in self.asked:
            raise ValueError(f"{place}: no question {name!r}{did_you_mean(name, self.asked)}")
        return [*self.asked[name].answers, UNKNOWN]


def load(path: Path) -> Dialogue:
    """The dialogue with its signs; FileError with the line of what is wrong in it."""
    dialogue = fitting.validate(documents.load_yaml(path), Dialogue)
    signs = documents.load_yaml(path.with_name(Path(SIGNS).name)).data
    return dialogue.model_copy(update={"signs": signs})
