"""Which CPU serves the interrupts of a node's network cards.

Linux: Documentation/core-api/irq/irq-affinity.rst.  A CPU that is written to
/proc/irq/N/smp_affinity_list serves the vector from the card's next interrupt on, and the first
CPU has taken that one still: so the written CPU is read back, and the frames of a trial show who
served them (counters).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from ppslab.core.errors import BackendError
from ppslab.testbed.backends import Node

Served = Mapping[str, int]
"""CPU by port."""
Came = Mapping[str, Mapping[int, int]]
"""The CPU that the kernel chose, by port and by the number of the interrupt."""

HEADING = "interrupts"
# The shell's own words only: under emulation each program takes 50 ms, and each port has three.
_READ = """echo '## interrupts'
for p in {ports}; do for v in /sys/class/net/$p/device/../msi_irqs/*; do
i=${{v##*/}}
[ -e /proc/irq/$i ] || continue
read a </proc/irq/$i/smp_affinity_list
read e </proc/irq/$i/effective_affinity_list
read c </sys/kernel/irq/$i/per_cpu_count
read n </sys/kernel/irq/$i/actions
echo "$p $i $n wanted $a effective $e served $c"
done; done
"""


def questions(ports: Sequence[str]) -> str:
    """Shell lines that ask for every interrupt of the ports' cards, under a heading."""
    return _READ.format(ports=" ".join(ports))


def came(node: Node, ports: Sequence[str]) -> Came:
    """Which CPU the kernel chose for every interrupt, before anybody else does."""
    answer = node.run(["sh"], input=questions(ports)).stdout
    interrupts: dict[str, dict[int, int]] = {port: {} for port in ports}
    for line in answer.splitlines()[1:]:
        port, number, *fields = line.split()
        interrupts[port][int(number)] = _first(fields[fields.index("effective") + 1])
    without = [port for port, numbers in interrupts.items() if not numbers]
    if without:
        raise BackendError(
            f"node {node.name}: {', '.join(without)}: no network card with interrupts of its own; "
            "the lab's `machine:` gives it one, on the vm backend"
        )
    return interrupts


def serve(served: Served | Literal["chance"], chosen: Came) -> str:
    """Shell lines that give the ports' interrupts to their CPUs.

    `chance`, and ports that are not named: where the kernel had them.
    """
    lines = []
    for port, numbers in chosen.items():
        for number, cpu in numbers.items():
            to = cpu if served == "chance" else served.get(port, cpu)
            lines.append(f"echo {to} >/proc/irq/{number}/smp_affinity_list\n")
    return "".join(lines)


def problems(served: Served | Literal["chance"], answer: str, chosen: Came) -> Iterable[str]:
    """Which interrupts are somebody else's to serve, by what `questions` got."""
    for line in answer.splitlines():
        port, number, *fields = line.split()
        cpu = chosen[port].get(int(number))
        expected = cpu if served == "chance" else served.get(port, cpu)
        cpu_text = fields[fields.index("wanted") + 1]
        if cpu_text != str(expected):
            yield f"port {port}: interrupt {number} is for CPU {cpu_text}, not {expected}"


def _first(listed: str) -> int:
    """The first CPU of a list such as 0-3,5."""
    return int(listed.split(",", maxsplit=1)[0].split("-", maxsplit=1)[0])
