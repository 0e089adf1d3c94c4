"""The agent: one program that makes nodes and runs commands in them.

It is the namespaces backend, on the host or in the guest of the vm backend:

    python -m ppslab.testbed.backends.agent.agent              one client: its stdin is a socket
    python -m ppslab.testbed.backends.agent.agent --port /dev/vportNpM  over a character device
    python -m ppslab.testbed.backends.agent.agent --listen SOCKET    clients, also several at once

Without --port and --listen it ends when its stdin ends.
It imports no more than it needs, for under emulation an import takes ten times as long.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from ppslab.core.errors import BackendError, CannotHereError
from ppslab.testbed.backends.agent.process import Command, NodeError
from ppslab.testbed.backends.agent.protocol import EXEC_SECONDS, Message
from ppslab.testbed.backends.agent.server import Execute, Server, serve
from ppslab.testbed.backends.nodes import isolation, node_namespaces, veth
from ppslab.testbed.backends.nodes.borrowed import Borrowed
from ppslab.testbed.backends.nodes.cards import Cards
from ppslab.testbed.backends.nodes.node_namespaces import NodeNamespaces


class Agent(Server):
    """Serve nodes that are namespaces of this kernel; they end with its process."""

    def __init__(self, user_namespace: bool, cannot: CannotHereError | None = None) -> None:
        super().__init__(cannot)
        self._user_namespace = user_namespace

    def make(self, run: str, plain: Mapping[str, Any]) -> Deployed:
        return Deployed(plain)

    def facts(self) -> Message:
        return facts(self._user_namespace)


class Deployed:
    """The nodes of one run."""

    def __init__(self, plain: Mapping[str, Any]) -> None:
        self.plain = plain
        self.name = str(plain["name"])
        self.holders: dict[str, NodeNamespaces] = {}
        self._cards = Cards()
        self._borrowed: Borrowed | None = None

    async def stand_up(self, execute: Execute) -> None:
        """Make nodes, sysctls, links, and run the commands, in this order.  Raises BackendError.

        After a failure everything made so far stays until `remove`.
        """
        for name, node in self.plain["nodes"].items():
            with self._doing(name, "cannot be made"):
                self.holders[name] = NodeNamespaces(name, node["binds"], node["env"])
        for name in self.plain["nodes"]:
            self._sysctls(name, _WHERE_THERE)
        # Twice: conf.default must stand before a link is made (it is copied into it), and
        # conf.eth1 is there only afterwards.
        late = {
            name: self._sysctls(name, {**AT_FIRST, **node["sysctls"]})
            for name, node in self.plain["nodes"].items()
        }
        self._links()
        for name, settings in late.items():
            missing = self._sysctls(name, settings)
            if missing:
                raise self._error(
                    name, f"sysctl {next(iter(missing))}: this kernel has none in a node's network"
                )
        for name, node in self.plain["nodes"].items():
            commands = list(zip(node["exec"], node["exec_lines"], strict=True))
            while commands:
                done = await self._batch(execute, name, commands)
                if not done:
                    await self._exec(execute, name, *commands[0])
                commands = commands[done or 1 :]

    @property
    def nodes(self) -> Mapping[str, NodeNamespaces]:
        return self.holders

    def remove(self) -> None:
        """Kill the nodes and everything in them; the links vanish with their namespaces.

        Cards and the machine's own interfaces go back first: with its namespace one would return to
        the machine as it was left.  Raises OSError where an interface could not be put back.
        """
        self._cards.give_back()
        try:
            self.give_back()
        finally:
            for holder in self.holders.values():
                holder.end()
            self.holders.clear()

    def give_back(self) -> None:
        """Put the machine's own interfaces back; OSError where one could not be."""
        if self._borrowed:
            self._borrowed.give_back()

    def _error(self, node: str, message: str, line: int | None = None) -> BackendError:
        place = f"{self.plain['file']}:{line}" if line else self.plain["file"]
        return BackendError(f"{place}: node {node}: {message}")

    @contextmanager
    def _doing(self, node: str, what: str) -> Iterator[None]:
        """Report what the kernel refuses in the block as an error of the node."""
        try:
            yield
        except (OSError, NodeError) as error:
            raise self._error(node, f"{what}: {error}") from None

    def _sysctls(self, node: str, settings: Mapping[str, str]) -> dict[str, str]:
        """Write the settings; return those that do not exist (yet)."""
        if not settings:
            return {}
        with self._doing(node, "sysctl"), self.holders[node].inside():
            return {key: settings[key] for key in _write_sysctls(settings)}

    def _links(self) -> None:
        ports: dict[str, list[str]] = {name: [] for name in self.holders}
        with veth.opened() as netlink:
            for link in self.plain["links"]:
                (a, port_a), (b, port_b) = link["endpoints"]
                ends = (self.holders[a].pid, port_a), (self.holders[b].pid, port_b)
                with self._doing(a, f"link {a}:{port_a} to {b}:{port_b}"):
                    if "cards" in link:
                        for (pid, name), card in zip(ends, link["cards"], strict=True):
                            self._cards.take(card["port"], pid, name, link["mtu"], card["cpu"])
                    else:
                        here, there = (veth.end(*end, link["mtu"]) for end in ends)
                        veth.make_pair(netlink, here, there)
                ports[a].append(port_a)
                ports[b].append(port_b)
        self._borrow(ports)
        for name, names in ports.items():
            with self._doing(name, f"ports {' '.join(names)}"), self.holders[name].inside():
                veth.ports_up(names)

    def _borrow(self, ports: dict[str, list[str]]) -> None:
        """Take the machine's own interfaces, and note them among the nodes' ports."""
        told = self.plain.get("borrowed")
        if not told:
            return
        self._borrowed = Borrowed(isolation.outer_network(), Path(told["file"]))
        for each in told["interfaces"]:
            name, interface = each["name"], each["interface"]
            node = self.holders[each["node"]]
            try:
                self._borrowed.take(interface, node.pid, node.inside, name, each["mtu"])
            except OSError as error:
                message = f"interface {interface} of this machine: {error.strerror}"
                raise self._error(node.name, message) from None
            ports[node.name].append(name)

    async def _batch(self, execute: Execute, node: str, commands: Sequence[tuple[str, int]]) -> int:
        """Let one `ip` do the first commands, if they are for it: a process takes 30 ms in a guest.

        How many it did.  The one that it could not do says what is wrong when it is run alone.
        """
        plain = takewhile(is_plain_ip, (command for command, _ in commands))
        lines = [command.removeprefix("ip ") for command in plain]
        if len(lines) < 2:
            return 0
        argv, text = ["ip", "-batch", "-"], "\n".join(lines) + "\n"
        outcome = await execute(Command(self.holders[node], argv, text=text, timeout=EXEC_SECONDS))
        if outcome.returncode == 0:
            return len(lines)
        failed = re.search(r"^Command failed -:(\d+)", outcome.stderr, re.MULTILINE)
        if failed is None:
            words = f"`ip -batch` ended with {outcome.returncode}: {outcome.stderr.strip()[-2000:]}"
            command, line = commands[0]
            raise self._error(node, f'exec "{command}" and what follows: {words}', line)
        await self._exec(execute, node, *commands[int(failed[1]) - 1])
        return int(failed[1])

    async def _exec(self, execute: Execute, node: str, command: str, line: int) -> None:
        argv = shlex.split(command)
        outcome = await execute(Command(self.holders[node], argv, timeout=EXEC_SECONDS))
        if outcome.timed_out:
            raise self._error(node, f'exec "{command}": not done in {EXEC_SECONDS:.0f} s', line)
        if outcome.returncode:
            words = (outcome.stderr.strip() or outcome.stdout.strip() or "it said nothing")[-2000:]
            raise self._error(
                node, f'exec "{command}": exit code {outcome.returncode}: {words}', line
            )


def is_plain_ip(command: str) -> bool:
    """Return whether a line of `ip -batch` says the same: no options, no words in quotes."""
    return re.fullmatch(r"ip [a-z][\w./:@ -]*", command) is not None


# A new namespace takes its IPv4 settings from the machine's first one (the kernel's
# devconf_inherit_init_net), where Docker turns forwarding on: nodes that were hosts then routed.
AT_FIRST = {"net.ipv4.ip_forward": "0"}

# Where br_netfilter is, as Docker loads it, each bridged packet goes through IP's hooks as well,
# which makes a bridge cost twice as much.  RouterOS has that off too (use-ip-firewall=no).
_WHERE_THERE = {
    f"net.bridge.bridge-nf-call-{table}": "0" for table in ("iptables", "ip6tables", "arptables")
}


def _write_sysctls(settings: Mapping[str, str]) -> list[str]:
    """In the node: write, and name those that do not exist.

    As sysctl(8): where a slash separates, dots are part of names (net/ipv4/conf/eth1.100/...).
    """
    missing = []
    for key, value in settings.items():
        path = Path("/proc/sys", key if "/" in key else key.replace(".", "/"))
        try:
            handle = os.open(path, os.O_WRONLY)
        except FileNotFoundError:
            missing.append(key)
            continue
        try:
            os.write(handle, value.encode())
        except OSError as error:
            raise OSError(error.errno, error.strerror, f"{key}={value}") from None
        finally:
            os.close(handle)
    return missing


def facts(user_namespace: bool) -> Message:
    """The facts of the machine that the nodes run on, for records."""
    system = os.uname()
    cpu = platform.machine()
    for line in Path("/proc/cpuinfo").read_text(errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("model name", "Model", "cpu model"):
            cpu = value.strip()
            break
    return {
        "kernel": system.release,
        "kernel_version": system.version,
        "machine": system.machine,
        "cpu": cpu,
        "cpus": len(os.sched_getaffinity(0)),
        "euid": isolation.OUTER_UID,
        "user_namespace": user_namespace,
    }


def main(arguments: list[str]) -> NoReturn:
    def make() -> Agent:
        user_namespace, cannot = False, None
        try:
            user_namespace = isolation.enter()
        except CannotHereError as error:
            cannot = error
        else:
            node_namespaces.prepare()
        return Agent(user_namespace, cannot)

    serve(make, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
