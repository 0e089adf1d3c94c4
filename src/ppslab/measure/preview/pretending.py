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
from ppslab.testbed.backends.agent.process import Outcome
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
    """A command for a node of the deployment `run`, and its standard input."""

    run: str
    node: str
    argv: tuple[str, ...]
    given: str


@dataclass
class PretendedNode:
    """One node: what it was deployed with, and what it answers.

    `links`: those of its wires, as `ip -j -d address show` has them.  `cards`: interfaces that are
    cards, with the CPU that serves their interrupts.
    """

    links: Sequence[Mapping[str, Any]]
    sysctls: Mapping[str, str]
    cards: Mapping[str, int | None]

    def answer(self, argv: Sequence[str], given: str) -> str:
        """Return the output of a command."""
        script = (given or argv[-1]) if argv[0] == "sh" else shlex.join(argv)
        if "ppstraffic" in script and " run " in script:
            return json.dumps(NOTHING_SENT)
        return "".join(map(self._line, _questions(script)))

    def _line(self, line: str) -> str:
        for pattern, reply in _ANSWERS.items():
            match = re.fullmatch(pattern, line)
            if match:
                return reply(self, *match.groups()) + "\n"
        return ""

    def sysctl(self, key: str) -> str:
        """As the topology sets it, or else as it is on this machine."""
        try:
            here = Path("/proc/sys", key.replace(".", "/")).read_text().strip()
        except OSError:
            here = "0"
        return self.sysctls.get(key, here)

    def interrupts(self) -> str:
        return "\n".join(
            f"{port} {number} {port}-rx wanted {cpu or 0} effective {cpu or 0} served 0"
            for number, (port, cpu) in enumerate(self.cards.items(), start=FIRST_INTERRUPT)
        )


_ANSWERS: Mapping[str, Callable[..., str]] = {
    r"echo \$\(.*": lambda _: "0",
    r"echo '?([^']*)'?": lambda _, text: str(text),
    r"ip -j -d (?:address|link) show": lambda node: json.dumps(list(node.links)),
    r"ip -j neighbour show.*|ip -j (?:-6 )?route show table main": lambda _: "[]",
    _INTERRUPTS: PretendedNode.interrupts,
    r"nft -j -s list ruleset": lambda _: '{"nftables": []}',
    r"tc -j qdisc show": lambda _: "[]",
    r"sysctl -n (\S+)": PretendedNode.sysctl,
    r"cat /sys/class/net/\S+/carrier": lambda _: "1",
    r"cat \S*nf_conntrack_count|if .* grep -c OFFLOAD.*": lambda _: "0",
}
"""A node's answer to the command that matches; all other commands print nothing."""


NOTHING_SENT = assembled(
    "ppstraffic", size=64, rate=None, seconds=0.0, flows=(), send_seconds=0.0, elapsed_seconds=0.0,
    reason=NOT_SENT,
).plain()  # fmt: skip


def _questions(script: str) -> list[str]:
    """The commands of a script, one by one: of its lines those parts that a semicolon ends."""
    parts = []
    asked = _LOOP.sub(lambda loop: _INTERRUPTS if "msi_irqs" in loop[0] else "", script)
    for line in asked.splitlines():
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
                return self._run(fields["run"], fields["node"], fields["argv"], fields["input"])
        return {}

    alive = True

    def close(self) -> None: ...

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

    def _run(self, run: str, node: str, argv: Sequence[str], given: str | None) -> Message:
        self.commands.append(Command(run, node, tuple(argv), given or ""))
        printed = self._nodes[run, node].answer(argv, given or "")
        return vars(Outcome(0, printed, "", timed_out=False, truncated=False))


class _Unlisted(Entry):
    """Of an agent that no other command should find: nothing is written."""

    def save(self) -> None: ...

    def forget(self) -> None: ...


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
