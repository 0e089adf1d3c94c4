"""Containerlab's topology files, as ppslab reads them.

The file is a valid containerlab 0.79 file (https://containerlab.dev/manual/topo-def-file/ and
/manual/nodes/).
The embedded backends (namespaces, vm) have `linux` nodes and links in the brief format; whatever
else containerlab knows is an error that names the key, its line and who has it.  Read for the
containerlab backend (`foreign=True`), it is kept.
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from pydantic import Field, StrictInt, StrictStr, model_validator

from ppslab.core import paths
from ppslab.core.documents import Document, Keys, disk, load_yaml
from ppslab.core.documents.fitting import validate
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import FileError, UsageError, did_you_mean

# containerlab's default for a veth link (constants/containerlab.go); no frame of ours is larger.
DEFAULT_MTU = 9500
# veth's own limits: ETH_MIN_MTU and ETH_MAX_MTU (include/uapi/linux/if_ether.h).
MTU_RANGE = (68, 65535)

ONLY_CONTAINERLAB = "works in the containerlab backend only; namespaces and vm do not have it"
"""Error for a word that an embedded backend meets."""

FOREIGN: dict[str, frozenset[str]] = {
    "file": frozenset("prefix mgmt settings debug".split()),
    "node": frozenset(
        "aliases auto-remove cap-add certificate cgroup-parent cgroupns-mode cmd components config "
        "cpu cpu-set credentials devices dns enforce-startup-config entrypoint env-files extras "
        "group healthcheck hostname image-pull-policy labels license link-apply-mode memory "
        "mgmt-ipv4 mgmt-ipv6 pid-mode ports privileged restart-policy runtime "
        "security-opts shm-size stages startup-config startup-delay suppress-startup-config tmpfs "
        "type user volumes".split()
    ),
    "link": frozenset("vars labels".split()),
}
"""Kept for containerlab, which knows them; the embedded backends do not."""

UNREAD: dict[str, frozenset[str]] = {
    "topology": frozenset(["groups"]),
    "node": frozenset(["network-mode"]),
    "link": frozenset(
        "type endpoint host-interface mode remote vni dst-port src-port ipv4 ipv6".split()
    ),
}
"""containerlab's too, but no topology of ours has them: links that leave the lab (a bridge, the
machine, another machine) and a node on another's network would carry traffic out of it."""

ROUTEROS = "mikrotik_ros"
"""containerlab's kind of node for a RouterOS that vrnetlab packed (/manual/kinds/vr-ros/)."""

# Words that containerlab reads as a kind of link where a node's name is expected.
LINK_WORDS = frozenset(["host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy"])

# Under this name a level keeps its foreign words: no key of a file can be it.
_KEPT = "(foreign)"


def _set_aside(data: Any, what: str) -> Any:
    if not isinstance(data, dict):
        return data
    foreign = {key: value for key, value in data.items() if key in FOREIGN[what]}
    own = {key: value for key, value in data.items() if key not in foreign}
    return {**own, _KEPT: foreign} if foreign else own


class LevelSpec(StrictModel):
    """The keys that `defaults`, a kind and a node share; `foreign`: containerlab's own."""

    kind: StrictStr | None = None  # containerlab's kind of node
    image: StrictStr | None = None  # the container image
    exec: list[StrictStr] = Field(default=[])  # commands that run on the node once it is wired
    binds: list[StrictStr] = Field(default=[])  # what the node sees, as SOURCE:TARGET[:ro]
    env: dict[str, Any] = Field(default={})  # environment of the node's commands
    sysctls: dict[str, Any] = Field(default={})  # kernel parameter to its value
    foreign: dict[str, Any] = Field(default={}, alias="(foreign)")

    @model_validator(mode="before")
    @classmethod
    def _aside(cls, data: Any) -> Any:
        return _set_aside(data, "node")


class LinkSpec(StrictModel):
    """A link in the brief form."""

    endpoints: list[StrictStr] = Field(min_length=2, max_length=2)  # both ends, as NODE:INTERFACE
    # bytes, without the Ethernet header
    mtu: StrictInt = Field(default=DEFAULT_MTU, ge=MTU_RANGE[0], le=MTU_RANGE[1])
    foreign: dict[str, Any] = Field(default={}, alias="(foreign)")  # containerlab's own words

    @model_validator(mode="before")
    @classmethod
    def _aside(cls, data: Any) -> Any:
        return _set_aside(data, "link")


class WiringSpec(StrictModel):
    """The part under `topology`."""

    defaults: LevelSpec | None = None  # what every node has
    kinds: dict[str, LevelSpec | None] = Field(default={})  # what every node of a kind has
    nodes: dict[str, LevelSpec | None] = Field(min_length=1)  # the nodes, by name
    links: list[LinkSpec] = Field(default=[])  # the links


class FileSpec(StrictModel):
    """A whole file."""

    name: StrictStr = Field(pattern="^[a-zA-Z0-9][a-zA-Z0-9._-]*$")  # the topology's name
    topology: WiringSpec  # nodes and links
    foreign: dict[str, Any] = Field(default={}, alias="(foreign)")  # containerlab's own words

    @model_validator(mode="before")
    @classmethod
    def _aside(cls, data: Any) -> Any:
        return _set_aside(data, "file")


@dataclass(frozen=True)
class Bind:
    """A file or folder of this machine that a node sees at `target`."""

    source: Path  # the file or folder of this machine
    target: str
    read_only: bool  # True if the node may not write to it


@dataclass(frozen=True)
class NodeSpec:
    """One node, with `defaults` and `kinds` merged in; `exec_lines` are lines of the file.

    `foreign`: what only containerlab knows of it (startup-config, memory, ...).
    """

    name: str  # the node's name
    kind: str  # containerlab's kind of node
    image: str | None  # the container image; None: the kind needs none
    exec: tuple[str, ...]  # commands that run on it once it is wired
    exec_lines: tuple[int, ...]
    binds: tuple[Bind, ...]  # files and folders of this machine that it sees
    env: dict[str, str]  # environment of its commands
    sysctls: dict[str, str]  # kernel parameter to its value
    foreign: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Endpoint:
    """An interface of a node."""

    node: str  # the node's name
    interface: str  # the interface's name on it


@dataclass(frozen=True)
class Link:
    """A veth pair; `mtu` in bytes, without the Ethernet header."""

    a: Endpoint  # one end
    b: Endpoint  # the other end
    mtu: int


@dataclass(frozen=True)
class Topology:
    """A wiring, checked: every endpoint is on a node, no interface is used twice.

    `foreign`: what only containerlab knows of the whole file (prefix, mgmt).
    `refused`: why the embedded backends cannot have it; None where they can.
    """

    name: str  # the topology's name
    path: Path  # its file
    nodes: dict[str, NodeSpec]  # the nodes, by name
    links: tuple[Link, ...]  # the links, in the order of the file
    foreign: dict[str, Any] = field(default_factory=dict)
    refused: FileError | None = None

    def plain(self) -> dict[str, Any]:
        """The topology as JSON, with absolute paths: what an agent is told to deploy."""
        nodes = {
            name: {
                **{word: getattr(node, word) for word in ("kind", "image", "env", "sysctls")},
                "exec": list(node.exec),
                "exec_lines": list(node.exec_lines),
                "binds": [{**vars(bind), "source": str(bind.source)} for bind in node.binds],
            }
            for name, node in self.nodes.items()
        }
        links = [
            {"endpoints": [[end.node, end.interface] for end in (link.a, link.b)], "mtu": link.mtu}
            for link in self.links
        ]
        return {"name": self.name, "file": str(self.path), "nodes": nodes, "links": links}

    def interfaces(self, node: str) -> list[str]:
        """The node's interfaces in the order of the links."""
        return [
            end.interface for link in self.links for end in (link.a, link.b) if end.node == node
        ]


FILES = {"startup-config", "license"}
"""Keys of a node that name a file for containerlab alone."""


def _place(keys: Keys) -> str:
    """The words that open a message about the part at `keys`."""
    match keys:
        case ("topology", "nodes", name, *_):
            return f"node {name}"
        case ("topology", "kinds", name, *_):
            return f"kind {name}"
        case ("topology", "defaults", *_):
            return "defaults"
        case ("topology", "links", int(number), *_):
            return f"link {number + 1}"
        case ("topology", *_):
            return "topology"
    return ""


def _map(data: Any, key: str) -> dict[Any, Any]:
    mapping = data.get(key) if isinstance(data, dict) else None
    return mapping if isinstance(mapping, dict) else {}


class Reader:
    """Reads one file.

    `folders`: where the files that it names must be; None: anywhere, as in a file of the reader's.
    """

    def __init__(
        self, document: Document, foreign: bool, folders: tuple[Path, ...] | None = None
    ) -> None:
        self.document = document
        self.foreign = foreign
        self.folders = folders
        self.refused: FileError | None = None

    def topology(self) -> Topology:
        """The file, checked."""
        self._look_for_foreign()
        file = validate(self.document, FileSpec, place=_place)
        wiring = file.topology
        for name in wiring.kinds:
            self._check_kind(("topology", "kinds", name), name)
        nodes = {name: self._node(wiring, name) for name in wiring.nodes}
        links = self._links(wiring, nodes)
        path = self.document.path
        return Topology(file.name, path, nodes, links, file.foreign, self.refused)

    def _fail(self, keys: Keys, message: str) -> NoReturn:
        raise self._error(keys, message)

    def _error(self, keys: Keys, message: str) -> FileError:
        where = _place(keys)
        return self.document.error(keys, f"{where}: {message}" if where else message)

    def _only(self, keys: Keys, message: str, more: str = "") -> None:
        """Raise for a word of containerlab's, or keep it as the reason of a later refusal."""
        error = self._error(keys, f"{message} {ONLY_CONTAINERLAB}{more}")
        if not self.foreign:
            raise error
        self.refused = self.refused or error

    def _look_for_foreign(self) -> None:
        """Meet every key that containerlab has and the embedded backends do not."""
        data = self.document.data
        wiring = _map(data, "topology")
        parts: list[tuple[Keys, str, Any]] = [
            ((), "file", data),
            (("topology",), "topology", wiring),
            (("topology", "defaults"), "node", _map(wiring, "defaults")),
        ]
        for group in ("kinds", "nodes"):
            for name, level in _map(wiring, group).items():
                parts.append((("topology", group, name), "node", level))
        links = wiring.get("links")
        for number, link in enumerate(links if isinstance(links, list) else []):
            parts.append((("topology", "links", number), "link", link))
        for keys, what, part in parts:
            for key in part if isinstance(part, dict) else ():
                if key in FOREIGN.get(what, ()):
                    self._only((*keys, key), f'key "{key}"')
                elif key in UNREAD.get(what, ()):
                    if self.foreign:
                        self._fail((*keys, key), f'key "{key}": no backend of ppslab has it')
                    self._only((*keys, key), f'key "{key}"')

    def _check_kind(self, keys: Keys, kind: str) -> None:
        if kind == "linux":
            return
        near = did_you_mean(kind, ["linux", *([ROUTEROS] if self.foreign else [])])
        if near and kind != ROUTEROS:
            self._fail(keys, f'unknown kind "{kind}"{near}')
        self._only(keys, f'kind "{kind}"', " (they have linux)")

    def _node(self, wiring: WiringSpec, name: str) -> NodeSpec:
        """Merge as containerlab does: defaults, then the kind, then the node, the last one wins."""
        at = ("topology", "nodes", name)
        if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}", name):
            self._fail(at, "a name has letters, digits, dot, dash and underscore, at most 63")
        if name in LINK_WORDS:
            self._fail(at, f'containerlab reads "{name}" in a link as a kind of link; rename it')
        own, defaults = wiring.nodes[name] or LevelSpec(), wiring.defaults or LevelSpec()
        kind = own.kind or defaults.kind
        if kind is None:
            raise self.document.error(at, f'node {name}: key "kind" is missing (linux)')
        self._check_kind((*at, "kind") if own.kind else ("topology", "defaults", "kind"), kind)
        levels = [
            (("topology", "defaults"), defaults),
            (("topology", "kinds", kind), wiring.kinds.get(kind) or LevelSpec()),
            (at, own),
        ]
        commands: dict[str, int] = {}
        binds: dict[str, Bind] = {}
        env: dict[str, str] = {}
        sysctls: dict[str, str] = {}
        foreign: dict[str, Any] = {}
        image = None
        for keys, level in levels:
            image = level.image or image
            foreign |= level.foreign
            for key in FILES & level.foreign.keys():
                self._check_place((*keys, key), str(level.foreign[key]))
            mine: dict[str, int] = {}
            for number, text in enumerate(level.exec):
                here = (*keys, "exec", number)
                command, line = self._command(here, text), self.document.line(*here)
                if command in mine:
                    given = f"is in line {mine[command]} already, and containerlab runs it once"
                    self._fail(here, f"exec: {command!r} {given}; put both into one sh -c '...'")
                mine[command] = line
            # The same command on two levels runs once, as in containerlab.
            commands = commands | {c: line for c, line in mine.items() if c not in commands}
            for number, text in enumerate(level.binds):
                bind = self._bind((*keys, "binds", number), text)
                binds[bind.target] = bind
            for key, value in level.env.items():
                env[key] = self._scalar((*keys, "env", key), value)
            for key, value in level.sysctls.items():
                here = (*keys, "sysctls", key)
                self._check_sysctl(here, key)
                sysctls[key] = self._scalar(here, value)
        return NodeSpec(
            name=name,
            kind=kind,
            image=image,
            exec=tuple(commands),
            exec_lines=tuple(commands.values()),
            binds=tuple(binds[target] for target in sorted(binds)),
            env=env,
            sysctls=sysctls,
            foreign=foreign,
        )

    def _expanded(self, keys: Keys, text: str) -> str:
        """`$$` is a dollar; what containerlab would fill in from its own environment is refused."""
        if re.search(r"\$[A-Za-z_{]", text.replace("$$", "")):
            self._only(keys, f"a variable in {text!r}", "; write $$ for a dollar")
        if "{{" in text:
            self._only(keys, f"a template in {text!r}")
        return text.replace("$$", "$")

    def _command(self, keys: Keys, text: str) -> str:
        text = self._expanded(keys, text)
        try:
            arguments = shlex.split(text)
        except ValueError as error:
            self._fail(keys, f"exec {text!r}: {error}".lower())
        if not arguments:
            self._fail(keys, "exec: an empty command")
        return text

    def _bind(self, keys: Keys, text: str) -> Bind:
        """`source:target[:ro]`, the source relative to the file's folder (docker's --volume)."""
        text = self._expanded(keys, text)
        source, target, *rest = [*text.split(":"), ""]
        modes = set((rest[0] if len(rest) > 1 else "").split(",")) - {""}
        if not source or not target.startswith("/") or len(rest) > 2:
            self._fail(keys, f'bind "{text}": should be SOURCE:/TARGET or SOURCE:/TARGET:ro')
        if "__clab" in source:
            self._only(keys, f'bind "{text}": containerlab\'s variable')
        if modes - {"ro", "rw"} or len(modes) > 1:
            modes_text = ",".join(sorted(modes))
            self._fail(keys, f'bind "{text}": unknown mode "{modes_text}" (ro, rw)')
        parts = Path(target).parts
        if len(parts) < 2 or ".." in parts:
            self._fail(keys, f'bind "{text}": the target must be a path below /')
        base = self.document.path.resolve().parent
        path = os.path.normpath(base / os.path.expanduser(source))  # noqa: PTH111 (never raises)
        self._check_place(keys, source)
        return Bind(Path(path), str(Path(*parts)), "ro" in modes)

    def _check_place(self, keys: Keys, source: str) -> None:
        if self.folders is None:
            return
        base = self.document.path.resolve().parent
        if disk.outside(base, os.path.expanduser(source), self.folders):  # noqa: PTH111
            self._fail(keys, f"{source} is outside labs/ and topologies/; copy it to the lab")

    def _scalar(self, keys: Keys, value: Any) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int):
            return str(value)
        if isinstance(value, str):
            return self._expanded(keys, value)
        what = "a number with a point" if isinstance(value, float) else f"{value!r:.40}"
        self._fail(keys, f'{keys[-2]} "{keys[-1]}": should be a text in quotes, not {what}')

    def _check_sysctl(self, keys: Keys, key: str) -> None:
        if not re.fullmatch(r"net[./][A-Za-z0-9_./-]+", key) or ".." in key:
            # kernel.* and vm.* are the whole machine's: a node must not turn them.
            self._fail(keys, f'sysctl "{key}": a node has only those of its network (net.*)')

    def _links(self, wiring: WiringSpec, nodes: dict[str, NodeSpec]) -> tuple[Link, ...]:
        used: dict[Endpoint, int] = {}
        links = []
        for number, link in enumerate(wiring.links):
            ends = []
            for which, text in enumerate(link.endpoints):
                keys = ("topology", "links", number, "endpoints", which)
                end = self._endpoint(keys, text, nodes)
                if end in used:
                    message = f'endpoint "{text}" is already used in line {used[end]}'
                    self._fail(keys, message)
                used[end] = self.document.line(*keys)
                ends.append(end)
            links.append(Link(ends[0], ends[1], link.mtu))
        return tuple(links)

    def _endpoint(self, keys: Keys, text: str, nodes: dict[str, NodeSpec]) -> Endpoint:
        node, _, interface = text.partition(":")
        what = f'endpoint "{text}"'
        if not node or not interface:
            self._fail(keys, f"{what}: should be NODE:INTERFACE")
        if node not in nodes:
            if node in LINK_WORDS:
                if self.foreign:
                    self._fail(keys, f"{what}: would lead out of the lab")
                self._only(keys, what)
            near = did_you_mean(node, nodes) or f" (there are: {', '.join(nodes)})"
            self._fail(keys, f'{what}: no node "{node}"{near}')
        if interface == "eth0":
            self._fail(keys, f"{what}: eth0 is containerlab's own; begin with eth1")
        if interface == "ether1" and nodes[node].kind == ROUTEROS:
            self._fail(keys, f"{what}: ether1 is containerlab's own; begin with ether2")
        # dev_valid_name() in the kernel's net/core/dev.c, and what every node has already.
        if len(interface.encode()) > 15 or re.search(r"[\s/:]", interface):
            self._fail(keys, f"{what}: an interface has at most 15 letters, no / : blank")
        if interface in ("lo", ".", "..", "all", "default"):
            self._fail(keys, f'{what}: "{interface}" is taken')
        return Endpoint(node, interface)


SUFFIX = ".clab.yml"


def find(name: str, *, foreign: bool = False) -> Topology:
    """The topology `topologies/NAME.clab.yml` of the project; `foreign`: as `load` has it.

    Its nodes see files of labs/ and topologies/ only; FileError with the line of any other.
    """
    root = paths.project_root()
    folder = root / "topologies"
    path = folder / f"{name}{SUFFIX}"
    if not path.is_file():
        known = sorted(p.name.removesuffix(SUFFIX) for p in folder.glob(f"*{SUFFIX}"))
        near = did_you_mean(name, known) or f" (there are: {', '.join(known)})"
        raise UsageError(f'no topology "{name}"{near}')
    if disk.outside(folder, path.name):
        raise FileError(path, None, f"is a link out of {folder}; copy the file here")
    return Reader(load_yaml(path), foreign, (folder, root / "labs")).topology()


def load(path: Path | str, *, foreign: bool = False) -> Topology:
    """Read and check a topology file; FileError with the line for what is wrong or not ours.

    `foreign`: keep what only containerlab knows, for the backend that drives it.
    """
    path = Path(path)
    return Reader(load_yaml(path), foreign).topology()
