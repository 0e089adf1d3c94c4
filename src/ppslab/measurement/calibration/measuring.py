"""`ppslab calibrate`: what the tester, its receiver and its clocks can do here, into one record."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import numpy as np

from ppslab import results
from ppslab.backends import Backend, capabilities, open_backend
from ppslab.base.errors import BackendError, UsageError
from ppslab.base.version import VERSION
from ppslab.instruments import testers
from ppslab.measurement.calibration import probe
from ppslab.measurement.calibration.receiver import zero_drop_rate
from ppslab.measurement.calibration.wire import TRIALS, Wire, percentiles, stand
from ppslab.measurement.session import Kept, Progress, Silent, State, turn
from ppslab.measurement.session.head import commit
from ppslab.results import (
    CalibrationRecord,
    Carried,
    Clocks,
    NotShown,
    Paced,
    Receiver,
    Sent,
    Timer,
    journal,
    shapes,
)
from ppslab.results.journal import Journal

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
class Options:
    """What to calibrate and where; `out` None: results/local/; `wait`: for other measurements."""

    backend: str = "auto"
    """Where the tester stands; auto: where it can."""
    tester: str = "ppstraffic"
    """The tester's name."""
    tester_config: Path | None = None
    """The inventory file of a tester with ports of its own."""
    sizes: tuple[int, ...] = SIZES
    """Bytes of a frame, with the frame check sequence."""
    shares: tuple[float, ...] = PACED_SHARES
    """Paced loads, as shares of what the tester carries."""
    out: Path | None = None
    wait: bool = True


@dataclass
class _State:
    """What was found so far; a record can be made of it at any time."""

    options: Options
    chosen: testers.Chosen
    started: datetime
    backend: str
    tester: results.Tester
    environment: shapes.Environment = field(default_factory=shapes.EnvironmentShape)
    wire: Wire | None = None
    carried: list[Carried] = field(default_factory=list)
    sent: list[Sent] = field(default_factory=list)
    paced: list[Paced] = field(default_factory=list)
    receiver: Receiver | None = None
    timer: Timer | None = None
    clocks: Clocks | None = None
    not_shown: list[NotShown] = field(default_factory=list)

    def lacks(self, what: str, why: str) -> None:
        """Note what the tester cannot be asked; `why` continues its name."""
        self.not_shown.append(NotShown(what=what, reason=f"{self.tester.name} {why}"))


def calibrate(options: Options, progress: Progress | None = None) -> tuple[CalibrationRecord, Path]:
    """Calibrate a tester and write the record; returns it and the file that it is in.

    Stopped by Ctrl-C or a failure, what was found until then is written as an aborted record,
    which nothing uses, and the reason is raised.
    UsageError for what there is not; CannotHereError where no backend can.
    """
    progress = progress or Silent()
    for size in options.sizes:
        if not 64 <= size <= 9216:
            raise UsageError(f"frame size {size}: there are frames of 64 to 9216 bytes")
    if options.out and options.out.is_dir():
        raise UsageError(f"--out {options.out}: this is a folder; name a file")
    chosen = testers.chosen(options.tester, options.tester_config)
    choice = capabilities.choose(chosen.needs, options.backend)
    progress.stage(f"backend {choice.backend}: {choice.reason}")
    tester = results.Tester(name=options.tester, version="")
    what = f"a calibration of {options.tester}"
    with turn.measuring(what, progress.stage, wait=options.wait):
        for sentence in journal.sweep():
            progress.stage(sentence)
        state = _State(options, chosen, datetime.now(UTC), choice.backend, tester)
        kept = Journal.begin(
            options.tester, state.started, choice.backend, CalibrationRecord, options.out
        )
        try:
            with ExitStack() as stack:
                progress.stage(f"starting {choice.backend}")
                backend = stack.enter_context(open_backend(choice.backend))
                _measure(stack, backend, state, Kept(progress, kept))
        except BaseException:
            if state.wire and state.wire.trials:
                kept.finish(_record(state, "aborted"), aborted=True)
            raise
        else:
            record = _record(state, "completed")
            return record, kept.finish(record)
        finally:
            kept.drop()


def _measure(stack: ExitStack, backend: Backend, state: _State, progress: Progress) -> None:
    progress.stage("deploying")
    options = state.options
    wire = stand(stack, backend, tester=state.chosen, on_trial=progress.trial)
    state.wire = wire
    tester, sizes = wire.cable.tester, sorted(set(options.sizes))
    known = {**backend.facts, "tester": tester.settings}
    state.environment = cast(shapes.Environment, known)
    state.tester = results.Tester(name=tester.name, version=tester.version())
    loads = [(way, share) for way in wire.arrangements for share in options.shares]
    progress.plan(len(sizes) * (len(wire.arrangements) + 1) * TRIALS + len(loads) + 1)

    before = None
    if wire.device:
        state.lacks("timers, clocks, the sender alone", "is a device of its own")
    else:
        progress.stage("clocks and timers")
        before = run_probe(wire, SPIN_SECONDS)
        state.timer = timer_of(before)
    if wire.cpus.coupled and not wire.device:
        why = "one CPU, or no right to steer packets to another one (RPS)"
        state.not_shown.append(NotShown(what="a far end with a CPU of its own", reason=why))
    _carry(wire, sizes, state, progress)
    if "every frame" in tester.abilities:
        progress.stage("paced loads, from every frame")
        size = PACED_SIZE if PACED_SIZE in sizes else sizes[0]
        carries = {each.arrangement: each.rate for each in state.carried if each.frame_size == size}
        for arrangement, share in loads:
            state.paced.append(_paced(wire, size, carries[arrangement], arrangement, share))
    else:
        state.lacks("send jitter and delay resolution", "keeps no record of every frame")
    if tester.name == "ppstraffic":
        progress.stage("the receiver's zero-drop rate")
        most = max(each.rate for each in state.carried if each.frame_size == sizes[0])
        state.receiver = zero_drop_rate(wire, most, size=sizes[0])
    else:
        state.lacks("the receiver's zero-drop rate", "does not tell what its receiver drops")
    if before is not None:
        state.clocks = clocks_of(before, run_probe(wire, 0.0), _steps(wire))


def _carry(wire: Wire, sizes: Sequence[int], state: _State, progress: Progress) -> None:
    for arrangement in wire.arrangements:
        progress.stage(f"back to back, {arrangement}")
        for size in sizes:
            state.carried.append(wire.carried(size, arrangement, seconds=CARRIED_SECONDS))
    if not wire.device:
        progress.stage("the sender alone")
        state.sent = [wire.sent(size, seconds=CARRIED_SECONDS) for size in sizes]
    state.tester = state.tester.model_copy(update={"back_to_back": _back_to_back(state.carried)})


def _paced(
    wire: Wire, size: int, carried: float, arrangement: results.Arrangement, share: float
) -> Paced:
    rate = share * carried
    low, high = PACED_SECONDS
    seconds = min(max(FRAMES_WANTED / rate, low), high)
    return wire.paced(size, rate, arrangement, seconds=seconds, share=share)


def _back_to_back(carried: Sequence[Carried]) -> dict[int, float]:
    """By frame size, in the arrangement that searches have."""
    arrangement = carried[0].arrangement
    return {each.frame_size: each.rate for each in carried if each.arrangement == arrangement}


def run_probe(wire: Wire, seconds: float) -> dict[str, Any]:
    """What probe.py says on the sender's CPU, after `seconds` of spinning."""
    argv = [sys.executable, "-I", "-S", str(Path(probe.__file__))]
    arguments = [str(wire.cpus.sender), str(seconds)]
    done = wire.cable.node.run([*wire.first, *argv, *arguments], timeout=60 + 5 * seconds)
    readings: dict[str, Any] = json.loads(done.stdout)
    return readings


def timer_of(readings: dict[str, Any]) -> Timer:
    """What a probe found of the timers."""
    steps = [each for each in readings["steps_ns"] if each > 0]
    if not steps or readings["spun_ns"] <= 0:
        raise BackendError("CLOCK_MONOTONIC stands still on this machine")
    away = readings["aways_ns"]
    return Timer(
        resolution_ns=readings["resolution_ns"],
        step_ns=min(steps),
        reading_ns=float(np.median(readings["steps_ns"])),
        sleep_ns=readings["sleep_ns"],
        sleep_late=percentiles(np.sort(np.array(readings["sleep_late_ns"], dtype=np.int64))),
        spun_seconds=readings["spun_ns"] / 1e9,
        away=len(away),
        away_ns=readings["away_ns"],
        away_share=min(1.0, sum(away) / readings["spun_ns"]),
        longest_away_ns=max(away, default=0),
    )


def clocks_of(before: dict[str, Any], after: dict[str, Any], steps: Sequence[int]) -> Clocks:
    """What two probes say of the clocks, and the steps that trials between them noticed."""
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


def _steps(wire: Wire) -> list[int]:
    return [trial.counts.get("clock_step_ns", 0) for trial in wire.trials if trial.counts]


def _record(state: _State, ended: State) -> CalibrationRecord:
    wire = state.wire
    assert wire is not None
    return CalibrationRecord(
        schema="ppslab/calibration/2",
        id=f"calibration-{state.tester.name}-{state.started:%Y%m%dT%H%M%SZ}-{state.backend}",
        started=state.started,
        finished=datetime.now(UTC),
        state=ended,
        ppslab={"version": VERSION, "commit": commit()},
        tester=state.tester,
        backend=state.backend,
        environment=state.environment,
        cpus={
            "sender": wire.cpus.sender,
            "router": wire.cpus.router,
            "reader": wire.cpus.reader,
        },
        carried=tuple(state.carried),
        sent=tuple(state.sent),
        paced=tuple(state.paced),
        receiver=state.receiver,
        timer=state.timer,
        clocks=state.clocks,
        not_shown=tuple(state.not_shown),
        trials=tuple(wire.trials),
    )
