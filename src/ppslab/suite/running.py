"""One run of the suite: every test on every subject, into one record."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path

from ppslab import calibration, results
from ppslab.errors import CannotHereError
from ppslab.lab import Lab
from ppslab.place import Place
from ppslab.rounds import back_to_back as tester_alone
from ppslab.rounds import choose_bpf_modes, most_sent
from ppslab.run import COUPLED, check_sizes
from ppslab.session import Progress, Session, State
from ppslab.suite import back_to_back, frame_loss, latency, recovery, reset, throughput
from ppslab.suite.stage import Stage
from ppslab.suite.subjects import UnderTest, conditions_of, subjects_of

TRIALS_OF_A_SEARCH = 14
TRIALS_OF_A_BURST = 10
"""About, for the time left; the searches themselves decide."""

METHOD = (
    "These are the methods of RFC 2544, for an isolated test environment only: never run them on "
    "a network that carries anything else, nor to prove a service level (RFC 6815)."
)
IN_NAMESPACES = (
    "The frames have addresses of 198.18.0.0/15 and 2001:2::/48, which are kept for this "
    "(RFC 2544 appendix C.2.2, RFC 5180), and stay in namespaces that were made for them."
)
NOT_CALIBRATED = (
    "The tester's delays were not calibrated on these interfaces: `ppslab calibrate` does it on "
    "wires in its kernel only."
)
ON_A_BENCH = (
    "The frames have addresses of 198.18.0.0/15 and 2001:2::/48, which are kept for this "
    "(RFC 2544 appendix C.2.2, RFC 5180); whoever ran this said that the network was isolated."
)


@dataclass(frozen=True)
class Options(Place):
    """What to test and where; empty: the lab's `rfc2544` conditions, the profile's sizes."""

    conditions: tuple[str, ...] = ()
    sizes: tuple[int, ...] = ()


@dataclass
class _Found:
    """What was found so far: a record can be made of it at any time."""

    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    calibration: results.CalibrationRecord | None = None
    maximum: dict[int, float] = field(default_factory=dict)
    throughput: list[results.Throughput] = field(default_factory=list)
    latency: list[results.Latency] = field(default_factory=list)
    frame_loss: list[results.FrameLoss] = field(default_factory=list)
    back_to_back: list[results.BackToBack] = field(default_factory=list)
    recovery: list[results.Recovery] = field(default_factory=list)
    reset: list[results.Reset] = field(default_factory=list)


def run_suite(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.SuiteRecord, Path]:
    """Run the suite on `lab` and write the record; returns it and the file that it is in.

    Errors and interruptions as `run.run`.
    """
    check_sizes(options.sizes)
    names = [condition.name for condition in conditions_of(lab, options.conditions)]
    session = Session.prepare(lab, names, options, progress)
    found = _Found()

    def record(session: Session, state: State) -> results.SuiteRecord:
        device = session.place.router != "linux"
        deviations = [*session.profile.deviations_of_the_suite(device=device), *found.notes]
        head = session.head(state, deviations)
        head["trials"] = tuple(_lighter(trial) for trial in head["trials"])
        return results.SuiteRecord(
            schema="ppslab/rfc2544/1",
            **head,
            port_speed=lab.words.port_speed,
            maximum_rate=found.maximum,
            warnings=(METHOD, ON_A_BENCH if session.dut else IN_NAMESPACES, *found.warnings),
            calibration=found.calibration.id if found.calibration else None,
            delay_resolution_ns=calibration.delay_resolution(found.calibration),
            throughput=tuple(found.throughput),
            latency=tuple(found.latency),
            frame_loss=tuple(found.frame_loss),
            back_to_back=tuple(found.back_to_back),
            recovery=tuple(found.recovery),
            reset=tuple(found.reset),
        )

    return session.measure(lambda session: _measure(session, options, found), record)


def _measure(session: Session, options: Options, found: _Found) -> None:
    bench, progress, words = session.bench, session.progress, session.profile.suite
    if bench.cpus.coupled:
        raise CannotHereError(COUPLED, "a machine with two CPUs, or --backend vm")
    subjects, found.notes = subjects_of(
        session.lab,
        session.conditions,
        words,
        options.sizes,
        device=session.place.router != "linux",
    )
    whole = [subject for subject in subjects if subject.whole]
    sizes = sorted({subject.size for subject in subjects})
    progress.plan(_planned(session, subjects, whole, sizes))
    if session.dut is None:
        found.calibration = calibration.newest_for(
            session.backend.facts, session.choice.backend, session.place.tester
        )
        found.warnings = list(calibration.warnings(found.calibration))
    else:
        found.warnings = [NOT_CALIBRATED]
    stage = Stage(bench, random.Random(session.seed), progress, calibration=found.calibration)

    progress.stage("the tester's own limit")
    session.tester = tester_alone(bench, sizes)
    if any(c.linux.bpf and bench.router.mode(c) for c in session.conditions):
        progress.stage("choosing how to attach the BPF programs")
        session.environment["bpf"] = choose_bpf_modes(bench, session.conditions, min(sizes))

    progress.stage("throughput (RFC 2544 section 26.1)")
    searched = throughput.measure(stage, subjects, session.tester.back_to_back)
    sent = {size: most_sent(bench.trials, size) for size in sizes}
    session.tester = session.tester.model_copy(update={"into_the_router": sent})
    found.maximum = {size: session.tester.limit(size) or 0.0 for size in sizes}
    stage.maximum = found.maximum
    found.throughput = throughput.described(stage, searched)
    found.warnings += _limited(stage)

    progress.stage("latency (26.2)")
    found.latency = latency.measure(stage, whole, words.latency)
    progress.stage("frame loss rate (26.3)")
    main = [subject for subject in subjects if _is_main(subject, subjects)]
    found.frame_loss = frame_loss.measure(stage, main, words.frame_loss)
    progress.stage("back-to-back frames (26.4, RFC 9004)")
    found.back_to_back = back_to_back.measure(stage, whole, words.back_to_back)
    progress.stage("system recovery (26.5)")
    found.recovery = recovery.measure(stage, whole, words.recovery)
    progress.stage("reset (26.6, RFC 6201)")
    found.reset = reset.measure(stage, whole, words.reset)


def _lighter(trial: results.Trial) -> results.Trial:
    """Without the histograms: the suite's results hold them, added up, and they are megabytes."""
    every = trial.every_frame
    if every is None:
        return trial
    kept = every.model_copy(
        update={
            "from_intended": every.from_intended.model_copy(update={"histogram": ""}),
            "from_actual": every.from_actual.model_copy(update={"histogram": ""}),
            "by_ports": (),
        }
    )
    return trial.model_copy(update={"every_frame": kept})


def _limited(stage: Stage) -> list[str]:
    """A sentence for each throughput that is the tester's, by its calibration."""
    said = (
        calibration.limited(stage.calibration, subject.size, rate)
        for subject, rate in stage.found.items()
    )
    return list(dict.fromkeys(sentence for sentence in said if sentence))


def _is_main(subject: UnderTest, subjects: list[UnderTest]) -> bool:
    """Of the variant that comes first, at every size; and whatever else gets every test."""
    first = subjects[0]
    return subject.whole or (subject.family, subject.direction) == (first.family, first.direction)


def _planned(
    session: Session, subjects: list[UnderTest], whole: list[UnderTest], sizes: list[int]
) -> int:
    words = session.profile.suite
    main = sum(1 for subject in subjects if _is_main(subject, subjects))
    smallest = {s.condition.name for s in whole}
    return (
        3 * len(sizes)
        + TRIALS_OF_A_SEARCH * len(subjects)
        + len(words.latency.shares) * words.latency.repeats * len(whole)
        + round(0.7 / words.frame_loss.step) * main
        + words.back_to_back.repeats * TRIALS_OF_A_BURST * len(whole)
        + words.recovery.repeats * len(whole)
        + words.reset.repeats * len(smallest)
    )
