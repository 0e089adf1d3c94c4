"""What stands at the head of a record of any kind: who measured what, where, how, and when."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from ppslab import recorded
from ppslab.results.parts import ConditionRecord, Skipped, Tester
from ppslab.results.trials import Trial
from ppslab.results.words import Words


class Run(Words):
    """One run of one lab: the words that records of every kind share."""

    id: str
    lab: str
    title: str
    started: datetime
    finished: datetime
    state: Literal["completed", "aborted"]
    ppslab: dict[str, str] = Field(description="version and commit of the harness")
    router: dict[str, str] = Field(description="name, and what it cannot show")
    tester: Tester
    backend: str
    environment: dict[str, Any] = Field(description="kernel, CPU, emulation, programs, steal")
    cpus: dict[str, int | None] = Field(description="which CPU sends, routes, reads")
    profile: dict[str, Any]
    deviations: tuple[str, ...]
    seed: int
    conditions: tuple[ConditionRecord, ...]
    skipped: tuple[Skipped, ...] = ()
    trials: tuple[Trial, ...]

    @property
    def licence_level(self) -> str | None:
        """RouterOS's licence level, such as free or p1; None where the router has no licence."""
        level = self.environment.get("routeros", {}).get("level")
        return str(level) if level else None

    def provenance(self) -> str:
        """One line that stands beside every number: router, backend, kernel, profile, date."""
        device = self.environment.get("routeros", {})
        told = [str(device[word]) for word in ("version", "board-name") if device.get(word)]
        return recorded.provenance(
            " ".join([self.router["name"], *told]),
            self.backend,
            self.environment.get("emulation", "none"),
            self.environment.get("kernel", "unknown"),
            self.profile["name"],
            f"{self.started:%Y-%m-%d %H:%M}",
        )
