"""Reads one topology file, and names what is wrong in it with its line."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any, NoReturn

from ppslab.core.documents import Document, Keys, inside
from ppslab.core.documents.fitting import validate
from ppslab.core.errors import FileError, did_you_mean
from ppslab.model.lab.topology.parts import Bind, Endpoint, Link, NodeSpec, Topology
from ppslab.model.lab.topology.schema import (
    FOREIGN,
    LINK_WORDS,
    ONLY_CONTAINERLAB,
    ROUTEROS,
    UNREAD,
    FileSpec,
    LevelSpec,
    WiringSpec,
)

FILES = {"startup-config", "license"}
"""What only containerlab reads of a node and is the name of a file."""


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
        """What only containerlab has: an error, or kept in mind as the reason of a refusal."""
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
        image, network_mode = None, None
        for keys, level in levels:
            image = level.image or image
            if level.network_mode is not None:
                network_mode = level.network_mode
                self._check_network_mode((*keys, "network-mode"), network_mode)
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
            network_mode=network_mode,
            foreign=foreign,
        )

    def _check_network_mode(self, keys: Keys, mode: str) -> None:
        """`none` is what every node of an embedded backend has: no network but its links."""
        if mode in ("none", "default") or mode.startswith("container:"):
            if mode != "none":
                self._only(keys, f'network-mode "{mode}"')
            return
        if mode == "host":
            self._fail(
                keys, "network-mode \"host\": the lab's traffic would be on this machine's ports"
            )
        self._fail(keys, f'unknown network-mode "{mode}" (none)')

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
        if inside.outside(base, os.path.expanduser(source), self.folders):  # noqa: PTH111
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
