"""A lab as its folder describes it: `labs/NAME/lab.yml` and the files that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from ppslab import documents, paths
from ppslab.conditions import Condition, Expect, LinuxWords
from ppslab.errors import FileError, UsageError, did_you_mean
from ppslab.lab_words import Name, Words
from ppslab.machine import FEATURE, Machine
from ppslab.packets import Flow, Increment
from ppslab.tcp_words import Tcp

__all__ = [
    "Condition",
    "Document",
    "Expect",
    "Flow",
    "Increment",
    "Lab",
    "LinuxWords",
    "Name",
    "Tcp",
    "Words",
    "find",
    "load",
    "names",
]


class Document(Words):
    """The words of lab.yml."""

    title: str
    topology: Name
    router: str
    tester: str
    ports: dict[str, str]
    frame_sizes: tuple[Annotated[int, Field(ge=64, le=9216)], ...] = ()
    flows: dict[str, tuple[Flow, ...]] = Field(
        default_factory=dict, description="streams of the tester; none: the lab has TCP only"
    )
    baseline: Literal["cable", "drop"] = "cable"
    reference: str
    search: tuple[Name, ...] | None = Field(
        default=None, description="conditions whose throughput is searched; left out: all"
    )
    rfc2544: tuple[Name, ...] = Field(
        default=(), description="conditions of the RFC 2544 suite where none is named"
    )
    port_speed: int | None = Field(
        default=None, gt=0, description="bits per second of a port on the article's hardware"
    )
    tcp: Tcp | None = None
    machine: Machine | None = Field(
        default=None, description="sockets and cards, built to order; left out: no cards"
    )
    routeros_nodes: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="RouterOS file to the nodes that take it, where that is not the lab's router",
    )
    conditions: tuple[Condition, ...] = Field(min_length=1)


class Lab:
    """A lab: its words, and where its files are."""

    def __init__(self, folder: Path, words: Document) -> None:
        self.folder = folder
        self.name = folder.name
        self.words = words
        self.title = words.title
        self.conditions = {condition.name: condition for condition in words.conditions}

    def __repr__(self) -> str:
        return f"Lab({self.name!r}, {len(self.conditions)} conditions)"

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
                f"lab {self.name}, {condition.name}: it has no streams of the tester (flows), "
                f"it is measured with TCP: ppslab tcp {self.name}"
            )
        return self.words.flows[condition.flows]

    def searched(self, condition: Condition) -> bool:
        """Whether `ppslab run` searches the throughput of a condition."""
        return self.words.search is None or condition.name in self.words.search

    def routeros(self, condition: Condition, node: str | None = None) -> tuple[str, ...]:
        """The condition's RouterOS files that are for `node`; None: for the lab's router."""
        router = self.words.router
        to = self.words.routeros_nodes
        return tuple(f for f in condition.routeros if (node or router) in to.get(f, (router,)))

    def text(self, file: str) -> str:
        """The text of a file that the lab names."""
        return (self.folder / file).read_text(encoding="utf-8")

    def configuration(self, condition: Condition) -> dict[str, str]:
        """The condition's configuration texts by file name, for the record and the page."""
        return {file: self.text(file) for file in (*condition.files, *condition.routeros)}


def load(folder: Path) -> Lab:
    """The lab in `folder`; FileError with file and line where its words are wrong."""
    document = documents.load_yaml(folder / "lab.yml")
    words = documents.validate(document, Document)
    _check(document, folder, words)
    return Lab(folder, words)


def find(name: str) -> Lab:
    """The lab called `name`; UsageError names the near ones where there is none."""
    known = names()
    if name not in known:
        raise UsageError(f"no lab {name!r}{did_you_mean(name, known)}")
    return load(paths.project_root() / "labs" / name)


def names() -> list[str]:
    """The labs of this checkout; a folder that starts with `_` is no lab."""
    folders = (paths.project_root() / "labs").glob("*/lab.yml")
    return sorted(file.parent.name for file in folders if not file.parent.name.startswith("_"))


def _check(document: documents.Document, folder: Path, words: Document) -> None:
    _check_conditions(document, folder, words)
    _check_machine(document, words)
    _check_named(document, words)


def _wrong(document: documents.Document, message: str, *keys: Any) -> FileError:
    return FileError(document.path, document.line(*keys), message)


def _check_conditions(document: documents.Document, folder: Path, words: Document) -> None:
    """Each stands once; its streams and its files are there."""

    def wrong(message: str, *keys: Any) -> FileError:
        return _wrong(document, message, *keys)

    if words.flows and not words.frame_sizes:
        raise wrong("streams without frame_sizes", "flows")
    seen: set[str] = set()
    for index, condition in enumerate(words.conditions):
        here = ("conditions", index)
        if condition.name in seen:
            raise wrong(f"condition {condition.name!r} stands here twice", *here, "name")
        seen.add(condition.name)
        for word in ("flows", "flows_ipv6"):
            name = getattr(condition, word)
            if name is not None and name not in words.flows:
                near = did_you_mean(name, words.flows)
                raise wrong(f"condition {condition.name}: no flows {name!r}{near}", *here, word)
        if condition.flows is None and words.tcp is None:
            raise wrong(f"condition {condition.name}: no flows, and the lab has no tcp", *here)
        pairs = condition.tcp.pairs if condition.tcp else None
        groups = words.tcp.pairs if words.tcp else {}
        if pairs is not None and pairs not in groups:
            near = did_you_mean(pairs, groups)
            raise wrong(f"condition {condition.name}: no pairs {pairs!r}{near}", *here, "tcp")
        for file in (*condition.files, *condition.routeros):
            if not (folder / file).is_file():
                raise wrong(f"condition {condition.name}: no file {file} in {folder}", *here)


def _check_machine(document: documents.Document, words: Document) -> None:
    """Conditions say that they need the machine, and name CPUs that it has."""
    machine = words.machine
    for index, condition in enumerate(words.conditions):

        def wrong(message: str, index: int = index, name: str = condition.name) -> FileError:
            return _wrong(document, f"condition {name}: {message}", "conditions", index)

        if machine is not None and FEATURE not in condition.needs:
            raise wrong(f"the lab has a machine, so it needs {FEATURE}")
        for each in condition.everywhere:
            if each.interrupts is not None and machine is None:
                raise wrong("interrupts of cards, but the lab has no machine")
            cpus = each.interrupts.values() if isinstance(each.interrupts, dict) else ()
            if machine is not None and any(cpu not in range(machine.all_cpus) for cpu in cpus):
                raise wrong(f"interrupts: the machine has CPUs 0 to {machine.all_cpus - 1}")


def _check_named(document: documents.Document, words: Document) -> None:
    """Conditions and ports that other words name are there."""

    def wrong(message: str, *keys: Any) -> FileError:
        return _wrong(document, message, *keys)

    seen = {condition.name for condition in words.conditions}
    named: dict[tuple[Any, ...], str] = {("reference",): words.reference}
    carried = words.tcp.conditions if words.tcp else ()
    for keys, names_of in (
        (("rfc2544",), words.rfc2544),
        (("search",), words.search or ()),
        (("tcp", "conditions"), carried),
    ):
        named |= {(*keys, index): name for index, name in enumerate(names_of)}
    files = {file for condition in words.conditions for file in condition.routeros}
    for file in words.routeros_nodes:
        if file not in files:
            near = did_you_mean(file, files)
            raise wrong(f"routeros_nodes: no condition has {file!r}{near}", "routeros_nodes", file)
    for keys, name in named.items():
        if name not in seen:
            near = did_you_mean(name, seen)
            raise wrong(f"{keys[0]}: no condition {name!r}{near}", *keys)
    ports: list[tuple[tuple[Any, ...], str, str]] = [
        (("flows", group, index), f"flow {flow.name}", port)
        for group, flows in words.flows.items()
        for index, flow in enumerate(flows)
        for port in (flow.tx_name, flow.rx_name)
    ]
    hosts = words.tcp.hosts if words.tcp else ()
    ports += [(("tcp", "hosts", port), "tcp: hosts", port) for port in hosts]
    for keys, what, port in ports:
        if port not in words.ports:
            near = did_you_mean(port, words.ports)
            raise wrong(f"{what}: no port {port!r}{near}", *keys)
