"""The record of `ppslab run`: a packet's cost under every condition, and the throughput."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ppslab.model.lab.lab import LabSpec
from ppslab.model.results.header import Run
from ppslab.model.results.parts import Search
from ppslab.model.results.trials import Clock


class Record(Run):
    """One run of one lab: cost rounds, and searches."""

    schema_version: Literal["ppslab/record/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    baseline: Literal["cable", "drop", "none"] = Field(
        description="which of the tester's own costs is subtracted from a condition's; "
        "none: the router's work is in nobody's time, a cost is 1 over its forwarding rate"
    )
    clock: Clock = Field(description="by which the time per packet is counted")
    reference: str = Field(description="the condition that all others are compared with")
    frame_sizes: tuple[int, ...] = Field(
        description="bytes of a frame, with the frame check sequence"
    )
    searches: tuple[Search, ...] = Field(default=(), description="the searches for the throughput")

    def is_first_choice(self, spec: LabSpec | None) -> bool:
        """Whether pages show it before any run of another measure; `spec`: as `lab_now` says."""
        return self.router["name"] != "linux" or spec is None or self.measure == spec.measure

    def is_whole(self, spec: LabSpec | None) -> bool:
        """Whether the run was of all conditions and frame sizes that its lab has, as `lab_now`."""
        if spec is None:
            return True
        tried = {c.name for c in self.conditions} | {s.condition for s in self.skipped}
        every = {condition.name for condition in spec.conditions if condition.flows}
        return every <= tried and set(spec.frame_sizes) <= set(self.frame_sizes)
