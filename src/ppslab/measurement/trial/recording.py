"""A trial as its record keeps it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import cast

from ppslab import results
from ppslab.instruments.contract import Outcome
from ppslab.instruments.counts import TrialCounts
from ppslab.measurement.trial import every_frame
from ppslab.measurement.trial.judging import UNASKED, Connections
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.results import shapes
from ppslab.routers.linux.router import BpfMode
from ppslab.theory.validity import Problem, causes, sentences


@dataclass(frozen=True)
class Sent:
    """What one sending left behind."""

    outcome: Outcome
    """What the tester printed."""
    outlasted: bool
    """What was called in mid-stream ended after the stream."""
    grown: Mapping[str, int] = field(default_factory=dict)
    """By how much the condition's counters grew."""
    connections: Connections = UNASKED
    """What the router said after it."""


def as_recorded(counts: TrialCounts) -> shapes.Counts:
    """The counts as a record has them: the words of shapes.CountsShape, and what came with them."""
    return cast(shapes.Counts, counts.plain())


def record(
    spec: TrialSpec,
    sent: Sent | None,
    problems: Collection[Problem],
    *,
    number: int,
    attempt: int,
    begun: float,
    bpf_mode: BpfMode | None,
) -> results.Trial:
    """The trial's record.  `sent` None: the router was not as configured, and nothing was sent.

    `number`: in the order of the run; `begun`: seconds since the testbed stood.
    """
    counts = sent.outcome.counts if sent else None
    frames = sent.outcome.frames if counts and sent and counts.offered else None
    then = spec.then
    return results.Trial(
        number=number,
        purpose=spec.purpose,
        condition=spec.condition.name if spec.condition else None,
        frame_size=spec.size,
        arrangement=spec.arrangement,
        round=spec.round_number,
        attempt=attempt,
        bpf_mode=bpf_mode,
        family=spec.family,
        direction=spec.direction,
        intended_load=spec.intended_load,
        intended_duration=spec.intended_duration,
        then=results.Step(rate=then.rate, seconds=then.seconds) if then else None,
        at_seconds=round(begun, 3),
        state="aborted" if counts is None or counts.aborted else "completed",
        valid=not problems,
        invalid_because=sentences(problems),
        causes=causes(problems),
        counts=as_recorded(counts) if counts else None,
        counters=dict(sent.grown) if sent else {},
        every_frame=every_frame.count(frames) if frames is not None else None,
    )
