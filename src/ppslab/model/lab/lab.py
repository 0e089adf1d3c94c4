"""A lab as its folder describes it: `labs/NAME/lab.yml` and the files that it names."""

from __future__ import annotations

import os.path
import re
import stat
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import disk, fitting
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError, PpslabError, UsageError, did_you_mean
from ppslab.core.measures import Measure
from ppslab.core.text.quantities import Named
from ppslab.model.lab import Name
from ppslab.model.lab.conditions import Condition, Expect, LinuxSpec, PortQueues
from ppslab.model.lab.machine import FEATURE, QUEUES, Card, Machine
from ppslab.model.lab.packets import Flow, Increment
from ppslab.model.lab.tcp import Tcp

__all__ = [
    "Condition",
    "Expect",
    "Flow",
    "Increment",
    "Lab",
    "LabSpec",
    "LinuxSpec",
    "Name",
    "Tcp",
    "find",
    "load",
    "names",
    "tried",
]


OWN = ("lab.yml", "tasks.yml", "claims.yml", "published.csv")
"""Files of a lab's folder besides those that its conditions name."""


class LabSpec(StrictModel):
    """All of lab.yml."""

    title: str  # the lab's title
    summary: str = ""  # what the list of labs says of it, after its title: no full stop
    draft: bool = False  # whether something may still be to write; then nothing counts it
    topology: Name  # the topology that it is wired as
    router: str  # the node under test
    tester: str  # the node that sends and receives
    ports: dict[str, str]  # the lab's name of a port to the tester's interface
    # bytes of a frame, with the frame check sequence
    frame_sizes: tuple[Annotated[int, Field(ge=64, le=9216)], ...] = ()
    # of cost, at most: of each condition that has none of its own; left out: as many as the profile
    # has
    rounds: int | None = Field(default=None, ge=1)
    # streams of the tester; none: the lab has TCP only
    flows: dict[str, tuple[Flow, ...]] = Field(default_factory=dict)
    timed_too: bool = False  # `make book` measures it by time as well, beside the counts
    # kernel modules that a machine of its own loads for its CPU, and a guest does not: ciphers
    modules: tuple[str, ...] = ()
    measure: Measure = "counted"  # what `ppslab run` takes where it is not told
    # which of the tester's own costs is subtracted from a trial's
    baseline: Literal["cable", "drop"] = "cable"
    reference: str  # the condition that all others are compared with
    # conditions without the lab's subject, each to the one that only adds it
    pairs: dict[Name, Name] = Field(default_factory=dict)
    search: tuple[Name, ...] | None = None  # conditions whose throughput is searched; left out: all
    rfc2544: tuple[Name, ...] = ()  # conditions of the RFC 2544 suite where none is named
    # bits per second of a port on the article's hardware
    port_speed: int | None = Field(default=None, gt=0)
    tcp: Tcp | None = None  # how the lab is loaded with TCP; none: it is not
    machine: Machine | None = None  # sockets and cards, built to order; left out: no cards
    # RouterOS file to the nodes that take it, where that is not the lab's router
    routeros_nodes: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    # the conditions, in the order of pages and figures
    conditions: tuple[Condition, ...] = Field(min_length=1)

    @property
    def tcp_reference(self) -> str:
        """The condition that `ppslab tcp` compares all others with."""
        return (self.tcp and self.tcp.reference) or self.reference


class Lab:
    def __init__(self, folder: Path, spec: LabSpec) -> None:
        self.folder = folder
        self.name = folder.name
        self.spec = spec
        self.title = spec.title
        self.conditions = {condition.name: condition for condition in spec.conditions}

    def __repr__(self) -> str:
        return f"Lab({self.name!r}, {len(self.conditions)} conditions)"

    @property
    def titles(self) -> dict[str, str]:
        """The readers' names of its conditions, by the ids that commands take."""
        return {condition.name: condition.title for condition in self.conditions.values()}

    def named(self, condition: str) -> Named:
        """A condition's id with its title."""
        return Named(condition, self.titles.get(condition, ""))

    def condition(self, name: str) -> Condition:
        """The condition called `name`; UsageError names the near ones where there is none."""
        if name not in self.conditions:
            near = did_you_mean(name, self.conditions)
            raise UsageError(f"lab {self.name} has no condition {name!r}{near}")
        return self.conditions[name]

    def flows(self, condition: Condition) -> tuple[Flow, ...]:
        """The streams of a condition; UsageError where it has none."""
        if condition.flows is None:
            raise UsageError(
                f"lab {self.name}, {condition.name}: it has no streams of the tester (flows); "
                f"measure it with TCP: ppslab tcp {self.name}"
            )
        return self.spec.flows[condition.flows]

    def searched(self, condition: Condition) -> bool:
        """True if `ppslab run` searches the throughput of a condition."""
        return self.spec.search is None or condition.name in self.spec.search

    def sizes(self, condition: Condition) -> tuple[int, ...]:
        """The frame sizes in bytes at which a condition is measured: its own, or the lab's."""
        return condition.sizes or self.spec.frame_sizes

    def rounds(self, condition: Condition) -> int | None:
        """In how many rounds of cost a condition is at most: its own, or the lab's; None: all."""
        return self.spec.rounds if condition.rounds is None else condition.rounds

    def routeros(self, condition: Condition, node: str | None = None) -> tuple[str, ...]:
        """The condition's RouterOS files that are for `node`; None: for the lab's router."""
        router = self.spec.router
        to = self.spec.routeros_nodes
        return tuple(f for f in condition.routeros if (node or router) in to.get(f, (router,)))

    def text(self, file: str) -> str:
        return documents.read_text(self.folder / file)

    def configuration(self, condition: Condition) -> dict[str, str]:
        """The condition's configuration texts by file name, for the record and the page."""
        return {file: self.text(file) for file in (*condition.files, *condition.routeros)}


def load(folder: Path) -> Lab:
    """The lab in `folder`; FileError with file and line where it is wrong."""
    for name in OWN:
        if disk.outside(folder, name):
            raise FileError(folder / name, None, f"is a link out of {folder}; copy the file here")
    path = folder / "lab.yml"
    document, spec = _read(path, documents.read_text(path, disk.YAML))
    _check_files(document, folder, spec)
    return Lab(folder, spec)


# What lab.yml says is checked once for each text of it; the files that it names, each time.
@lru_cache(maxsize=32)
def _read(path: Path, text: str) -> tuple[documents.Document, LabSpec]:
    document = documents.parse_yaml(path, text)
    spec = fitting.validate(document, LabSpec)
    for keys, message in _faults(spec):
        raise document.error(keys, message)
    return document, spec


def find(name: str) -> Lab:
    """The lab called `name`; UsageError names the near ones where there is none."""
    known = names()
    if name not in known:
        raise UsageError(f"no lab {name!r}{did_you_mean(name, known)}")
    return load(paths.project_root() / "labs" / name)


def titles(name: str) -> dict[str, str]:
    """The readers' names of a lab's conditions; none where the lab is gone or its file wrong."""
    try:
        if name not in names():
            return {}
        path = paths.project_root() / "labs" / name / "lab.yml"
        _, spec = _read(path, documents.read_text(path, disk.YAML))
    except PpslabError:
        return {}
    return {condition.name: condition.title for condition in spec.conditions}


def names() -> list[str]:
    """The labs of this checkout; a folder that starts with `_` is no lab."""
    folders = (paths.project_root() / "labs").glob("*/lab.yml")
    return sorted(file.parent.name for file in folders if not file.parent.name.startswith("_"))


class Tried(NamedTuple):
    """Labs that can be read, and those of which a file is wrong: by name, what is wrong."""

    readable: list[Lab]
    unreadable: dict[str, PpslabError]


def tried(of: Iterable[str] | None = None) -> Tried:
    """The labs of this checkout, or of these names, each of them tried."""
    found = Tried([], {})
    for name in names() if of is None else of:
        try:
            found.readable.append(find(name))
        except PpslabError as error:
            found.unreadable[name] = error
    return found


def in_order() -> list[str]:
    """The labs in the order of their chapters in _toc.yml; those without one at the end."""
    toc = paths.project_root() / "_toc.yml"
    text = documents.read_text(toc) if toc.is_file() else ""
    chapters = re.findall(r"^ *- file: book/([^/\s]+)/index$", text, re.MULTILINE)
    place = {name: number for number, name in enumerate(chapters)}
    return sorted(names(), key=lambda name: place.get(name, len(place)))


def _check_files(document: documents.Document, folder: Path, spec: LabSpec) -> None:
    """FileError where a condition's file is not there, or is not in the lab's folder."""
    leads_out = cache(partial(disk.outside, folder))  # conditions share their files and folders

    @cache
    def outside(file: str) -> bool:
        # A file that is no link lies where its folder does, and nobody follows it name by name.
        try:
            plain = stat.S_ISREG(os.lstat(folder / file).st_mode)
        except (OSError, ValueError):
            plain = False
        return leads_out(os.path.dirname(file) if plain else file)  # noqa: PTH120 - quicker

    there = cache(lambda file: os.path.isfile(folder / file))  # noqa: PTH113 - the same, quicker
    for index, condition in enumerate(spec.conditions):
        for file in (*condition.files, *condition.routeros):
            rsc = condition.routeros
            keys = ("conditions", index, *(("routeros", rsc.index(file)) if file in rsc else ()))
            fault = ""
            if outside(file):
                fault = (
                    f"{file} is outside {folder}; "
                    "a lab reads only files of its own folder, so copy it there"
                )
            elif not there(file):
                fault = f"no file {file} in {folder}"
            if fault:
                raise document.error(keys, f"condition {condition.name}: {fault}")


# What lab.yml must be beyond the types of its words: what it names is there.

Fault = tuple[tuple[Any, ...], str]
"""The keys of a word in the file, and what is wrong with it."""


def _faults(spec: LabSpec) -> Iterator[Fault]:
    """Yield the faults of the file, the first to mend first."""
    if spec.flows and not spec.frame_sizes:
        yield ("flows",), "streams without frame_sizes"
    seen: set[str] = set()
    for index, condition in enumerate(spec.conditions):
        for keys, message in _of_condition(spec, condition):
            yield ("conditions", index, *keys), f"condition {condition.name}: {message}"
        if condition.name in seen:
            yield ("conditions", index, "name"), f"condition {condition.name!r} appears twice"
        seen.add(condition.name)
    yield from _unknown_names(spec, seen)


def _of_condition(spec: LabSpec, condition: Condition) -> Iterator[Fault]:
    """Streams that are not there, and cards, queues and CPUs that the machine has not."""
    for word in ("flows", "flows_ipv6"):
        name = getattr(condition, word)
        if name is not None and name not in spec.flows:
            yield (word,), f"no flows {name!r}{did_you_mean(name, spec.flows)}"
    if condition.flows is None and spec.tcp is None:
        yield (), "no flows, and the lab has no tcp"
    pairs = condition.tcp.pairs if condition.tcp else None
    groups = spec.tcp.pairs if spec.tcp else {}
    if pairs is not None and pairs not in groups:
        yield ("tcp",), f"no pairs {pairs!r}{did_you_mean(pairs, groups)}"
    machine = spec.machine
    if machine and FEATURE not in condition.needs:
        yield (), f"the lab has a machine, so it needs {FEATURE}"
    nodes: list[tuple[tuple[str, ...], str, LinuxSpec]]
    nodes = [(("linux",), spec.router, condition.linux)]
    nodes += [(("nodes", name), name, words) for name, words in condition.nodes.items()]
    for keys, name, words in nodes:
        if words.interrupts is not None and machine is None:
            yield (), "interrupts of cards, but the lab has no machine"
        cards = machine.cards_of(spec.topology, name) if machine else {}
        for port, queues in words.port_queues.items():
            if fault := _of_queues(queues, cards.get(port), condition.needs):
                near = "" if port in cards else did_you_mean(port, cards)
                yield (*keys, "port_queues", port), f"{port}: {fault}{near}"
        cpus = words.interrupts.values() if isinstance(words.interrupts, dict) else ()
        if machine and any(cpu not in range(machine.all_cpus) for cpu in cpus):
            yield (), f"interrupts: the machine has CPUs 0 to {machine.all_cpus - 1}"


def _of_queues(queues: PortQueues, card: Card | None, needs: frozenset[str]) -> str:
    """The fault of a port's queues; empty for none."""
    if queues.combined is None:
        return "a network card: say how many queues are in use (combined)" if card else ""
    if card is None:
        return "combined is of a network card, and the node has none there"
    if queues.combined > card.queues:
        return f"{queues.combined} queues, and the card has {card.queues}"
    if card.queues > 1 and QUEUES not in needs:
        has = ", ".join(sorted(needs))
        return f"a card with several queues, so it needs {QUEUES}; its needs are {has}"
    return ""


def _unknown_names(spec: LabSpec, conditions: set[str]) -> Iterator[Fault]:
    """Conditions, ports and files that others name, and that are not there."""
    tcp = spec.tcp
    named: list[tuple[tuple[Any, ...], str]] = [(("reference",), spec.reference)]
    for without, name in spec.pairs.items():
        named += [(("pairs", without), name), (("pairs", without), without)]
    if tcp and tcp.reference:
        named.append((("tcp", "reference"), tcp.reference))
    for keys, names_of in (
        (("rfc2544",), spec.rfc2544),
        (("search",), spec.search or ()),
        (("tcp", "conditions"), tcp.conditions if tcp else ()),
    ):
        named += [((*keys, index), name) for index, name in enumerate(names_of)]
    for keys, name in named:
        if name not in conditions:
            yield keys, f"{keys[0]}: no condition {name!r}{did_you_mean(name, conditions)}"
    files = {file for condition in spec.conditions for file in condition.routeros}
    for file in spec.routeros_nodes:
        if file not in files:
            near = did_you_mean(file, files)
            yield ("routeros_nodes", file), f"routeros_nodes: no condition has {file!r}{near}"
    ports: list[tuple[tuple[Any, ...], str, str]] = [
        (("flows", group, index), f"flow {flow.name}", port)
        for group, flows in spec.flows.items()
        for index, flow in enumerate(flows)
        for port in (flow.tx_name, flow.rx_name)
    ]
    for port in tcp.hosts if tcp else ():
        ports.append((("tcp", "hosts", port), "tcp: hosts", port))
    for where, what, port in ports:
        if port not in spec.ports:
            yield where, f"{what}: no port {port!r}{did_you_mean(port, spec.ports)}"
