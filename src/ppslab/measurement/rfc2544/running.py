"""One run of the suite: every test on every subject, into one record."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ppslab import results
from ppslab.base.errors import CannotHereError
from ppslab.lab.lab import Lab
from ppslab.measurement import calibration
from ppslab.measurement.preview import dry_run, traffic
from ppslab.measurement.preview.traffic import Planned
from ppslab.measurement.rfc2544 import (
    back_to_back,
    frame_loss,
    latency,
    recovery,
    reset,
    throughput,
)
from ppslab.measurement.rfc2544.stage import Stage
from ppslab.measurement.rfc2544.subjects import UnderTest, conditions_of, subjects_of
from ppslab.measurement.rounds import back_to_back as tester_alone
from ppslab.measurement.rounds import most_sent
from ppslab.measurement.rounds.bpf_modes import choose_bpf_modes
from ppslab.measurement.run import COUPLED, check_sizes
from ppslab.measurement.run_options import RunOptions
from ppslab.measurement.session import FrameSession, OpenSession, Progress, State
from ppslab.measurement.trial.trial import FrameTestbed

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
class Options(RunOptions):
    """What to test and where; empty: the lab's `rfc2544` conditions, the profile's sizes."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    sizes: tuple[int, ...] = ()
    """Bytes of a frame, with the frame check sequence."""


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
    so_far = _Found()

    def record(session: OpenSession[FrameTestbed], state: State) -> results.SuiteRecord:
        device = options.router != "linux"
        profile = session.testbed.profile
        deviations = [*profile.deviations_of_the_suite(device=device), *so_far.notes]
        head = session.head(state, deviations)
        head["trials"] = tuple(_lighter(trial) for trial in head["trials"])
        return results.SuiteRecord(
            schema="ppslab/rfc2544/2",
            **head,
            port_speed=lab.spec.port_speed,
            maximum_rate=so_far.maximum,
            warnings=(
                METHOD,
                ON_A_BENCH if session.on_bench else IN_NAMESPACES,
                *so_far.warnings,
            ),
            calibration=so_far.calibration.id if so_far.calibration else None,
            delay_resolution_ns=calibration.delay_resolution(so_far.calibration),
            throughput=tuple(so_far.throughput),
            latency=tuple(so_far.latency),
            frame_loss=tuple(so_far.frame_loss),
            back_to_back=tuple(so_far.back_to_back),
            recovery=tuple(so_far.recovery),
            reset=tuple(so_far.reset),
        )

    session = _asked(lab, options, progress)
    return session.measure(
        lambda session: _measure(session, options, so_far),
        record,
        results.SuiteRecord,
        _announced(session, options),
    )


def rehearse_suite(lab: Lab, options: Options) -> Iterator[str]:
    """What `run_suite` would do, command by command; nothing of it is done.

    Errors as of `run_suite`, as far as they show before anything starts.
    """
    session = _asked(lab, options, None)
    size = min(options.sizes or lab.spec.frame_sizes)
    return dry_run.lines(session, size, _announced(session, options))


def _asked(lab: Lab, options: Options, progress: Progress | None) -> FrameSession:
    check_sizes(options.sizes)
    return FrameSession(lab, conditions_of(lab, options.conditions), options, progress)


def _announced(session: FrameSession, options: Options) -> Planned:
    """The trials of the suite, for who sends into a network of their own."""
    return lambda conditions: traffic.of_the_suite(session.profile, len(conditions), options.sizes)


def _measure(session: OpenSession[FrameTestbed], options: Options, so_far: _Found) -> None:
    testbed, progress = session.testbed, session.progress
    suite = testbed.profile.suite
    if testbed.cpus.coupled:
        raise CannotHereError(COUPLED, "a machine with two CPUs, or --backend vm")
    subjects, so_far.notes = subjects_of(
        session.lab,
        session.conditions,
        suite,
        options.sizes,
        device=options.router != "linux",
    )
    whole = [subject for subject in subjects if subject.whole]
    sizes = sorted({subject.size for subject in subjects})
    progress.plan(_planned(session, subjects, whole, sizes))
    if not session.on_bench:
        so_far.calibration = calibration.newest_for(
            session.backend.facts, session.backend.name, options.tester
        )
        so_far.warnings = list(calibration.warnings(so_far.calibration))
    else:
        so_far.warnings = [NOT_CALIBRATED]
    stage = Stage(testbed, random.Random(session.seed), progress, calibration=so_far.calibration)

    progress.stage("the tester's own limit")
    session.tester = tester_alone(testbed, sizes)
    if any(c.linux.bpf and testbed.router.mode(c) for c in session.conditions):
        progress.stage("choosing how to attach the BPF programs")
        session.environment["bpf"] = choose_bpf_modes(testbed, session.conditions, min(sizes))

    progress.stage("throughput (RFC 2544 section 26.1)")
    searched = throughput.measure(stage, subjects, session.tester.back_to_back)
    sent = {size: most_sent(testbed.trials, size) for size in sizes}
    session.tester = session.tester.model_copy(update={"into_the_router": sent})
    so_far.maximum = {size: session.tester.limit(size) or 0.0 for size in sizes}
    stage.maximum = so_far.maximum
    so_far.throughput = throughput.described(stage, searched)
    so_far.warnings += _limited(stage)

    progress.stage("latency (26.2)")
    so_far.latency = latency.measure(stage, whole, suite.latency)
    progress.stage("frame loss rate (26.3)")
    main = [subject for subject in subjects if _is_main(subject, subjects)]
    so_far.frame_loss = frame_loss.measure(stage, main, suite.frame_loss)
    progress.stage("back-to-back frames (26.4, RFC 9004)")
    so_far.back_to_back = back_to_back.measure(stage, whole, suite.back_to_back)
    progress.stage("system recovery (26.5)")
    so_far.recovery = recovery.measure(stage, whole, suite.recovery)
    progress.stage("reset (26.6, RFC 6201)")
    so_far.reset = reset.measure(stage, whole, suite.reset)


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
    warnings = (
        calibration.limited(stage.calibration, subject.size, rate)
        for subject, rate in stage.found.items()
    )
    return list(dict.fromkeys(sentence for sentence in warnings if sentence))


def _is_main(subject: UnderTest, subjects: list[UnderTest]) -> bool:
    """Of the variant that comes first, at every size; and whatever else gets every test."""
    first = subjects[0]
    return subject.whole or (subject.family, subject.direction) == (first.family, first.direction)


def _planned(
    session: OpenSession[FrameTestbed],
    subjects: list[UnderTest],
    whole: list[UnderTest],
    sizes: list[int],
) -> int:
    suite = session.testbed.profile.suite
    main = sum(1 for subject in subjects if _is_main(subject, subjects))
    smallest = {s.condition.name for s in whole}
    return (
        3 * len(sizes)
        + TRIALS_OF_A_SEARCH * len(subjects)
        + len(suite.latency.shares) * suite.latency.repeats * len(whole)
        + round(0.7 / suite.frame_loss.step) * main
        + suite.back_to_back.repeats * TRIALS_OF_A_BURST * len(whole)
        + suite.recovery.repeats * len(whole)
        + suite.reset.repeats * len(smallest)
    )
