"""The words of a subject's file: what meets a rule, what it does, and what shows it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from ppslab.core.documents.strict import StrictModel
from ppslab.model.manual.schema import Day, FactId, FactIds, Version

Closed = Literal["ip", "bridge", "forward", "fasttrack", "chip-fasttrack"]
Effect = Literal["off", "cpu", "blind", "note"]
Chips = Literal[
    "all", "nat", "no-nat", "no-vrf", "fasttrack", "on-bridge", "on-port", "one-byte", "no-vxlan"
]
Hidden = Literal["queues", "policies", "labels"]
Sentence = Annotated[str, Field(min_length=8, max_length=240)]


class Offload(StrictModel):
    """What it does to L3 hardware offload, on which chips, and the facts that say so."""

    chips: Chips
    effect: Effect
    facts: FactIds = Field(min_length=1)


class Cost(StrictModel):
    """A lab's condition that has it, and the one beside it that has not."""

    lab: str
    condition: str
    against: str


class Carries(StrictModel):
    """Packets that are there with it, of the class `name`, and what they take.

    `instead`: it makes no class, but decides about the one that another rule made.
    """

    name: str
    instead: bool = False
    answer: Literal["yes", "no", "depends", "unknown"]
    paths: tuple[Literal["fast-path", "slow"], ...] = Field(min_length=1)


class Changed(StrictModel):
    """A part of an example, and what in its place changes the answer."""

    old: str = Field(min_length=1)
    new: str


class Example(StrictModel):
    """An export, and the smallest change by which the rule holds no more, or begins to."""

    export: str = Field(min_length=4)
    change: Changed


class Rule(StrictModel):
    """One rule.  A row of `menus` meets it that is on and whose words are as `where` has them.

    A value of `where`: `yes` that word, `a,b` one of them, `!a,b` none of them, `*` any, empty set
    to nothing.  A menu `-`: several lines together meet it (`rosexplain.traffic`).
    `closes`: which way it closes, by which fact; `facts`: what it decides by beside.
    `asks`: the commands that tell what an export cannot.  `hides`: what its rows make that no
    export shows, and that closes the fast path.  `gains`: what a note's remedy brings.
    """

    decides: Sentence
    label: str = ""
    menus: tuple[str, ...] = Field(min_length=1)
    where: dict[str, str] = Field(default={})
    family: Literal[4, 6] | None = None
    closes: dict[Closed, FactId] = Field(default={})
    facts: FactIds = ()
    offload: Offload | None = None
    since: Version | None = None
    until: Version | None = None
    asks: tuple[str, ...] = ()
    hides: Hidden | None = None
    carries: Carries | None = None
    remedy: tuple[str, ...] = ()
    gains: str = ""
    loses: str = ""
    cost: Cost | None = None
    holds: Example
    not_: Example = Field(alias="not")

    @model_validator(mode="after")
    def _sourced(self) -> Rule:
        if not (self.closes or self.facts or self.offload):
            raise ValueError("a rule needs the facts that decide: closes, facts or offload")
        if self.carries and not self.facts:
            raise ValueError("a rule with `carries` needs its reasons as `facts`")
        if bool(self.remedy) != bool(self.loses):
            raise ValueError("`remedy` and `loses` go together: name what is lost with the remedy")
        if self.gains and not self.remedy:
            raise ValueError("`gains` needs a `remedy`")
        return self

    @property
    def named(self) -> tuple[str, ...]:
        """Every fact that it names."""
        offload = self.offload.facts if self.offload else ()
        return tuple(dict.fromkeys([*self.closes.values(), *self.facts, *offload]))


class Subject(StrictModel):
    """A file."""

    subject: str
    rules: dict[Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")], Rule] = Field(
        min_length=1
    )


class Default(StrictModel):
    """What RouterOS has where a compact export says nothing, and who says so."""

    menu: str
    property: str
    value: str
    source: Sentence


class PathCost(StrictModel):
    """The condition of a lab whose packets take a path, and so cost what they cost there."""

    path: str
    way: Literal["routed", "bridged"]
    family: Literal[4, 6] = 4
    tracked: bool = False
    lab: str
    condition: str


class Base(StrictModel):
    """The whole: its version, and the RouterOS and the day that it was last read for."""

    version: str = Field(pattern=r"^\d+\.\d+$")
    read_for: Version
    read: Day
    paths: tuple[PathCost, ...]
    defaults: tuple[Default, ...]
    carried: dict[str, Sentence]
    """The classes that rules make, each with what its packets are called."""
