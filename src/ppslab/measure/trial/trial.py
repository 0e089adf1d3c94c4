"""One trial on the testbed: configure, read back, learn, settle, run, drain, judge.

RFC 2544 section 23 gives the phases.  Each trial has a state (completed or aborted), a validity
(valid, or the reason why not) and, only if it is valid, a measurement.  `spec` describes a trial
that is asked for; `judging` decides whether its counts are valid.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import cast

from ppslab.core.errors import UsageError
from ppslab.core.processes import Meanwhile
from ppslab.measure.trial import every_frame, judging
from ppslab.measure.trial.judging import UNASKED, Connections, Limits
from ppslab.measure.trial.patience import Patience
from ppslab.measure.trial.spec import TrialSpec, streams
from ppslab.model import results
from ppslab.model.lab.lab import Lab
from ppslab.model.lab.profiles import Profile
from ppslab.model.results import Arrangement, Trial, shapes
from ppslab.model.validity import (
    NotAsConfigured,
    Problem,
    causes,
    noisy,
    sentences,
    worth_repeating,
)
from ppslab.testbed.backends.capabilities import CpuPlan
from ppslab.testbed.routers.contract import ReadBack, Router
from ppslab.testbed.routers.linux.router import BpfMode, LinuxRouter
from ppslab.testbed.testers.contract import BackToBack, Load, Outcome, Tester


@dataclass(frozen=True)
class Sent:
    outcome: Outcome
    outlasted: bool
    """The act in mid-stream ended after the stream."""
    grown: Mapping[str, int] = field(default_factory=dict)
    """By how much the condition's counters grew."""
    connections: Connections = UNASKED
    """The router's connections after it."""


@dataclass
class FrameTestbed:
    """A deployed lab with its tester: runs trials and keeps every one of them."""

    lab: Lab
    router: Router
    tester: Tester
    cable: BackToBack
    """The tester alone, its ports cabled to each other."""
    cpus: CpuPlan
    profile: Profile
    counted: bool = False
    """The seconds of a trial are instructions, which no neighbour disturbs."""
    bearable_burst: int = judging.BEARABLE_BURST
    """Frames at once that a router may be asked to bear."""
    on_trial: Callable[[Trial], None] = lambda trial: None
    trials: list[Trial] = field(default_factory=list)
    read_backs: dict[str, str] = field(default_factory=dict)
    """The router's read-back, by condition."""
    patience: Patience = field(default_factory=Patience)
    """Waits until noise has passed."""
    remarks: list[str] = field(default_factory=list)
    """The sentences on noise, for the reader of the record."""
    _started: float = field(default_factory=time.monotonic)
    _now: tuple[str, BpfMode | None] | None = None
    """The condition that the router is in, as it was read back; None: unknown."""
    _steered: dict[str, Arrangement] = field(default_factory=dict)

    @property
    def linux(self) -> LinuxRouter:
        """The router, where it is a kernel on whose node commands run.

        UsageError for any other: what asks for it looks into that kernel, or breaks it.
        """
        if not isinstance(self.router, LinuxRouter):
            raise UsageError(f"this measurement needs a Linux router, not {self.router.name}")
        return self.router

    @property
    def settings(self) -> dict[str, str]:
        return self.tester.settings

    def identity(self) -> results.Tester:
        return results.Tester(name=self.tester.name, version=self.tester.version())

    def trial(self, spec: TrialSpec, *, repeats: int | None = None) -> Trial:
        """Run one trial; repeat it while a passing disturbance spoils it, as the profile allows.

        Waits between attempts until noise has passed.  Keeps every attempt in `trials` and returns
        the last one.  `repeats`: how often at most, where the profile's number does not count.
        """
        most = self.profile.repeats_of_noisy_trials if repeats is None else repeats
        attempt = 1
        while True:
            trial = self._attempt(spec, attempt)
            self.trials.append(trial)
            self.on_trial(trial)
            if trial.valid:
                self.patience.quiet()
                return trial
            if not worth_repeating(trial.causes):
                return trial
            if attempt > most:
                return trial
            if noisy(trial.causes):
                self.patience.noisy()
            # The router's state is no longer known: configure it again before the next attempt.
            self._now = None
            attempt += 1

    def _attempt(self, spec: TrialSpec, attempt: int) -> Trial:
        begun = time.monotonic() - self._started
        read = self._configure(spec)
        problems: tuple[Problem, ...] = tuple(NotAsConfigured(problem) for problem in read.problems)
        sent = None
        if not problems:
            sent = self.measure(spec)
            problems = judging.judge(
                spec,
                sent.outcome.counts,
                sent.connections,
                Limits(self.bearable_burst, self.cpus.own),
                outlasted=sent.outlasted,
            )
        return record(
            spec,
            sent,
            problems,
            number=len(self.trials),
            attempt=attempt,
            begun=begun,
            bpf_mode=self._mode(spec) if spec.condition else None,
        )

    def _configure(self, spec: TrialSpec) -> ReadBack:
        """Configure the router for the trial unless it already is, and read it back."""
        condition, mode = spec.stands, self._mode(spec)
        name = condition.name if condition else "drop baseline"
        if spec.cabled and (condition is None or (name, mode) == self._now):
            return ReadBack((), "")
        if (name, mode) != self._now:
            self._now = None
            if condition is None:
                self.router.apply_baseline()
            else:
                self.router.apply(condition, bpf_mode=mode)
        if condition is None:
            read = self.router.read_back_baseline()
        else:
            read = self.router.read_back(condition, bpf_mode=mode)
        if not read.problems:
            self._now = (name, mode)
            self.read_backs.setdefault(name, read.text)
        return read

    def _mode(self, spec: TrialSpec) -> BpfMode | None:
        if spec.stands is None or spec.stands.linux.bpf is None:
            return None
        return self.router.mode(spec.stands, spec.bpf_mode)

    def measure(self, spec: TrialSpec) -> Sent:
        """Send, and read the condition's counters before and after."""
        condition = spec.condition
        if condition is None or spec.cabled:
            return self.send(spec)
        # Before the condition's own commands, which may give its packets other CPUs.
        self._steer(spec)
        self.router.before_trial(condition)
        before = self.router.counters(condition)
        sent = self.send(spec)
        after = self.router.counters(condition)
        grown = {name: after[name] - before[name] for name in before}
        expect = condition.linux.expect
        asked = expect.conntrack is not None and not expect.offloaded
        connections = Connections(
            tracked=self.router.tracked_connections() if asked else None,
            offloaded=(None if expect.offloaded is None else self.router.offloaded_connections()),
        )
        return Sent(sent.outcome, sent.outlasted, grown, connections)

    def send(self, spec: TrialSpec) -> Sent:
        """Let the tester send; what is to happen in mid-stream happens at the same time."""
        self._steer(spec)
        tester, load = self._tester(spec), self.load(spec)
        if spec.meanwhile is None:
            return Sent(tester.trial(load), outlasted=False)
        after, act = spec.meanwhile
        # The tester sets up its rings before it sends, and does not say when they are ready.
        with Meanwhile(load.settle_seconds + after, act) as acting:
            outcome = tester.trial(load)
        return Sent(outcome, acting.outlasted)

    def load(self, spec: TrialSpec) -> Load:
        condition = spec.condition or self.lab.conditions[self.lab.spec.reference]
        flows = streams(self.lab, condition, spec.family, spec.direction)
        waits = self.profile.waits
        return Load(
            flows=self.cable.flows(flows) if spec.cabled else flows,
            ports=self._ports(spec),
            size=spec.size,
            seconds=spec.intended_duration,
            rate=spec.intended_load,
            then=spec.then,
            learning_frames=waits.learning_frames,
            settle_seconds=waits.settle_seconds,
            drain_seconds=waits.drain_seconds,
            tx_cpu=self.cpus.sender,
            rx_cpu=self.cpus.receiving(coupled=spec.arrangement == "coupled"),
            keep_frames=spec.keep_frames,
        )

    def _tester(self, spec: TrialSpec) -> Tester:
        return self.cable.tester if spec.cabled else self.tester

    def _ports(self, spec: TrialSpec) -> dict[str, str]:
        return self.cable.ports if spec.cabled else self.lab.spec.ports

    def _steer(self, spec: TrialSpec) -> None:
        """Assign CPUs and queues to router and tester, unless they have them already."""
        key = "cable" if spec.cabled else "router"
        if self._steered.get(key, "coupled") == spec.arrangement:
            return
        separate = spec.arrangement == "separate"
        (self.cable if spec.cabled else self.router).steer(self.cpus.router if separate else None)
        self._tester(spec).arrange(self._ports(spec), separate=separate)
        self._steered[key] = spec.arrangement


def record(
    spec: TrialSpec,
    sent: Sent | None,
    problems: Collection[Problem],
    *,
    number: int,
    attempt: int,
    begun: float,
    bpf_mode: BpfMode | None = None,
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
        # With what came beside the words of CountsShape.
        counts=cast(shapes.Counts, counts.plain()) if counts else None,
        counters=dict(sent.grown) if sent else {},
        every_frame=every_frame.count(frames) if frames is not None else None,
    )
