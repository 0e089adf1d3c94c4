"""The record of a measurement that failed: what was asked for, when, why, and what to do."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from ppslab.core.documents.strict import StrictModel
from ppslab.core.measures import Measure

Command = Literal["run", "rfc2544", "tcp", "break", "calibrate"]
"""The measurements that `make book` makes."""


class Failure(StrictModel):
    """One measurement that `make book` could not make."""

    schema_version: Literal["ppslab/failure/1"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    command: Command = Field(description="which of ppslab's commands")
    lab: str = Field(description="of a calibration: the tester")
    measure: Measure | None = Field(default=None, description="of `ppslab run`: which one")
    when: AwareDatetime = Field(description="when it failed")
    exit_code: int = Field(description="of ppslab; negative: the signal that ended it")
    reason: str = Field(max_length=2000, description="what ppslab said last")
    to_do: str = Field(description="what measures it again")

    @property
    def measurement(self) -> str:
        """The command as a reader types it."""
        named = self.command if self.command == "calibrate" else f"{self.command} {self.lab}"
        return f"ppslab {named}" + (f" --measure {self.measure}" if self.measure else "")
