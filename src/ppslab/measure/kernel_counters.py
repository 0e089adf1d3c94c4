"""A kernel's counters: packets of ports, soft interrupts, backlogs and time, CPU by CPU.

    before = kernel_counters.read(node, ports)
    ...
    kernel_counters.read(node, ports).router_counts(before)

All but the ports' are the machine's and not one node's: whoever else works on it is counted too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppslab.model.results import CpuCounters, LinkCounts, RouterCounts
from ppslab.model.validity import USER_HZ
from ppslab.testbed.backends import Node

_PACKETS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")
_OF_A_PORT = (*_PACKETS, "rx_dropped", "tx_dropped")

# proc(5): the columns of a line "cpuN" of /proc/stat, in ticks of USER_HZ.
_TIMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_IDLE, _WAITING, _STEAL = (_TIMES.index(name) for name in ("idle", "iowait", "steal"))

# Columns of softnet_stat, hexadecimal (net/core/net-procfs.c): the thirteenth is the CPU's number,
# since Linux 5.10.
_PROCESSED, _DROPPED, _SQUEEZED, _CPU = 0, 1, 2, 12


@dataclass(frozen=True)
class Counters:
    """All counters at one moment; what is not of a port is by the CPU's number."""

    ports: Mapping[str, Mapping[str, int]]
    """Port to the kernel's statistics of it."""
    softirqs: Mapping[int, Mapping[str, int]]
    """CPU to the count of each soft interrupt."""
    softnet: Mapping[int, tuple[int, int, int]]
    """CPU to packets processed, packets dropped by its backlog, and time squeezes."""
    ticks: Mapping[int, tuple[int, ...]]
    """CPU to its ticks, as /proc/stat has them."""

    def router_counts(self, before: Counters) -> RouterCounts:
        """Return what ports and CPUs counted since `before`, for a record of TCP."""
        ports = {
            port: {name: now[name] - before.ports[port][name] for name in _OF_A_PORT}
            for port, now in self.ports.items()
        }
        return RouterCounts(
            packets=sum(port["rx_packets"] for port in ports.values()),
            bytes=sum(port["rx_bytes"] for port in ports.values()),
            port_drops=sum(port["rx_dropped"] + port["tx_dropped"] for port in ports.values()),
            dropped={str(cpu): self._packets(before, cpu)[_DROPPED] for cpu in self.softnet},
            links={
                port: LinkCounts(**{name: grown[name] for name in _PACKETS})
                for port, grown in ports.items()
            },
            busy={
                str(cpu): round(1 - (ticks[_IDLE] + ticks[_WAITING]) / sum(ticks), 4)
                for cpu, ticks in self._spent(before).items()
                if sum(ticks)
            },
        )

    def stolen(self, before: Counters) -> tuple[dict[int, int], float]:
        """Return the ticks that the hypervisor took since `before`, by CPU, and the seconds."""
        spent = self._spent(before)
        seconds = max((sum(ticks) for ticks in spent.values()), default=0) / USER_HZ
        return {cpu: ticks[_STEAL] for cpu, ticks in spent.items()}, seconds

    def cpu_counters(self, before: Counters) -> tuple[CpuCounters, ...]:
        """Return what each CPU counted since `before`, for a record of a profile."""
        counters = []
        for cpu, ticks in sorted(self._spent(before).items()):
            earlier = before.softirqs.get(cpu, {})
            grown = {n: now - earlier.get(n, 0) for n, now in self.softirqs.get(cpu, {}).items()}
            processed, dropped, squeezed = self._packets(before, cpu)
            counters.append(
                CpuCounters(
                    cpu=cpu,
                    seconds={
                        name: round(n / USER_HZ, 2) for name, n in zip(_TIMES, ticks, strict=False)
                    },
                    softirqs={name: number for name, number in grown.items() if number},
                    processed=processed,
                    dropped=dropped,
                    squeezed=squeezed,
                )
            )
        return tuple(counters)

    def _packets(self, before: Counters, cpu: int) -> list[int]:
        now, was = (counters.softnet.get(cpu, (0, 0, 0)) for counters in (self, before))
        return [after - earlier for after, earlier in zip(now, was, strict=True)]

    def _spent(self, before: Counters) -> dict[int, list[int]]:
        """Ticks since `before`, of the CPUs that were there then."""
        return {
            cpu: [after - earlier for after, earlier in zip(now, before.ticks[cpu], strict=True)]
            for cpu, now in self.ticks.items()
            if cpu in before.ticks
        }


def read(node: Node, ports: Sequence[str] = ()) -> Counters:
    """Return the counters now, as a node sees them; `ports`: of the node."""
    return parse(node.run(["sh", "-e"], input=_questions(ports)).stdout, ports)


def _questions(ports: Sequence[str]) -> str:
    """Shell lines whose four parts `parse` reads."""
    files = [f"/sys/class/net/{port}/statistics/{name}" for port in ports for name in _OF_A_PORT]
    lines = f"cat {' '.join(files)}\n" if files else ""
    for name in ("net/softnet_stat", "stat", "softirqs"):
        lines += f"echo '##'; cat /proc/{name}\n"
    return lines


def parse(text: str, ports: Sequence[str] = ()) -> Counters:
    """Return the counters of four parts: the ports' numbers, softnet_stat, stat, softirqs.

    A line `##` stands between them.
    """
    numbers, softnet, stat, softirqs = text.split("##\n")
    of_ports = iter(int(line) for line in numbers.split())
    backlogs: dict[int, tuple[int, int, int]] = {}
    for place, line in enumerate(softnet.splitlines()):
        columns = [int(word, 16) for word in line.split()]
        cpu = columns[_CPU] if len(columns) > _CPU else place
        backlogs[cpu] = (columns[_PROCESSED], columns[_DROPPED], columns[_SQUEEZED])
    head, *lines = softirqs.splitlines() or [""]
    cpus = [int(word.removeprefix("CPU")) for word in head.split()]
    by_cpu: dict[int, dict[str, int]] = {cpu: {} for cpu in cpus}
    for line in lines:
        name, _, counts = line.partition(":")
        for cpu, count in zip(cpus, counts.split(), strict=False):
            by_cpu[cpu][name.strip()] = int(count)
    return Counters(
        ports={port: {name: next(of_ports) for name in _OF_A_PORT} for port in ports},
        softirqs=by_cpu,
        softnet=backlogs,
        ticks={
            int(columns[0][3:]): tuple(int(word) for word in columns[1 : 1 + len(_TIMES)])
            for columns in (line.split() for line in stat.splitlines())
            if columns and columns[0].startswith("cpu") and columns[0] != "cpu"
        },
    )
