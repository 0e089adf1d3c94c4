"""Measure one CPU's clocks and timers, as JSON: run on a node by itself, `probe.py CPU SECONDS`.

Standard library only: in a guest every import costs a second.  Man pages: clock_getres(2),
clock_gettime(2), sched_setaffinity(2).  CPU -1 leaves the probe where the kernel puts it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from itertools import pairwise
from pathlib import Path

SLEEP_NS = 1_000_000
SLEEPS = 200
AWAY_NS = 100_000
PAIRS = 1_000
READINGS = 2_000
SOURCE = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")


def clocks() -> dict[str, object]:
    """The three clocks at one moment: of many pairs of readings the closest."""
    best, offset = sys.maxsize, 0
    for _ in range(PAIRS):
        before = time.monotonic_ns()
        wall = time.time_ns()
        after = time.monotonic_ns()
        if after - before < best:
            best, offset = after - before, wall - (before + after) // 2
    return {
        "source": SOURCE.read_text().strip() if SOURCE.exists() else "unknown",
        "offset_ns": offset,
        "uncertainty_ns": best / 2,
        "monotonic_ns": time.monotonic_ns(),
        "raw_ns": time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW),
    }


def readings() -> list[int]:
    """Differences between readings of CLOCK_MONOTONIC that follow each other, in ns."""
    seen = [time.monotonic_ns() for _ in range(READINGS)]
    return [later - earlier for earlier, later in pairwise(seen)]


def sleeps() -> list[int]:
    """Lateness of sleeps, ns."""
    late = []
    for _ in range(SLEEPS):
        before = time.monotonic_ns()
        time.sleep(SLEEP_NS / 1e9)
        late.append(time.monotonic_ns() - before - SLEEP_NS)
    return late


def spin(seconds: float) -> tuple[int, list[int]]:
    """Read the clock unceasingly: how long, and every time of not reading longer than AWAY_NS."""
    now = started = time.monotonic_ns()
    end = started + int(seconds * 1e9)
    away = []
    while now < end:
        last, now = now, time.monotonic_ns()
        if now - last > AWAY_NS:
            away.append(now - last)
    return now - started, away


def main(cpu: int, seconds: float) -> None:
    if cpu >= 0:
        os.sched_setaffinity(0, {cpu})
    steps = readings()
    spun, away = spin(seconds) if seconds > 0 else (0, [])
    readings_of_all = {
        "clocks": clocks(),
        "resolution_ns": round(time.clock_getres(time.CLOCK_MONOTONIC) * 1e9),
        "steps_ns": steps,
        "sleep_ns": SLEEP_NS,
        "sleep_late_ns": sleeps() if seconds > 0 else [],
        "spun_ns": spun,
        "away_ns": AWAY_NS,
        "aways_ns": away,
    }
    json.dump(readings_of_all, sys.stdout)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
