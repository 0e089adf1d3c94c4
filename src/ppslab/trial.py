"""One trial on the bench: configure, read back, learn, settle, run, drain, judge its validity.

RFC 2544 section 23 gives the phases.  A trial has a state (completed or aborted), a validity
(valid, or why not), and only when it is valid a measurement.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ppslab.instruments import ppstraffic
from ppslab.lab import Condition, Lab
from ppslab.profiles import Profile
from ppslab.results import Arrangement, Purpose, Trial
from ppslab.routers.linux import BpfMode, LinuxRouter, ReadBack

STEAL_LIMIT = 0.05
"""Share of a trial's time that the hypervisor may take before the trial is repeated."""

KEPT_COUPLED = 0.99
"""On one CPU nothing can overflow: a condition that forwards less than this drops by its rules."""


@dataclass(frozen=True)
class Cpus:
    """Which CPU sends, which routes, which reads what the receiver's ring holds."""

    sender: int
    router: int | None
    reader: int

    @property
    def can_separate(self) -> bool:
        """Whether the router can have a CPU that the sender does not use."""
        return self.router is not None


@dataclass
class Bench:
    """A deployed lab with its tester: runs trials and keeps every one of them."""

    lab: Lab
    router: LinuxRouter
    tester: ppstraffic.Tester
    cpus: Cpus
    profile: Profile
    on_trial: Callable[[Trial], None] = lambda trial: None
    trials: list[Trial] = field(default_factory=list)
    read_backs: dict[str, str] = field(default_factory=dict)
    _started: float = field(default_factory=time.monotonic)
    _now: tuple[str | None, BpfMode | None] | None = None
    _steered: Arrangement | None = None

    def trial(
        self,
        purpose: Purpose,
        condition: Condition | None,
        size: int,
        *,
        seconds: float,
        rate: float | None = None,
        arrangement: Arrangement = "coupled",
        round_number: int | None = None,
        bpf_mode: BpfMode | None = None,
    ) -> Trial:
        """Run one trial, again while the machine's noise spoils it (at most the profile's repeats).

        `condition` None: the drop baseline.  `rate` in frames per second over all flows; None: as
        fast as the tester can.  Every attempt is kept in `trials`; the last one is returned.
        """
        last: Trial | None = None
        for attempt in range(1, self.profile.repeats_of_noisy_trials + 2):
            last = self._attempt(
                purpose, condition, size, seconds, rate, arrangement, round_number, bpf_mode, attempt
            )
            self.trials.append(last)
            self.on_trial(last)
            if last.valid or not _worth_repeating(last):
                break
            # What the router is, is no longer known: configure it anew before the next attempt.
            self._now = None
        assert last is not None
        return last

    def _attempt(
        self,
        purpose: Purpose,
        condition: Condition | None,
        size: int,
        seconds: float,
        rate: float | None,
        arrangement: Arrangement,
        round_number: int | None,
        bpf_mode: BpfMode | None,
        attempt: int,
    ) -> Trial:
        begun = time.monotonic() - self._started
        problems: list[str] = []
        counts: ppstraffic.TrialCounts | None = None
        read = self._configure(condition, bpf_mode)
        if read.problems:
            problems = [f"router state not as configured: {said}" for said in read.problems]
        else:
            self._arrange(arrangement)
            counts = self._send(condition, size, seconds, rate, arrangement)
            problems = self._judge(condition, counts, rate, arrangement)
        plain: dict[str, Any] | None = counts.plain() if counts else None
        return Trial(
            number=len(self.trials),
            purpose=purpose,
            condition=condition.name if condition else None,
            frame_size=size,
            arrangement=arrangement,
            round=round_number,
            attempt=attempt,
            bpf_mode=self._mode(condition, bpf_mode),
            intended_rate=rate,
            intended_seconds=seconds,
            at_seconds=round(begun, 3),
            state="aborted" if counts is None or counts.aborted else "completed",
            valid=not problems,
            invalid_because=tuple(problems),
            counts=plain,
        )

    def _mode(self, condition: Condition | None, told: BpfMode | None) -> BpfMode | None:
        if condition is None or condition.linux.bpf is None:
            return None
        return told or self.router.bpf_modes.get(condition.linux.bpf, "tc")

    def _configure(self, condition: Condition | None, bpf_mode: BpfMode | None) -> ReadBack:
        wanted = (condition.name if condition else None, self._mode(condition, bpf_mode))
        if wanted != self._now:
            self._now = None
            if condition is None:
                self.router.apply_baseline()
            else:
                self.router.apply(condition, bpf_mode=wanted[1])
        if condition is None:
            read = self.router.read_back_baseline()
        else:
            read = self.router.read_back(condition, bpf_mode=wanted[1])
        if not read.problems:
            self._now = wanted
            self.read_backs.setdefault(condition.name if condition else "baseline", read.text)
        return read

    def _arrange(self, arrangement: Arrangement) -> None:
        if arrangement != self._steered:
            self.router.steer(self.cpus.router if arrangement == "separate" else None)
            self._steered = arrangement

    def _send(
        self,
        condition: Condition | None,
        size: int,
        seconds: float,
        rate: float | None,
        arrangement: Arrangement,
    ) -> ppstraffic.TrialCounts:
        flows = self.lab.flows(condition or self.lab.conditions[self.lab.words.reference])
        waits = self.profile.waits
        # While the router has the other CPU, what the receiver's ring holds is read by the sender's.
        reader = self.cpus.reader
        if arrangement == "separate" and reader == self.cpus.router:
            reader = self.cpus.sender
        return self.tester.trial(
            flows=flows,
            ports=self.lab.words.ports,
            size=size,
            seconds=seconds,
            rate=rate,
            learning_frames=waits.learning_frames,
            settle_seconds=waits.settle_seconds,
            drain_seconds=waits.drain_seconds,
            tx_cpu=self.cpus.sender,
            rx_cpu=reader,
        )

    def _judge(
        self,
        condition: Condition | None,
        counts: ppstraffic.TrialCounts,
        rate: float | None,
        arrangement: Arrangement,
    ) -> list[str]:
        """Why the trial is no measurement; nothing where it is one."""
        problems = []
        if counts.aborted:
            problems.append("aborted")
        if counts.offered == 0:
            return [*problems, "tester sent nothing"]
        if counts.kernel_drops:
            problems.append(f"receiver dropped {counts.kernel_drops} frames")
        if counts.steal_seconds > STEAL_LIMIT * counts.elapsed_seconds:
            share = counts.steal_seconds / counts.elapsed_seconds
            problems.append(f"CPU steal: the hypervisor took {share:.0%} of the time")
        if condition is None:
            if counts.received:
                problems.append(f"the drop baseline let {counts.received} frames through")
            return problems
        if arrangement == "coupled" and rate is None:
            kept = counts.received / counts.offered
            if kept < KEPT_COUPLED:
                problems.append(f"router forwarded only {kept:.1%} of the frames")
        tracked = condition.linux.expect.conntrack
        if tracked is not None:
            entries = self.router.tracked_connections()
            if tracked and entries == 0:
                problems.append("router state not as configured: no connection is tracked")
            if not tracked and entries > 0:
                problems.append(f"router state not as configured: {entries} connections tracked")
        return problems


def _worth_repeating(trial: Trial) -> bool:
    """Noise passes; a rule set that drops the stream does not."""
    lasting = ("router forwarded only", "aborted")
    return not any(said.startswith(lasting) for said in trial.invalid_because)
