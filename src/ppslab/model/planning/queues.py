"""Queues of a guest's virtual cards, and their cost: arithmetic on `queues.yml`.

Nothing is asked of a machine.  A card that is passed through brings its own queues.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ppslab.core import documents
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.model.planning.nics.placement import MOST_CPUS

DATA = Path(__file__).with_name("queues.yml")


@lru_cache
def data() -> dict[str, Any]:
    """queues.yml: the figures and the hypervisors, each with the name of its source."""
    return dict(documents.load_yaml(DATA).data)


@dataclass(frozen=True)
class Queues:
    """A plan.  Of one port: `queues` and `vectors`; of all ports: `threads` and `memory_kib`.

    `cpus`: the guest's; `threads` and `memory_kib` are the host's, who carries the packets (vhost).
    """

    cpus: int
    ports: int
    queues: int
    vectors: int
    threads: int
    memory_kib: int


def plan(cpus: int, ports: int) -> Queues:
    """A queue for each CPU of the guest, at each port; UsageError where RouterOS has no such CPU.

    >>> plan(4, 2)
    Queues(cpus=4, ports=2, queues=4, vectors=10, threads=8, memory_kib=512)
    """
    if cpus > MOST_CPUS:
        raise UsageError(f"--cpus {cpus}: RouterOS's kernel knows {MOST_CPUS} CPUs")
    known = data()
    vectors, threads, memory = (
        known[name] for name in ("vectors", "vhost_threads", "kernel_memory")
    )
    return Queues(
        cpus=cpus,
        ports=ports,
        queues=cpus,
        vectors=vectors["a_queue"] * cpus + vectors["a_port"],
        threads=threads["a_queue"] * cpus * ports,
        memory_kib=memory["kib_a_queue"] * cpus * ports,
    )


def lines(made: Queues, hypervisor: str) -> tuple[str, ...]:
    """Lines for a hypervisor's configuration, port by port.

    UsageError for one that is not known, or that gives a port fewer queues.
    """
    known = data()["hypervisors"]
    if hypervisor not in known:
        raise UsageError(
            f"--for {hypervisor}: one of {', '.join(known)}{did_you_mean(hypervisor, known)}"
        )
    most = known[hypervisor]["most"]
    if made.queues > most:
        raise UsageError(
            f"{made.queues} queues, but {hypervisor} gives a port {most}: lower --cpus"
        )
    return tuple(
        line.format(port=port, queues=made.queues, vectors=made.vectors)
        for port in range(made.ports)
        for line in known[hypervisor]["lines"]
    )


def sentences(made: Queues, hypervisor: str) -> tuple[str, ...]:
    """Sentences of the plan: its demands, and the source of each figure."""
    known = data()
    words = known["hypervisors"][hypervisor]
    notes = words.get("notes", [])
    said = [f"{plural(made.queues, 'queue')} at each port, one for each CPU; more would not help."]
    figures = [known["at_most_cpus"]]
    if words.get("vhost", True):
        vectors = known["vectors"]
        said += [
            f"{plural(made.vectors, 'interrupt')} of each port: "
            f"{vectors['a_queue']} a queue, and {vectors['a_port']} more.",
            f"The host carries the packets (vhost): {plural(made.threads, 'thread')}, "
            f"{made.memory_kib} KiB of its kernel's memory, "
            "and CPUs of its own beside the guest's.",
        ]
        figures += [vectors, known["vhost_threads"], known["kernel_memory"]]
    sources = dict.fromkeys(each["source"] for each in (*figures, words, *notes))
    return (
        *said,
        *(note["says"] for note in notes),
        "One stream stays in one queue, and so does a tunnel: more queues do not help these.",
        "In RouterOS, /system/resource/irq/print then shows the queues of each port.",
        *("Source: {title}, {url}".format(**known["sources"][name]) for name in sources),
    )
