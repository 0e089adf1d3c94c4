"""A lab's topology as commands for the router in the page: a namespace a node, a veth pair a link.

In the order of ppslab.testbed.backends.agent.agent: nodes, sysctls, links, sysctls of what is there
only then, and each node's commands.  Offloads stay on, unlike there: no ethtool is in the page.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from ppslab.core.errors import FileError, did_you_mean
from ppslab.model.lab.topology import NodeSpec, Topology
from ppslab.testbed.backends.agent.agent import AT_FIRST, is_plain_ip

PINS, PINNED = "/run/bpf", "/pinned"
"""Folder of pinned BPF maps, and the program that puts it where programs look: `ip netns exec`
gives each command a /sys of its own, and what is pinned there is gone with the command."""

_IN_BUSYBOX = ("sysctl", "echo", "true", "cat", "sleep", "ping")


@dataclass(frozen=True)
class Lab:
    script: str
    """For /bin/sh of the router in the page; it stops at the first command that fails."""
    away: str
    """Takes it away again, with every program that runs on a node."""
    nodes: tuple[str, ...]
    """Each is a program there too: `host1 ping 198.18.2.2`, and `host1` alone is a shell on it."""
    within: str
    """The program that runs a node's commands there; empty: none does."""

    @property
    def digest(self) -> str:
        """Tells it from any other wiring."""
        return hashlib.sha256(self.script.encode()).hexdigest()[:16]

    def onto(self, manifest: Mapping[str, Any]) -> str:
        """Script that stands it up in a manifest's saved state; empty where it stands there."""
        wired = manifest.get("wired")
        if wired is None:
            return self.script
        return "" if wired["digest"] == self.digest else f"{wired['away']}{self.script}"


def stand_up(
    topology: Topology, programs: Iterable[str], folder: str = "/bin", *, pins: bool = False
) -> Lab:
    """The topology as a script; `programs`: what is in the page besides BusyBox's;
    `folder`: where each node's own program goes; `pins`:
    whether BPF maps that are pinned on a node stay there from command to command.

    Raises FileError with the line for what the page's router does not have.
    """
    known = {*programs, *_IN_BUSYBOX}
    for node in topology.nodes.values():
        _check(topology, node, known)
    script = "\n".join(_lines(topology, folder, pins)) + "\n"
    away = "\n".join(_away(topology, pins)) + "\n"
    return Lab(script, away, tuple(topology.nodes), PINNED if pins else "")


def _check(topology: Topology, node: NodeSpec, known: set[str]) -> None:
    if topology.refused:
        raise topology.refused
    if node.binds or node.env:
        what = "files" if node.binds else "an environment"
        raise FileError(
            topology.path, None, f"node {node.name} has {what}, which the router in the page lacks"
        )
    for command, line in zip(node.exec, node.exec_lines, strict=True):
        program = shlex.split(command)[0]
        if program not in known:
            near = did_you_mean(program, known)
            raise FileError(
                topology.path,
                line,
                f'node {node.name}: the router in the page has no "{program}"{near}',
            )
    if node.name in known:
        raise FileError(topology.path, None, f"node {node.name} has the name of a program")


def _lines(topology: Topology, folder: str, pins: bool) -> Iterator[str]:
    yield "set -e"
    if pins:
        yield f"mkdir -p {PINS}; mount -t bpf bpf {PINS}"
    yield from _batch("ip", [f"netns add {name}" for name in topology.nodes])
    for name, node in topology.nodes.items():
        # conf.default is copied into a link when it is made.
        yield from _sysctls(name, {**AT_FIRST, **node.sysctls}, there=False)
    pairs = [
        f"link add name {link.a.interface} mtu {link.mtu} netns {link.a.node} "
        f"type veth peer name {link.b.interface} mtu {link.mtu} netns {link.b.node}"
        for link in topology.links
    ]
    yield from _batch("ip", pairs)
    for name, node in topology.nodes.items():
        up = [f"ip link set dev {each} up" for each in ("lo", *topology.interfaces(name))]
        late = list(_sysctls(name, node.sysctls, there=True))
        if late:
            yield from _commands(name, up)
            yield from late
            up = []
        yield from _commands(name, [*up, *node.exec])
    for name in topology.nodes:
        yield from _program(name, folder, PINNED if pins else "")
    yield f"chmod 755 {' '.join(f'{folder}/{name}' for name in topology.nodes)}"


def _away(topology: Topology, pins: bool) -> Iterator[str]:
    for name in topology.nodes:
        yield f"kill -9 $(ip netns pids {name}) 2>/dev/null || :"
    yield from _batch("ip -force", [f"netns delete {name}" for name in topology.nodes])
    if pins:
        yield f"umount {PINS} 2>/dev/null || :"


def _commands(node: str, told: list[str]) -> Iterator[str]:
    """Commands of a node in their order, those for `ip` in batches."""
    for plain, commands in groupby(told, is_plain_ip):
        if plain:
            lines = [command.removeprefix("ip ") for command in commands]
            yield from _batch(f"ip -n {node}", lines)
        else:
            for command in commands:
                yield f"ip netns exec {node} {shlex.join(shlex.split(command))}"


def _batch(program: str, lines: list[str]) -> Iterator[str]:
    """One process for all of the lines: each takes some 20 ms under emulation."""
    if lines:
        yield f"{program} -batch - <<'END'"
        yield from lines
        yield "END"


def _sysctls(node: str, settings: dict[str, str], *, there: bool) -> Iterator[str]:
    """Write the settings that are there before links are (`there`: only after them)."""
    paths = {
        "/proc/sys/" + (key if "/" in key else key.replace(".", "/")): value
        for key, value in settings.items()
    }
    writes = "; ".join(
        f"echo {shlex.quote(value)} >{shlex.quote(path)}"
        for path, value in paths.items()
        if there == _of_a_link(path)
    )
    if writes:
        yield f"ip netns exec {node} /bin/dash -ec {shlex.quote(writes)}"


def _of_a_link(path: str) -> bool:
    """True for a setting of one interface: net/ipv4/conf/eth1/..."""
    parts = path.split("/")
    return "conf" in parts and parts[parts.index("conf") + 1] not in ("all", "default")


def _program(node: str, folder: str, within: str) -> Iterator[str]:
    """A program with the node's name: it runs a command on the node, or a shell."""
    run = f"/bin/ip netns exec {node} {within}".rstrip()
    lines = [
        "#!/bin/dash",
        f"if [ $# = 0 ]; then PS1='{node}# ' exec {run} /bin/busybox ash -i; fi",
        f'exec {run} "$@"',
    ]
    # echo is the shell's own, and no process.
    told = "; ".join(f"echo {shlex.quote(line)}" for line in lines)
    yield f"{{ {told}; }} >{folder}/{node}"
