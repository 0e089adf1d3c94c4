"""The tester on its own wire (`ppslab calibrate`), and what that makes doubtful of a measurement.

`experiment` calibrates; here the newest calibration of this machine judges a rate and a delay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ppslab.core.errors import FileError
from ppslab.core.units import human_rate
from ppslab.model import results
from ppslab.model.results import TESTER_SHARE, CalibrationRecord, Delays

SAME = ("kernel", "kernel_version", "machine", "cpu", "cpus", "emulation", "user_namespace")
"""Keys of an environment that must be the same for a calibration to hold there."""

CLOCK_STEP_NS = 5_000
"""Below this a step of the clock cannot be told from the uncertainty of two readings."""

AWAY_NS = 1_000_000
"""A tester that lost its CPU for longer sends hundreds of frames late."""


def newest_for(
    environment: Mapping[str, Any], backend: str, tester: str = "ppstraffic"
) -> CalibrationRecord | None:
    """The newest completed calibration that holds here; None where there is none.

    `environment`: `Backend.facts`, or the environment of a record.  One of another backend,
    kernel, CPU or number of CPUs is not used.  Files that are no calibrations are passed over.
    """
    for path in results.stored(tester, CalibrationRecord):
        try:
            record = results.load_as(path, CalibrationRecord)
        except FileError:
            continue
        same = all(record.environment.get(key) == environment.get(key) for key in SAME)
        if same and record.state == "completed" and record.backend == backend:
            return record
    return None


def spread(delays: Delays, share: float = 0.99) -> float | None:
    """Return how far `share` of the delays lie above the least, in nanoseconds; None without any.

    Of a cable, whose delay is always the same, this is what the instrument adds: where C is its
    delay and X the router's, at most the share 1 - `share` of the frames have C above min C plus
    the spread.  So a percentile q of X + C lies between that of X and the percentile q + 1 - share
    of X plus the spread, once min C is subtracted.
    """
    if delays.min is None or delays.max is None:
        return None
    above = [percentile for percentile in delays.percentiles if percentile.share >= share]
    delay = min(above, key=lambda percentile: percentile.share).ns if above else delays.max
    return float(delay - delays.min)


def delay_resolution(
    calibration: CalibrationRecord | None, *, rate: float | None = None
) -> float | None:
    """The `spread` of the cable's own delay, in nanoseconds: smaller differences are noise.

    From the actual send time, of a far end with a CPU of its own where there was one.  `rate`: the
    coarser of the calibrated loads on both sides of it; None: the coarsest of all.  None where
    nothing was calibrated.
    """
    if calibration is None:
        return None
    separate = [paced for paced in calibration.paced if paced.arrangement == "separate"]
    loads = sorted(separate or calibration.paced, key=lambda paced: paced.rate)
    if rate is not None:
        below = [paced for paced in loads if paced.rate <= rate][-1:]
        loads = below + [paced for paced in loads if paced.rate >= rate][:1]
    spreads = [spread(paced.from_actual) for paced in loads]
    return max((delay for delay in spreads if delay is not None), default=None)


def limited(calibration: CalibrationRecord | None, size: int, rate: float) -> str | None:
    """Return why a rate is the tester's and not the router's, in one sentence; or None.

    `rate` in frames per second over all streams, `size` in bytes with the frame check sequence: a
    size that was not calibrated has the limits of the next larger one.  The tester can do the best
    that it was seen to do, alone or over the wire.
    """
    if calibration is None:
        return None
    next_size = min(
        (carried.frame_size for carried in calibration.carried if carried.frame_size >= size),
        default=None,
    )
    if next_size is None:
        return None
    receiver = calibration.receiver
    if receiver and receiver.rate and receiver.dropped_at is not None and rate > receiver.rate:
        return (
            f"{human_rate(rate)} is more than the {human_rate(receiver.rate)} that the receiver "
            f"takes without a drop (calibration {calibration.id})."
        )
    seen = [(carried.frame_size, carried.rate) for carried in calibration.carried]
    seen += [(sent.frame_size, sent.rate) for sent in calibration.sent]
    most = max(seen_rate for seen_size, seen_rate in seen if seen_size == next_size)
    if rate >= TESTER_SHARE * most:
        return (
            f"{human_rate(rate)} at {size} bytes is limited by the tester, which sends at most "
            f"{human_rate(most)} here (calibration {calibration.id})."
        )
    return None


def warnings(calibration: CalibrationRecord | None) -> tuple[str, ...]:
    """Return a sentence for each weakness of the tester on this machine."""
    if calibration is None:
        return ("The tester was not calibrated on this machine: run `ppslab calibrate`.",)
    sentences = []
    if calibration.clocks and calibration.clocks.step_ns > CLOCK_STEP_NS:
        sentences.append(
            f"The wall clock was stepped by {calibration.clocks.step_ns / 1e3:.0f} us while the "
            "tester was calibrated: one-way delays from that time are wrong by as much."
        )
    timer = calibration.timer
    if timer and timer.longest_away_ns > AWAY_NS:
        sentences.append(
            f"The tester lost its CPU {timer.away} times in {timer.spun_seconds:.1f} s,"
            f" for up to {timer.longest_away_ns / 1e6:.1f} ms: the frames due in that time left "
            "late, in a burst."
        )
    least = min((paced.from_actual.min or 0 for paced in calibration.paced), default=0)
    if least < 0:
        sentences.append(
            f"A frame arrived {-least} ns before it was sent: the clocks of two CPUs disagree,"
            " and one-way delays are wrong by as much."
        )
    receiver = calibration.receiver
    if receiver is None:
        return tuple(sentences)
    if receiver.dropped_at is not None:
        kept = human_rate(receiver.rate) if receiver.rate else "no rate that was tried"
        sentences.append(
            f"The receiver dropped frames at {human_rate(receiver.dropped_at)}; it received all "
            f"frames at {kept}."
        )
    if receiver.unexplained:
        sentences.append(
            f"{receiver.unexplained} frames were lost on the cable, but the receiver's ring did "
            "not count them: such losses look like those of a router."
        )
    return tuple(sentences)
