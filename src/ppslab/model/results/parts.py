"""What records of every kind are made of: the tester, the conditions, the bounds of a search."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from ppslab.core.documents.strict import StrictModel
from ppslab.model import rounds


class GoalResult(StrictModel):
    """What MLRsearch found for one tolerated loss ratio; rates in frames per second, all flows."""

    loss_ratio: float = Field(
        description="Goal Loss Ratio (RFC 9971): the tolerated share of lost frames"
    )
    conditional_throughput: float | None = Field(description="RFC 9971 conditional throughput")
    relevant_lower_bound: float | None = Field(
        description="highest load that passed, below all that did not; null: none passed"
    )
    relevant_upper_bound: float | None = Field(description="null: the highest load passed")
    tester_limited: bool = Field(description="within 10 % of the tester's own limit")


class Search(StrictModel):
    """The search of one condition at one frame size."""

    condition: str = Field(description="the condition's name in the lab")
    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")
    goals: tuple[GoalResult, ...] = Field(
        default=(), description="one result for each tolerated loss ratio"
    )
    failed_because: str | None = Field(
        default=None, description="why the search has no result; null where it has one"
    )


class ConditionRecord(StrictModel):
    """A condition as it was measured: its words, its configuration, its read-back."""

    name: str = Field(description="the condition's name in the lab")
    title: str = Field(description="its title")
    description: str = Field(default="", description="what it does")
    needs: tuple[str, ...] = Field(default=(), description="features that it needs of the kernel")
    delivers: Literal["all", "none"] = Field(
        default="all", description="none: a router that works as it should forwards no frame"
    )
    bpf_mode: str | None = Field(
        default=None, description="how its BPF program was attached; null: it has none"
    )
    configuration: dict[str, str] = Field(description="file name to text")
    read_back: str = Field(description="what the router said of itself before the first trial")


class Skipped(StrictModel):
    """A condition that this run could not measure, and why."""

    condition: str = Field(description="the condition's name in the lab")
    reason: str = Field(description="why it could not be measured")


class Tester(StrictModel):
    """The tester and its own limit by frame size, in frames per second over all flows."""

    name: str = Field(description="which tester")
    version: str = Field(description="its own version")
    back_to_back: dict[int, float] = Field(
        default_factory=dict, description="received with its ports cabled to each other"
    )
    into_the_router: dict[int, float] = Field(
        default_factory=dict,
        description="the most that it sent into a router, whatever the router made of it",
    )

    def limit(self, size: int) -> float | None:
        """The highest rate that the tester was seen to keep up at this frame size."""
        return rounds.tester_limit(self, size)


class Lease(StrictModel):
    """The machine's turn under which time was taken: one at a time, or they measure each other."""

    holder: str = Field(description="the user, or in a class the seat, and what was measured")
    since: AwareDatetime = Field(description="when the turn was taken")
    cpus: tuple[int, ...] = Field(description="those of this machine that the run could use")
    kept_free: tuple[int, ...] = Field(
        default=(),
        description="those of them on which no other seat of a class could run anything, as the "
        "kernel said when the turn was taken",
    )
    workshop: str = Field(default="", description="the class whose queue it was; empty: none")
