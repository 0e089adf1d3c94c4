"""Choose how each BPF program is attached: by measuring every way (mode) that the kernel takes.

Noise never rules a mode out.  It is waited for, and the mode comes again in a later round; what was
valid is kept.  Only the kernel's refusal, a read-back that says no, or a stream that is lost in
quiet rules a mode out: a lasting reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from ppslab.base import measures
from ppslab.base.errors import BackendError
from ppslab.base.measures import Measure
from ppslab.lab.lab import Condition
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.results import Clock, Trial, clock_of
from ppslab.routers.linux.router import BPF_MODES, BpfMode
from ppslab.theory.validity import lasting, noisy

ROUNDS = 3
"""Valid trials that a mode is judged by."""

MOST_ROUNDS = 15
"""After so many a mode is judged by what it has: a run has to end on a noisy machine too."""


@dataclass
class _Way:
    """One mode of one program: its trials so far, and why it is ruled out."""

    mode: BpfMode
    rounds: int = ROUNDS
    trials: list[Trial] = field(default_factory=list)
    ruled_out: str = ""

    @property
    def valid(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.valid]

    @property
    def counted(self) -> list[Trial]:
        """The valid trials; where there is none, those that noise alone spoiled."""
        return self.valid or [
            trial
            for trial in self.trials
            if noisy(trial.causes) and trial.counts is not None and trial.counts["offered"]
            if trial.counts["send_seconds"] > 0
        ]

    @property
    def wants_more(self) -> bool:
        return not self.ruled_out and len(self.valid) < self.rounds


def choose_bpf_modes(
    testbed: FrameTestbed,
    conditions: Sequence[Condition],
    size: int,
    measure: Measure = "timed",
) -> dict[str, str]:
    """Find the way to attach each BPF program that costs least here, by measuring.

    Native XDP on veth is slower than the stack on some kernels and refused on others, so nothing
    is assumed.  Sets `testbed.router.bpf_modes`; returns for each program and mode what was seen.
    What noise left unsure is among the testbed's remarks too.  BackendError where every mode of a
    program is ruled out.
    """
    seen: dict[str, str] = {}
    # Of what nothing disturbs, one trial says as much as three.
    rounds = 1 if measure == "counted" else ROUNDS
    # A router without BPF programs has no way to attach one.
    chosen = [c for c in conditions if c.linux.bpf and not c.linux.bpf_mode]
    first = {c.linux.bpf: c for c in reversed(chosen) if testbed.router.mode(c) is not None}
    for program, condition in first.items():
        ways = [_Way(mode, rounds) for mode in BPF_MODES]
        for number in range(MOST_ROUNDS):
            for way in ways:
                if way.wants_more:
                    _try(testbed, way, condition, size, number)
        clock = clock_of(testbed.trials)
        seen |= {f"{program} {way.mode}": _said(way, clock, measure) for way in ways}
        testbed.router.bpf_modes[str(program)] = _cheapest(testbed, str(program), ways, clock)
    return seen


def _try(testbed: FrameTestbed, way: _Way, condition: Condition, size: int, number: int) -> None:
    seconds = testbed.profile.cost.trial_seconds
    spec = TrialSpec("choose", condition, size, seconds, round_number=number, bpf_mode=way.mode)
    try:
        trial = testbed.trial(spec)
    except BackendError as error:
        way.ruled_out = f"refused: {str(error).splitlines()[-1]}"
        return
    way.trials.append(trial)
    if lasting(trial.causes):
        way.ruled_out = f"unusable: {'; '.join(trial.invalid_because)}"


def _cheapest(testbed: FrameTestbed, program: str, ways: Sequence[_Way], clock: Clock) -> BpfMode:
    """The cheapest of the modes that are not ruled out; valid trials before noisy ones."""
    left = [way for way in ways if not way.ruled_out]
    if not left:
        raise BackendError(
            f"the BPF program {program} runs in no way here: "
            + "; ".join(f"{way.mode}: {way.ruled_out}" for way in ways)
        )
    unsure = [way.mode for way in left if not way.valid]
    counted = [way for way in left if way.counted]
    if unsure:
        testbed.remarks.append(
            f"How {program} is attached was chosen in noise: no quiet trial of {', '.join(unsure)} "
            f"in {MOST_ROUNDS} rounds."
        )
    return min(counted, key=lambda way: _cost(way, clock)).mode if counted else left[0].mode


def _cost(way: _Way, clock: Clock) -> float:
    return median(trial.nanoseconds_each(clock) for trial in way.counted)


def _said(way: _Way, clock: Clock, measure: Measure) -> str:
    if way.ruled_out:
        return way.ruled_out
    if not way.counted:
        return "not measured: every trial was spoiled by noise"
    cost = measures.of_nanoseconds(_cost(way, clock), measure)
    cost_text = f"{cost:.0f} {measures.unit(measure)} per packet, tester included"
    return cost_text if way.valid else f"{cost_text}, in noise"
