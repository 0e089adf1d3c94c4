"""What is wired: containerlab's topology files, as the embedded backends read them.

The file is a valid containerlab 0.79 file (https://containerlab.dev/manual/topo-def-file/ and
/manual/nodes/).
The embedded backends (namespaces, vm) have `linux` nodes and links in the brief format; whatever
else containerlab knows is an error here that names the key, its line and who has it.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr

from ppslab import paths
from ppslab.documents import Document, Keys, did_you_mean, load_yaml, validate
from ppslab.errors import UsageError

# containerlab's default for a veth link (constants/containerlab.go); no frame of ours is larger.
DEFAULT_MTU = 9500
# veth's own limits: ETH_MIN_MTU and ETH_MAX_MTU (include/uapi/linux/if_ether.h).
MTU_RANGE = (68, 65535)
SUFFIX = ".clab.yml"

_ONLY_CONTAINERLAB = "works in the containerlab backend only; namespaces and vm do not have it"
_ELSEWHERE = {
    "file": frozenset("prefix mgmt settings debug".split()),
    "topology": frozenset(["groups"]),
    "node": frozenset(
        "aliases auto-remove cap-add certificate cgroup-parent cgroupns-mode cmd components config "
        "cpu cpu-set credentials devices dns enforce-startup-config entrypoint env-files extras "
        "group healthcheck hostname image-pull-policy labels license link-apply-mode memory "
        "mgmt-ipv4 mgmt-ipv6 network-mode pid-mode ports privileged restart-policy runtime "
        "security-opts shm-size stages startup-config startup-delay suppress-startup-config tmpfs "
        "type user volumes".split()
    ),
    "link": frozenset(
        "type endpoint host-interface mode remote vni dst-port src-port ipv4 ipv6 vars "
        "labels".split()
    ),
}
# Words that containerlab reads as a kind of link where a node's name is expected.
_LINK_WORDS = frozenset(["host", "mgmt-net", "macvlan", "vxlan", "vxlan-stitch", "dummy"])


@dataclass(frozen=True)
class Bind:
    """A file or folder of this machine that a node sees at `target`."""

    source: Path
    target: str
    read_only: bool


@dataclass(frozen=True)
class NodeSpec:
    """One node, with `defaults` and `kinds` merged in; `exec_lines` are lines of the file."""

    name: str
    kind: str
    image: str | None
    exec: tuple[str, ...]
    exec_lines: tuple[int, ...]
    binds: tuple[Bind, ...]
    env: dict[str, str]
    sysctls: dict[str, str]


@dataclass(frozen=True)
class Endpoint:
    """An interface of a node."""

    node: str
    interface: str


@dataclass(frozen=True)
class Link:
    """A veth pair; `mtu` in bytes, without the Ethernet header."""

    a: Endpoint
    b: Endpoint
    mtu: int


@dataclass(frozen=True)
class Topology:
    """A wiring, checked: every endpoint is on a node, no interface is used twice."""

    name: str
    path: Path
    nodes: dict[str, NodeSpec]
    links: tuple[Link, ...]

    def plain(self) -> dict[str, Any]:
        """The topology as JSON, with absolute paths: what an agent is told to deploy."""
        return {
            "name": self.name,
            "file": str(self.path),
            "nodes": {
                name: {
                    "exec": list(node.exec),
                    "exec_lines": list(node.exec_lines),
                    "binds": [
                        {
                            "source": str(bind.source),
                            "target": bind.target,
                            "read_only": bind.read_only,
                        }
                        for bind in node.binds
                    ],
                    "env": dict(node.env),
                    "sysctls": dict(node.sysctls),
                }
                for name, node in self.nodes.items()
            },
            "links": [
                {
                    "endpoints": [[end.node, end.interface] for end in (link.a, link.b)],
                    "mtu": link.mtu,
                }
                for link in self.links
            ],
        }

    def interfaces(self, node: str) -> list[str]:
        """The node's interfaces in the order of the links."""
        return [
            end.interface for link in self.links for end in (link.a, link.b) if end.node == node
        ]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Level(_Strict):
    """What `defaults`, a kind and a node can say alike."""

    kind: StrictStr | None = None
    image: StrictStr | None = None
    exec: list[StrictStr] = []
    binds: list[StrictStr] = []
    env: dict[str, Any] = {}
    sysctls: dict[str, Any] = {}


class _Link(_Strict):
    endpoints: list[StrictStr] = Field(min_length=2, max_length=2)
    mtu: StrictInt = Field(default=DEFAULT_MTU, ge=MTU_RANGE[0], le=MTU_RANGE[1])


class _Wiring(_Strict):
    defaults: _Level | None = None
    kinds: dict[str, _Level | None] = {}
    nodes: dict[str, _Level | None] = Field(min_length=1)
    links: list[_Link] = []


class _File(_Strict):
    name: StrictStr = Field(pattern=r"^[a-zA-Z0-9][a-zA-Z0-9._-]*$")
    topology: _Wiring


def find(name: str) -> Topology:
    """The topology `topologies/NAME.clab.yml` of the project."""
    folder = paths.project_root() / "topologies"
    path = folder / f"{name}{SUFFIX}"
    if not path.is_file():
        known = sorted(p.name.removesuffix(SUFFIX) for p in folder.glob(f"*{SUFFIX}"))
        near = did_you_mean(name, known) or f" (there are: {', '.join(known)})"
        raise UsageError(f'no topology "{name}"{near}')
    return load(path)


def load(path: Path | str) -> Topology:
    """Read and check a topology file; FileError with the line for what is wrong or not ours."""
    path = Path(path)
    document = load_yaml(path)
    _refuse_foreign(document)
    file = validate(document, _File, place=_place)
    wiring = file.topology
    for name in wiring.kinds:
        _check_kind(document, ("topology", "kinds", name), name)
    nodes = {name: _node(document, wiring, name) for name in wiring.nodes}
    links = _links(document, wiring, nodes)
    return Topology(file.name, path, nodes, links)


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


def _refuse_foreign(document: Document) -> None:
    """FileError for the first key that containerlab has and the embedded backends do not."""
    wiring = _map(document.data, "topology")
    parts: list[tuple[Keys, str, Any]] = [
        ((), "file", document.data),
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
            if key in _ELSEWHERE[what]:
                _fail(document, (*keys, key), f'key "{key}" {_ONLY_CONTAINERLAB}')


def _map(data: Any, key: str) -> dict[Any, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def _fail(document: Document, keys: Keys, message: str) -> NoReturn:
    where = _place(keys)
    raise document.error(keys, f"{where}: {message}" if where else message)


def _check_kind(document: Document, keys: Keys, kind: str) -> None:
    if kind == "linux":
        return
    near = did_you_mean(kind, ["linux"])
    if near:
        _fail(document, keys, f'unknown kind "{kind}"{near}')
    _fail(document, keys, f'kind "{kind}" {_ONLY_CONTAINERLAB} (they have linux)')


def _node(document: Document, wiring: _Wiring, name: str) -> NodeSpec:
    """Merge as containerlab does: defaults, then the kind, then the node, the last one wins."""
    at = ("topology", "nodes", name)
    if not re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,62}", name):
        _fail(document, at, "a name has letters, digits, dot, dash and underscore, at most 63")
    if name in _LINK_WORDS:
        _fail(document, at, f'containerlab reads "{name}" in a link as a kind of link; rename it')
    own, defaults = wiring.nodes[name] or _Level(), wiring.defaults or _Level()
    kind = own.kind or defaults.kind
    if kind is None:
        raise document.error(at, f'node {name}: key "kind" is missing (linux)')
    _check_kind(document, (*at, "kind") if own.kind else ("topology", "defaults", "kind"), kind)
    levels = [
        (("topology", "defaults"), defaults),
        (("topology", "kinds", kind), wiring.kinds.get(kind) or _Level()),
        (at, own),
    ]
    commands: dict[str, int] = {}
    binds: dict[str, Bind] = {}
    env: dict[str, str] = {}
    sysctls: dict[str, str] = {}
    image = None
    for keys, level in levels:
        image = level.image or image
        for number, text in enumerate(level.exec):
            here = (*keys, "exec", number)
            # The same command on two levels runs once, as in containerlab.
            commands.setdefault(_command(document, here, text), document.line(*here))
        for number, text in enumerate(level.binds):
            bind = _bind(document, (*keys, "binds", number), text)
            binds[bind.target] = bind
        for key, value in level.env.items():
            env[key] = _scalar(document, (*keys, "env", key), value)
        for key, value in level.sysctls.items():
            here = (*keys, "sysctls", key)
            _check_sysctl(document, here, key)
            sysctls[key] = _scalar(document, here, value)
    return NodeSpec(
        name=name,
        kind=kind,
        image=image,
        exec=tuple(commands),
        exec_lines=tuple(commands.values()),
        binds=tuple(binds[target] for target in sorted(binds)),
        env=env,
        sysctls=sysctls,
    )


def _expanded(document: Document, keys: Keys, text: str) -> str:
    """`$$` is a dollar; what containerlab would fill in from its own environment is refused."""
    if re.search(r"\$[A-Za-z_{]", text.replace("$$", "")):
        _fail(document, keys, f"a variable in {text!r} {_ONLY_CONTAINERLAB}; write $$ for a dollar")
    if "{{" in text:
        _fail(document, keys, f"a template in {text!r} {_ONLY_CONTAINERLAB}")
    return text.replace("$$", "$")


def _command(document: Document, keys: Keys, text: str) -> str:
    text = _expanded(document, keys, text)
    try:
        words = shlex.split(text)
    except ValueError as error:
        _fail(document, keys, f"exec {text!r}: {error}".lower())
    if not words:
        _fail(document, keys, "exec: an empty command")
    return text


def _bind(document: Document, keys: Keys, text: str) -> Bind:
    """`source:target[:ro]`, the source relative to the file's folder (docker's --volume)."""
    text = _expanded(document, keys, text)
    source, target, *rest = [*text.split(":"), ""]
    modes = set((rest[0] if len(rest) > 1 else "").split(",")) - {""}
    if not source or not target.startswith("/") or len(rest) > 2:
        _fail(document, keys, f'bind "{text}": should be SOURCE:/TARGET or SOURCE:/TARGET:ro')
    if "__clab" in source:
        _fail(document, keys, f'bind "{text}": containerlab\'s variable {_ONLY_CONTAINERLAB}')
    if modes - {"ro", "rw"} or len(modes) > 1:
        _fail(document, keys, f'bind "{text}": unknown mode "{",".join(sorted(modes))}" (ro, rw)')
    parts = Path(target).parts
    if len(parts) < 2 or ".." in parts:
        _fail(document, keys, f'bind "{text}": the target must be a path below /')
    base = document.path.resolve().parent
    path = os.path.normpath(base / os.path.expanduser(source))  # noqa: PTH111 (never raises)
    return Bind(Path(path), str(Path(*parts)), "ro" in modes)


def _scalar(document: Document, keys: Keys, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return _expanded(document, keys, value)
    what = "a number with a point" if isinstance(value, float) else f"{value!r:.40}"
    raise document.error(
        keys, f'{_place(keys)}: {keys[-2]} "{keys[-1]}": should be a text in quotes, not {what}'
    )


def _check_sysctl(document: Document, keys: Keys, key: str) -> None:
    if not re.fullmatch(r"net[./][A-Za-z0-9_./-]+", key) or ".." in key:
        # kernel.* and vm.* are the whole machine's: a node must not turn them.
        _fail(document, keys, f'sysctl "{key}": a node has only those of its network (net.*)')


def _links(document: Document, wiring: _Wiring, nodes: dict[str, NodeSpec]) -> tuple[Link, ...]:
    used: dict[Endpoint, int] = {}
    links = []
    for number, link in enumerate(wiring.links):
        ends = []
        for which, text in enumerate(link.endpoints):
            keys = ("topology", "links", number, "endpoints", which)
            end = _endpoint(document, keys, text, nodes)
            if end in used:
                message = f'endpoint "{text}" is already used in line {used[end]}'
                _fail(document, keys, message)
            used[end] = document.line(*keys)
            ends.append(end)
        links.append(Link(ends[0], ends[1], link.mtu))
    return tuple(links)


def _endpoint(document: Document, keys: Keys, text: str, nodes: Iterable[str]) -> Endpoint:
    node, _, interface = text.partition(":")
    if not node or not interface:
        _fail(document, keys, f'endpoint "{text}": should be NODE:INTERFACE')
    if node not in nodes:
        if node in _LINK_WORDS:
            _fail(document, keys, f'endpoint "{text}" {_ONLY_CONTAINERLAB}')
        near = did_you_mean(node, nodes) or f" (there are: {', '.join(nodes)})"
        _fail(document, keys, f'endpoint "{text}": no node "{node}"{near}')
    if interface == "eth0":
        _fail(document, keys, f'endpoint "{text}": eth0 is containerlab\'s own; begin with eth1')
    # dev_valid_name() in the kernel's net/core/dev.c, and what every node has already.
    if len(interface.encode()) > 15 or re.search(r"[\s/:]", interface):
        _fail(
            document, keys, f'endpoint "{text}": an interface has at most 15 letters, no / : blank'
        )
    if interface in ("lo", ".", "..", "all", "default"):
        _fail(document, keys, f'endpoint "{text}": "{interface}" is taken')
    return Endpoint(node, interface)
