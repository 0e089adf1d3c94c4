"""What records of every kind are made of: the tester, the conditions, the bounds of a search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.results.words import Words


class GoalResult(Words):
    """What MLRsearch found for one tolerated loss ratio; rates in frames per second, all flows."""

    loss_ratio: float
    throughput: float | None = Field(description="RFC 9971 conditional throughput")
    lower_bound: float | None
    upper_bound: float | None = Field(description="null: the highest load passed")
    tester_limited: bool = Field(description="within 10 % of the tester's own limit")


class Search(Words):
    """The search of one condition at one frame size."""

    condition: str
    frame_size: int
    goals: tuple[GoalResult, ...] = ()
    failed_because: str | None = None


class ConditionRecord(Words):
    """A condition as it was measured: its words, its configuration, its read-back."""

    name: str
    title: str
    description: str = ""
    needs: tuple[str, ...] = ()
    delivers: Literal["all", "none"] = "all"
    bpf_mode: str | None = None
    configuration: dict[str, str] = Field(description="file name to text")
    read_back: str = Field(description="what the router said of itself before the first trial")


class Skipped(Words):
    """A condition that this run could not measure, and why."""

    condition: str
    reason: str


class Tester(Words):
    """The tester and its own limit by frame size, in frames per second over all flows."""

    name: str
    version: str
    back_to_back: dict[int, float] = Field(
        default_factory=dict, description="received with its ports cabled to each other"
    )
    into_the_router: dict[int, float] = Field(
        default_factory=dict,
        description="the most that it sent into a router, whatever the router made of it",
    )

    def limit(self, size: int) -> float | None:
        """The highest rate that the tester was seen to keep up at this frame size.

        A receiver that idles between frames must be woken for each, which slows the sender down;
        a busy router is awake.  So the cable alone can read too low.
        """
        seen = [had[size] for had in (self.back_to_back, self.into_the_router) if size in had]
        return max(seen, default=None)
