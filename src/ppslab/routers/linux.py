"""The Linux router: a condition's links, rule sets, queues, programs and BPF, and their read-back.

What was loaded is compared with what the files say.  A rule set that failed to load silently once
gave a null result (reference measurement, A/A); since then no trial runs unread.

A condition may configure other nodes too (the far end of a tunnel): each is a router of its own
in `others`, configured after this one and read back with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, get_args

from ppslab import sockets
from ppslab.backends import Node
from ppslab.conditions import BpfMode, Condition, Expect, LinuxWords
from ppslab.errors import BackendError, CannotHereError
from ppslab.lab import Lab
from ppslab.routers import bpf_maps, interrupts, programs, steps
from ppslab.routers.contract import ReadBack
from ppslab.routers.deployed import Deployed
from ppslab.routers.read_back import (
    BRIDGE,
    State,
    compare,
    plain_rules,
    questions,
)

Made = TypeVar("Made")

__all__ = ["BPF_MODES", "BRIDGE", "CANNOT_SHOW", "BpfMode", "LinuxRouter", "ReadBack"]

BPF_MODES: tuple[BpfMode, ...] = get_args(BpfMode)

CANNOT_SHOW = (
    "A router made of the Linux kernel and veth pairs has no switch chip, no line rate and no "
    "hardware queues: it shows which condition costs more and by how much, not the packets per "
    "second of a router of MikroTik's."
)

CARDS_CANNOT_SHOW = (
    "A router in a machine that QEMU emulates has sockets, cards and interrupts to place, but the "
    "link between the sockets takes no time, a card has one queue, and all CPUs share those of the "
    "host: it shows who does which work, not what a placement costs."
)

_PAUSE = 0.5
"""Seconds until a read-back that may come true is asked again."""

_FORWARDING = "net.ipv4.ip_forward net.ipv6.conf.all.forwarding"


class LinuxRouter:
    """The kernel of one node as the device under test, or as a node beside it.

    `ports`: its interfaces, in the lab's order.  `role`: None for the lab's router; the node's
    name in a condition's `nodes` for any other.  `others`: the nodes that conditions configure
    beside this one, by name.
    """

    name = "linux"
    cannot_show = CANNOT_SHOW

    def __init__(
        self,
        node: Node,
        lab: Lab,
        bpf_objects: Path,
        *,
        ports: Sequence[str] | None = None,
        role: str | None = None,
        others: Mapping[str, LinuxRouter] | None = None,
    ) -> None:
        self.node = node
        self.lab = lab
        if self.apart:
            self.cannot_show = CARDS_CANNOT_SHOW
        self.ports = list(lab.words.ports.values() if ports is None else ports)
        self.role = role
        self.others = dict(others or {})
        self.bpf_objects = bpf_objects
        self.bpf_modes: dict[str, BpfMode] = {}
        self._sysctls: dict[str, str] = {}
        self._listings: dict[str, list[Any]] = {}
        self._tables: dict[str, bpf_maps.Tables] = {}
        self._standing = steps.EVERYTHING
        self._touched = False

    @property
    def apart(self) -> bool:
        """Whether cards and interrupts stand between the tester and the router's work."""
        return self.lab.words.machine is not None

    def facts(self) -> dict[str, Any]:
        """The programs that configure it, and of a machine of its own what was built."""
        programs: dict[str, str] = {}
        for name, argv in {"nft": ["nft", "--version"], "iproute2": ["ip", "-V"]}.items():
            answer = self.node.run(argv, check=False)
            programs[name] = answer.stdout.strip() or answer.stderr.strip()
        found: dict[str, Any] = {"programs": programs}
        if self.lab.words.machine is not None:
            found["sockets"] = {
                "built": sockets.built(self.lab.words.machine),
                "shown": sockets.shown(self.node, self.ports),
            }
        return found

    @cached_property
    def deployed(self) -> Deployed:
        """The node as the topology made it: read before the first condition touches it."""
        return Deployed.read(self.node)

    @cached_property
    def chosen(self) -> interrupts.Came:
        """The CPUs that the kernel chose for the cards' interrupts, before the first condition."""
        return interrupts.came(self.node, self.ports)

    def words(self, condition: Condition) -> LinuxWords:
        """What the condition makes of this node."""
        if self.role is None:
            return condition.linux
        return condition.nodes.get(self.role, steps.NOTHING)

    def mode(self, condition: Condition, wanted: BpfMode | None = None) -> BpfMode:
        """How the condition's BPF program is attached: as wanted, as it must be, as chosen."""
        words = self.words(condition)
        return words.bpf_mode or wanted or self.bpf_modes.get(words.bpf or "", "tc")

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring the router, and the nodes beside it, from whatever they are into `condition`.

        `bpf_mode` overrides the way in which the condition's BPF program is attached; without it
        the way that `bpf_modes` names for the program.  BackendError with the node's own words
        where a step fails.
        """
        words = self.words(condition)
        script = [self._reset()]
        for key in words.sysctls:
            self._remember(key)
        script += steps.sysctls(words.sysctls)
        if words.interrupts is not None:
            script.append(interrupts.serve(words.interrupts, self.chosen))
        script += steps.links(self.lab, words, self.ports)
        # Restoring links takes a second under emulation: only where a condition made some.
        self._touched = self._touched or bool(words.ip or words.programs)
        # To load nothing in the place of nothing takes 100 ms a node under emulation.
        if words.nft or self._standing.nft:
            script.append(steps.rules("".join(self.lab.text(file) for file in words.nft)))
        script += [steps.feed("tc -batch -", self.lab.text(file)) for file in words.tc]
        if words.bpf:
            mode = self.mode(condition, bpf_mode)
            script += steps.attach(words, self.ports, self.bpf_objects, mode)
        script.append(programs.start(words.programs))
        self._standing = steps.EVERYTHING
        self._sh("\n".join(script), condition.name)
        if words.switch_chip:
            # The same routes make the same tables: they are worked out once.
            if condition.name not in self._tables:
                self._tables[condition.name] = bpf_maps.tables(self.node, words.switch_chip)
            bpf_maps.fill(self.node, self._tables[condition.name])
        self._standing = words
        beside = [
            other
            for other in self.others.values()
            if other._standing != steps.NOTHING or other.words(condition) != steps.NOTHING
        ]
        _at_once(beside, lambda other: other.apply(condition))

    reset_kind = "software: forwarding stops, the configuration goes and is set again"

    def reset(self, condition: Condition) -> None:
        """A software reset while traffic flows (RFC 6201 section 4.2), as far as there is one.

        Forwarding stops, all that the condition set is taken away and set anew, forwarding starts.
        """
        self._sh(f"for key in {_FORWARDING}; do sysctl -q -w $key=0; done", "reset")
        self.apply(condition)
        self._sh(f"for key in {_FORWARDING}; do sysctl -q -w $key=1; done", "reset")

    def apply_baseline(self) -> None:
        """Drop every frame at the ports' ingress: the sender's own cost remains."""
        script = self._reset() + steps.drop(self.ports)
        self._standing = steps.EVERYTHING
        self._sh(script, "drop baseline")
        self._standing = LinuxWords(nft=("any",), expect=Expect(conntrack=False))

    def read_back_baseline(self) -> ReadBack:
        """Whether the drop baseline stands."""
        state = self._state(None)
        chains = [rule["chain"] for rule in state.rules if "chain" in rule]
        good = len(chains) == 1 and chains[0].get("policy") == "drop"
        problems = () if good else ("the drop baseline's chain is not there",)
        return ReadBack(problems, state.text)

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """What the router and the nodes beside it are now, compared with `condition`.

        Where the condition gives it time (`expect.within`) it is asked again until it is as wanted.
        """
        until = time.monotonic() + self.words(condition).expect.within
        found = self._read_back(condition, bpf_mode)
        while found.problems and time.monotonic() < until:
            time.sleep(_PAUSE)
            found = self._read_back(condition, bpf_mode)
        named = {name: other for name, other in self.others.items() if name in condition.nodes}
        answers = _at_once(list(named.values()), lambda other: other.read_back(condition))
        for name, beside in zip(named, answers, strict=True):
            said = tuple(f"node {name}: {problem}" for problem in beside.problems)
            text = f"{found.text}# node {name}\n{beside.text}"
            found = ReadBack((*found.problems, *said), text)
        return found

    def _read_back(self, condition: Condition, bpf_mode: BpfMode | None) -> ReadBack:
        """What this node is now."""
        words = self.words(condition)
        state = self._state(words)
        problems = compare(
            words,
            state,
            ports=self.ports,
            deployed=self.deployed,
            listing=self._listing(condition),
            bpf_mode=self.mode(condition, bpf_mode),
            chosen=self.chosen if words.interrupts is not None else None,
            tables=self._tables.get(condition.name),
        )
        return ReadBack(tuple(problems), state.text)

    def before_trial(self, condition: Condition) -> None:
        """Run what the condition wants before each trial, on every node."""
        words = self.words(condition)
        if words.each_trial:
            self._sh("\n".join(words.each_trial), f"{condition.name}: each_trial")
        for other in self.others.values():
            other.before_trial(condition)

    def counters(self, condition: Condition) -> dict[str, int]:
        """The condition's counters as they stand; of other nodes with the node's name in front.

        BackendError where one is no whole number.
        """
        words = self.words(condition)
        found: dict[str, int] = {}
        if words.counters:
            script = "".join(f"echo $( {command}\n)\n" for command in words.counters.values())
            lines = self._sh(script, f"{condition.name}: counters").splitlines()
            for name, line in zip(words.counters, lines, strict=True):
                if not line.strip().isdigit():
                    raise BackendError(
                        f"router {self.node.name}: {condition.name}: counter {name!r}: "
                        f"`{words.counters[name]}` printed {line!r}, which is no whole number"
                    )
                found[name] = int(line)
        for node, other in self.others.items():
            found |= {f"{node} {name}": n for name, n in other.counters(condition).items()}
        return found

    def tracked_connections(self) -> int:
        """Entries in the connection tracking table of the router's network namespace."""
        path = "/proc/sys/net/netfilter/nf_conntrack_count"
        answer = self.node.run(["cat", path], check=False)
        return int(answer.stdout) if answer.returncode == 0 else 0

    def offloaded_connections(self) -> int:
        """Tracked connections that the flowtable has taken over: nf_conntrack's flag OFFLOAD."""
        table = "/proc/net/nf_conntrack"
        listed = "{ conntrack -L; conntrack -L -f ipv6; } 2>/dev/null"
        found = "grep -c OFFLOAD"
        script = f"if [ -e {table} ]; then {found} {table}; else {listed} | {found}; fi || :"
        return int(self._sh(script, "offloaded connections"))

    def steer(self, cpu: int | None) -> None:
        """Let `cpu` route what the ports receive; None: the CPU that sends does (coupled).

        Receive packet steering (Documentation/networking/scaling.rst).  A full backlog of that
        CPU drops, as a full ring of a network card does, and the sender does not feel it.
        """
        if self.apart:
            return  # cards: their interrupts say which CPU
        for other in self.others.values():
            other.steer(cpu)
        mask = f"{1 << cpu:x}" if cpu is not None else "0"
        lines = [f"echo {mask} > /sys/class/net/{p}/queues/rx-0/rps_cpus" for p in self.ports]
        answer = self.node.run(["sh", "-e"], input="\n".join(lines), check=False)
        if answer.returncode != 0:
            raise CannotHereError(
                "packets cannot be steered to a CPU of their own here: "
                + answer.stderr.strip().splitlines()[-1],
                "run as root, or with --backend vm",
            )

    def _reset(self) -> str:
        """The lines that take away what stands there and is not wanted.

        Under emulation a process takes 80 ms, so what does not stand is not taken away.
        """
        standing, deployed = self._standing, self.deployed
        lines = programs.STOP if standing.programs else ""
        lines += "".join(f"{line}\n" for line in steps.sysctls(self._sysctls))
        if standing.interrupts is not None:
            lines += interrupts.serve("chance", self.chosen)
        lines += steps.take_away(standing, self.ports)
        if (standing.ip or standing.programs) and self._touched:
            lines += deployed.restore()
        if standing.expect.conntrack is not False:
            lines += "conntrack -F >/dev/null 2>&1 || :\n"
        return lines

    def _remember(self, key: str) -> None:
        if key not in self._sysctls:
            self._sysctls[key] = self.node.run(["sysctl", "-n", key]).stdout.strip()

    def _state(self, words: LinuxWords | None) -> State:
        answer = self._sh(questions(words, self.ports), "read-back")
        return State.of(answer, self.ports)

    def _listing(self, condition: Condition) -> list[Any]:
        """The rules as the same kernel lists them when the files are loaded into nothing."""
        words = self.words(condition)
        if not words.nft:
            return []
        if condition.name not in self._listings:
            texts = [self.lab.text(file) for file in words.nft]
            script = steps.listing(texts, self.ports)
            answer = self.node.run(["unshare", "--net", "sh", "-e"], input=script)
            self._listings[condition.name] = plain_rules(answer.stdout)
        return self._listings[condition.name]

    def _sh(self, script: str, what: str) -> str:
        answer = self.node.run(["sh", "-e"], input=script, check=False)
        if answer.returncode != 0:
            said = answer.stderr.strip() or f"exit code {answer.returncode}"
            raise BackendError(f"router {self.node.name}: {what}: {said}")
        return answer.stdout


def _at_once(nodes: Sequence[LinuxRouter], act: Callable[[LinuxRouter], Made]) -> Sequence[Made]:
    """What `act` gives for each node; a guest has two CPUs, and most of the time is waiting."""
    if not nodes:
        return ()
    with ThreadPoolExecutor(max_workers=len(nodes)) as pool:
        return list(pool.map(act, nodes))
