"""The keys of a lab's tasks.yml: what to do, how it is set up, solved and got wrong.

A task has two variants: on the Linux router its steps are shell commands on nodes, on RouterOS
they are RouterOS's own statements, and its checks ask the router over REST.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from ppslab.course.tasks.check_schema import (
    FlowName,
    LinuxCheck,
    RouterOSCheck,
    Said,
    Sentence,
)
from ppslab.model.lab.conditions import SwitchChip
from ppslab.model.lab.packets import Flow
from ppslab.model.lab.schema import Name
from ppslab.model.manual import FactIds

Variant = Literal["linux", "routeros"]
VARIANTS: tuple[Variant, ...] = ("linux", "routeros")


class Step(StrictModel):
    """One thing to do on a node."""

    run: str = Field(min_length=1, description="shell lines, run by sh -e")
    on: str | None = Field(default=None, description="the node; left out: the lab's router")

    @classmethod
    def read(cls, found: object) -> object:
        """A plain string runs on the lab's router."""
        return {"run": found} if isinstance(found, str) else found


Steps = tuple[Annotated[Step, BeforeValidator(Step.read)], ...]


class LinuxMistake(StrictModel):
    """A mistake that people really make, applied after the solution."""

    says: Sentence
    run: Annotated[Steps, Field(min_length=1)]


def _by_router(found: object) -> object:
    """A bare script is the lab's router's, whose name is not known here: it stands under ""."""
    return {"": found} if isinstance(found, str) else found


Scripts = Annotated[dict[str, str], BeforeValidator(_by_router)]


class RouterOSMistake(StrictModel):
    """The same on RouterOS."""

    says: Sentence
    run: Annotated[Scripts, Field(min_length=1)]


class LinuxSide(StrictModel):
    """The task on Linux nodes."""

    text: str = Field(default="", description="what only this variant says, after the text")
    hints: tuple[Sentence, ...] = ()
    init: Steps = ()
    check: Annotated[tuple[LinuxCheck, ...], Field(min_length=1)]
    solve: Annotated[Steps, Field(min_length=1)]
    mistake: LinuxMistake


class RouterOSSide(StrictModel):
    """The task on RouterOS routers."""

    text: str = ""
    hints: tuple[Sentence, ...] = ()
    init: Scripts = Field(default_factory=dict)
    check: Annotated[tuple[RouterOSCheck, ...], Field(min_length=1)]
    solve: Annotated[Scripts, Field(min_length=1)]
    mistake: RouterOSMistake
    facts: FactIds = Field(
        default=(),
        description="what RouterOS does that the task rests on (model/manual/)",
    )


class Without(StrictModel):
    """Why there is no such variant."""

    without: Sentence


def _kind(found: object) -> str:
    """Which of the two is meant, so that what is wrong is told of that one alone."""
    told = found.get("without") if isinstance(found, dict) else getattr(found, "without", None)
    return "side" if told is None else "without"


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
        default=None, description="the condition that the lab is brought into before it"
    )
    text: Sentence
    hints: Annotated[tuple[Sentence, ...], Field(min_length=1)]
    traffic: Traffic | None = None
    linux: Annotated[
        Annotated[LinuxSide, Tag("side")] | Annotated[Without, Tag("without")],
        Discriminator(_kind),
    ]
    routeros: Annotated[
        Annotated[RouterOSSide, Tag("side")] | Annotated[Without, Tag("without")],
        Discriminator(_kind),
    ]

    @model_validator(mode="after")
    def _has_what_it_sends(self) -> Task:
        for side in (self.linux, self.routeros):
            checks: Iterable[Said] = () if isinstance(side, Without) else side.check
            if self.traffic is None and any(check.sends for check in checks):
                raise ValueError("a check sends packets, and the task has no `traffic`")
        return self

    def traffic_of(self, check: Said) -> Traffic:
        """What a check sends; ValueError for one that sends nothing."""
        if self.traffic is None:
            raise ValueError(f"task {self.name} sends nothing")
        return self.traffic.model_copy(update={"flows": check.flows or self.traffic.flows})

    def side(self, variant: Variant) -> LinuxSide | RouterOSSide | Without:
        """The task's words for a variant."""
        return self.linux if variant == "linux" else self.routeros

    def hints_for(self, variant: Variant) -> tuple[str, ...]:
        """The common hints, then the variant's own."""
        side = self.side(variant)
        return self.hints if isinstance(side, Without) else (*self.hints, *side.hints)

    def text_for(self, variant: Variant) -> str:
        """The common text, then the variant's own."""
        side = self.side(variant)
        own = "" if isinstance(side, Without) else side.text.strip()
        return "\n\n".join(filter(None, (self.text.strip(), own)))


class TasksSpec(StrictModel):
    """The whole tasks.yml."""

    begin: Name | None = Field(
        default=None, description="the condition before the first task; none: as it is deployed"
    )
    needs: frozenset[str] = Field(
        default=frozenset(), description="features of the kernel beside those of the conditions"
    )
    routeros: Without | None = None
    flows: dict[str, tuple[Flow, ...]] = Field(
        default_factory=dict, description="streams of the tasks alone, beside those of the lab"
    )
    switch_chip: str | None = Field(
        default=None,
        description="whose chip stands ahead of the Linux router; its settings are in a file there",
    )
    tasks: Annotated[tuple[Task, ...], Field(min_length=1)]

    @field_validator("switch_chip")
    @classmethod
    def _known(cls, device: str | None) -> str | None:
        return SwitchChip(device=device).device if device else None

    def conditions(self) -> Iterator[tuple[tuple[str | int, ...], str]]:
        """Every condition that is named, and where."""
        if self.begin:
            yield ("begin",), self.begin
        for index, task in enumerate(self.tasks):
            if task.begin:
                yield ("tasks", index, "begin"), task.begin
