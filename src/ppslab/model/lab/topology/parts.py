"""A wiring: nodes and the links between their interfaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ppslab.core.errors import FileError


@dataclass(frozen=True)
class Bind:
    """A file or folder of this machine that a node sees at `target`."""

    source: Path
    """The file or folder of this machine."""
    target: str
    read_only: bool
    """Whether the node may not write to it."""


@dataclass(frozen=True)
class NodeSpec:
    """One node, with `defaults` and `kinds` merged in; `exec_lines` are lines of the file.

    `foreign`: what only containerlab knows of it (startup-config, memory, ...).
    """

    name: str
    """The node's name."""
    kind: str
    """containerlab's kind of node."""
    image: str | None
    """The container image; None: the kind needs none."""
    exec: tuple[str, ...]
    """Commands that run on it once it is wired."""
    exec_lines: tuple[int, ...]
    binds: tuple[Bind, ...]
    """Files and folders of this machine that it sees."""
    env: dict[str, str]
    """Environment of its commands."""
    sysctls: dict[str, str]
    """Kernel parameter to its value."""
    network_mode: str | None = None
    """containerlab's `network-mode`."""
    foreign: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Endpoint:
    """An interface of a node."""

    node: str
    """The node's name."""
    interface: str
    """The interface's name on it."""


@dataclass(frozen=True)
class Link:
    """A veth pair; `mtu` in bytes, without the Ethernet header."""

    a: Endpoint
    """One end."""
    b: Endpoint
    """The other end."""
    mtu: int


@dataclass(frozen=True)
class Topology:
    """A wiring, checked: every endpoint is on a node, no interface is used twice.

    `foreign`: what only containerlab knows of the whole file (prefix, mgmt).
    `refused`: why the embedded backends cannot have it; None where they can.
    """

    name: str
    """The topology's name."""
    path: Path
    """Its file."""
    nodes: dict[str, NodeSpec]
    """The nodes, by name."""
    links: tuple[Link, ...]
    """The links, in the order of the file."""
    foreign: dict[str, Any] = field(default_factory=dict)
    refused: FileError | None = None

    def plain(self) -> dict[str, Any]:
        """The topology as JSON, with absolute paths: what an agent is told to deploy."""
        return {
            "name": self.name,
            "file": str(self.path),
            "nodes": {
                name: {
                    "kind": node.kind,
                    "image": node.image,
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
