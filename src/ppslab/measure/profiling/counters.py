"""What the kernel counts without being sampled: softirqs, backlogs and CPU time, by CPU.

These are the machine's and not one node's: whoever else works on it is counted too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ppslab.model.results import CpuCounters
from ppslab.testbed.backends import Node

_SCRIPT = "cat /proc/softirqs; echo '##'; cat /proc/net/softnet_stat; echo '##'; cat /proc/stat"

# proc(5): the columns of a line "cpuN" of /proc/stat, in ticks of 1/100 s.
_TIMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_TICK_SECONDS = 0.01

# Columns of softnet_stat, hexadecimal (net/core/net-procfs.c): the thirteenth is the CPU's number,
# since Linux 5.10.
_PROCESSED, _DROPPED, _SQUEEZED, _CPU = 0, 1, 2, 12


@dataclass(frozen=True)
class Counted:
    """All counters at one moment, by CPU number and name."""

    softirqs: Mapping[int, Mapping[str, int]]
    """CPU to the count of each soft interrupt."""
    softnet: Mapping[int, tuple[int, int, int]]
    """CPU to packets processed, packets dropped, and time squeezes."""
    ticks: Mapping[int, tuple[int, ...]]
    """CPU to its ticks, as /proc/stat has them."""


def read(node: Node) -> Counted:
    """The counters now, as a node sees them."""
    return parse(node.run(["sh", "-ec", _SCRIPT]).stdout)


def parse(text: str) -> Counted:
    """The three files, with a line `##` between them."""
    softirqs, softnet, stat = text.split("##\n")
    head, *lines = softirqs.splitlines()
    cpus = [int(word.removeprefix("CPU")) for word in head.split()]
    by_cpu: dict[int, dict[str, int]] = {cpu: {} for cpu in cpus}
    for line in lines:
        name, _, numbers = line.partition(":")
        for cpu, number in zip(cpus, numbers.split(), strict=False):
            by_cpu[cpu][name.strip()] = int(number)
    backlog: dict[int, tuple[int, int, int]] = {}
    for place, line in enumerate(softnet.splitlines()):
        columns = [int(word, 16) for word in line.split()]
        cpu = columns[_CPU] if len(columns) > _CPU else place
        backlog[cpu] = (columns[_PROCESSED], columns[_DROPPED], columns[_SQUEEZED])
    ticks = {
        int(columns[0][3:]): tuple(int(word) for word in columns[1 : 1 + len(_TIMES)])
        for columns in (line.split() for line in stat.splitlines())
        if columns and columns[0].startswith("cpu") and columns[0] != "cpu"
    }
    return Counted(by_cpu, backlog, ticks)


def between(before: Counted, after: Counted) -> tuple[CpuCounters, ...]:
    """What each CPU counted in between."""
    counters = []
    for cpu in sorted(after.ticks):
        spent = [
            (now - was) * _TICK_SECONDS
            for now, was in zip(after.ticks[cpu], before.ticks.get(cpu, ()), strict=False)
        ]
        softirqs = {
            name: number - before.softirqs.get(cpu, {}).get(name, 0)
            for name, number in after.softirqs.get(cpu, {}).items()
        }
        old, new = before.softnet.get(cpu, (0, 0, 0)), after.softnet.get(cpu, (0, 0, 0))
        counters.append(
            CpuCounters(
                cpu=cpu,
                seconds=dict(zip(_TIMES, (round(value, 2) for value in spent), strict=False)),
                softirqs={name: number for name, number in softirqs.items() if number},
                processed=new[_PROCESSED] - old[_PROCESSED],
                dropped=new[_DROPPED] - old[_DROPPED],
                squeezed=new[_SQUEEZED] - old[_SQUEEZED],
            )
        )
    return tuple(counters)
