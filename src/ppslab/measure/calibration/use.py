"""The newest calibration of this machine, and what of a measurement it makes doubtful."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ppslab.core.errors import FileError
from ppslab.core.units import human_rate
from ppslab.model import results
from ppslab.model.recorded import TESTER_SHARE
from ppslab.model.results import Arrangement, CalibrationRecord, Delays, Paced

SAME = ("kernel", "kernel_version", "machine", "cpu", "cpus", "emulation", "user_namespace")
"""What of an environment must be the same for a calibration to hold there."""

CLOCK_STEP_NS = 5_000
"""Below this a step of the clock cannot be told from the uncertainty of two readings."""

AWAY_NS = 1_000_000
"""A tester that lost its CPU for longer sends hundreds of frames late."""


@dataclass(frozen=True)
class Limits:
    """What the tester can at one frame size, in frames per second over all streams.

    `size`: the calibrated frame size that stands for the one asked for: the same, or the next
    larger.  `receives`: the highest rate without a drop in the receiver's ring, None where the
    tester does not tell; with `receives_more` it is only the highest that could be sent.
    """

    size: int
    sends: float
    """What it sends into a router."""
    carries: float
    """What it carries back to back."""
    receives: float | None
    receives_more: bool
    """Whether the receiver bears more than could be sent."""
    calibration: str
    """The calibration's id."""


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
    """How far `share` of the delays lie above the least one, in nanoseconds; None without any.

    Of a cable, whose delay is always the same, this is what the instrument adds: where C is its
    delay and X the router's, at most the share 1 - `share` of the frames have C above min C plus
    the spread.  So a percentile q of X + C lies between that of X and the percentile q + 1 - share
    of X plus the spread, once min C is subtracted.
    """
    if delays.min is None or delays.max is None:
        return None
    above = [each for each in delays.percentiles if each.share >= share]
    delay = min(above, key=lambda each: each.share).ns if above else delays.max
    return float(delay - delays.min)


def delay_resolution(
    calibration: CalibrationRecord | None,
    share: float = 0.99,
    *,
    rate: float | None = None,
    arrangement: Arrangement = "separate",
) -> float | None:
    """The `spread` of the cable's own delay, in nanoseconds: smaller differences are noise.

    From the actual send time, at the calibrated loads on both sides of `rate` the coarser; without
    a rate the coarsest of all.  None where nothing was calibrated.
    """
    if calibration is None:
        return None
    known = _arranged(calibration.paced, arrangement)
    if rate is not None:
        known = _around(known, rate)
    spreads = [spread(each.from_actual, share) for each in known]
    return max((each for each in spreads if each is not None), default=None)


def _arranged(known: Sequence[Paced], arrangement: Arrangement) -> list[Paced]:
    """Those of the arrangement; all where a machine has only the other one."""
    return [each for each in known if each.arrangement == arrangement] or list(known)


def _around(known: Sequence[Paced], rate: float) -> list[Paced]:
    below = [each for each in known if each.rate <= rate]
    above = [each for each in known if each.rate >= rate]
    near = [max(below, key=lambda each: each.rate)] if below else []
    return near + ([min(above, key=lambda each: each.rate)] if above else [])


def limits(
    calibration: CalibrationRecord | None, size: int, *, arrangement: Arrangement = "separate"
) -> Limits | None:
    """What the tester can at a frame size; None without a calibration of such a size.

    `sends`: alone, or over the wire where that was more (or where it was not seen alone).
    """
    if calibration is None:
        return None
    sizes = sorted({each.frame_size for each in calibration.carried if each.frame_size >= size})
    if not sizes:
        return None
    known = [each for each in calibration.carried if each.frame_size == sizes[0]]
    alone = [each for each in calibration.sent if each.frame_size == sizes[0]]
    here = [each for each in known if each.arrangement == arrangement] or known
    receiver = calibration.receiver
    return Limits(
        size=sizes[0],
        sends=max([*(each.rate for each in known), *(each.rate for each in alone)]),
        carries=max(each.rate for each in here),
        receives=receiver.rate if receiver else None,
        receives_more=receiver is not None and receiver.dropped_at is None,
        calibration=calibration.id,
    )


def limited(
    calibration: CalibrationRecord | None,
    size: int,
    rate: float,
    *,
    arrangement: Arrangement = "separate",
) -> str | None:
    """Why a rate says more of the tester than of the router, in one sentence; None where not.

    `rate` in frames per second over all streams, `size` in bytes with the frame check sequence.
    """
    known = limits(calibration, size, arrangement=arrangement)
    if known is None:
        return None
    if known.receives is not None and not known.receives_more and rate > known.receives:
        return (
            f"{human_rate(rate)} is more than the {human_rate(known.receives)} that the receiver "
            f"takes without a drop (calibration {known.calibration})."
        )
    most = max(known.sends, known.carries)
    if rate >= TESTER_SHARE * most:
        return (
            f"{human_rate(rate)} at {size} bytes is limited by the tester, which sends at most "
            f"{human_rate(most)} here (calibration {known.calibration})."
        )
    return None


def warnings(calibration: CalibrationRecord | None) -> tuple[str, ...]:
    """What a reader must know of the tester on this machine, one sentence each."""
    if calibration is None:
        return ("The tester was not calibrated on this machine: `ppslab calibrate` does it.",)
    sentences = []
    if calibration.clocks and calibration.clocks.step_ns > CLOCK_STEP_NS:
        sentences.append(
            f"The wall clock was stepped by {calibration.clocks.step_ns / 1e3:.0f} us while the "
            "tester was calibrated: one-way delays of that time are off by as much."
        )
    timer = calibration.timer
    if timer and timer.longest_away_ns > AWAY_NS:
        sentences.append(
            f"The tester lost its CPU {timer.away} times in {timer.spun_seconds:.1f} s,"
            f" for up to {timer.longest_away_ns / 1e6:.1f} ms: what it should have sent then "
            "left late and at once."
        )
    least = [each.from_actual.min for each in calibration.paced if each.from_actual.min is not None]
    if least and min(least) < 0:
        sentences.append(
            f"A frame arrived {-min(least)} ns before it was sent: the clocks of two CPUs disagree,"
            " and one-way delays are off by as much."
        )
    sentences += _of_receiver(calibration)
    return tuple(sentences)


def _of_receiver(calibration: CalibrationRecord) -> list[str]:
    receiver = calibration.receiver
    if receiver is None:
        return []
    sentences = []
    if receiver.dropped_at is not None:
        kept = human_rate(receiver.rate) if receiver.rate else "no rate that was tried"
        sentences.append(
            f"The receiver dropped frames at {human_rate(receiver.dropped_at)}; it kept all at "
            f"{kept}."
        )
    if receiver.unexplained:
        sentences.append(
            f"{receiver.unexplained} frames were lost on the cable without being counted by the "
            "receiver's ring: such losses look like a router's."
        )
    return sentences
