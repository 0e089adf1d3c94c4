"""The record of `ppslab soak`: one load for hours, leg by leg, in one sitting or in several."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from ppslab.core.documents.strict import StrictModel
from ppslab.core.text.numbers import plural
from ppslab.core.units import human_span
from ppslab.model.results.header import Run


class Leg(StrictModel):
    """A stretch of the soak; frames, and nanoseconds from the intended send time."""

    number: int = Field(ge=0, description="from 0")
    started: AwareDatetime = Field(description="when it began")
    sitting: str = Field(description="the record of the sitting that ran it")
    valid: bool = Field(description="whether its numbers mean what they say")
    invalid_because: tuple[str, ...] = Field(default=(), description="why they do not")
    intended: int = Field(ge=0, description="frames that were to be sent")
    received: int = Field(ge=0, description="frames that came back, each once")
    delay_p50_ns: float | None = Field(description="the median")
    delay_p999_ns: float | None = Field(description="what one frame in a thousand exceeds")
    streams: dict[str, int] = Field(description="frames received, by stream")

    @property
    def lost(self) -> int:
        """Frames that did not come back; those that were not sent are among them."""
        return self.intended - self.received


class SoakRecord(Run):
    """One soak of one condition at one load; `trials` is empty, as `legs` say it all."""

    schema_version: Literal["ppslab/soak/1"] = Field(
        alias="schema", description="the kind of record and its version"
    )
    soak: str = Field(description="the name in soaks.yml")
    condition: str = Field(description="the condition's name in the lab")
    frame_size: int = Field(description="bytes, with the frame check sequence")
    load: float = Field(gt=0, description="frames a second over all streams")
    leg_seconds: float = Field(gt=0, description="seconds of sending in a leg")
    planned: int = Field(gt=0, description="legs of the whole soak")
    legs: tuple[Leg, ...] = Field(description="those that were run, of all sittings, in order")

    @property
    def done(self) -> bool:
        """Whether all of it was run."""
        return len(self.legs) >= self.planned

    @property
    def extent(self) -> str:
        """How long it went, and how much of that means what it says."""
        run = f"{len(self.legs)} of {plural(self.planned, 'leg')}, {human_span(self.seconds)}"
        spoiled = sum(not leg.valid for leg in self.legs)
        return f"{run}; {plural(spoiled, 'leg')} not valid" if spoiled else run

    @property
    def seconds(self) -> float:
        """Of sending: a leg whose router was not as configured sent nothing."""
        return sum(self.leg_seconds for leg in self.legs if leg.intended)

    @property
    def lost(self) -> int:
        """Frames that valid legs lost."""
        return sum(leg.lost for leg in self.legs if leg.valid)

    @property
    def intended(self) -> int:
        """Frames that valid legs were to send."""
        return sum(leg.intended for leg in self.legs if leg.valid)
