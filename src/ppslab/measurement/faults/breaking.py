"""A run through the faults, each beside a healthy trial, into one record."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ppslab import results
from ppslab.base.errors import BackendError, UsageError
from ppslab.lab.lab import Lab
from ppslab.measurement.faults.kinds import Fault, find
from ppslab.measurement.faults.trying import FaultSetup, Tried
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import FrameSession, OpenSession, Progress, State
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.results.kinds.faults import FaultFound, FaultsRecord, Outcome
from ppslab.theory.validity import noisy

ATTEMPTS = 3
"""How often a fault is tried until it is caught, in quiet."""

MOST_ATTEMPTS = 12
"""With those in noise, which is waited out: it can say of the healthy trial what the fault should
say of the broken one."""

DEVIATION = "Trials are broken on purpose here: none of them says anything of the router."


@dataclass(frozen=True)
class Options(RunOptions):
    """Which faults, and where; empty means all of them."""

    faults: tuple[str, ...] = ()
    """Names of faults."""


@dataclass
class _Found:
    faults: list[FaultFound] = field(default_factory=list)
    skipped: list[results.Skipped] = field(default_factory=list)


def run(lab: Lab, options: Options, progress: Progress | None = None) -> tuple[FaultsRecord, Path]:
    """Break the instrument on `lab` in each way; returns the record and its file.

    UsageError for an unknown fault or another tester than ppstraffic; CannotHereError where no
    backend can.
    """
    faults = find(options.faults)
    if options.tester != "ppstraffic":
        raise UsageError(f"tester {options.tester}: only ppstraffic can be broken here")
    ruled = _ruled(lab)
    names = [lab.spec.reference, *([ruled] if ruled else [])]
    session = FrameSession(lab, [lab.condition(name) for name in names], options, progress)
    outcomes = _Found()

    def measurement(session: OpenSession[FrameTestbed]) -> None:
        _break(session, faults, outcomes)

    def record(session: OpenSession[FrameTestbed], state: State) -> FaultsRecord:
        head = session.head(state, [*session.testbed.profile.deviations(), DEVIATION])
        head["skipped"] = (*head["skipped"], *outcomes.skipped)
        return FaultsRecord(
            schema="ppslab/faults/2",
            **head,
            frame_size=min(lab.spec.frame_sizes),
            faults=tuple(outcomes.faults),
        )

    return session.measure(measurement, record, FaultsRecord)


def _ruled(lab: Lab) -> str | None:
    """Of the conditions that need least, the one with most rules that the read-back counts."""
    ruled = [c for c in lab.conditions.values() if c.linux.expect.rules]
    best = min(ruled, key=lambda c: (len(c.needs), -(c.linux.expect.rules or 0)), default=None)
    return best.name if best else None


def _break(session: OpenSession[FrameTestbed], faults: list[Fault], outcomes: _Found) -> None:
    testbed = session.testbed
    # A fault that lasts would be tried again and again as if it were noise.
    testbed.profile = testbed.profile.model_copy(update={"repeats_of_noisy_trials": 0})
    session.tester = results.Tester(name=testbed.tester.name, version=testbed.tester.version())
    session.progress.plan(2 * len(faults) + 2)
    conditions = {condition.name: condition for condition in session.conditions}
    plain = conditions.pop(session.lab.spec.reference, None)
    if plain is None:
        raise BackendError(f"{session.lab.spec.reference} cannot be measured here")
    setup = FaultSetup(
        testbed=testbed,
        plain=plain,
        ruled=next(iter(conditions.values()), None),
        size=min(session.lab.spec.frame_sizes),
        fastest=_fastest(session),
    )
    for fault in faults:
        if not fault.possible(setup):
            reason = "the lab has no condition with rules that can be measured here"
            outcomes.skipped.append(results.Skipped(condition=fault.name, reason=reason))
            continue
        session.progress.stage(fault.title)
        outcomes.faults.append(_found(setup, fault))


def _fastest(session: OpenSession[FrameTestbed]) -> float:
    testbed, lab = session.testbed, session.lab
    plain, size = lab.condition(lab.spec.reference), min(lab.spec.frame_sizes)
    spec = TrialSpec("cost", plain, size, 0.5)
    trials = [testbed.patience.outlast(lambda: testbed.trial(spec)) for _ in range(ATTEMPTS)]
    rates = [trial.forwarding_rate for trial in trials if trial.valid]
    if not rates:
        why = "; ".join(sorted({reason for trial in trials for reason in trial.invalid_because}))
        raise BackendError(f"no trial was valid before anything was broken: {why}")
    return max(rates)


def _found(setup: FaultSetup, fault: Fault) -> FaultFound:
    healthy: list[int] = []
    broken: list[int] = []
    quiet = 0
    while True:
        tried = fault.try_it(setup)
        healthy.append(tried.healthy.number)
        broken.append(tried.broken.number)
        outcome, sentences = _judge(fault, tried)
        if outcome == "caught" or len(broken) == MOST_ATTEMPTS:
            break
        if _in_noise(tried) and setup.testbed.patience.left > 0:
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


def _in_noise(tried: Tried) -> bool:
    """Whether the machine's own noise spoiled one of the two, and nothing else did."""
    return any(not trial.valid and noisy(trial.causes) for trial in (tried.healthy, tried.broken))


def _judge(fault: Fault, tried: Tried) -> tuple[Outcome, tuple[str, ...]]:
    """Caught: said of the broken trial, and not of the healthy one just before it.

    Where the healthy one says it too, the machine had the fault by itself, and nothing was learnt.
    """
    sentences: tuple[str, ...]
    if fault.cause is None:
        sentences = (str(tried.limited),) if tried.limited else ()
        already, noticed = tried.limited_before is not None, tried.limited is not None
    else:
        sentences = tried.broken.invalid_because
        already, noticed = (fault.cause in t.causes for t in (tried.healthy, tried.broken))
    if not tried.happened or already:
        return "not broken", sentences
    return ("caught" if noticed else "missed"), sentences
