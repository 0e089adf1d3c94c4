"""Queues of a guest's virtual cards, and their cost: arithmetic on `queues.yml`.

Nothing is asked of a machine.  A card that is passed through brings its own queues.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from pydantic import Field, model_validator

from ppslab.core import documents
from ppslab.core.documents import fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.text.numbers import plural
from ppslab.model.planning.nics.placement import MOST_CPUS

DATA = Path(__file__).with_name("queues.yml")


class Source(StrictModel):
    """The document of a figure."""

    title: str
    url: str


class Sourced(StrictModel):
    """A figure, and the name of its source."""

    source: str


class Vectors(Sourced):
    """Interrupts (MSI-X vectors) of a port: `a_queue` for each queue, and `a_port` more."""

    a_queue: int
    a_port: int


class Memory(Sourced):
    """Memory of the host's kernel for a queue that vhost carries, in KiB."""

    kib_a_queue: int


class Threads(Sourced):
    """Threads of the host's kernel for a queue that vhost carries."""

    a_queue: int


class AtMostCpus(Sourced):
    """That more queues than CPUs bring nothing."""


class Note(Sourced):
    """Something to know."""

    says: str


class Hypervisor(Sourced):
    """The words of one hypervisor.

    `most`: queues of one port.  `vhost`: the host's kernel carries the packets, and `lines` say how
    many queues there are.  `notes`: what else to know of it, each with the name of its source.
    """

    most: int = Field(ge=1)
    vhost: bool = True
    lines: tuple[str, ...] = Field(min_length=1)
    notes: tuple[Note, ...] = ()


class Data(StrictModel):
    """All of queues.yml."""

    sources: dict[str, Source]
    vectors: Vectors
    kernel_memory: Memory
    at_most_cpus: AtMostCpus
    vhost_threads: Threads
    hypervisors: dict[str, Hypervisor]

    @model_validator(mode="after")
    def _sourced(self) -> Data:
        given: tuple[Sourced, ...] = (
            self.vectors, self.kernel_memory, self.at_most_cpus, self.vhost_threads,
            *self.hypervisors.values(),
            *(note for each in self.hypervisors.values() for note in each.notes),
        )  # fmt: skip
        for each in given:
            if each.source not in self.sources:
                raise ValueError(
                    f"no source {each.source!r}{did_you_mean(each.source, self.sources)}"
                )
        return self


@lru_cache
def data() -> Data:
    """queues.yml."""
    return fitting.validate(documents.load_yaml(DATA), Data)


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
    return Queues(
        cpus=cpus,
        ports=ports,
        queues=cpus,
        vectors=known.vectors.a_queue * cpus + known.vectors.a_port,
        threads=known.vhost_threads.a_queue * cpus * ports,
        memory_kib=known.kernel_memory.kib_a_queue * cpus * ports,
    )


def lines(made: Queues, hypervisor: str) -> tuple[str, ...]:
    """Lines for a hypervisor's configuration, port by port.

    UsageError for one that is not known, or that gives a port fewer queues.
    """
    known = data().hypervisors
    if hypervisor not in known:
        raise UsageError(
            f"--for {hypervisor}: one of {', '.join(known)}{did_you_mean(hypervisor, known)}"
        )
    words = known[hypervisor]
    if made.queues > words.most:
        raise UsageError(
            f"{made.queues} queues, but {hypervisor} gives a port {words.most}: lower --cpus"
        )
    return tuple(
        line.format(port=port, queues=made.queues, vectors=made.vectors)
        for port in range(made.ports)
        for line in words.lines
    )


def sentences(made: Queues, hypervisor: str) -> tuple[str, ...]:
    """Sentences of the plan: its demands, and the source of each figure."""
    known = data()
    words = known.hypervisors[hypervisor]
    said = [f"{plural(made.queues, 'queue')} at each port, one for each CPU; more would not help."]
    used: list[Sourced] = [known.at_most_cpus]
    if words.vhost:
        said += [
            f"{plural(made.vectors, 'interrupt')} of each port: "
            f"{known.vectors.a_queue} a queue, and {known.vectors.a_port} more.",
            f"The host carries the packets (vhost): {plural(made.threads, 'thread')}, "
            f"{made.memory_kib} KiB of its kernel's memory, "
            "and CPUs of its own beside the guest's.",
        ]
        used += [known.vectors, known.vhost_threads, known.kernel_memory]
    said += [note.says for note in words.notes]
    names = dict.fromkeys(each.source for each in (*used, words, *words.notes))
    return (
        *said,
        "One stream stays in one queue, and so does a tunnel: more queues do not help these.",
        "In RouterOS, /system/resource/irq/print then shows the queues of each port.",
        *(f"Source: {known.sources[name].title}, {known.sources[name].url}" for name in names),
    )
