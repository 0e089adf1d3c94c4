"""RouterOS to practise on: cases, slow routers to ask and repair, and drills, one change each.

Each is a file of `cases/` or `drills/`, and is added without code.  `ppslab.course.models.cases`
judges what is typed, in a page and for a class; the tests prove of each file that
it is unsolved as it begins, that every solution solves it, and that every mistake fails its check.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import lru_cache
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator, model_validator

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.course.models.cases import HARMLESS, checks, rows, spelled
from ppslab.course.tasks.schema import expression
from ppslab.model import devices
from ppslab.model.manual import FactIds
from rosexplain import decide, probes
from rosexplain.base import rules
from rosexplain.parse import parsed

FOLDER = Path(__file__).parent
"""The folders `cases` and `drills`, a YAML file for each."""

Sentence = Annotated[str, Field(min_length=10)]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Menu = Annotated[str, Field(pattern=r"^/[a-z0-9-]+(/[a-z0-9-]+)*$")]
WAYS = (*decide.NAMES, decide.DROPPED)
"""The paths that a check can name."""


def _packet(text: str) -> str:
    if not re.match(r"in=\S+ \S", text):
        example = "in=bridge src=192.168.88.2:50000 dst=203.0.113.5:443/tcp established"
        raise ValueError(f"{text!r} is no packet such as {example!r}")
    return text


Packet = Annotated[str, AfterValidator(_packet)]


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


class Shape(StrictModel):
    """The source of an output's layout; the numbers in it are the case's own.

    `inferred`: the names are of that page, and how they stand is ours.
    """

    source: Literal["manual", "post", "router", "inferred"] = Field(alias="from")
    page: Annotated[str, Field(pattern=r"^https?://\S+$")]
    read: str = Field(pattern=r"^20\d\d-\d\d(-\d\d)?$")


class Output(StrictModel):
    """The router's output of one command."""

    command: Annotated[str, Field(pattern=r"^[/:]")]
    shape: Shape
    prints: str = Field(min_length=1)


class Cause(StrictModel):
    """A cause to choose; with `but` it is a wrong one, and that is what speaks against it."""

    name: Name
    text: Sentence
    but: Sentence | None = None


def wanted(values: dict[str, str] | None) -> dict[str, str] | None:
    """Check expected properties; ValueError for a bad expression or a bound that is no amount."""
    for text in (values or {}).values():
        value = text.removeprefix("!")
        if value.startswith("~"):
            expression(value[1:])
        elif value.startswith(rows.BOUNDS):
            rows.within(value, "/".join("0" for _ in value.split("/")))
    return values


class Look(StrictModel):
    """A condition on the router with the commands that were typed.

    Of a packet, as rosexplain's --packet, or of a class of rosexplain's answer: the `path`, each of
    its ways among those listed (`fasttrack`, `fast-path`, `slow`, `chip`, `chip-fasttrack`,
    `bridge-fast-path`, `dropped` ...).  Of a packet in its place: the `queue` of the tree that
    takes it by its mark, or whether a rule of raw leaves it `untracked`.
    Of a menu: its rows (`models.cases.rows`), with bounds of an amount such as
    `max-limit: ">=40M <=49500k"`; a property that no line says has RouterOS's default, and is not
    there.  A queue's row says what its type says as well, as
    `queue.kind`; of a simple queue as `up.pcq-rate` and `down.pcq-rate`.  Of a rule of
    rosexplain's base: whether the router's lines have `met` it.
    """

    packet: Packet | None = None
    traffic: str | None = Field(default=None, alias="class")
    path: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    queue: dict[str, str] = Field(default_factory=dict)
    untracked: bool | None = None
    menu: Menu | None = None
    where: dict[str, str] = Field(default_factory=dict)
    or_where: dict[str, str] = Field(default_factory=dict)
    rows: int | None = Field(default=None, ge=0)
    expect: dict[str, str] = Field(default_factory=dict)
    before: dict[str, str] | None = None
    rule: Name | None = None
    met: bool | None = None

    @field_validator("queue", "where", "or_where", "expect", "before")
    @classmethod
    def _expressions(cls, values: dict[str, str] | None) -> dict[str, str] | None:
        return wanted(values)

    def looked_at(self) -> list[object]:
        """The keys by which it looks, of which there must be one."""
        each = (self.packet, self.traffic, self.menu, self.rule)
        return [one for one in each if one is not None]

    @model_validator(mode="after")
    def _looks_at_one_thing(self) -> Look:
        if len(self.looked_at()) != 1:
            raise ValueError("a check looks at one of a packet, a class, a menu, a rule")
        asked = [
            one for one in (self.path, self.queue, self.untracked) if one not in ((), {}, None)
        ]
        if len(asked) != (self.packet is not None or self.traffic is not None):
            raise ValueError("a packet and a class have a `path`, and nothing else has one")
        if self.packet is None and (self.queue or self.untracked is not None):
            raise ValueError("only a packet has a `queue` or is `untracked`, in place of its path")
        if (self.rule is None) != (self.met is None):
            raise ValueError("a `rule` says whether it is `met`")
        if self.rule is not None and self.rule not in rules():
            raise ValueError(f"rosexplain has no rule {self.rule!r}")
        unknown = [way for way in self.path if way not in WAYS]
        if unknown:
            near = did_you_mean(unknown[0], WAYS)
            raise ValueError(f"no path {unknown[0]!r}{near}: there are {', '.join(WAYS)}")
        return self


class Check(Look):
    """A look with what it says; or, in its place, `any`: alternatives, of one of which all hold."""

    says: Sentence
    ok: Sentence = Field(alias="pass")
    fail: Sentence
    any: tuple[Annotated[tuple[Look, ...], Field(min_length=1)], ...] = ()

    def looked_at(self) -> list[object]:
        """The keys by which it looks, of which there must be one."""
        return super().looked_at() + ([self.any] if self.any else [])


class Mistake(StrictModel):
    """A remedy that people really try, and the check (its `says`) that must fail.

    It fails alone, or beside HARMLESS, what the probes of every case say.
    """

    run: str = Field(min_length=1)
    fails: str


class May(StrictModel):
    """A harm that the right remedy has to do, as rosexplain's probes name it.

    All that is said holds: of its packet, the `host` at one of its ends, the interface by which it
    comes `in` or goes `out`, and its `state`; the `menu` of the line that gave what is lost; of
    what is dropped, the comments of the router's own rules of which one drops it now, and would
    have before, had it seen the packet (`by`); of what gets less, the bounds of what is left
    (`rate`).
    """

    harm: str
    host: str | None = None
    by: tuple[str, ...] = ()
    come: str | None = Field(default=None, alias="in")
    out: str | None = None
    state: Literal["new", "established", "related", "invalid", "untracked"] | None = None
    menu: Menu | None = None
    rate: str | None = None

    @field_validator("harm")
    @classmethod
    def _kind(cls, harm: str) -> str:
        if harm not in probes.KINDS:
            near = did_you_mean(harm, probes.KINDS)
            raise ValueError(f"no harm {harm!r}{near}: there are {', '.join(sorted(probes.KINDS))}")
        return harm

    @field_validator("host")
    @classmethod
    def _network(cls, host: str | None) -> str | None:
        return None if host is None else str(ip_network(host))

    @field_validator("rate")
    @classmethod
    def _bounds(cls, rate: str | None) -> str | None:
        if rate is not None:
            rows.within(rate, "0")
        return rate

    @model_validator(mode="after")
    def _narrow(self) -> May:
        if not (self.host or self.by or self.come or self.out or self.state or self.menu):
            raise ValueError("`may` says whose harm it is: host, by, in, out, state or menu")
        return self


class Exercise(StrictModel, ABC):
    """A router, what must hold of it after the learner's commands, and commands that do it."""

    title: Annotated[str, Field(min_length=5, max_length=60)]
    export: Annotated[str, Field(min_length=100)]
    outputs: tuple[Output, ...] = ()
    check: Annotated[tuple[Check, ...], Field(min_length=1)]
    may: tuple[May, ...] = ()
    touches: dict[Menu, tuple[str, ...]] = Field(
        default_factory=dict,
        description="by menu: what a right remedy may touch beside what the solutions do; "
        "properties, `remove` or `move`",
    )
    hints: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    solutions: Annotated[tuple[str, ...], Field(min_length=1)]
    mistakes: Annotated[tuple[Mistake, ...], Field(min_length=1)]
    debrief: Annotated[str, Field(min_length=40)]
    facts: FactIds = Field(
        default=(),
        description="what the debrief rests on (ids of rosexplain's facts)",
    )
    chapter: Annotated[str, Field(pattern=r"^[a-z0-9-]+/[a-z0-9-]+$")]

    @property
    @abstractmethod
    def text(self) -> str:
        """The text that a learner reads first."""

    @model_validator(mode="after")
    def _mistakes_fail_a_check(self) -> Exercise:
        says = [*(each.says for each in self.check), HARMLESS]
        for mistake in self.mistakes:
            if mistake.fails not in says:
                near = did_you_mean(mistake.fails, says)
                raise ValueError(f"mistakes: no check says {mistake.fails!r}{near}")
        return self


class Drill(Exercise):
    """A question on a short configuration, which one change answers.

    The name of its file begins with the chapter whose page has it: `fasttrack-mark-them`.
    """

    question: Annotated[str, Field(min_length=40)]
    minutes: int = Field(ge=1, le=30, description="of one learner; nobody has been timed yet")

    @property
    def text(self) -> str:
        """The text that a learner reads first."""
        return self.question

    @property
    def par(self) -> int:
        """The commands of the shortest solution, e.g. 1 for a single `set`."""
        return min(len(parsed(each, "solution").commands) for each in self.solutions)


class Case(Exercise):
    """A slow router that is asked first; `name` is that of its file, which learners see."""

    device: str
    difficulty: Literal[1, 2, 3]
    par: int = Field(ge=1, le=10)
    ordered: str
    measured: str
    symptom: Annotated[str, Field(min_length=40)]
    confirmed: bool = Field(description="whether a real router printed the outputs")
    outputs: Annotated[tuple[Output, ...], Field(min_length=4)]
    causes: Annotated[tuple[Cause, ...], Field(min_length=4, max_length=6)]
    hints: Annotated[tuple[Sentence, ...], Field(min_length=2)]
    facts: FactIds = Field(min_length=1)

    @property
    def text(self) -> str:
        """The text that a learner reads first."""
        return self.symptom

    @property
    def cause(self) -> Cause:
        """The one that is right."""
        return next(each for each in self.causes if each.but is None)

    @field_validator("device")
    @classmethod
    def _known(cls, code: str) -> str:
        try:
            return devices.find(code).code
        except UsageError as error:  # of the file's line
            raise ValueError(str(error)) from None

    @model_validator(mode="after")
    def _whole(self) -> Case:
        if sum(each.but is None for each in self.causes) != 1:
            raise ValueError("exactly one cause has no `but`")
        spellings = [spelled(each.command) for each in self.outputs]
        for number, words in enumerate(spellings):
            if words in spellings[:number] or words == ["export"]:
                raise ValueError(f"outputs: {self.outputs[number].command} is there twice")
        return self


def names(folder: Literal["cases", "drills"] = "cases") -> tuple[str, ...]:
    """The names of all cases or all drills, in their order."""
    return tuple(sorted(path.stem for path in (FOLDER / folder).glob("*.yml")))


@lru_cache(maxsize=64)
def case(name: str) -> Case:
    """A case; FileError with the line of what is wrong in its file."""
    return fitting.validate(documents.load_yaml(FOLDER / "cases" / f"{name}.yml"), Case)


@lru_cache(maxsize=64)
def drill(name: str) -> Drill:
    """A drill; FileError with the line of what is wrong in its file."""
    return fitting.validate(documents.load_yaml(FOLDER / "drills" / f"{name}.yml"), Drill)


def plain(exercise: Case | Drill) -> dict[str, Any]:
    """A case or a drill as the model takes it, ready for JSON, with the solutions."""
    whole: dict[str, Any] = exercise.model_dump(mode="json", by_alias=True, exclude_none=True)
    touches: dict[str, list[str]] = {menu: list(names) for menu, names in exercise.touches.items()}
    for solution in exercise.solutions:
        for menu, names in checks.touches(whole, solution).items():
            known = touches.setdefault(menu, [])
            known += [name for name in names if name not in known]
    whole["touches"] = touches
    whole["par"] = exercise.par
    return whole


def cases() -> dict[str, Case]:
    """All cases by their names, in their order."""
    return {name: case(name) for name in names()}


def drills(begins: str = "") -> dict[str, Drill]:
    """All drills by their names, or those whose name begins so, e.g. `fasttrack-`."""
    return {name: drill(name) for name in names("drills") if name.startswith(begins)}
