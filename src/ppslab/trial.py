"""One trial on the bench: configure, read back, learn, settle, run, drain, judge its validity.

RFC 2544 section 23 gives the phases.  A trial has a state (completed or aborted), a validity
(valid, or why not), and only when it is valid a measurement.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ppslab import every_frame, results, streams
from ppslab.cable import Cable
from ppslab.capabilities import CpuPlan
from ppslab.errors import UsageError
from ppslab.instruments.contract import Load, Outcome, Step, Tester
from ppslab.instruments.counts import TrialCounts
from ppslab.instruments.flows import Flow
from ppslab.lab import Condition, Lab
from ppslab.meanwhile import Meanwhile
from ppslab.profiles import Profile
from ppslab.results import Arrangement, Direction, EveryFrame, Family, Purpose, Trial
from ppslab.routers.contract import ReadBack, Router
from ppslab.routers.linux import BpfMode, LinuxRouter

STEAL_LIMIT = 0.05
"""Share of a trial's time that the hypervisor may take before the trial is repeated."""

BEARABLE_BURST = 500
"""Frames that a late sender may catch up with at once: half of what the router's backlog holds.

A longer burst is none that the load asked the router to bear (net.core.netdev_max_backlog is 1000).
"""

BURSTS = 10
"""A trial that lost more frames than so many of its longest burst was asked for too much: a few
bursts do not explain its loss, and to repeat it would tell nothing else."""

STARVED_SHARE = 0.7
"""A sender that had its CPU for less than this share of a trial, and left frames unsent, was not
slow but kept from sending: at a load of ten, without real-time priority, shares of 0.06 to 0.51
were seen, and 0.94 or more of a tester that was asked for more than it can."""

_CABLED = ("cable", "tester")

KEPT_COUPLED = 0.99
"""On one CPU nothing can overflow: a condition that forwards less than this drops by its rules.

Of one that is to drop everything, less than the rest of it comes through."""


@dataclass(frozen=True)
class Wanted:
    """A trial that is asked for.

    `condition` None: what the tester costs alone (purposes drop, cable, tester).  `seconds` of
    sending; `rate` in frames per second over all flows, None: as fast as the tester can; `then`
    follows without a pause.  Trials of one `round_number` are paired.  `keep_frames`: count from a
    record of every frame.  `meanwhile` is called so many seconds into the sending.
    """

    purpose: Purpose
    condition: Condition | None
    size: int
    seconds: float
    rate: float | None = None
    arrangement: Arrangement = "coupled"
    round_number: int | None = None
    bpf_mode: BpfMode | None = None
    family: Family = "ipv4"
    direction: Direction = "lab"
    then: Step | None = None
    keep_frames: bool = False
    meanwhile: tuple[float, Callable[[], None]] | None = None


@dataclass
class Bench:
    """A deployed lab with its tester: runs trials and keeps every one of them."""

    lab: Lab
    router: Router
    tester: Tester
    cable: Cable
    cpus: CpuPlan
    profile: Profile
    bearable_burst: int = BEARABLE_BURST
    on_trial: Callable[[Trial], None] = lambda trial: None
    trials: list[Trial] = field(default_factory=list)
    read_backs: dict[str, str] = field(default_factory=dict)
    _started: float = field(default_factory=time.monotonic)
    _now: tuple[str, BpfMode | None] | None = None
    _steered: dict[str, Arrangement] = field(default_factory=dict)
    _outlasted: bool = False

    @property
    def linux(self) -> LinuxRouter:
        """The router, where it is a kernel on whose node commands run.

        UsageError for any other: what asks for it looks into that kernel, or breaks it.
        """
        if not isinstance(self.router, LinuxRouter):
            raise UsageError(f"this looks into a Linux router, not into {self.router.name}")
        return self.router

    def trial(self, wanted: Wanted) -> Trial:
        """Run one trial, again while the machine's noise spoils it (at most the profile's repeats).

        Every attempt is kept in `trials`; the last one is returned.
        """
        attempt = 1
        while True:
            trial = self._attempt(wanted, attempt)
            self.trials.append(trial)
            self.on_trial(trial)
            if trial.valid or not _worth_repeating(trial):
                return trial
            if attempt > self.profile.repeats_of_noisy_trials:
                return trial
            # What the router is, is no longer known: configure it anew before the next attempt.
            self._now = None
            attempt += 1

    def _attempt(self, wanted: Wanted, attempt: int) -> Trial:
        begun = time.monotonic() - self._started
        counts: TrialCounts | None = None
        every: EveryFrame | None = None
        grown: dict[str, int] = {}
        read = self._configure(wanted)
        if read.problems:
            problems = [f"router state not as configured: {said}" for said in read.problems]
        else:
            outcome, grown = self._count(wanted)
            counts = outcome.counts
            problems = self._judge(wanted, counts)
            if outcome.frames is not None and counts.offered:
                every = every_frame.count(outcome.frames)
        plain: dict[str, Any] | None = counts.plain() if counts else None
        return Trial(
            number=len(self.trials),
            purpose=wanted.purpose,
            condition=wanted.condition.name if wanted.condition else None,
            frame_size=wanted.size,
            arrangement=wanted.arrangement,
            round=wanted.round_number,
            attempt=attempt,
            bpf_mode=self._mode(wanted),
            family=wanted.family,
            direction=wanted.direction,
            intended_rate=wanted.rate,
            intended_seconds=wanted.seconds,
            then=_step(wanted.then),
            at_seconds=round(begun, 3),
            state="aborted" if counts is None or counts.aborted else "completed",
            valid=not problems,
            invalid_because=tuple(problems),
            counts=plain,
            counters=grown,
            every_frame=every,
        )

    def _mode(self, wanted: Wanted) -> BpfMode | None:
        if wanted.condition is None or wanted.condition.linux.bpf is None:
            return None
        return self.router.mode(wanted.condition, wanted.bpf_mode)

    def _count(self, wanted: Wanted) -> tuple[Outcome, dict[str, int]]:
        """Send, and by how much the condition's counters grew meanwhile."""
        condition = wanted.condition
        if condition is None or wanted.purpose in _CABLED:
            return self._send(wanted), {}
        # Before the condition's own commands, which may give its packets other CPUs.
        self._steer(False, wanted.arrangement)
        self.router.before_trial(condition)
        before = self.router.counters(condition)
        outcome = self._send(wanted)
        after = self.router.counters(condition)
        return outcome, {name: after[name] - before[name] for name in before}

    def _configure(self, wanted: Wanted) -> ReadBack:
        """Bring the router into the trial's condition where it is not, and read it back."""
        if wanted.purpose in _CABLED:
            return ReadBack((), "")
        condition, mode = wanted.condition, self._mode(wanted)
        name = condition.name if condition else "drop baseline"
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

    def _send(self, wanted: Wanted) -> Outcome:
        self._outlasted = False
        condition = wanted.condition or self.lab.conditions[self.lab.words.reference]
        cabled = wanted.purpose in _CABLED
        flows = streams.of(self.lab, condition, wanted.family, wanted.direction)
        waits = self.profile.waits
        self._steer(cabled, wanted.arrangement)
        load = Load(
            flows=tuple(Flow.of(f) for f in (self.cable.flows(flows) if cabled else flows)),
            ports=self.cable.ports if cabled else self.lab.words.ports,
            size=wanted.size,
            seconds=wanted.seconds,
            rate=wanted.rate,
            then=wanted.then,
            learning_frames=waits.learning_frames,
            settle_seconds=waits.settle_seconds,
            drain_seconds=waits.drain_seconds,
            tx_cpu=self.cpus.sender,
            rx_cpu=self._reader(wanted.arrangement),
            keep_frames=wanted.keep_frames,
        )
        tester = self.cable.tester if cabled else self.tester
        if wanted.meanwhile is None:
            return tester.trial(load)
        after, act = wanted.meanwhile
        # The tester sets its rings up before it sends; it tells nobody when it is done.
        with Meanwhile(waits.settle_seconds + after, act) as acting:
            outcome = tester.trial(load)
        self._outlasted = acting.outlasted
        return outcome

    def _steer(self, cabled: bool, arrangement: Arrangement) -> None:
        """Give router and tester their CPUs and queues, where they have not got them yet."""
        key = "cable" if cabled else "router"
        if self._steered.get(key, "coupled") == arrangement:
            return
        separate = arrangement == "separate"
        (self.cable if cabled else self.router).steer(self.cpus.router if separate else None)
        tester = self.cable.tester if cabled else self.tester
        tester.arrange(self.cable.ports if cabled else self.lab.words.ports, separate=separate)
        self._steered[key] = arrangement

    def _reader(self, arrangement: Arrangement) -> int:
        """The CPU that empties the receiver's ring: not the sender's while another is free."""
        if arrangement == "coupled" and self.cpus.reader == self.cpus.sender:
            return self.cpus.sender if self.cpus.router is None else self.cpus.router
        return self.cpus.reader

    def _judge(self, wanted: Wanted, counts: TrialCounts) -> list[str]:
        """Why the trial is no measurement; nothing where it is one."""
        problems = []
        if counts.aborted:
            problems.append("aborted")
        if counts.offered == 0 or counts.send_seconds <= 0:
            return [*problems, f"tester sent {counts.offered} frames, all at once"]
        if counts.kernel_drops:
            problems.append(f"receiver dropped {counts.kernel_drops} frames")
        share = (counts.steal_seconds or 0.0) / counts.elapsed_seconds
        if share > STEAL_LIMIT:
            problems.append(f"CPU steal: the hypervisor took {share:.0%} of the time")
        if wanted.rate is not None:
            problems += self._judge_pace(wanted.rate, counts)
        if self._outlasted:
            problems.append("what was to end in mid-stream lasted longer than the stream")
        if wanted.purpose == "drop":
            if counts.received:
                problems.append(f"the drop baseline let {counts.received} frames through")
            return problems
        kept = counts.received / counts.offered
        if wanted.condition and wanted.condition.delivers == "none":
            if kept > 1 - KEPT_COUPLED:
                problems.append(f"only {1 - kept:.1%} of the frames were dropped")
        elif wanted.arrangement == "coupled" and wanted.rate is None and kept < KEPT_COUPLED:
            problems.append(f"only {kept:.1%} of the frames came through")
        return (
            [*problems, *self._judge_tracking(wanted.condition)] if wanted.condition else problems
        )

    def _judge_pace(self, rate: float, counts: TrialCounts) -> list[str]:
        """Whether the tester kept its schedule, or had no chance to."""
        unsent = counts.intended - counts.offered - (counts.refused or 0)
        if unsent <= 0:
            burst = rate * (counts.max_lateness_ns or 0) / 1e9
            lost = counts.intended - counts.received
            if burst <= self.bearable_burst or lost > BURSTS * burst:
                return []
            return [f"tester late: {burst:.0f} frames at once"]
        if counts.send_cpu_seconds is None:
            return []
        # The sender never sleeps: one that cannot send this much uses its CPU to the last moment.
        share = counts.send_cpu_seconds / counts.send_seconds
        if share >= STARVED_SHARE:
            return []
        return [f"tester late: it had its CPU for {share:.0%} of the time, {unsent} frames unsent"]

    def _judge_tracking(self, condition: Condition) -> list[str]:
        """Only frames show whether connections are tracked, so this is read after them."""
        tracked, offloaded = condition.linux.expect.conntrack, condition.linux.expect.offloaded
        if offloaded is not None:
            problems = self._judge_offload(offloaded)
            # What is offloaded is tracked: no need to ask for that too.
            if problems or offloaded:
                return problems
        if tracked is None:
            return []
        entries = self.router.tracked_connections()
        if tracked and entries == 0:
            return ["router state not as configured: no connection is tracked"]
        if not tracked and entries > 0:
            return [f"router state not as configured: {entries} connections are tracked"]
        return []

    def _judge_offload(self, wanted: bool) -> list[str]:
        entries = self.router.offloaded_connections()
        if wanted and entries == 0:
            return ["router state not as configured: no connection is offloaded"]
        if not wanted and entries > 0:
            return [f"router state not as configured: {entries} connections are offloaded"]
        return []


def _step(then: Step | None) -> results.Step | None:
    return results.Step(rate=then.rate, seconds=then.seconds) if then else None


def _worth_repeating(trial: Trial) -> bool:
    """Noise passes; a rule set that drops the stream does not."""
    lasting = ("only ", "aborted")
    return not any(said.startswith(lasting) for said in trial.invalid_because)
