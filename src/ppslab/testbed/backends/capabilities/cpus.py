"""The CPUs of this machine, and which of them sends, which routes, which reads."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class CpuPlan:
    """The CPUs and their work.  `router` is None where it shares the sender's ("coupled").

    `is_external`: the router is a device of its own, and has none of these.
    """

    sender: int
    router: int | None
    reader: int
    is_external: bool = False

    @property
    def coupled(self) -> bool:
        """Return whether the sender's own cost is in every figure."""
        return self.router is None and not self.is_external

    @property
    def own(self) -> frozenset[int] | None:
        """The CPUs whose loss spoils a trial; None: any, where no task has a CPU of its own."""
        if self.is_external:
            return None
        return frozenset(c for c in (self.sender, self.router, self.reader) if c is not None)

    def receiving(self, *, coupled: bool) -> int:
        """The CPU that empties the receiver's ring: not the sender's while another is free."""
        free = self.router if coupled and self.reader == self.sender else None
        return self.reader if free is None else free


@dataclass(frozen=True)
class CpuFacts:
    """`allowed`: CPUs this process may use; `siblings`: those on a core that an earlier one has."""

    model: str
    online: int
    allowed: tuple[int, ...]
    siblings: tuple[int, ...]


def cpu_facts() -> CpuFacts:
    allowed = tuple(sorted(os.sched_getaffinity(0)))
    return CpuFacts(_model(), os.cpu_count() or len(allowed), allowed, tuple(_siblings(allowed)))


def cpu_plan(cpus: Sequence[int] | None = None) -> CpuPlan:
    """Choose the CPUs that send, route and read.  `cpus`: of a guest; None: of this machine.

    One CPU: all on it. Two: the reader shares the sender's, because the router is what is
    measured. Three and more: one each, on cores of their own as far as there are any: two
    threads of one core slow each other down, and that would look like a slower router.
    """
    if cpus is None:
        facts = cpu_facts()
        order = [cpu for cpu in facts.allowed if cpu not in facts.siblings] + list(facts.siblings)
    else:
        order = list(cpus)
    if len(order) == 1:
        return CpuPlan(order[0], None, order[0])
    if len(order) == 2:
        return CpuPlan(order[0], order[1], order[0])
    return CpuPlan(order[0], order[1], order[2])


def steal_share(seconds: float = 0.2) -> float:
    """The share of CPU time that the hypervisor gave to others in the next `seconds`, 0 to 1.

    From /proc/stat, proc(5): the eighth number of the line `cpu`.
    """
    first = _ticks()
    time.sleep(seconds)
    spent = [after - before for before, after in zip(first, _ticks(), strict=True)]
    total = sum(spent[:8])  # user time already contains guest time, the ninth and tenth
    return spent[7] / total if total else 0.0


def _ticks() -> list[int]:
    line = Path("/proc/stat").read_text().splitlines()[0]
    return [int(word) for word in line.split()[1:]]


def _model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "Processor"):
            return value.strip()
    return os.uname().machine


def _siblings(cpus: Sequence[int]) -> list[int]:
    """CPUs whose core an earlier one of `cpus` has already."""
    taken: set[str] = set()
    later = []
    for cpu in cpus:
        path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        try:
            core = path.read_text().strip()
        except OSError:
            core = str(cpu)
        if core in taken:
            later.append(cpu)
        taken.add(core)
    return later
