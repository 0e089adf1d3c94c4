"""Trials of the lab `truth`, from every frame, and what netem did to their delays and order."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from ppslab.measure.calibration import spread
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.metrics import delays
from ppslab.model.results import Delays, EveryFrame
from ppslab.model.results.every_frame import Reordering
from ppslab.model.validity import Cause
from ppslab.testbed.testers import ppstraffic

MS = 1e6
ATTEMPTS = 5


def every(testbed: FrameTestbed, condition: str, seconds: float, rate: float) -> EveryFrame:
    """A trial of the condition, from every frame."""
    wanted = TrialSpec(
        "search", testbed.lab.condition(condition), 64, seconds, rate, keep_frames=True
    )
    trial = testbed.trial(wanted)
    assert Cause.ROUTER_STATE not in trial.causes, trial.invalid_because
    assert trial.every_frame is not None and trial.counts is not None
    counts = ppstraffic.TrialCounts.of(trial.counts)
    found = trial.every_frame
    assert (found.received, found.duplicates) == (counts.received, counts.duplicates)
    assert found.reordering.reordered == counts.reordered
    return found


def quiet(
    testbed: FrameTestbed,
    condition: str,
    seconds: float,
    rate: float,
    calm: Callable[[EveryFrame], bool],
) -> EveryFrame:
    """A trial that the machine's other work left alone: by `calm`, and every frame was sent.

    Skips where there is none in a few attempts: a guest that stands still for a tenth of a second
    delays and drops frames in truth.
    """
    for _ in range(ATTEMPTS):
        found = every(testbed, condition, seconds, rate)
        if found.offered == found.intended and calm(found):
            return found
    late = (spread(found.from_intended) or math.inf) / MS
    pytest.skip(
        f"the machine's other work disturbs every trial of {condition}: of the last one "
        f"{found.intended - found.offered} frames were not sent, delays spread over {late:.1f} ms, "
        f"and nothing came for {found.longest_gap_seconds} s"
    )


def percentile(found: Delays, share: float) -> int:
    return next(one.ns for one in found.percentiles if one.share == share)


def spread_below(limit_ns: float) -> Callable[[EveryFrame], bool]:
    """Whether 99 % of the delays lie within so many ns."""
    return lambda found: (spread(found.from_actual) or math.inf) <= limit_ns


def spread_by_half_a_millisecond(constant: Delays) -> list[float]:
    """The percentiles of 2 ms +/- 0.5 ms, each equally likely, in ns.

    netem lets a frame go at its timer's next interrupt, never early.  How late that is, and what
    the path takes, the constant delay shows: to each of its frames the known distribution is added.
    """
    histogram = delays.Histogram.decode(constant.histogram)
    used = np.flatnonzero(histogram.counts)
    middle = (histogram.lowest[used] + histogram.highest[used]) / 2
    parts = np.linspace(-0.5 * MS, 0.5 * MS, 1001)
    values = (middle[:, None] + parts[None, :]).ravel()
    weights = np.repeat(histogram.counts[used], len(parts)).astype(float)
    order = np.argsort(values)
    upto = np.cumsum(weights[order]) / weights.sum()
    return [float(values[order][np.searchsorted(upto, share)]) for share in delays.SHARES]


def every_tenth_overtook_four(found: Reordering) -> None:
    assert found.ratio == pytest.approx(0.4, abs=0.03)
    for extent in range(1, 5):
        assert found.extent[extent] == pytest.approx(75, abs=8)
    assert sum(count for extent, count in found.extent.items() if extent > 4) <= 0.03 * 750
    assert found.n_reordering[1] == pytest.approx(0.1, abs=0.02)
    assert found.n_reordering.get(2, 0) < 0.02
    assert found.density[-4] == pytest.approx(0.1, abs=0.03)
    assert found.density[1] == pytest.approx(0.4, abs=0.03)
    assert found.buffer_density[1] == pytest.approx(0.4, abs=0.03)
    # The first of the four follows 1 ms behind the frame that overtook it, the last 7 ms.
    assert found.late_ns.at[0.5] == pytest.approx(4 * MS, abs=1.2 * MS)
    assert found.gaps is not None and found.gaps.at[0.5] == 10


def steady(found: EveryFrame) -> bool:
    """Whether the bucket, 25 frames at 2 000/s, neither filled in a pause nor ran over in a burst.

    A tester that begins late sends what was due meanwhile at once: nothing pauses at the receiver,
    and of 36 frames the bucket takes 25.
    """
    pause, late = found.longest_gap_seconds, found.from_intended.max
    return pause is not None and late is not None and pause < 0.008 and late < 8 * MS
