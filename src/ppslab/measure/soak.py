"""`ppslab soak`: one load for hours, leg by leg; a stopped one goes on where it was.

Each leg is a trial of its own, which is configured, read back, counted and judged like any other.
None is repeated: a minute that something disturbed is a minute of the soak, and its leg says by
what.  After each leg the record of what was run so far is written, so that it outlives Ctrl-C and a
process that is killed; `resume` takes the legs of that record over and runs the missing ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ppslab.core import units
from ppslab.core.errors import UsageError
from ppslab.core.text.numbers import plural
from ppslab.measure.experiment import FrameExperiment, Progress, State
from ppslab.measure.options import RunOptions, check_sizes
from ppslab.measure.preview.traffic import Trials
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab import profiles
from ppslab.model.lab.lab import Condition, Lab
from ppslab.testbed.testers.counts import TrialCounts

DEVIATION = (
    "A soak is no test of RFC 2544: one load for hours shows rare losses that a trial of a minute "
    "can miss. Between two legs, nothing is sent for about a second while the router is read back."
)


@dataclass(frozen=True)
class Options(RunOptions):
    """The condition to soak, and where."""

    condition: str | None = None
    """Its name; None: the lab's reference."""
    size: int | None = None
    """Bytes of a frame; None: the lab's smallest."""
    load: float = 0.0
    """Frames a second over all streams."""
    soak: str = "eight-hours"
    """Name of a duration in soaks.yml."""
    resume: Path | None = None
    """The record of an earlier sitting."""


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.SoakRecord, Path]:
    """Soak a condition of `lab` and write the record; returns it and the file that it is in.

    UsageError for what the lab does not have, no load, or a record to resume that is of another
    soak; errors and interruptions otherwise as `Experiment.run`.
    """
    return Soaking(lab, options, progress).run()


class Soaking(FrameExperiment[results.SoakRecord]):
    """One sitting: the load that is asked for, and the legs so far."""

    kind = results.SoakRecord

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        condition = lab.condition(options.condition or lab.spec.reference)
        if condition.flows is None:
            raise UsageError(
                f"condition {condition.name} has no streams: it is measured with TCP only"
            )
        self.condition, self.load = condition, options.load
        self.size = options.size or min(lab.sizes(condition))
        check_sizes(self.size)
        if not options.load > 0:
            raise UsageError(
                "give --load FRAMES, in frames per second over all streams; a good value is the "
                "throughput that `ppslab run` found"
            )
        self.soak = profiles.load_soak(options.soak)
        self.legs: list[results.Leg] = []
        super().__init__(lab, [condition], options, progress)
        if options.resume:
            self.legs += self._legs_before(options.resume)

    def _legs_before(self, path: Path) -> Sequence[results.Leg]:
        """The legs of an earlier sitting; UsageError where it was another soak, or is over."""
        before = results.load_as(path, results.SoakRecord)
        for word, earlier, now in (
            ("lab", before.lab, self.lab.name),
            ("condition", before.condition, self.condition.name),
            ("size", before.frame_size, self.size),
            ("load", before.load, self.load),
            ("soak", before.soak, self.soak.name),
        ):
            if now != earlier:
                raise UsageError(f"--resume {path}: its {word} is {earlier}, here it is {now}")
        if before.done:
            raise UsageError(f"--resume {path}: all of its {before.planned} legs have been run")
        return before.legs

    def planned(self, conditions: Sequence[Condition]) -> Sequence[Trials]:
        """The legs that are missing."""
        del conditions
        left = self.soak.legs - len(self.legs)
        rate = units.human_rate(self.load)
        return [Trials("legs of the soak", (self.size,), rate, self.soak.seconds, left)]

    def stages(self) -> None:
        """Run the legs that are missing."""
        testbed = self.testbed
        self.progress.plan(self.soak.legs - len(self.legs))
        sitting = self.started.strftime("%Y%m%dT%H%M%SZ")
        spec = TrialSpec(
            "frame-loss",
            self.condition,
            self.size,
            self.soak.seconds,
            self.load,
            "coupled" if testbed.cpus.coupled else "separate",
        )
        while len(self.legs) < self.soak.legs:
            begun = datetime.now(UTC)
            self.progress.stage(self._stage())
            trial = testbed.trial(spec, repeats=0)
            self.legs.append(leg_of(trial, len(self.legs), begun, sitting))
            self.journal.checkpoint(self.record("aborted"))

    def _stage(self) -> str:
        """The leg that begins, and what those before it have lost."""
        lost = sum(leg.lost for leg in self.legs if leg.valid)
        invalid = sum(not leg.valid for leg in self.legs)
        before = f", {plural(lost, 'frame')} lost so far" if self.legs else ""
        spoiled = f", {plural(invalid, 'leg')} not valid" if invalid else ""
        return f"leg {len(self.legs) + 1} of {self.soak.legs}{before}{spoiled}"

    def record(self, state: State) -> results.SoakRecord:
        return results.SoakRecord(
            schema="ppslab/soak/1",
            **self.head(state, [DEVIATION], trials=()),
            soak=self.soak.name,
            condition=self.condition.name,
            frame_size=self.size,
            load=self.load,
            leg_seconds=self.soak.seconds,
            planned=self.soak.legs,
            legs=tuple(self.legs),
        )


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
