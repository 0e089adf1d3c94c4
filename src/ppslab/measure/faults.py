"""`ppslab break`: the instrument broken on purpose, each fault beside a healthy trial.

A check that was never seen to fail is no check.  Every fault here is easy to have without knowing;
each is made in real trials.  The faults come first: the trials of each, and what should catch it.
Then the run through them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ppslab.core.errors import BackendError, UsageError, did_you_mean
from ppslab.measure.experiment import FrameExperiment, Progress, State
from ppslab.measure.options import RunOptions
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model import results
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.results import TESTER_SHARE, Tester, Trial
from ppslab.model.results.kinds import FaultFound, FaultName, FaultsRecord, Outcome
from ppslab.model.validity import Cause, noisy
from ppslab.testbed.testers import ppstraffic

PACED_SHARE = 0.125
"""The paced load, as a share of what the tester sends as fast as it can: no strain for anybody."""
PACED_MOST = 50_000.0
START_SECONDS = 0.3
"""Into the tester's run: it has set its rings up and sends."""
PACED_SECONDS = 0.55
"""Below a second in all: then the kernel takes 50 ms from a tester of real-time priority
(traffic/README.md), and a healthy one would be late too."""
BURSTS = 3
"""A stopped tester has so many times the burst to catch up with that a router may be asked."""
OVERLOAD = 3.0
LOST = 0.001
"""A share of frames that do not go missing by themselves while sender and router share a CPU."""


@dataclass(frozen=True)
class FaultSetup:
    """A testbed on which faults are tried.

    `plain`: the lab's reference condition; `ruled`: one with rules, None where the lab has none;
    `fastest`: frames per second that the tester was just seen to send into the router.
    """

    testbed: FrameTestbed
    plain: Condition
    ruled: Condition | None
    size: int
    """Bytes of a frame, with the frame check sequence."""
    fastest: float

    @property
    def paced(self) -> float:
        """A load in frames per second that everybody can bear."""
        return min(PACED_MOST, PACED_SHARE * self.fastest)

    @property
    def pause(self) -> float:
        """Seconds for which a tester must stand still for its lateness to matter."""
        return max(0.06, BURSTS * self.testbed.bearable_burst / self.paced)


@dataclass(frozen=True)
class Tried:
    """A trial with the fault beside one without it.

    `happened`: by a sign that is not the instrument's own verdict.  `limited`, `limited_before`:
    the searches' sentence on the broken trial and on the healthy one, where the tester is the
    limit; empty where the router is.
    """

    healthy: Trial
    broken: Trial
    happened: bool = True
    limited: str = ""
    limited_before: str = ""


@contextmanager
def started_by(testbed: FrameTestbed, script: str) -> Iterator[None]:
    """Start the tester from a shell script, in which "$@" is the tester's own command."""
    tester = testbed.tester
    if not isinstance(tester, ppstraffic.Tester):
        raise UsageError(f"tester {tester.name}: only ppstraffic can be broken here")
    before = tester.first
    tester.first = ("sh", "-c", script, "sh", *before)
    try:
        yield
    finally:
        tester.first = before


def late_tester(setup: FaultSetup) -> Tried:
    """SIGSTOP, a pause, SIGCONT, while a paced load is sent."""
    testbed, seconds = setup.testbed, PACED_SECONDS + 2 * setup.pause
    spec = TrialSpec("latency", setup.plain, setup.size, seconds, setup.paced)
    healthy = testbed.trial(spec)
    script = (
        f'"$@" & tester=$!; sleep {START_SECONDS}; kill -STOP $tester; '
        f"sleep {setup.pause:.3f}; kill -CONT $tester; wait $tester"
    )
    with started_by(testbed, script):
        return Tried(healthy, testbed.trial(spec))


def small_ring(setup: FaultSetup) -> Tried:
    """The smallest ring, at the highest rate; if the reader keeps up, no CPU for the reader.

    Under emulation frames come so slowly that it keeps up.
    """
    testbed = setup.testbed
    spec = TrialSpec("cost", setup.plain, setup.size, 1.0)
    healthy = testbed.trial(spec)
    with started_by(testbed, 'exec "$@" --ring-mb 1'):
        broken = testbed.trial(spec)
    if not _missing(broken) and testbed.cpus.router is not None:
        # A coupled trial leaves the router's CPU to the reader (FrameTestbed).
        spin = "chrt --fifo 90 sh -c 'while :; do :; done'"
        crowd = f"timeout 1.5 taskset -c {testbed.cpus.router} {spin}"
        tester = f'"$@" --ring-mb 1 --rx-cpu {testbed.cpus.router}'
        with started_by(testbed, f"{crowd} & {tester}; status=$?; kill $!; exit $status"):
            broken = testbed.trial(spec)
    return Tried(healthy, broken, happened=_missing(broken))


def _missing(trial: Trial) -> bool:
    """True where more frames are missing than go missing by themselves."""
    if trial.counts is None:
        return False
    offered = trial.counts["offered"]
    return offered - trial.counts["received"] > LOST * offered


def rules_gone(setup: FaultSetup) -> Tried:
    """Somebody empties the rule set between two trials."""
    assert setup.ruled is not None
    testbed = setup.testbed
    spec = TrialSpec("cost", setup.ruled, setup.size, testbed.profile.cost.trial_seconds)
    healthy = testbed.trial(spec)
    testbed.linux.node.run(["nft", "flush", "ruleset"])
    return Tried(healthy, testbed.trial(spec))


def offload_on(setup: FaultSetup) -> Tried:
    """Somebody turns GRO on at a port of the router."""
    testbed = setup.testbed
    port = next(iter(testbed.lab.spec.ports.values()))
    spec = TrialSpec("cost", setup.plain, setup.size, testbed.profile.cost.trial_seconds)
    healthy = testbed.trial(spec)
    testbed.linux.node.run(["ethtool", "-K", port, "gro", "on"])
    try:
        return Tried(healthy, testbed.trial(spec))
    finally:
        testbed.linux.node.run(["ethtool", "-K", port, "gro", "off"])


def slow_tester(setup: FaultSetup) -> Tried:
    """A wire in the place of the router, and three times the load that the tester can send."""
    testbed = setup.testbed
    # Long enough that 10 ms of grace for the last frames is little of it.
    seconds = max(0.5, testbed.profile.cost.trial_seconds)
    healthy = testbed.trial(TrialSpec("tester", None, setup.size, seconds, setup.paced))
    fastest = testbed.trial(TrialSpec("tester", None, setup.size, seconds))
    rate = OVERLOAD * fastest.forwarding_rate
    broken = testbed.trial(TrialSpec("tester", None, setup.size, seconds, rate))
    counts = broken.counts
    return Tried(
        healthy,
        broken,
        happened=counts is not None and counts["offered"] < counts["intended"],
        limited=_limited(fastest, broken),
        limited_before=_limited(fastest, healthy),
    )


def _limited(fastest: Trial, trial: Trial) -> str:
    """The searches' sentence on a rate near the tester's own limit (rounds.searches), or empty."""
    if trial.counts is None:
        return ""
    size, counts = trial.frame_size, trial.counts
    tester = Tester(
        name="",
        version="",
        back_to_back={size: fastest.forwarding_rate},
        into_the_router={size: counts["offered"] / counts["send_seconds"]},
    )
    if trial.forwarding_rate < TESTER_SHARE * (tester.limit(size) or 0.0):
        return ""
    return (
        f"tester-limited: {counts['offered'] / counts['intended']:.0%} of the intended frames were "
        "sent, the rest counts as lost"
    )


def stopped_trial(setup: FaultSetup) -> Tried:
    """The reader has seen enough and stops the tester in the middle."""
    testbed = setup.testbed
    spec = TrialSpec("search", setup.plain, setup.size, PACED_SECONDS, setup.paced)
    healthy = testbed.trial(spec)
    script = f'"$@" & tester=$!; sleep {START_SECONDS}; kill -TERM $tester; wait $tester'
    with started_by(testbed, script):
        return Tried(healthy, testbed.trial(spec))


@dataclass(frozen=True)
class Fault:
    """One way to spoil a measurement.

    `cause`: what catches it; None: no trial is invalid, and the searches call it tester-limited.
    """

    name: FaultName
    title: str
    broken: str
    """The act that breaks the instrument."""
    believed: str
    """The conclusion of a reader of the numbers alone."""
    cause: Cause | None
    try_it: Callable[[FaultSetup], Tried]

    def possible(self, setup: FaultSetup) -> bool:
        """True where it can be tried on this lab."""
        return setup.ruled is not None or self.name != "rules-gone"


FAULTS = (
    Fault(
        "late-tester",
        "The tester is late",
        "The tester is stopped for a moment in the middle of a trial, and then continues.",
        "All frames came back, so the router can forward this load.",
        Cause.TESTER_LATE,
        late_tester,
    ),
    Fault(
        "small-ring",
        "The receiver overflows",
        "The receiver gets a ring of one megabyte, and the sender sends as fast as it can.",
        "The router loses frames at this rate.",
        Cause.RECEIVER_DROPPED,
        small_ring,
    ),
    Fault(
        "rules-gone",
        "The rules are missing",
        "The rule set is flushed between two trials, without the instrument's knowledge.",
        "These rules cost nothing.",
        Cause.ROUTER_STATE,
        rules_gone,
    ),
    Fault(
        "offload-on",
        "Frames are merged",
        "Generic receive offload (GRO) is turned on at one port of the router.",
        "The cost of a packet on this router has changed.",
        Cause.ROUTER_STATE,
        offload_on,
    ),
    Fault(
        "slow-tester",
        "The tester is slower than the router",
        "A link replaces the router, and the load is three times what the tester can send.",
        "The router cannot forward more than this.",
        None,
        slow_tester,
    ),
    Fault(
        "stopped-trial",
        "A trial is stopped",
        "The tester is told to end in the middle of a trial.",
        "The router lost the frames that are missing.",
        Cause.ABORTED,
        stopped_trial,
    ),
)
"""In the order of the chapter."""


def find(names: Sequence[str]) -> list[Fault]:
    """The faults of these names, all of them for none; UsageError names the near one."""
    known: dict[str, Fault] = {fault.name: fault for fault in FAULTS}
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f" (there are {', '.join(known)})"
            raise UsageError(f"no fault {name!r}{near}")
    return [known[name] for name in names] or list(FAULTS)


ATTEMPTS = 3
"""Attempts at a fault until it is caught."""

MOST_ATTEMPTS = 12
"""With those in noise, which is waited out: it can say of the healthy trial what the fault should
say of the broken one."""

DEVIATION = "Trials are broken on purpose here: none of them is a result for the router."


@dataclass(frozen=True)
class Options(RunOptions):
    """The faults, and where; empty means all of them."""

    faults: tuple[str, ...] = ()
    """Names of faults."""


def run(lab: Lab, options: Options, progress: Progress | None = None) -> tuple[FaultsRecord, Path]:
    """Break the instrument on `lab` in each way; returns the record and its file.

    UsageError for an unknown fault or another tester than ppstraffic; CannotHereError where no
    backend can.
    """
    return Breaking(lab, options, progress).run()


class Breaking(FrameExperiment[FaultsRecord]):
    """Each fault beside a healthy trial."""

    kind = FaultsRecord

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        self.chosen = find(options.faults)
        if options.tester != "ppstraffic":
            raise UsageError(f"tester {options.tester}: only ppstraffic can be broken here")
        self.size = min(lab.spec.frame_sizes)
        names = [lab.spec.reference, *_ruled(lab)]
        super().__init__(lab, [lab.condition(name) for name in names], options, progress)
        self.faults: list[FaultFound] = []
        self.not_tried: list[results.Skipped] = []

    def stages(self) -> None:
        """Try each fault that is possible on this lab."""
        testbed = self.testbed
        # A fault that lasts would be tried again and again as if it were noise.
        testbed.profile = testbed.profile.model_copy(update={"repeats_of_noisy_trials": 0})
        self.progress.plan(2 * len(self.chosen) + 2)
        conditions = {condition.name: condition for condition in self.conditions}
        plain = conditions.pop(self.lab.spec.reference, None)
        if plain is None:
            raise BackendError(f"{self.lab.spec.reference} cannot be measured here")
        setup = FaultSetup(
            testbed=testbed,
            plain=plain,
            ruled=next(iter(conditions.values()), None),
            size=self.size,
            fastest=fastest_rate(testbed, plain, self.size),
        )
        for fault in self.chosen:
            if fault.possible(setup):
                self.progress.stage(fault.title)
                self.faults.append(try_out(setup, fault))
            else:
                reason = "the lab has no condition with rules that can be measured here"
                self.not_tried.append(results.Skipped(condition=fault.name, reason=reason))

    def record(self, state: State) -> FaultsRecord:
        deviations = [*self.testbed.profile.deviations(), DEVIATION]
        skipped = (*self.skipped, *self.not_tried)
        return FaultsRecord(
            schema="ppslab/faults/2",
            **self.head(state, deviations, skipped=skipped),
            frame_size=self.size,
            faults=tuple(self.faults),
        )


def _ruled(lab: Lab) -> list[str]:
    """Of the conditions that need least, the one with most rules that the read-back counts."""
    ruled = [c for c in lab.conditions.values() if c.linux.expect.rules]
    best = min(ruled, key=lambda c: (len(c.needs), -(c.linux.expect.rules or 0)), default=None)
    return [best.name] if best else []


def fastest_rate(testbed: FrameTestbed, plain: Condition, size: int) -> float:
    """Return the frames per second that the tester sends into the router as fast as it can.

    BackendError where no trial is valid.
    """
    spec = TrialSpec("cost", plain, size, 0.5)
    trials = [testbed.patience.outlast(lambda: testbed.trial(spec)) for _ in range(ATTEMPTS)]
    rates = [trial.forwarding_rate for trial in trials if trial.valid]
    if not rates:
        why = "; ".join(sorted({reason for trial in trials for reason in trial.invalid_because}))
        raise BackendError(f"no trial was valid before the first fault: {why}")
    return max(rates)


def try_out(setup: FaultSetup, fault: Fault) -> FaultFound:
    """Try a fault until it is caught, or missed so often in quiet, or noise does not end."""
    healthy: list[int] = []
    broken: list[int] = []
    quiet = 0
    while True:
        tried = fault.try_it(setup)
        healthy.append(tried.healthy.number)
        broken.append(tried.broken.number)
        outcome, sentences = judge(fault, tried)
        if outcome == "caught" or len(broken) == MOST_ATTEMPTS:
            break
        both = (tried.healthy, tried.broken)
        in_noise = any(not trial.valid and noisy(trial.causes) for trial in both)
        if in_noise and setup.testbed.patience.left > 0:
            setup.testbed.patience.noisy()
            continue
        quiet += 1
        if quiet >= ATTEMPTS:
            break
    return FaultFound(
        name=fault.name,
        title=fault.title,
        broken=fault.broken,
        believed=fault.believed,
        healthy=tuple(healthy),
        trials=tuple(broken),
        outcome=outcome,
        said=sentences,
    )


def judge(fault: Fault, tried: Tried) -> tuple[Outcome, tuple[str, ...]]:
    """Return the outcome of a try, and the instrument's sentences on the broken trial.

    Caught: said of the broken trial, and not of the healthy one just before it.

    Where the healthy one says it too, the machine had the fault by itself, and nothing was learnt.
    """
    sentences: tuple[str, ...]
    if fault.cause is None:
        sentences = (tried.limited,) if tried.limited else ()
        already, noticed = bool(tried.limited_before), bool(tried.limited)
    else:
        sentences = tried.broken.invalid_because
        already, noticed = (fault.cause in t.causes for t in (tried.healthy, tried.broken))
    if not tried.happened or already:
        return "not broken", sentences
    return ("caught" if noticed else "missed"), sentences
