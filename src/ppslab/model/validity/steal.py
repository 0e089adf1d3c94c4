"""CPU time that a hypervisor gave to others, and when it is so much that a trial is no measurement.

Linux counts it for each CPU in ticks of USER_HZ (/proc/stat, proc(5): the eighth number of a line
`cpuN`).  A difference of n ticks stands for anything between n - 1 and n + 1 of them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from ppslab.model.validity import Cause, Problem

LIMIT: Final = 0.05
"""Share of one CPU's time that the hypervisor may take before the trial is repeated."""

FEWEST_TICKS: Final = 3
"""Fewer say too little: one tick at each end of a trial may be the time before or after it.

A trial of the quick profile lasts ten ticks.  5 % of it is half a tick, which nobody can see.
"""

USER_HZ: Final = 100


@dataclass(frozen=True)
class Stolen(Problem):
    """One CPU lost so many ticks of USER_HZ in so many seconds."""

    cause = Cause.STEAL
    cpu: int
    ticks: int
    seconds: float

    @property
    def sentence(self) -> str:
        """The CPU, and the share of the time that it lost."""
        share = worst_share({self.cpu: self.ticks}, self.seconds)
        return (
            f"CPU steal: the hypervisor took CPU {self.cpu} for {share:.0%} of the time "
            f"({self.ticks} ticks in {self.seconds:.2f} s)"
        )


def worst_share(
    ticks: Mapping[int, int], seconds: float, cpus: Collection[int] | None = None
) -> float:
    """The largest share of its time that one of the CPUs lost, 0 to 1.

    `ticks`: of USER_HZ, by CPU; one that is not in it lost none.  `seconds`: in which they were
    counted.  `cpus`: those that matter; None: all.
    """
    most = max((n for cpu, n in ticks.items() if cpus is None or cpu in cpus), default=0)
    return min(1.0, most / USER_HZ / seconds) if seconds > 0 else 0.0


def judge(
    ticks: Mapping[int, int] | None, seconds: float, cpus: Collection[int] | None = None
) -> Stolen | None:
    """The problem where a CPU lost for certain more than `LIMIT` of the time; arguments as above.

    CPUs are judged one by one: two that lost 3 % each have not lost 6 %.  None as well where a
    tester cannot see the steal.
    """
    certain = [
        (n, cpu)
        for cpu, n in (ticks or {}).items()
        if (cpus is None or cpu in cpus)
        and n >= FEWEST_TICKS
        and (n - 1) / USER_HZ > LIMIT * seconds
    ]
    if not certain or seconds <= 0:
        return None
    most, cpu = max(certain)
    return Stolen(cpu, most, seconds)
