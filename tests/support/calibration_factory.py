"""Calibrations made up for tests, with a truth that the test knows.  Never shipped as results."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ppslab.model import results
from ppslab.model.metrics import delays
from tests.support.factory import ENVIRONMENT, WHERE

HERE: dict[str, Any] = ENVIRONMENT | {
    "kernel_version": "#1 SMP", "machine": "x86_64", "cpus": 2, "user_namespace": False, "euid": 0,
}  # fmt: skip
"""The environment of the machine that was calibrated."""


def make_delays(values: Sequence[int]) -> results.Delays:
    """The delays of frames that took so many ns each."""
    ascending = np.sort(np.array(values, dtype=np.int64))
    return results.Delays(
        count=len(ascending),
        min=int(ascending[0]),
        mean=float(ascending.mean()),
        max=int(ascending[-1]),
        percentiles=delays.percentiles(ascending),
    )


def make_paced(
    rate: float, spread_ns: int, *, arrangement: results.Arrangement = "separate", least: int = 1000
) -> results.Paced:
    """A load at which 98 % of the frames take `least`, and 2 % `spread_ns` longer."""
    values = [least] * 9800 + [least + spread_ns] * 200
    return results.Paced(
        frame_size=64, arrangement=arrangement, share=None, rate=rate,
        lateness=make_delays([20] * 100).percentiles, latest_ns=20,
        from_intended=make_delays([value + 20 for value in values]),
        from_actual=make_delays(values), lost=0, trials=(0,),
    )  # fmt: skip


def make_carried(
    size: int, rate: float, *, arrangement: results.Arrangement = "separate"
) -> results.Carried:
    """A tester that sends and carries `rate`."""
    return results.Carried(
        frame_size=size, arrangement=arrangement, rate=rate, lowest=0.9 * rate, highest=rate,
        loss_ratio=0.0, trials=(0,),
    )  # fmt: skip


def make_sent(size: int, rate: float) -> results.Sent:
    """A sender that sends `rate` when nobody receives."""
    return results.Sent(frame_size=size, rate=rate, lowest=0.9 * rate, highest=rate, trials=(0,))


def make_receiver(
    *, rate: float | None = 1.5e6, dropped_at: float | None = None, unexplained: int = 0
) -> results.Receiver:
    """A receiver that never dropped a frame, unless told."""
    return results.Receiver(
        frame_size=64, rate=rate, dropped_at=dropped_at, senders=2, seconds=2.0,
        ring_bytes=32 << 20, unexplained=unexplained, trials=(0,),
    )  # fmt: skip


def make_timer(*, longest_away_ns: int = 0) -> results.Timer:
    """A timer that ends a sleep 20 us late."""
    return results.Timer(
        resolution_ns=1, step_ns=50, reading_ns=60.0, sleep_ns=1_000_000,
        sleep_late=make_delays([20_000] * 100).percentiles, spun_seconds=2.0,
        away=int(longest_away_ns > 0), away_ns=100_000, away_share=longest_away_ns / 2e9,
        longest_away_ns=longest_away_ns,
    )  # fmt: skip


def make_clocks(*, step_ns: int = 0) -> results.Clocks:
    """Clocks that agree within 50 ns."""
    return results.Clocks(
        source="tsc", uncertainty_ns=50.0, step_ns=step_ns, watched_seconds=60.0, slew_ppm=0.02
    )


def make_calibration(**words: Any) -> results.CalibrationRecord:
    """A completed calibration of a tester without a fault, changed by `words`."""
    stamp = words.pop("stamp", "20261121T030000Z")
    started = datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    made: dict[str, Any] = {
        "schema": "ppslab/calibration/2",
        "id": f"calibration-ppstraffic-{stamp}-namespaces",
        "started": started,
        "finished": started,
        "state": "completed",
        "ppslab": WHERE["ppslab"],
        "tester": results.Tester(name="ppstraffic", version="0", back_to_back={64: 1e6}),
        "backend": WHERE["backend"],
        "environment": HERE,
        "cpus": WHERE["cpus"],
        "carried": (make_carried(64, 1e6), make_carried(1518, 8e5)),
        "paced": (make_paced(1e4, 5_000), make_paced(1e5, 30_000), make_paced(9e5, 90_000)),
        "receiver": make_receiver(),
        "timer": make_timer(),
        "clocks": make_clocks(),
    }
    return results.CalibrationRecord(**(made | words))
