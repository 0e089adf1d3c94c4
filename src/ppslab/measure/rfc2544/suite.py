"""`ppslab rfc2544`: every test of RFC 2544 section 26 on every subject, into one record."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppslab.core.errors import CannotHereError
from ppslab.measure import calibration
from ppslab.measure.experiment import FrameExperiment, Progress, State
from ppslab.measure.options import RunOptions, check_sizes
from ppslab.measure.preview import traffic
from ppslab.measure.preview.traffic import Trials
from ppslab.measure.rfc2544 import section26
from ppslab.measure.rfc2544.stage import Stage, UnderTest, conditions_of, subjects_of
from ppslab.measure.rounds import back_to_back, most_sent
from ppslab.measure.run import COUPLED
from ppslab.model import results
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.lab.profiles import Suite

TRIALS_OF_A_SEARCH = 14
TRIALS_OF_A_BURST = 10
"""About, for the time left; the searches themselves decide."""

METHOD = (
    "These are the methods of RFC 2544, for an isolated test environment only: never run them on "
    "a network that carries other traffic, or to prove a service level (RFC 6815)."
)
IN_NAMESPACES = (
    "The frames have addresses from 198.18.0.0/15 and 2001:2::/48, which are reserved for such "
    "tests (RFC 2544 appendix C.2.2, RFC 5180), and stay in namespaces that were made for them."
)
NOT_CALIBRATED = (
    "The tester's delays were not calibrated on these interfaces: `ppslab calibrate` calibrates "
    "only virtual links in the tester's kernel."
)
ON_A_BENCH = (
    "The frames have addresses from 198.18.0.0/15 and 2001:2::/48, which are reserved for such "
    "tests (RFC 2544 appendix C.2.2, RFC 5180); the user confirmed that the network was isolated."
)


@dataclass(frozen=True)
class Options(RunOptions):
    """Conditions and sizes to test; empty: the lab's `rfc2544` conditions, the profile's sizes."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""
    sizes: tuple[int, ...] = ()
    """Bytes of a frame, with the frame check sequence."""


def run_suite(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.SuiteRecord, Path]:
    """Run the suite on `lab` and write the record; returns it and the file that it is in.

    Errors and interruptions as `Experiment.run`.
    """
    return SuiteRun(lab, options, progress).run()


def rehearse_suite(lab: Lab, options: Options) -> Iterator[str]:
    """Yield the steps of `run_suite`, command by command; nothing is done."""
    return SuiteRun(lab, options).rehearse(min(options.sizes or lab.spec.frame_sizes))


class SuiteRun(FrameExperiment[results.SuiteRecord]):
    """Every test of RFC 2544 section 26 on every subject; its results so far."""

    kind = results.SuiteRecord

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        check_sizes(*options.sizes)
        super().__init__(lab, conditions_of(lab, options.conditions), options, progress)
        self.sizes, self.tester_name = options.sizes, options.tester
        self.device = options.router != "linux"
        self.notes: list[str] = []
        self.warnings: list[str] = []
        self.calibration: results.CalibrationRecord | None = None
        self.maximum: dict[int, float] = {}
        self.results: dict[str, Sequence[results.Subject]] = {}

    def planned(self, conditions: Sequence[Condition]) -> Sequence[Trials]:
        """The trials of the suite, as far as they are known before the first."""
        return traffic.of_the_suite(self.profile, len(conditions), self.sizes)

    def stages(self) -> None:
        """The tester's own limit, then the six tests in the order of the RFC."""
        testbed, progress, suite = self.testbed, self.progress, self.testbed.profile.suite
        if testbed.cpus.coupled:
            raise CannotHereError(COUPLED, "a machine with two CPUs, or --backend vm")
        subjects, self.notes = subjects_of(
            self.lab, self.conditions, suite, self.sizes, device=self.device
        )
        whole = [subject for subject in subjects if subject.whole]
        main = [subject for subject in subjects if _is_main(subject, subjects)]
        sizes = sorted({subject.size for subject in subjects})
        progress.plan(_number(suite, subjects, whole, main, sizes))
        if self.on_bench:
            self.warnings = [NOT_CALIBRATED]
        else:
            backend = self.backend
            self.calibration = calibration.newest_for(backend.facts, backend.name, self.tester_name)
            self.warnings = list(calibration.warnings(self.calibration))
        stage = Stage(testbed, random.Random(self.seed), calibration=self.calibration)

        progress.stage("the tester's own limit")
        self.tester = back_to_back(testbed, sizes)
        self.choose_bpf_modes(min(sizes))

        progress.stage("throughput (RFC 2544 section 26.1)")
        searched = section26.search_throughput(stage, subjects, self.tester.back_to_back)
        sent = {size: most_sent(testbed.trials, size) for size in sizes}
        self.tester = self.tester.model_copy(update={"into_the_router": sent})
        self.maximum = {size: self.tester.limit(size) or 0.0 for size in sizes}
        stage.maximum = self.maximum
        self.results["throughput"] = section26.throughput(stage, searched)
        self.warnings += _limited(stage)

        progress.stage("latency (26.2)")
        self.results["latency"] = section26.latency(stage, whole, suite.latency)
        progress.stage("frame loss rate (26.3)")
        self.results["frame_loss"] = section26.frame_loss(stage, main, suite.frame_loss)
        progress.stage("back-to-back frames (26.4, RFC 9004)")
        self.results["back_to_back"] = section26.back_to_back(stage, whole, suite.back_to_back)
        progress.stage("system recovery (26.5)")
        self.results["recovery"] = section26.recovery(stage, whole, suite.recovery)
        progress.stage("reset (26.6, RFC 6201)")
        self.results["reset"] = section26.reset(stage, whole, suite.reset)

    def record(self, state: State) -> results.SuiteRecord:
        deviations = self.testbed.profile.deviations_of_the_suite(device=self.device)
        trials = tuple(_lighter(trial) for trial in self.testbed.trials)
        fields: dict[str, Any] = {test: tuple(rows) for test, rows in self.results.items()}
        return results.SuiteRecord(
            schema="ppslab/rfc2544/2",
            **self.head(state, [*deviations, *self.notes], trials=trials),
            port_speed=self.lab.spec.port_speed,
            maximum_rate=self.maximum,
            warnings=(METHOD, ON_A_BENCH if self.on_bench else IN_NAMESPACES, *self.warnings),
            calibration=self.calibration.id if self.calibration else None,
            delay_resolution_ns=calibration.delay_resolution(self.calibration),
            **fields,
        )


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
        for subject, rate in stage.lossless.items()
    )
    return list(dict.fromkeys(sentence for sentence in warnings if sentence))


def _is_main(subject: UnderTest, subjects: list[UnderTest]) -> bool:
    """Of the variant that comes first, at every size; and whatever else gets every test."""
    first = subjects[0]
    return subject.whole or (subject.family, subject.direction) == (first.family, first.direction)


def _number(
    suite: Suite,
    subjects: list[UnderTest],
    whole: list[UnderTest],
    main: list[UnderTest],
    sizes: list[int],
) -> int:
    """About how many trials there will be."""
    return (
        3 * len(sizes)
        + TRIALS_OF_A_SEARCH * len(subjects)
        + len(suite.latency.shares) * suite.latency.repeats * len(whole)
        + round(0.7 / suite.frame_loss.step) * len(main)
        + suite.back_to_back.repeats * TRIALS_OF_A_BURST * len(whole)
        + suite.recovery.repeats * len(whole)
        + suite.reset.repeats * len({subject.condition.name for subject in whole})
    )
