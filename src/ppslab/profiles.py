"""Profiles: how long, how often and how finely a run measures, and where it leaves RFC 2544."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ppslab import documents
from ppslab.errors import UsageError

RFC2544_TRIAL_SECONDS = 60.0
RFC2544_WAIT_SECONDS = 2.0


class Words(BaseModel):
    """One mapping of the profiles file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Cost(Words):
    """Paired trials at the highest rate: the router's nanoseconds per packet."""

    trial_seconds: float = Field(gt=0)
    rounds: int = Field(ge=2, description="rounds at the smallest frame size")
    rounds_other_sizes: int = Field(ge=2)


class Search(Words):
    """Goals of MLRsearch; the names are its own (`MLRsearch.SearchGoal`)."""

    sizes: Literal["smallest", "all"]
    loss_ratios: tuple[float, ...]
    initial_trial_seconds: float = Field(gt=0)
    final_trial_seconds: float = Field(gt=0)
    duration_sum: float = Field(gt=0)
    exceed_ratio: float = Field(ge=0, lt=1)
    relative_width: float = Field(gt=0, lt=1)


class Waits(Words):
    """The phases of a trial around its frames (RFC 2544 section 23)."""

    learning_frames: int = Field(ge=1, description="frames a flow before the trial, not counted")
    settle_seconds: float = Field(ge=0)
    drain_seconds: float = Field(gt=0)


class Emulated(Words):
    """What replaces the profile's own words under emulation."""

    rounds: int = Field(ge=2)
    rounds_other_sizes: int = Field(ge=2)
    relative_width: float = Field(gt=0, lt=1)
    duration_sum: float = Field(gt=0)


class Profile(Words):
    """One profile, by name."""

    name: str
    purpose: str
    cost: Cost
    search: Search
    waits: Waits
    repeats_of_noisy_trials: int = Field(ge=0)
    emulated: Emulated | None = None

    def under_emulation(self) -> Profile:
        """The profile as an emulated router gets it."""
        if self.emulated is None:
            return self
        told = self.emulated
        rounds = {"rounds": told.rounds, "rounds_other_sizes": told.rounds_other_sizes}
        goals = {"relative_width": told.relative_width, "duration_sum": told.duration_sum}
        return self.model_copy(
            update={
                "cost": self.cost.model_copy(update=rounds),
                "search": self.search.model_copy(update=goals),
            }
        )

    def deviations(self) -> list[str]:
        """Where this profile leaves RFC 2544, one sentence each (section 24 asks for them)."""
        said = []
        search, waits = self.search, self.waits
        if search.final_trial_seconds < RFC2544_TRIAL_SECONDS:
            said.append(
                f"The last trial of a search lasts {search.final_trial_seconds:g} s, "
                "not 60 s (RFC 2544 section 24)."
            )
        if len(search.loss_ratios) > 1:
            said.append(
                "Beside zero loss the search looks for tolerated loss ratios "
                "(RFC 9971), which RFC 2544 does not know."
            )
        if search.exceed_ratio > 0:
            said.append(
                f"A load passes when at most {search.exceed_ratio:.0%} of the trial time lost "
                "more than the goal allows (RFC 9971, exceed ratio); RFC 2544 allows none."
            )
        if waits.settle_seconds < RFC2544_WAIT_SECONDS:
            said.append(
                f"The router gets {waits.settle_seconds:g} s after the learning frames and "
                f"{waits.drain_seconds:g} s after the last frame, not 2 s each (section 23)."
            )
        if search.sizes == "smallest":
            said.append("The throughput is searched at the smallest frame size only (section 9).")
        said.append(
            "The cost trials send as fast as the tester can and are not part of RFC 2544: "
            "they give the router's time per packet."
        )
        return said


def load(name: str) -> Profile:
    """The profile called `name`; UsageError names the near ones where there is none."""
    file = Path(__file__).with_name("profiles.yml")
    document = documents.load_yaml(file)
    if name not in document.data:
        near = documents.did_you_mean(name, document.data)
        raise UsageError(f"no profile {name!r}{near}: there are {', '.join(document.data)}")
    return Profile.model_validate({"name": name, **document.data[name]})
