"""The record of `ppslab run`: a packet's cost under every condition, and the throughput."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab import lab as labs
from ppslab.results.header import Run
from ppslab.results.parts import Search
from ppslab.results.trials import Clock


class Record(Run):
    """One run of one lab: cost rounds, and searches."""

    schema_version: Literal["ppslab/record/1"] = Field(alias="schema")
    baseline: Literal["cable", "drop", "none"] = Field(
        description="which of the tester's own costs is subtracted from a condition's; "
        "none: the router's work is in nobody's time, a cost is 1 over its forwarding rate"
    )
    clock: Clock = Field(description="by which the time per packet is counted")
    reference: str
    frame_sizes: tuple[int, ...]
    searches: tuple[Search, ...] = ()

    def is_whole(self) -> bool:
        """Whether the run was of all conditions and frame sizes that its lab now has."""
        words = labs.find(self.lab).words
        tried = {c.name for c in self.conditions} | {s.condition for s in self.skipped}
        every = {condition.name for condition in words.conditions if condition.flows}
        return every <= tried and set(words.frame_sizes) <= set(self.frame_sizes)
