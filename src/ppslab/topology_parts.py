"""A wiring: nodes and the links between their interfaces."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ppslab.errors import FileError


@dataclass(frozen=True)
class Bind:
    """A file or folder of this machine that a node sees at `target`."""

    source: Path
    target: str
    read_only: bool


@dataclass(frozen=True)
class NodeSpec:
    """One node, with `defaults` and `kinds` merged in; `exec_lines` are lines of the file.

    `foreign`: what only containerlab knows of it (startup-config, memory, ...).
    """

    name: str
    kind: str
    image: str | None
    exec: tuple[str, ...]
    exec_lines: tuple[int, ...]
    binds: tuple[Bind, ...]
    env: dict[str, str]
    sysctls: dict[str, str]
    network_mode: str | None = None
    foreign: dict[str, Any] = field(default_factory=dict)


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
    """A wiring, checked: every endpoint is on a node, no interface is used twice.

    `foreign`: what only containerlab knows of the whole file (prefix, mgmt).
    `refused`: why the embedded backends cannot have it; None where they can.
    """

    name: str
    path: Path
    nodes: dict[str, NodeSpec]
    links: tuple[Link, ...]
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
