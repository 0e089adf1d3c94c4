"""A kernel's counters: packets of ports, drops of backlogs and time, CPU by CPU.

    before = kernel_counters.read(node, ports)
    ...
    kernel_counters.read(node, ports).router_counts(before)

All but the ports' are the machine's and not one node's: whoever else works on it is counted too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppslab.model.results import LinkCounts, RouterCounts
from ppslab.model.validity import USER_HZ
from ppslab.testbed.backends import Node

_PACKETS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")
_OF_A_PORT = (*_PACKETS, "rx_dropped", "tx_dropped")

# proc(5): the columns of a line "cpuN" of /proc/stat, in ticks of USER_HZ.
_TIMES = ("user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal")
_IDLE, _WAITING, _STEAL = (_TIMES.index(name) for name in ("idle", "iowait", "steal"))

# Columns of softnet_stat, hexadecimal (net/core/net-procfs.c): the thirteenth is the CPU's number,
# since Linux 5.10.
_DROPPED, _CPU = 1, 12


@dataclass(frozen=True)
class Counters:
    """All counters at one moment; what is not of a port is by the CPU's number."""

    ports: Mapping[str, Mapping[str, int]]
    """Port to the kernel's statistics of it."""
    dropped: Mapping[int, int]
    """CPU to the packets that found its backlog full."""
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
            dropped={str(c): n - before.dropped.get(c, 0) for c, n in self.dropped.items()},
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

    def _spent(self, before: Counters) -> dict[int, list[int]]:
        """Ticks since `before`, of the CPUs that were there then."""
        return {
            cpu: [after - earlier for after, earlier in zip(now, before.ticks[cpu], strict=True)]
            for cpu, now in self.ticks.items()
            if cpu in before.ticks
        }


def read(node: Node, ports: Sequence[str] = ()) -> Counters:
    """Return the counters now, as a node sees them; `ports`: of the node."""
    files = [f"/sys/class/net/{port}/statistics/{name}" for port in ports for name in _OF_A_PORT]
    script = f"cat {' '.join(files)}\n" if files else ""
    for name in ("net/softnet_stat", "stat"):
        script += f"echo '##'; cat /proc/{name}\n"
    return parse(node.run(["sh", "-e"], input=script).stdout, ports)


def parse(text: str, ports: Sequence[str] = ()) -> Counters:
    """Return the counters of three parts: the ports' numbers, softnet_stat, stat.

    A line `##` stands between them.
    """
    numbers, softnet, stat = text.split("##\n")
    of_ports = iter(int(line) for line in numbers.split())
    dropped: dict[int, int] = {}
    for place, line in enumerate(softnet.splitlines()):
        columns = [int(word, 16) for word in line.split()]
        dropped[columns[_CPU] if len(columns) > _CPU else place] = columns[_DROPPED]
    return Counters(
        ports={port: {name: next(of_ports) for name in _OF_A_PORT} for port in ports},
        dropped=dropped,
        ticks={
            int(columns[0][3:]): tuple(int(word) for word in columns[1 : 1 + len(_TIMES)])
            for columns in (line.split() for line in stat.splitlines())
            if columns and columns[0].startswith("cpu") and columns[0] != "cpu"
        },
    )
