"""A backend on which nothing runs: it writes down what nodes are told, and answers what they ask.

Routers, testers and testbeds are the real ones.  A node answers as one that was just deployed: its
links, routes and neighbours as they were configured (`IpState`), no rules, no queues, and trials in
which nothing was sent.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppslab.core import measures
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Backend, Borrow, Deployment
from ppslab.testbed.backends.agent.client import AGENTS, Client
from ppslab.testbed.backends.agent.protocol import Message
from ppslab.testbed.backends.capabilities import tools
from ppslab.testbed.backends.registry import Entry
from ppslab.testbed.testers.counts import assembled

if TYPE_CHECKING:
    from ppslab.measure.experiment import FrameExperiment

HAND = "by-hand"
"""The name of a run here; a real one gets a name of its own."""

NOT_SENT = "nothing was sent: this only shows what would be"

FIRST_INTERRUPT = 24
"""Of the numbers that interrupts have here; a machine gives its own."""

_LOOP = re.compile(r"^for p in .*?^done; done$", re.MULTILINE | re.DOTALL)
"""Lines that ask every port for something: for the interrupts of cards, or, unanswered, queues."""
_INTERRUPTS = "interrupts of cards"


@dataclass(frozen=True)
class Command:
    """A command for a node: `argv`, word by word."""

    run: str
    """The deployment that the node is of."""
    node: str
    """Its name in the topology."""
    argv: tuple[str, ...]
    given: str
    """The command's standard input."""


@dataclass
class PretendedNode:
    """One node: what it was deployed with, and what it answers."""

    state: IpState
    """Its links, addresses, routes and neighbours."""
    sysctls: Mapping[str, str]
    """By name, as the topology sets them."""
    cards: Mapping[str, int | None]
    """Interfaces that are cards, with the CPU that serves their interrupts."""

    def answer(self, argv: Sequence[str], given: str) -> str:
        """Return what a command prints, and remember its changes to links and routes."""
        script = given if argv[0] == "sh" and given else argv[-1]
        if argv[0] != "sh":
            script = shlex.join(argv)
        self.state.read(script)
        if "ppstraffic" in script and " run " in script:
            return json.dumps(NOTHING_SENT)
        return "".join(self._line(line) for line in _questions(script))

    def _line(self, line: str) -> str:
        for pattern, reply in self._answers.items():
            match = re.fullmatch(pattern, line)
            if match:
                return reply(*match.groups())
        return ""

    @property
    def _answers(self) -> dict[str, Callable[..., str]]:
        state = self.state

        def plain(data: Any) -> str:
            return json.dumps(data) + "\n"

        return {
            r"echo \$\(.*": lambda: "0\n",
            r"echo '?([^']*)'?": lambda text: f"{text}\n",
            r"ip -j -d (?:address|link) show": lambda: plain(list(state.links.values())),
            r"ip -j neighbour show.*": lambda: plain(state.known()),
            r"ip -j route show table main": lambda: plain(state.routes_of(4)),
            r"ip -j -6 route show table main": lambda: plain(state.routes_of(6)),
            r"ip -(\d) route show table main": lambda family: state.listed(int(family)),
            _INTERRUPTS: self._interrupts,
            r"nft -j -s list ruleset": lambda: plain({"nftables": []}),
            r"tc -j qdisc show": lambda: plain([]),
            r"sysctl -n (\S+)": lambda key: f"{self._sysctl(key)}\n",
            r"cat /sys/class/net/\S+/carrier": lambda: "1\n",
            r"cat \S*nf_conntrack_count|if .* grep -c OFFLOAD.*": lambda: "0\n",
        }

    def _sysctl(self, key: str) -> str:
        """As the topology sets it, or else as it is on this machine."""
        try:
            here = Path("/proc/sys", key.replace(".", "/")).read_text().strip()
        except OSError:
            here = "0"
        return self.sysctls.get(key, here)

    def _interrupts(self) -> str:
        lines = [
            f"{port} {number} {port}-rx wanted {cpu or 0} effective {cpu or 0} served 0\n"
            for number, (port, cpu) in enumerate(self.cards.items(), start=FIRST_INTERRUPT)
        ]
        return "".join(lines)


NOTHING_SENT = assembled(
    "ppstraffic",
    size=64,
    rate=None,
    seconds=0.0,
    flows=(),
    send_seconds=0.0,
    elapsed_seconds=0.0,
    reason=NOT_SENT,
).plain()


def _question_of(loop: re.Match[str]) -> str:
    return _INTERRUPTS if "msi_irqs" in loop[0] else ""


def _questions(script: str) -> list[str]:
    """The commands of a script, one by one: of its lines those parts that a semicolon ends."""
    parts = []
    for line in _LOOP.sub(_question_of, script).splitlines():
        if line.startswith(("echo $(", "if ")):
            parts.append(line)
        else:
            parts += [part.strip() for part in line.split("; ")]
    return parts


class Agent(Client):
    """Answers as an agent does; `commands`: what it was told to run, in order."""

    limits = AGENTS

    def __init__(self, facts: Message, machine: Machine | None) -> None:
        self.commands: list[Command] = []
        self.borrowed: list[Borrow] = []
        self._facts, self._machine = facts, machine
        self._nodes: dict[tuple[str, str], PretendedNode] = {}

    def call(self, operation: str, *, wait: float, **fields: Any) -> Message:
        """The reply; nothing for what stands nothing up."""
        del wait
        match operation:
            case "facts":
                return self._facts
            case "deploy":
                self._deploy(fields["run"], fields["topology"])
            case "run":
                return self._run(Command(fields["run"], fields["node"], tuple(fields["argv"]),
                                         fields["input"] or ""))  # fmt: skip
        return {}

    @property
    def alive(self) -> bool:
        """Always."""
        return True

    def close(self) -> None:
        """Nothing was opened."""

    def _deploy(self, run: str, topology: Message) -> None:
        lent = topology.get("borrowed", {}).get("interfaces", ())
        self.borrowed += [Borrow(**interface) for interface in lent]
        cards = self._machine.cards.get(topology["name"], {}) if self._machine else {}
        for name, node in topology["nodes"].items():
            mtus = {
                port: link["mtu"]
                for link in topology["links"]
                for end, port in link["endpoints"]
                if end == name
            }
            state = IpState(mtus | {b.name: b.mtu for b in self.borrowed if b.node == name})
            state.read("\n".join(node["exec"]))
            served = {
                end.partition(":")[2]: card.cpu
                for end, card in cards.items()
                if end.startswith(f"{name}:")
            }
            self._nodes[run, name] = PretendedNode(state, node["sysctls"], served)

    def _run(self, command: Command) -> Message:
        self.commands.append(command)
        printed = self._nodes[command.run, command.node].answer(command.argv, command.given)
        ended = {"returncode": 0, "stderr": "", "timed_out": False, "truncated": False}
        return {**ended, "stdout": printed}


class _Unlisted(Entry):
    """Of an agent that no other command should find."""

    def save(self) -> None:
        """Nowhere."""

    def forget(self) -> None:
        """Nothing was written."""


class PretendedBackend(Backend):
    """Stands nothing up.  `topologies`: what it was asked to, by run."""

    def __init__(self, name: str, facts: Mapping[str, Any], machine: Machine | None = None) -> None:
        self.own_files = name == "containerlab"
        self.topologies: dict[str, Topology] = {}
        self.agent = Agent(dict(facts), machine)
        entry = _Unlisted(name, os.getpid(), 0)
        super().__init__(name, self.agent, entry, end=lambda: None)

    def deploy(
        self, topology: Topology, run_id: str | None = None, *, borrow: Sequence[Borrow] = ()
    ) -> Deployment:
        """As every backend's, under a name that a reader can type."""
        run = run_id or f"{topology.name}-{HAND}"
        self.topologies[run] = topology
        return super().deploy(topology, run, borrow=borrow)

    def _borrowed(self, run: str, borrow: Sequence[Borrow]) -> dict[str, Any]:
        """As every backend's; nobody's rights are asked for, and no file is named."""
        return {"file": "", "interfaces": [vars(interface) for interface in borrow]}

    def _plain(self, topology: Topology, run: str) -> dict[str, Any]:
        """Also what only containerlab knows."""
        return topology.plain()

    def told(self) -> list[Command]:
        """Return the commands since this was asked last, in order."""
        commands, self.agent.commands = self.agent.commands, []
        return commands


def pretended_facts(experiment: FrameExperiment[Any], backend: str) -> dict[str, object]:
    """Return the backend's facts of its machine, as far as a testbed asks."""
    if backend != "vm":
        return {"cpus": len(os.sched_getaffinity(0))}
    machine = experiment.lab.spec.machine
    answer = tools.known()
    facts: dict[str, object] = {
        "emulation": "kvm" if answer and answer.boots else "tcg",
        "cpus": machine.all_cpus if machine else len(os.sched_getaffinity(0)),
    }
    if experiment.counted:
        facts |= {"emulation": "tcg", "cpus": 1, "instruction_ns": measures.INSTRUCTION_NS}
    return facts


_HEREDOC = re.compile(r"<<-?\s*'?(\w+)'?")
_KEPT = re.compile(r"^\s*([\w.|-]+)\) ;;$")


class IpState:
    """The state of one node; `interfaces`: those of its wires, with their MTU.

    `links`: by name, as `ip -j -d address show` has them.  `routes`: the words behind a prefix.
    """

    def __init__(self, interfaces: Mapping[str, int]) -> None:
        self.links: dict[str, dict[str, Any]] = {}
        self._add("lo", 65536)
        self.links["lo"] |= {"link_type": "loopback", "address": "00:00:00:00:00:00"}
        for name, mtu in interfaces.items():
            self._add(name, mtu)
        self.routes: dict[str, list[str]] = {}
        self.neighbours: dict[str, tuple[str, str]] = {}

    def read(self, script: str) -> None:
        """Take in a shell script: its `ip` commands, and what it feeds to `ip -batch -`."""
        batch, end = False, ""
        for line in script.splitlines():
            if end:
                if line.strip() == end:
                    batch, end = False, ""
                elif batch:
                    self._line(line.split())
                continue
            heredoc = _HEREDOC.search(line)
            if heredoc:
                end, batch = heredoc[1], line.startswith("ip ") and "-batch" in line
            elif line.startswith("ip ") and " show" not in line:
                self._line(line.split()[1:])

    def _line(self, words: list[str]) -> None:
        kept = _KEPT.match(" ".join(words))
        if kept:
            # The lines by which a node is put back take away every link but these.
            self.links = {n: link for n, link in self.links.items() if n in kept[1].split("|")}
        words = [word for word in words if word not in ("-4", "-6")]
        match words:
            case ["link", "set", *rest]:
                self._set(rest[1:] if rest[0] == "dev" else rest)
            case ["link", "add", *rest]:
                self._link(rest)
            case ["link", "del" | "delete", *rest]:
                self.links.pop(rest[-1], None)
            case ["address", "add" | "replace", address, "dev", name, *_] if name in self.links:
                local, _, length = address.partition("/")
                family = "inet6" if ":" in local else "inet"
                entry: dict[str, Any] = {"family": family, "local": local, "scope": "global"}
                entry["prefixlen"] = int(length)
                if entry not in self.links[name]["addr_info"]:
                    self.links[name]["addr_info"].append(entry)
            case ["address", "flush", "dev", name, *_] if name in self.links:
                self.links[name]["addr_info"].clear()
            case ["neighbour" | "neigh", "add" | "replace", host, *rest]:
                fields = dict(zip(rest[::2], rest[1::2], strict=False))
                self.neighbours[host] = (fields.get("lladdr", ""), fields.get("dev", ""))
            case ["route", "flush", "table", "main"]:
                self.routes.clear()
            case ["route", "flush", "proto", number]:
                self.routes = {
                    prefix: rest
                    for prefix, rest in self.routes.items()
                    if f"proto {number}" not in " ".join(rest)
                }
            case ["route", "add" | "replace", "blackhole", prefix, *rest]:
                self.routes[prefix] = ["blackhole", *rest]
            case ["route", "add" | "replace", prefix, *rest]:
                self.routes[prefix] = rest

    def _add(self, name: str, mtu: int, kind: str = "") -> None:
        index = len(self.links) + 1
        self.links[name] = {
            "ifindex": index,
            "ifname": name,
            "link_type": "ether",
            "address": f"02:00:00:00:00:{index:02x}",
            "mtu": mtu,
            "flags": ["UP"],
            "addr_info": [],
            **({"linkinfo": {"info_kind": kind}} if kind else {}),
        }

    def _link(self, words: list[str]) -> None:
        under = words[1] if words[0] == "link" else ""
        rest = words[2:] if under else words
        rest = rest[1:] if rest[0] in ("name", "dev") else rest
        kind = rest[rest.index("type") + 1] if "type" in rest else ""
        self._add(rest[0], self.links[under]["mtu"] if under in self.links else 1500, kind)

    def _set(self, words: list[str]) -> None:
        link = self.links.get(words[0])
        if link is None:
            return
        for word, value in zip(words[1:], [*words[2:], ""], strict=True):
            match word:
                case "address" | "master":
                    link[word] = value
                case "mtu":
                    link["mtu"] = int(value)
                case "nomaster":
                    link.pop("master", None)
                case "up" | "down":
                    link["flags"] = ["UP"] if word == "up" else []

    def known(self) -> list[dict[str, Any]]:
        """As `ip -j neighbour show` has it."""
        return [
            {"dst": host, "dev": dev, "lladdr": mac, "state": ["PERMANENT"]}
            for host, (mac, dev) in self.neighbours.items()
        ]

    def routes_of(self, family: int) -> list[dict[str, Any]]:
        """As `ip -j route show table main` has them; `family`: 4 or 6."""
        networks = list(self._networks())
        own = [
            {"dst": str(network), "dev": name, "protocol": "kernel", "scope": "link"}
            for network, name in networks
            if network.version == family
        ]
        return own + [
            _route(prefix, words, networks)
            for prefix, words in self.routes.items()
            if _family(prefix, words) == family
        ]

    def listed(self, family: int) -> str:
        """As `ip -4 route show table main` prints those that somebody added."""
        networks, lines = list(self._networks()), []
        for prefix, words in self.routes.items():
            if _family(prefix, words) == family:
                route = _route(prefix, words, networks)
                front, rest = (
                    ([words[0], prefix], words[1:]) if "type" in route else ([prefix], words)
                )
                device = [] if "dev" in words or "dev" not in route else ["dev", route["dev"]]
                lines.append(" ".join([*front, *rest, *device]))
        return "".join(f"{line}\n" for line in lines)

    def _networks(self) -> Iterator[tuple[Any, str]]:
        for name, link in self.links.items():
            for address in link["addr_info"]:
                yield ip_interface(f"{address['local']}/{address['prefixlen']}").network, name


def _route(prefix: str, words: list[str], networks: list[tuple[Any, str]]) -> dict[str, Any]:
    if words[:1] == ["blackhole"]:
        return {"type": "blackhole", "dst": prefix}

    def hop(gateway: str) -> dict[str, str]:
        there = ip_address(gateway)
        return {"gateway": gateway, "dev": next((n for net, n in networks if there in net), "lo")}

    gateways = re.findall(r"via (\S+)", " ".join(words))
    if "nexthop" in words:
        return {"dst": prefix, "nexthops": [hop(gateway) for gateway in gateways]}
    if gateways:
        return {"dst": prefix, **hop(gateways[0])}
    return {"dst": prefix, "dev": words[words.index("dev") + 1] if "dev" in words else "lo"}


def _family(prefix: str, words: list[str]) -> int:
    addresses = " ".join(words) if prefix == "default" else prefix
    return 6 if ":" in addresses else 4
