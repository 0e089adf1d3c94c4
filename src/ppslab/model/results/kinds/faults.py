"""The record of `ppslab break`: an instrument broken on purpose, and whether it noticed."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from ppslab.core.documents.strict import StrictModel
from ppslab.model.results.header import Run

FaultName = Literal[
    "late-tester", "small-ring", "rules-gone", "offload-on", "slow-tester", "stopped-trial"
]
NAMES: tuple[FaultName, ...] = get_args(FaultName)

Outcome = Literal["caught", "missed", "not broken"]
"""missed: the fault was there and nobody said so.  not broken: it had no effect here, or the
machine had the same fault by itself."""


class FaultFound(StrictModel):
    """One fault: what was broken, what the instrument said without it and with it."""

    name: FaultName = Field(description="the fault's name")
    title: str = Field(description="its title")
    broken: str = Field(description="what was done to the instrument")
    believed: str = Field(description="what a reader of the numbers alone would have believed")
    healthy: tuple[int, ...] = Field(description="numbers of the trials just before, unbroken")
    trials: tuple[int, ...] = Field(description="numbers of the trials with the fault")
    outcome: Outcome = Field(description="whether the instrument noticed")
    said: tuple[str, ...] = Field(description="what the instrument said of the last of them")


class FaultsRecord(Run):
    """One run through the faults."""

    schema_version: Literal["ppslab/faults/2"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    frame_size: int = Field(description="bytes of a frame, with the frame check sequence")
    faults: tuple[FaultFound, ...] = Field(description="every fault that was tried")

    def is_whole(self) -> bool:
        """Whether every fault was tried."""
        return set(NAMES) <= {fault.name for fault in self.faults}

    def fault(self, name: FaultName) -> FaultFound | None:
        """The fault of that name, None where it was not tried."""
        return next((fault for fault in self.faults if fault.name == name), None)
