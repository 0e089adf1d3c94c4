"""A lab as its folder describes it: `labs/NAME/lab.yml` and the files that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from ppslab.core import documents, paths
from ppslab.core.documents import bounded, fitting, inside
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError, PpslabError, UsageError, did_you_mean
from ppslab.core.measures import Measure
from ppslab.model.lab import checks
from ppslab.model.lab.conditions import Condition, Expect, LinuxSpec
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.packets import Flow, Increment
from ppslab.model.lab.schema import Name
from ppslab.model.lab.tcp_schema import Tcp

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


OWN = ("lab.yml", "tasks.yml", "claims.yml", "published.csv", "elsewhere.yml")
"""What a lab's folder holds besides the files that its conditions name."""


class LabSpec(StrictModel):
    """All of lab.yml."""

    title: str = Field(description="the lab's title")
    summary: str = Field(
        default="", description="what the list of labs says of it, after its title: no full stop"
    )
    draft: bool = Field(
        default=False, description="whether something may still be to write; then nothing counts it"
    )
    topology: Name = Field(description="the topology that it is wired as")
    router: str = Field(description="the node under test")
    tester: str = Field(description="the node that sends and receives")
    ports: dict[str, str] = Field(description="the lab's name of a port to the tester's interface")
    frame_sizes: tuple[Annotated[int, Field(ge=64, le=9216)], ...] = Field(
        default=(), description="bytes of a frame, with the frame check sequence"
    )
    rounds: int | None = Field(
        default=None,
        ge=1,
        description="of cost, at most: of each condition that has none of its own; left out: as "
        "many as the profile has",
    )
    flows: dict[str, tuple[Flow, ...]] = Field(
        default_factory=dict, description="streams of the tester; none: the lab has TCP only"
    )
    timed_too: bool = Field(
        default=False, description="`make book` measures it by time as well, beside the counts"
    )
    modules: tuple[str, ...] = Field(
        default=(),
        description="kernel modules that a machine of its own loads for its CPU, and a guest does "
        "not: ciphers",
    )
    measure: Measure = Field(
        default="counted", description="what `ppslab run` takes where it is not told"
    )
    baseline: Literal["cable", "drop"] = Field(
        default="cable", description="which of the tester's own costs is subtracted from a trial's"
    )
    reference: str = Field(description="the condition that all others are compared with")
    search: tuple[Name, ...] | None = Field(
        default=None, description="conditions whose throughput is searched; left out: all"
    )
    rfc2544: tuple[Name, ...] = Field(
        default=(), description="conditions of the RFC 2544 suite where none is named"
    )
    port_speed: int | None = Field(
        default=None, gt=0, description="bits per second of a port on the article's hardware"
    )
    tcp: Tcp | None = Field(
        default=None, description="how the lab is loaded with TCP; none: it is not"
    )
    machine: Machine | None = Field(
        default=None, description="sockets and cards, built to order; left out: no cards"
    )
    routeros_nodes: dict[str, tuple[str, ...]] = Field(
        default_factory=dict,
        description="RouterOS file to the nodes that take it, where that is not the lab's router",
    )
    conditions: tuple[Condition, ...] = Field(
        min_length=1, description="the conditions, in the order of pages and figures"
    )

    @property
    def tcp_reference(self) -> str:
        """The condition that `ppslab tcp` compares all others with."""
        return (self.tcp and self.tcp.reference) or self.reference


class Lab:
    """A lab: its spec, and where its files are."""

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
        return self.spec.flows[condition.flows]

    def searched(self, condition: Condition) -> bool:
        """Whether `ppslab run` searches the throughput of a condition."""
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
        """The text of a file that the lab names."""
        return documents.read_text(self.folder / file)

    def configuration(self, condition: Condition) -> dict[str, str]:
        """The condition's configuration texts by file name, for the record and the page."""
        return {file: self.text(file) for file in (*condition.files, *condition.routeros)}


def load(folder: Path) -> Lab:
    """The lab in `folder`; FileError with file and line where it is wrong."""
    _check_own(folder)
    path = folder / "lab.yml"
    document, spec = _read(path, documents.read_text(path, bounded.YAML))
    checks.files(document, folder, spec)
    return Lab(folder, spec)


# What lab.yml says is checked once for each text of it; the files that it names, each time.
@lru_cache(maxsize=32)
def _read(path: Path, text: str) -> tuple[documents.Document, LabSpec]:
    document = documents.parse_yaml(path, text)
    spec = fitting.validate(document, LabSpec)
    checks.contradictions(document, spec)
    return document, spec


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


def _check_own(folder: Path) -> None:
    """What every lab has is of the lab: no link to a file elsewhere."""
    for name in OWN:
        if inside.outside(folder, name):
            raise FileError(folder / name, None, f"is a link out of {folder}; copy the file here")


def in_order() -> list[str]:
    """The labs in the order of their chapters in _toc.yml; those without one at the end."""
    toc = paths.project_root() / "_toc.yml"
    text = documents.read_text(toc) if toc.is_file() else ""
    chapters = re.findall(r"^ *- file: book/([^/\s]+)/index$", text, re.MULTILINE)
    place = {name: number for number, name in enumerate(chapters)}
    return sorted(names(), key=lambda name: place.get(name, len(place)))
