"""What the kernel counts while TCP passes a router: packets by port, drops and work by CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ppslab.results import LinkCounts, RouterCounts
from ppslab.theory.validity.steal import USER_HZ

_PACKETS = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")
_COUNTERS = (*_PACKETS, "rx_dropped", "tx_dropped")

_IDLE, _WAITING, _STEAL = 3, 4, 7
"""Their places in a line `cpu` of /proc/stat, proc(5)."""


def questions(ports: Sequence[str]) -> str:
    """Shell lines whose three parts `Counters.read` reads."""
    files = " ".join(
        f"/sys/class/net/{port}/statistics/{name}" for port in ports for name in _COUNTERS
    )
    return f"cat {files}\necho '##'; cat /proc/net/softnet_stat; echo '##'; cat /proc/stat\n"


@dataclass(frozen=True)
class Counters:
    """What the kernel had counted at one moment: each port of the router, CPUs, ticks.

    `dropped` and `ticks` by the CPU's number; the ticks of all together are those of "".
    """

    ports: Mapping[str, Mapping[str, int]]
    """Port to the kernel's statistics of it."""
    dropped: Mapping[str, int]
    ticks: Mapping[str, tuple[int, ...]]

    @classmethod
    def read(cls, text: str, ports: Sequence[str]) -> Counters:
        """Of the three parts that `questions` prints.

        softnet_stat has a line a CPU of hexadecimal numbers: the second is the packets dropped by
        its backlog, the thirteenth (since Linux 5.10) the CPU's number (net/core/net-procfs.c).
        """
        counted, softnet, stat = text.split("##\n")
        numbers = iter(int(line) for line in counted.split())
        cpus = [line.split() for line in softnet.splitlines()]
        lines = [line.split() for line in stat.splitlines() if line.startswith("cpu")]
        return cls(
            ports={port: {name: next(numbers) for name in _COUNTERS} for port in ports},
            dropped={
                str(int(words[12], 16) if len(words) > 12 else number): int(words[1], 16)
                for number, words in enumerate(cpus)
            },
            ticks={
                words[0].removeprefix("cpu"): tuple(int(word) for word in words[1:9])
                for words in lines
            },
        )

    def since(self, before: Counters) -> RouterCounts:
        """What was counted from `before` to now."""
        ports = {
            port: {name: now[name] - before.ports[port][name] for name in _COUNTERS}
            for port, now in self.ports.items()
        }
        spent = self._spent(before)
        return RouterCounts(
            packets=sum(port["rx_packets"] for port in ports.values()),
            bytes=sum(port["rx_bytes"] for port in ports.values()),
            port_drops=sum(port["rx_dropped"] + port["tx_dropped"] for port in ports.values()),
            dropped={cpu: now - before.dropped.get(cpu, 0) for cpu, now in self.dropped.items()},
            links={
                port: LinkCounts(**{name: found[name] for name in _PACKETS})
                for port, found in ports.items()
            },
            busy={
                cpu: round(1 - (ticks[_IDLE] + ticks[_WAITING]) / sum(ticks), 4)
                for cpu, ticks in spent.items()
                if cpu and sum(ticks)
            },
        )

    def stolen(self, before: Counters) -> tuple[dict[int, int], float]:
        """Ticks that the hypervisor took since `before`, by CPU, and the seconds since then."""
        spent = {cpu: ticks for cpu, ticks in self._spent(before).items() if cpu}
        seconds = max((sum(ticks) for ticks in spent.values()), default=0) / USER_HZ
        return {int(cpu): ticks[_STEAL] for cpu, ticks in spent.items()}, seconds

    def _spent(self, before: Counters) -> dict[str, list[int]]:
        return {
            cpu: [after - was for after, was in zip(now, before.ticks[cpu], strict=True)]
            for cpu, now in self.ticks.items()
            if cpu in before.ticks
        }
