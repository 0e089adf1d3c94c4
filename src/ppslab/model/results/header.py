"""What stands at the head of a record of any kind: who measured what, where, how, and when."""

from __future__ import annotations

from typing import Literal

from pydantic import AwareDatetime, Field

from ppslab.core import measures
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError
from ppslab.core.measures import Measure
from ppslab.core.provenance import UNKNOWN, Provenance
from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import LabSpec
from ppslab.model.results import shapes
from ppslab.model.results.parts import ConditionRecord, Lease, Skipped, Tester
from ppslab.model.results.trials import Trial


class Run(StrictModel):
    """One run of one lab: the words that records of every kind share."""

    id: str = Field(description="the record's name, as its file's")
    lab: str = Field(description="the lab's name")
    title: str = Field(description="the lab's title")
    started: AwareDatetime = Field(description="when it began")
    finished: AwareDatetime = Field(description="when it ended")
    state: Literal["completed", "aborted"] = Field(
        description="aborted: it was stopped before its end"
    )
    ppslab: dict[str, str] = Field(description="version and commit of the harness")
    router: shapes.Router = Field(description="name, and what it cannot show")
    tester: Tester = Field(description="what sent and received")
    measure: Measure = Field(
        default="timed", description="counted: what a clock of the guest showed is instructions"
    )
    backend: str = Field(description="where the lab stood; bench: a router of the reader's own")
    environment: shapes.Environment = Field(description="kernel, CPU, emulation, programs, steal")
    cpus: dict[str, int | None] = Field(description="which CPU sends, routes, reads")
    lease: Lease | None = Field(
        default=None,
        description="the machine's turn; null: instructions were counted, or before 2026-11-23",
    )
    profile: shapes.Profile = Field(
        description="how thoroughly it was measured, as profiles.yml had it"
    )
    deviations: tuple[str, ...] = Field(
        description="where the method is not the RFCs', as sentences"
    )
    seed: int = Field(description="of the order of the trials and of the bootstrap")
    conditions: tuple[ConditionRecord, ...] = Field(
        description="the conditions as they were measured"
    )
    skipped: tuple[Skipped, ...] = Field(
        default=(), description="conditions that could not be measured"
    )
    trials: tuple[Trial, ...] = Field(description="every trial, in the order in which they ran")

    def in_its_unit(self, nanoseconds: float) -> float:
        """What a clock of the router's machine showed, in instructions where they are counted."""
        return measures.of_nanoseconds(nanoseconds, self.measure)

    @property
    def titles(self) -> dict[str, str]:
        """The readers' names of its conditions, by the ids that commands take."""
        return {condition.name: condition.title for condition in self.conditions}

    @property
    def unit(self) -> str:
        """Of what a packet costs: "instructions" or "ns"."""
        return measures.unit(self.measure)

    @property
    def emulated(self) -> bool:
        """Whether its CPU was emulated: then its clock says nothing of rates."""
        return self.environment.get("emulation", "none") not in ("none", "kvm", "")

    @property
    def licence_level(self) -> str | None:
        """RouterOS's licence level, such as free or p1; None where the router has no licence."""
        level = self.environment.get("routeros", {}).get("level")
        return str(level) if level else None

    def lab_now(self) -> LabSpec | None:
        """What its lab says by now; None where a file of the lab is wrong.

        UsageError where there is no such lab any more.
        """
        try:
            return labs.find(self.lab).spec
        except FileError:
            return None

    def provenance(self) -> Provenance:
        """What stands beside every number: router, backend, kernel, profile, date."""
        environment = self.environment
        device = environment.get("routeros", {})
        return Provenance(
            started=self.started,
            subject="router",
            name=self.router["name"],
            version=device.get("version", ""),
            board=device.get("board-name", ""),
            measure=self.measure,
            backend=self.backend,
            emulation=environment.get("emulation") or "none",
            kernel=environment.get("kernel", UNKNOWN),
            cpu=environment.get("cpu", UNKNOWN),
            cpus=environment.get("cpus"),
            profile=self.profile["name"],
            cannot_show=self.router["cannot_show"],
        )
