"""A check in tasks.yml: what it looks at, what that must show, and its messages."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ppslab.core.documents.strict import StrictModel

Share = Literal["all", "some", "none"]
"""Of the packets that were sent: all (95 of 100 at least), some, none (5 of 100 at most)."""

Sentence = Annotated[str, Field(min_length=10)]

FlowName = Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9-]*/)?[A-Za-z0-9][A-Za-z0-9-]*$")]
"""A flow of the lab; with its group in front (`plain/down`) where several groups have the name."""


def _expression(text: str) -> str:
    try:
        re.compile(text.removeprefix("!"))
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    return text


def _listed(found: object) -> object:
    return (found,) if isinstance(found, str) else found


class Said(StrictModel):
    """The keys that every check has, whatever it looks at."""

    says: Sentence = Field(description="what is looked at")
    ok: Sentence = Field(alias="pass", description="what it says where it is as it should be")
    fail: Sentence | None = Field(default=None, description="what it says where it is not")
    warn: Sentence | None = Field(
        default=None, description="in the place of `fail`: the task is done all the same"
    )
    on: str | None = Field(default=None, description="the node; left out: the lab's router")
    within: float = Field(default=0.0, ge=0, le=60, description="seconds in which it may come true")
    grows: Share | None = Field(
        default=None, description="by how much of the task's traffic the number grows"
    )
    flows: tuple[FlowName, ...] = Field(
        default=(), description="of the traffic that this check sends, where not all of the task's"
    )

    @model_validator(mode="after")
    def _one_ending(self) -> Said:
        if (self.fail is None) == (self.warn is None):
            raise ValueError("a check says `fail`, or `warn` in its place")
        return self

    @property
    def sends(self) -> bool:
        """Whether the task's traffic is sent for it."""
        return self.grows is not None


class LinuxCheck(Said):
    """A command and what it must print, or packets and how many must arrive."""

    run: str = Field(default="", description="a shell command on the node")
    expect: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(),
        description="regular expressions that the output must match, all of them; with ! in front "
        "of it: must not; none: the command succeeds",
    )
    arrive: Share | None = Field(default=None, description="how much of the traffic arrives")

    @field_validator("expect")
    @classmethod
    def _expressions(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(_expression, texts))

    @model_validator(mode="after")
    def _looks_at_one_thing(self) -> LinuxCheck:
        if bool(self.run) == bool(self.arrive):
            raise ValueError("a check has `run`, or `arrive` in its place")
        if self.arrive and (self.expect or self.grows):
            raise ValueError("`arrive` looks at nothing else: no expect, no grows")
        if self.grows and self.expect:
            raise ValueError("`grows` reads a number: no expect")
        return self

    @property
    def sends(self) -> bool:
        """Whether the task's traffic is sent for it."""
        return self.grows is not None or self.arrive is not None


class RouterOSCheck(Said):
    """A menu of the router, the rows in question, and the values that they must have."""

    menu: Annotated[str, Field(pattern=r"^/[a-z0-9-]+(/[a-z0-9-]+)*$")]
    where: dict[str, str] = Field(
        default_factory=dict, description="property to its value, `~regex` or `!value`"
    )
    or_where: dict[str, str] = Field(
        default_factory=dict, description="rows that do as well as those of `where`"
    )
    rows: int | None = Field(
        default=None, ge=0, description="how many there must be; left out: at least one"
    )
    expect: dict[str, str] = Field(
        default_factory=dict, description="what every such row must say, as in `where`"
    )
    before: dict[str, str] | None = Field(
        default=None, description="the first such row stands before the first of these"
    )
    property: str | None = Field(default=None, description="the number that `grows`")

    @field_validator("where", "or_where", "expect", "before")
    @classmethod
    def _expressions(cls, found: dict[str, str] | None) -> dict[str, str] | None:
        for value in (found or {}).values():
            if value.startswith("~"):
                _expression(value[1:])
        return found

    @model_validator(mode="after")
    def _looks_at_something(self) -> RouterOSCheck:
        if (self.grows is None) != (self.property is None):
            raise ValueError("`grows` and the `property` that grows belong together")
        return self
