"""`ppslab soak`: one load for hours, leg by leg; a stopped one goes on where it was.

Each leg is a trial of its own, which is configured, read back, counted and judged like any other.
None is repeated: a minute that something disturbed is a minute of the soak, and its leg says by
what.  After each leg the record of what was run so far is written, so that it outlives Ctrl-C and a
process that is killed; `resume` takes the legs of that record over and runs the missing ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ppslab import results
from ppslab.base import units
from ppslab.base.errors import UsageError
from ppslab.base.text.numbers import plural
from ppslab.instruments.counts import TrialCounts
from ppslab.lab import soaks
from ppslab.lab.lab import Lab
from ppslab.lab.soaks import Soak
from ppslab.measurement.preview.traffic import Planned, Trials
from ppslab.measurement.run import check_sizes
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import FrameSession, OpenSession, Progress, State
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.measurement.trial.trial import FrameTestbed

DEVIATION = (
    "A soak is no test of RFC 2544: one load for hours shows what a trial of a minute is too short "
    "for. Between two legs the router is read back and nothing is sent, for a second or so."
)


@dataclass(frozen=True)
class Options(RunOptions):
    """What to soak, and where."""

    condition: str | None = None
    """Its name; None: the lab's reference."""
    size: int | None = None
    """Bytes of a frame; None: the lab's smallest."""
    load: float = 0.0
    """Frames a second over all streams."""
    soak: str = "eight-hours"
    """How long, by its name in soaks.yml."""
    resume: Path | None = None
    """The record of an earlier sitting."""


@dataclass
class _Soaking:
    """One sitting: what is asked for, and the legs so far."""

    condition: str
    size: int
    load: float
    soak: Soak
    legs: list[results.Leg] = field(default_factory=list)

    def measure(self, session: OpenSession[FrameTestbed]) -> None:
        """Run the legs that are missing."""
        testbed = session.testbed
        (condition,) = session.conditions
        session.tester = results.Tester(name=testbed.tester.name, version=testbed.tester.version())
        session.progress.plan(self.soak.legs - len(self.legs))
        sitting = session.started.strftime("%Y%m%dT%H%M%SZ")
        while len(self.legs) < self.soak.legs:
            begun = datetime.now(UTC)
            session.progress.stage(self.stage)
            trial = testbed.trial(
                TrialSpec(
                    "frame-loss",
                    condition,
                    self.size,
                    self.soak.seconds,
                    self.load,
                    "coupled" if testbed.cpus.coupled else "separate",
                ),
                repeats=0,
            )
            self.legs.append(leg_of(trial, len(self.legs), begun, sitting))
            session.checkpoint(self.record(session, "aborted"))

    @property
    def stage(self) -> str:
        """The leg that begins, and what those before it have lost."""
        lost = sum(leg.lost for leg in self.legs if leg.valid)
        invalid = sum(not leg.valid for leg in self.legs)
        before = f", {plural(lost, 'frame')} lost so far" if self.legs else ""
        spoiled = f", {plural(invalid, 'leg')} not valid" if invalid else ""
        return f"leg {len(self.legs) + 1} of {self.soak.legs}{before}{spoiled}"

    def record(self, session: OpenSession[FrameTestbed], state: State) -> results.SoakRecord:
        """What was run so far, in this sitting and those before it."""
        head = session.head(state, [DEVIATION])
        head["trials"] = ()
        return results.SoakRecord(
            schema="ppslab/soak/1",
            **head,
            soak=self.soak.name,
            condition=self.condition,
            frame_size=self.size,
            load=self.load,
            leg_seconds=self.soak.seconds,
            planned=self.soak.legs,
            legs=tuple(self.legs),
        )


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.SoakRecord, Path]:
    """Soak a condition of `lab` and write the record; returns it and the file that it is in.

    UsageError for what the lab does not have, no load, or a record to resume that is of another
    soak; errors and interruptions otherwise as `ppslab.measurement.run.run`.
    """
    condition = lab.condition(options.condition or lab.spec.reference)
    if condition.flows is None:
        raise UsageError(f"condition {condition.name} has no streams: it is measured with TCP only")
    size = options.size or min(lab.sizes(condition))
    check_sizes([size])
    if not options.load > 0:
        raise UsageError(
            "--load FRAMES: how many a second over all streams; the throughput that "
            "`ppslab run` has found is what the router should bear"
        )
    work = _Soaking(condition.name, size, options.load, soaks.load(options.soak))
    if options.resume:
        work.legs += legs_before(options.resume, lab, work)
    session = FrameSession(lab, [condition], options, progress)
    return session.measure(work.measure, work.record, results.SoakRecord, _announced(work))


def legs_before(path: Path, lab: Lab, work: _Soaking) -> Sequence[results.Leg]:
    """The legs of an earlier sitting; UsageError where it was another soak, or is over."""
    before = results.load_as(path, results.SoakRecord)
    was = {
        "lab": before.lab,
        "condition": before.condition,
        "size": before.frame_size,
        "load": before.load,
        "soak": before.soak,
    }
    now = {
        "lab": lab.name,
        "condition": work.condition,
        "size": work.size,
        "load": work.load,
        "soak": work.soak.name,
    }
    for word, value in was.items():
        if now[word] != value:
            raise UsageError(f"--resume {path}: its {word} is {value}, here it is {now[word]}")
    if before.done:
        raise UsageError(f"--resume {path}: all of its {before.planned} legs have been run")
    return before.legs


def leg_of(trial: results.Trial, number: int, begun: datetime, sitting: str) -> results.Leg:
    """A leg as a record has it."""
    counts = TrialCounts.of(trial.counts) if trial.counts else None
    return results.Leg(
        number=number,
        started=begun,
        sitting=sitting,
        valid=trial.valid,
        invalid_because=trial.invalid_because,
        intended=counts.intended if counts else 0,
        received=counts.received if counts else 0,
        delay_p50_ns=counts.delay_ns.p50 if counts else None,
        delay_p999_ns=counts.delay_ns.p999 if counts else None,
        streams={flow.name: flow.received for flow in counts.flows} if counts else {},
    )


def _announced(work: _Soaking) -> Planned:
    left = work.soak.legs - len(work.legs)
    trials = Trials(
        "legs of the soak", (work.size,), units.human_rate(work.load), work.soak.seconds, left
    )
    return lambda _: [trials]
