"""A backend on which nothing runs: it writes down what nodes are told, and answers what they ask.

Routers, testers and testbeds are the real ones.  A node answers as one that was just deployed: the
links of its wires, no routes, no rules, no queues, and trials in which nothing was sent.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppslab.core import measures
from ppslab.model.lab.machine import Machine
from ppslab.model.lab.topology import Topology
from ppslab.testbed.backends import Backend, Borrow, Deployment
from ppslab.testbed.backends.agent.client import Client
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

    links: Sequence[Mapping[str, Any]]
    """Those of its wires, as `ip -j -d address show` has them."""
    sysctls: Mapping[str, str]
    """By name, as the topology sets them."""
    cards: Mapping[str, int | None]
    """Interfaces that are cards, with the CPU that serves their interrupts."""

    def answer(self, argv: Sequence[str], given: str) -> str:
        """Return the output of a command."""
        script = given if argv[0] == "sh" and given else argv[-1]
        if argv[0] != "sh":
            script = shlex.join(argv)
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
        def plain(data: Any) -> str:
            return json.dumps(data) + "\n"

        return {
            r"echo \$\(.*": lambda: "0\n",
            r"echo '?([^']*)'?": lambda text: f"{text}\n",
            r"ip -j -d (?:address|link) show": lambda: plain(list(self.links)),
            r"ip -j neighbour show.*|ip -j (?:-6 )?route show table main": lambda: plain([]),
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
            mtus |= {b.name: b.mtu for b in self.borrowed if b.node == name}
            links = [_link(index, port, mtu) for index, (port, mtu) in enumerate(mtus.items(), 2)]
            served = {
                end.partition(":")[2]: card.cpu
                for end, card in cards.items()
                if end.startswith(f"{name}:")
            }
            self._nodes[run, name] = PretendedNode(links, node["sysctls"], served)

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


def _link(index: int, name: str, mtu: int) -> dict[str, Any]:
    """A link without addresses, as `ip -j -d address show` has it."""
    return {
        "ifindex": index,
        "ifname": name,
        "link_type": "ether",
        "address": f"02:00:00:00:00:{index:02x}",
        "mtu": mtu,
        "flags": ["UP"],
        "addr_info": [],
    }
