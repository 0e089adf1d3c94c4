"""`ppslab calibrate`: what the tester, its receiver and its clocks can do here, into one record."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from ppslab.core.errors import BackendError, UsageError
from ppslab.measure.calibration import probe
from ppslab.measure.calibration.wire import TRIALS, Wire, stand, zero_drop_rate
from ppslab.measure.experiment import Experiment, Progress, State, cpus_used, harness
from ppslab.measure.options import TesterOptions, check_sizes
from ppslab.model import results
from ppslab.model.metrics import delays
from ppslab.model.results import (
    CalibrationRecord,
    Carried,
    Clocks,
    NotShown,
    Paced,
    Receiver,
    Sent,
    Timer,
    shapes,
)

SIZES = (64, 128, 256, 512, 1024, 1280, 1518, 9000)
"""RFC 2544 section 9.1, and jumbo frames."""

CARRIED_SECONDS = 0.25
PACED_SIZE = 64
PACED_SHARES = (0.01, 0.1, 0.5, 0.9)
FRAMES_WANTED = 100_000
"""At each load: ten frames then lie beyond the percentile 99.99."""

PACED_SECONDS = (1.1, 3.0)
"""At least a second: the kernel takes a real-time thread off its CPU once in each."""

SPIN_SECONDS = 2.0


@dataclass(frozen=True)
class Options(TesterOptions):
    """Sizes and loads to calibrate the tester at, and where."""

    sizes: tuple[int, ...] = SIZES
    """Bytes of a frame, with the frame check sequence."""
    shares: tuple[float, ...] = PACED_SHARES
    """Paced loads, as shares of what the tester carries."""


def calibrate(options: Options, progress: Progress | None = None) -> tuple[CalibrationRecord, Path]:
    """Calibrate a tester and write the record; returns it and the file that it is in.

    Errors and interruptions as `Experiment.run`.
    """
    return Calibration(options, progress).run()


class Calibration(Experiment[Wire, CalibrationRecord]):
    """The tester on its own wire, without a router."""

    kind = CalibrationRecord

    def __init__(self, options: Options, progress: Progress | None = None) -> None:
        check_sizes(*options.sizes)
        super().__init__(options.tester, f"a calibration of {options.tester}", options, progress)
        if options.tester != "ppstraffic":
            raise UsageError(f"tester {options.tester}: only ppstraffic can be calibrated")
        self.sizes, self.shares = sorted(set(options.sizes)), options.shares
        self.tester = results.Tester(name=options.tester, version="")
        self.carried: list[Carried] = []
        self.sent: list[Sent] = []
        self.paced: list[Paced] = []
        self.receiver: Receiver | None = None
        self.timer: Timer | None = None
        self.clocks: Clocks | None = None
        self.not_shown: list[NotShown] = []

    def stand(self, stack: ExitStack) -> Wire:
        return stand(stack, self.backend, on_trial=self.keep)

    def stages(self) -> None:
        """Timers, back to back, paced loads, the receiver, and the clocks at the end."""
        wire, sizes, progress = self.testbed, self.sizes, self.progress
        tester = wire.cable.tester
        self.tester = results.Tester(name=tester.name, version=tester.version())
        loads = [(way, share) for way in wire.arrangements for share in self.shares]
        progress.plan(len(sizes) * (len(wire.arrangements) + 1) * TRIALS + len(loads) + 1)

        progress.stage("clocks and timers")
        before = run_probe(wire, SPIN_SECONDS)
        self.timer = timer_of(before)
        if wire.cpus.coupled:
            why = "one CPU, or no right to steer packets to another one (RPS)"
            self.not_shown.append(NotShown(what="a far end with a CPU of its own", reason=why))
        self._carry(wire)
        progress.stage("paced loads, from every frame")
        size = PACED_SIZE if PACED_SIZE in sizes else sizes[0]
        rates = {one.arrangement: one.rate for one in self.carried if one.frame_size == size}
        low, high = PACED_SECONDS
        for arrangement, share in loads:
            rate = share * rates[arrangement]
            seconds = min(max(FRAMES_WANTED / rate, low), high)
            self.paced.append(wire.paced(size, rate, arrangement, seconds=seconds, share=share))
        progress.stage("the receiver's zero-drop rate")
        most = max(one.rate for one in self.carried if one.frame_size == sizes[0])
        self.receiver = zero_drop_rate(wire, most, size=sizes[0])
        steps = [trial.counts.get("clock_step_ns", 0) for trial in wire.trials if trial.counts]
        self.clocks = clocks_of(before, run_probe(wire, 0.0), steps)

    def _carry(self, wire: Wire) -> None:
        for arrangement in wire.arrangements:
            self.progress.stage(f"back to back, {arrangement}")
            for size in self.sizes:
                self.carried.append(wire.carried(size, arrangement, seconds=CARRIED_SECONDS))
        self.progress.stage("the sender alone")
        self.sent = [wire.sent(size, seconds=CARRIED_SECONDS) for size in self.sizes]
        # In the arrangement that searches have.
        first = self.carried[0].arrangement
        rates = {one.frame_size: one.rate for one in self.carried if one.arrangement == first}
        self.tester = self.tester.model_copy(update={"back_to_back": rates})

    def record(self, state: State) -> CalibrationRecord:
        wire = self.testbed
        return CalibrationRecord(
            schema="ppslab/calibration/2",
            id=f"calibration-{self.tester.name}-{self.started:%Y%m%dT%H%M%SZ}-{self.where}",
            started=self.started,
            finished=datetime.now(UTC),
            state=state,
            ppslab=harness(),
            tester=self.tester,
            backend=self.where,
            environment=cast(
                shapes.Environment, {**self.backend.facts, "tester": wire.cable.tester.settings}
            ),
            cpus=cpus_used(wire.cpus),
            carried=tuple(self.carried),
            sent=tuple(self.sent),
            paced=tuple(self.paced),
            receiver=self.receiver,
            timer=self.timer,
            clocks=self.clocks,
            not_shown=tuple(self.not_shown),
            trials=tuple(wire.trials),
        )


def run_probe(wire: Wire, seconds: float) -> dict[str, Any]:
    """Run probe.py on the sender's CPU, spinning for `seconds`; returns its readings."""
    argv = [sys.executable, "-I", "-S", str(Path(probe.__file__))]
    arguments = [str(wire.cpus.sender), str(seconds)]
    done = wire.cable.node.run([*wire.first, *argv, *arguments], timeout=60 + 5 * seconds)
    readings: dict[str, Any] = json.loads(done.stdout)
    return readings


def timer_of(readings: dict[str, Any]) -> Timer:
    steps = [step for step in readings["steps_ns"] if step > 0]
    if not steps or readings["spun_ns"] <= 0:
        raise BackendError("CLOCK_MONOTONIC stands still on this machine")
    away = readings["aways_ns"]
    return Timer(
        resolution_ns=readings["resolution_ns"],
        step_ns=min(steps),
        reading_ns=float(np.median(readings["steps_ns"])),
        sleep_ns=readings["sleep_ns"],
        sleep_late=delays.percentiles(np.sort(np.array(readings["sleep_late_ns"], dtype=np.int64))),
        spun_seconds=readings["spun_ns"] / 1e9,
        away=len(away),
        away_ns=readings["away_ns"],
        away_share=min(1.0, sum(away) / readings["spun_ns"]),
        longest_away_ns=max(away, default=0),
    )


def clocks_of(before: dict[str, Any], after: dict[str, Any], steps: Sequence[int]) -> Clocks:
    """Return the clocks between two probes; `steps`: of the wall clock, as trials noticed them."""
    first, last = before["clocks"], after["clocks"]
    watched = last["monotonic_ns"] - first["monotonic_ns"]
    raw = last["raw_ns"] - first["raw_ns"]
    moved = abs(last["offset_ns"] - first["offset_ns"])
    uncertainty = max(first["uncertainty_ns"], last["uncertainty_ns"])
    return Clocks(
        source=last["source"],
        uncertainty_ns=uncertainty,
        step_ns=max([moved if moved > 2 * uncertainty else 0, *(abs(step) for step in steps)]),
        watched_seconds=watched / 1e9,
        slew_ppm=(watched / raw - 1) * 1e6,
    )
