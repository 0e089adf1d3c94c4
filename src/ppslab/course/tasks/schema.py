"""The keys of a lab's tasks.yml: what to do, how it is set up, solved and got wrong.

A task is done on the Linux router, where its steps are shell commands on nodes.  Beside them a
reader sees RouterOS's own statements that do the same, or why it has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    field_validator,
    model_validator,
)

from ppslab.core.documents.strict import StrictModel
from ppslab.model.lab import Name
from ppslab.model.lab.conditions import SwitchChip
from ppslab.model.lab.packets import Flow
from ppslab.model.manual import FactIds

# --- a check: what it looks at, what that must show, and its messages ----------------------------

Share = Literal["all", "some", "none"]
"""Of the packets that were sent: all (95 of 100 at least), some, none (5 of 100 at most)."""

Sentence = Annotated[str, Field(min_length=10)]

FlowName = Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9-]*/)?[A-Za-z0-9][A-Za-z0-9-]*$")]
"""A flow of the lab; with its group in front (`plain/down`) where several groups have the name."""


def expression(text: str) -> str:
    """Check a regular expression, with or without a leading !; ValueError where it is none."""
    try:
        re.compile(text.removeprefix("!"))
    except re.error as error:
        raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    return text


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str) else value


class LinuxCheck(StrictModel):
    """A command and what it must print, or packets and how many must arrive."""

    says: Sentence = Field(description="what must be true")
    ok: Sentence = Field(alias="pass", description="the message when the check passes")
    fail: Sentence = Field(description="the message when the check fails")
    hint: Sentence | None = Field(
        default=None, description="the next hint after this check has failed, ahead of the task's"
    )
    on: str | None = Field(default=None, description="the node; default: the lab's router")
    within: float = Field(default=0.0, ge=0, le=60, description="seconds until it must be true")
    grows: Share | None = Field(
        default=None, description="the share of the task's packets by which the number grows"
    )
    flows: tuple[FlowName, ...] = Field(
        default=(), description="the flows that this check sends; default: all flows of the task"
    )

    run: str = Field(default="", description="a shell command on the node")
    expect: Annotated[tuple[str, ...], BeforeValidator(_listed)] = Field(
        default=(),
        description="regular expressions, all of which the output must match, or must not match "
        "after a leading !; default: the command must succeed",
    )
    arrive: Share | None = Field(
        default=None, description="the share of the packets that must arrive"
    )

    @field_validator("expect")
    @classmethod
    def _expressions(cls, texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(expression, texts))

    @model_validator(mode="after")
    def _looks_at_one_thing(self) -> LinuxCheck:
        if bool(self.run) == bool(self.arrive):
            raise ValueError("a check must have either `run` or `arrive`")
        if self.arrive and (self.expect or self.grows):
            raise ValueError("a check with `arrive` cannot have `expect` or `grows`")
        if self.grows and self.expect:
            raise ValueError("a check with `grows` cannot have `expect`")
        return self

    @property
    def sends(self) -> bool:
        """True if the task's traffic is sent for it."""
        return self.grows is not None or self.arrive is not None


# --- a task --------------------------------------------------------------------------------------


class Step(StrictModel):
    """One thing to do on a node."""

    run: str = Field(min_length=1, description="shell lines, run by sh -e")
    on: str | None = Field(default=None, description="the node; left out: the lab's router")

    @classmethod
    def read(cls, value: object) -> object:
        """A plain string runs on the lab's router."""
        return {"run": value} if isinstance(value, str) else value


Keys = tuple[str | int, ...]
"""The way to a place in tasks.yml."""

Steps = tuple[Annotated[Step, BeforeValidator(Step.read)], ...]


class LinuxMistake(StrictModel):
    """A mistake that people really make, applied after the solution."""

    says: Sentence
    run: Annotated[Steps, Field(min_length=1)]


def _by_router(value: object) -> object:
    """A bare script is the lab's router's, whose name is not known here: it stands under ""."""
    return {"": value} if isinstance(value, str) else value


Scripts = Annotated[dict[str, str], BeforeValidator(_by_router)]


class LinuxSide(StrictModel):
    """The task on Linux nodes."""

    text: str = Field(
        default="", description="the text of this variant alone, after the common text"
    )
    hints: tuple[Sentence, ...] = ()
    init: Steps = ()
    check: Annotated[tuple[LinuxCheck, ...], Field(min_length=1)]
    solve: Annotated[Steps, Field(min_length=1)]
    mistake: LinuxMistake

    @property
    def parts(self) -> tuple[tuple[Keys, Steps], ...]:
        """Everything that is done for it, each part with its keys."""
        mistake = self.mistake.run
        return (("init",), self.init), (("solve",), self.solve), (("mistake", "run"), mistake)


class RouterOSSide(StrictModel):
    """The same on RouterOS, to read: its statements, and what the manual says about them."""

    text: str = ""
    hints: tuple[Sentence, ...] = ()
    solve: Annotated[Scripts, Field(min_length=1)]
    facts: FactIds = Field(
        default=(),
        description="the facts of MikroTik's manual on which the task is based: ids of rosexplain",
    )


class Without(StrictModel):
    """The reason why RouterOS has nothing of the kind."""

    without: Sentence


def _kind(value: object) -> str:
    """Discriminate the two forms, so that an error speaks of one alone."""
    reason = value.get("without") if isinstance(value, dict) else getattr(value, "without", None)
    return "side" if reason is None else "without"


class Traffic(StrictModel):
    """The traffic of a task, for its checks and for a learner who asks for it.

    `packets`: of all flows together; `size`: bytes with the frame check sequence.
    """

    flows: tuple[FlowName, ...] = Field(min_length=1)
    packets: int = Field(default=200, ge=10, le=20_000)
    size: int = Field(default=128, ge=64, le=9216)
    rate: int = Field(default=1000, ge=10, le=5000, description="packets a second")


class Task(StrictModel):
    """One task."""

    name: Name
    title: Annotated[str, Field(min_length=5)]
    minutes: int = Field(ge=1, le=30)
    begin: Name | None = Field(
        default=None, description="the lab's condition at the start of the task"
    )
    text: Sentence
    hints: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    traffic: Traffic | None = None
    linux: LinuxSide
    routeros: Annotated[
        Annotated[RouterOSSide, Tag("side")] | Annotated[Without, Tag("without")],
        Discriminator(_kind),
    ]

    @model_validator(mode="after")
    def _has_what_it_sends(self) -> Task:
        if self.traffic is None and any(check.sends for check in self.linux.check):
            raise ValueError("a check sends packets, so the task must have `traffic`")
        return self

    def traffic_of(self, check: LinuxCheck) -> Traffic:
        """Traffic of a check; ValueError for one that sends nothing."""
        if self.traffic is None:
            raise ValueError(f"task {self.name} sends nothing")
        return self.traffic.model_copy(update={"flows": check.flows or self.traffic.flows})

    @property
    def every_hint(self) -> tuple[str, ...]:
        """The common hints, then those of Linux."""
        return (*self.hints, *self.linux.hints)

    @property
    def check_hints(self) -> tuple[tuple[str, str], ...]:
        """Each check with a hint of its own: its subject, and the hint."""
        return tuple((check.says, check.hint) for check in self.linux.check if check.hint)

    @property
    def whole_text(self) -> str:
        """The common text, then that of Linux."""
        return "\n\n".join(filter(None, (self.text.strip(), self.linux.text.strip())))


class TasksSpec(StrictModel):
    """The whole tasks.yml."""

    begin: Name | None = Field(
        default=None,
        description="the condition before the first task; default: the lab as deployed",
    )
    needs: frozenset[str] = Field(
        default=frozenset(), description="kernel features besides those of the conditions"
    )
    flows: dict[str, tuple[Flow, ...]] = Field(
        default_factory=dict,
        description="streams that only the tasks use, besides those of the lab",
    )
    switch_chip: str | None = Field(
        default=None,
        description=(
            "the model of the switch chip in front of the Linux router, which has "
            "a file with the chip's settings"
        ),
    )
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]

    @field_validator("switch_chip")
    @classmethod
    def _known(cls, device: str | None) -> str | None:
        return SwitchChip(device=device).device if device else None

    def conditions(self) -> Iterator[tuple[Keys, str]]:
        """Every condition that is named, and where."""
        if self.begin:
            yield ("begin",), self.begin
        for index, task in enumerate(self.tasks):
            if task.begin:
                yield ("tasks", index, "begin"), task.begin
