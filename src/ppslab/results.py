"""The record of a run: one JSON file with everything needed to judge it, under a versioned schema.

The schema is `schemas/record-1.json`, made from the classes here; a test holds the two equal.
Figures, claims and pages read records and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from ppslab import documents, paths
from ppslab import lab as labs
from ppslab.errors import FileError

SCHEMA: Final = "ppslab/record/1"

Arrangement = Literal["coupled", "separate"]
Purpose = Literal["choose", "cost", "null", "drop", "cable", "tester", "search"]
"""Why a trial was run.

choose: to find the way to attach a BPF program; cost: the router's time per packet; null: the
reference condition once more, for the A/A interval; drop: frames dropped at the router's ingress;
cable: the tester's ports cabled to each other; tester: the same, for the tester's limit; search:
the throughput.
"""


Clock = Literal["cpu", "wall"]

WHOLE_SHARE = 0.9
"""A busy sender that ever had this share of its CPU shows that the kernel counts all its work."""


class Words(BaseModel):
    """One object of a record."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Trial(Words):
    """One trial: its state, its validity, and only then its measurement."""

    number: int = Field(ge=0, description="order in which the trials ran")
    purpose: Purpose
    condition: str | None = Field(description="null: the tester alone")
    frame_size: int = Field(description="bytes, with the frame check sequence")
    arrangement: Arrangement = Field(
        description="coupled: one CPU sends and routes; separate: the router has a CPU of its own"
    )
    round: int | None = Field(default=None, description="trials of one round are paired")
    attempt: int = 1
    bpf_mode: str | None = None
    intended_rate: float | None = Field(description="frames per second; null: as fast as it can")
    intended_seconds: float
    at_seconds: float = Field(description="start of the trial, seconds after the run's start")
    state: Literal["completed", "aborted"]
    valid: bool
    invalid_because: tuple[str, ...] = ()
    counts: dict[str, Any] | None = Field(description="what ppstraffic printed")

    def nanoseconds_each(self, clock: Clock) -> float:
        """Time per offered frame in nanoseconds, by one of two clocks.

        wall: from the first to the last send.  cpu: what the sending thread used of its CPU; in a
        coupled trial that holds the router's work too, as it runs in the sender's system calls.
        """
        assert self.counts is not None
        key = "send_cpu_seconds" if clock == "cpu" else "send_seconds"
        return float(self.counts[key]) * 1e9 / float(self.counts["offered"])

    @property
    def cpu_share(self) -> float:
        """The part of the sending time in which the sender had its CPU."""
        assert self.counts is not None
        return float(self.counts["send_cpu_seconds"]) / float(self.counts["send_seconds"])

    @property
    def forwarding_rate(self) -> float:
        """Distinct frames received, per second of the sending (RFC 2285 section 3.6.1)."""
        assert self.counts is not None
        return float(self.counts["received"]) / float(self.counts["send_seconds"])


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


class Record(Words):
    """One run of one lab."""

    schema_version: Literal["ppslab/record/1"] = Field(alias="schema")
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
    baseline: Literal["cable", "drop"] = Field(
        description="which of the tester's own costs is subtracted from a condition's"
    )
    clock: Clock = Field(description="by which the time per packet is counted")
    reference: str
    frame_sizes: tuple[int, ...]
    conditions: tuple[ConditionRecord, ...]
    skipped: tuple[Skipped, ...] = ()
    searches: tuple[Search, ...] = ()
    trials: tuple[Trial, ...]

    def is_whole(self) -> bool:
        """Whether the run was of all conditions and frame sizes that its lab now has."""
        words = labs.find(self.lab).words
        tried = {c.name for c in self.conditions} | {s.condition for s in self.skipped}
        every = {condition.name for condition in words.conditions}
        return every <= tried and set(words.frame_sizes) <= set(self.frame_sizes)

    def provenance(self) -> str:
        """One line that stands beside every number: router, backend, kernel, profile, date."""
        where = self.backend
        emulation = self.environment.get("emulation", "none")
        if emulation not in ("none", None):
            where += f" ({emulation} emulation)" if emulation == "tcg" else f" ({emulation})"
        return (
            f"router: {self.router['name']}; backend: {where}; "
            f"kernel {self.environment.get('kernel', 'unknown')}; "
            f"profile {self.profile['name']}; measured {self.started:%Y-%m-%d %H:%M} UTC"
        )


def clock_of(trials: Iterable[Trial]) -> Clock:
    """The clock that counts a packet's time best on the machine of these trials.

    On a machine that others use too, the sender waits for its CPU and the wall clock counts that:
    at a load of six on two CPUs it read up to twenty times too much, where the CPU's clock stayed
    within a tenth.  But a kernel that takes interrupt time off a thread's account (Linux's
    IRQ_TIME_ACCOUNTING) takes the router's work off too.  Then no busy sender ever has the whole
    of its CPU, and the wall clock is left.
    """
    shares = [
        trial.cpu_share
        for trial in trials
        if trial.valid and trial.arrangement == "coupled" and trial.intended_rate is None
    ]
    return "cpu" if shares and max(shares) >= WHOLE_SHARE else "wall"


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a record."""
    made = Record.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://ppslab.example/schemas/record-1.json",
        **made,
    }


def save(record: Record, path: Path) -> None:
    """Write a record whole or not at all."""
    documents.write_atomic(path, record.model_dump_json(by_alias=True, indent=1) + "\n")


def load(path: Path) -> Record:
    """Read a record; FileError says what is wrong with it, and in which line."""
    document = documents.load_json(path)
    data = document.data
    said = data.get("schema") if isinstance(data, dict) else None
    if said != SCHEMA:
        raise FileError(path, 1, f"schema is {said!r}, this ppslab reads {SCHEMA!r}")
    return documents.validate(document, Record)


def new_path(lab: str, started: datetime, backend: str) -> Path:
    """Where a run made on this machine is kept: results/local/LAB-TIME-BACKEND.json."""
    stamp = started.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")
    return paths.results_dir() / "local" / f"{lab}-{stamp}-{backend}.json"


def stored(lab: str) -> Iterator[Path]:
    """The records of a lab, newest first: by the time in their names, wherever they lie."""
    found = paths.results_dir().glob(f"**/{lab}-*Z-*.json")
    yield from sorted(found, key=lambda path: path.name, reverse=True)


def newest(lab: str) -> Record | None:
    """The newest completed record of a lab that measured all of it; None where there is none.

    A run of some conditions or frame sizes counts only where no run of all of them is: pages that
    were whole would otherwise lose what the reader's last `ppslab run --condition` left out.
    """
    path = newest_path(lab)
    return load(path) if path else None


def newest_path(lab: str) -> Path | None:
    """The file of the newest record, as `newest` chooses.

    FileError where the newest file of all is no record; older ones that are none, as those of an
    earlier ppslab, are passed over.
    """
    partial: Path | None = None
    for number, path in enumerate(stored(lab)):
        try:
            record = load(path)
        except FileError:
            if number == 0:
                raise
            continue
        if record.lab != lab or record.state != "completed":
            continue
        if record.is_whole():
            return path
        partial = partial or path
    return partial


if __name__ == "__main__":
    documents.write_json(Path(__file__).with_name("schemas") / "record-1.json", schema())
