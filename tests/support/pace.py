"""How much work something is, beside a plain loop of Python: both by the CPU's time, here and now.

A limit in seconds says what else the machine does.  A machine at half its speed, or one whose
hypervisor takes a share, has the loop wait as long as the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable

TURNS = 500_000
ATTEMPTS = 5


def cpu_seconds(work: Callable[[], object]) -> float:
    """The CPU time of this thread that it takes."""
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _loop() -> None:
    for _ in range(TURNS):
        pass


def turns(work: Callable[[], object]) -> float:
    """Millions of turns of an empty loop that take as long; the loop before and after it counts."""
    before = cpu_seconds(_loop)
    spent = cpu_seconds(work)
    return spent / max(before, cpu_seconds(_loop)) * TURNS / 1e6


def assert_within(most: float, work: Callable[[], object]) -> None:
    """It takes as long as so many million turns, or less; of a few tries the least disturbed."""
    tried: list[float] = []
    while len(tried) < ATTEMPTS and min(tried, default=most + 1) > most:
        tried.append(turns(work))
    assert min(tried) <= most, f"millions of turns of a loop: {tried}"
