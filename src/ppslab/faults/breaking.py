"""A run through the faults, each beside a healthy trial, into one record."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ppslab import results
from ppslab.errors import BackendError, UsageError
from ppslab.faults.kinds import Fault, Ground, Tried, find
from ppslab.lab import Lab
from ppslab.place import Place
from ppslab.results.faults import FaultFound, FaultsRecord, Outcome
from ppslab.session import Progress, Session, State
from ppslab.trial import Wanted

ATTEMPTS = 3
"""How often a fault is tried until it is caught: the machine's own noise can say of the healthy
trial what the fault should say of the broken one."""

DEVIATION = "Trials are broken on purpose here: none of them says anything of the router."


@dataclass(frozen=True)
class Options(Place):
    """Which faults, and where; empty means all of them."""

    faults: tuple[str, ...] = ()


@dataclass
class _Found:
    faults: list[FaultFound] = field(default_factory=list)
    skipped: list[results.Skipped] = field(default_factory=list)


def run(lab: Lab, options: Options, progress: Progress | None = None) -> tuple[FaultsRecord, Path]:
    """Break the instrument on `lab` in each way; returns the record and its file.

    UsageError for an unknown fault or another tester than ppstraffic; CannotHereError where no
    backend can.
    """
    wanted = find(options.faults)
    if options.tester != "ppstraffic":
        raise UsageError(f"tester {options.tester}: only ppstraffic can be broken here")
    ruled = _ruled(lab)
    names = [lab.words.reference, *([ruled] if ruled else [])]
    session = Session.prepare(lab, names, options, progress)
    found = _Found()

    def measurement(session: Session) -> None:
        _break(session, wanted, found)

    def record(session: Session, state: State) -> FaultsRecord:
        head = session.head(state, [*session.profile.deviations(), DEVIATION])
        head["skipped"] = (*head["skipped"], *found.skipped)
        return FaultsRecord(
            schema="ppslab/faults/1",
            **head,
            frame_size=min(lab.words.frame_sizes),
            faults=tuple(found.faults),
        )

    return session.measure(measurement, record)


def _ruled(lab: Lab) -> str | None:
    """Of the conditions that need least, the one with most rules that the read-back counts."""
    ruled = [c for c in lab.conditions.values() if c.linux.expect.rules]
    best = min(ruled, key=lambda c: (len(c.needs), -(c.linux.expect.rules or 0)), default=None)
    return best.name if best else None


def _break(session: Session, wanted: list[Fault], found: _Found) -> None:
    bench = session.bench
    # A fault that lasts would be tried again and again as if it were noise.
    bench.profile = bench.profile.model_copy(update={"repeats_of_noisy_trials": 0})
    session.tester = results.Tester(name=bench.tester.name, version=bench.tester.version())
    session.progress.plan(2 * len(wanted) + 2)
    conditions = {condition.name: condition for condition in session.conditions}
    plain = conditions.pop(session.lab.words.reference, None)
    if plain is None:
        raise BackendError(f"{session.lab.words.reference} cannot be measured here")
    ground = Ground(
        bench=bench,
        plain=plain,
        ruled=next(iter(conditions.values()), None),
        size=min(session.lab.words.frame_sizes),
        fastest=_fastest(session),
    )
    for fault in wanted:
        if not fault.possible(ground):
            reason = "the lab has no condition with rules that can be measured here"
            found.skipped.append(results.Skipped(condition=fault.name, reason=reason))
            continue
        session.progress.stage(fault.title)
        found.faults.append(_found(ground, fault))


def _fastest(session: Session) -> float:
    bench, lab = session.bench, session.lab
    plain, size = lab.condition(lab.words.reference), min(lab.words.frame_sizes)
    trials = [bench.trial(Wanted("cost", plain, size, 0.5)) for _ in range(ATTEMPTS)]
    rates = [trial.forwarding_rate for trial in trials if trial.valid]
    if not rates:
        why = "; ".join(sorted({said for trial in trials for said in trial.invalid_because}))
        raise BackendError(f"no trial was valid before anything was broken: {why}")
    return max(rates)


def _found(ground: Ground, fault: Fault) -> FaultFound:
    healthy: list[int] = []
    broken: list[int] = []
    for _ in range(ATTEMPTS):
        tried = fault.try_it(ground)
        healthy.append(tried.healthy.number)
        broken.append(tried.broken.number)
        outcome, said = _judge(fault, tried)
        if outcome == "caught":
            break
    return FaultFound(
        name=fault.name,
        title=fault.title,
        broken=fault.broken,
        believed=fault.believed,
        healthy=tuple(healthy),
        trials=tuple(broken),
        outcome=outcome,
        said=said,
    )


def _judge(fault: Fault, tried: Tried) -> tuple[Outcome, tuple[str, ...]]:
    """Caught: said of the broken trial, and not of the healthy one just before it.

    Where the healthy one says it too, the machine had the fault by itself, and nothing was learnt.
    """
    said = tried.said if tried.said is not None else tried.broken.invalid_because
    before = tried.said_before if tried.said_before is not None else tried.healthy.invalid_because
    already = any(each.startswith(fault.says) for each in before)
    if not tried.happened or already:
        return "not broken", said
    noticed = any(each.startswith(fault.says) for each in said)
    return ("caught" if noticed else "missed"), said
