"""The Linux router: a condition's links, rule sets, queues, programs and BPF, and their read-back.

What was loaded is compared with what the files say.  A rule set that failed to load silently once
gave a null result (reference measurement, A/A); since then no trial runs unread.

A condition may configure other nodes too (the far end of a tunnel): each is a router of its own
in `others`, configured after this one and read back with it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

from ppslab.model.lab.conditions import BpfMode, Condition, LinuxSpec
from ppslab.model.lab.lab import Lab
from ppslab.model.switch_chip.filling import Tables
from ppslab.testbed.backends import Node
from ppslab.testbed.routers.contract import ReadBack
from ppslab.testbed.routers.linux import read_back, steering, steps
from ppslab.testbed.routers.linux.deployed import (
    BRIDGE,
    DROPPING,
    NOTHING,
    UNKNOWN,
    Deployed,
    Standing,
)
from ppslab.testbed.routers.linux.read_back import Came, State, compare, plain_rules, questions

__all__ = ["BPF_MODES", "BRIDGE", "BpfMode", "LinuxRouter", "ReadBack"]

BPF_MODES: tuple[BpfMode, ...] = get_args(BpfMode)

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
    cannot_show = read_back.CANNOT_SHOW

    def __init__(
        self,
        node: Node,
        lab: Lab,
        bpf_objects: Path,
        *,
        ports: Sequence[str] | None = None,
        role: str | None = None,
        others: Mapping[str, LinuxRouter] | None = None,
        standing: Standing = UNKNOWN,
    ) -> None:
        self.node = node
        self.lab = lab
        if self.is_external:
            self.cannot_show = read_back.of_machine(lab.spec.machine)
        self.ports = list(lab.spec.ports.values() if ports is None else ports)
        self.role = role
        self.others = dict(others or {})
        self.bpf_objects = bpf_objects
        self.bpf_modes: dict[str, BpfMode] = {}
        self._sysctls: dict[str, str] = {}
        self._listings: dict[str, list[Any]] = {}
        self._tables: dict[str, Tables] = {}
        self._standing = standing
        self._touched = False

    @property
    def is_external(self) -> bool:
        """Return whether cards and interrupts stand between the tester and the router's work."""
        return self.lab.spec.machine is not None

    def facts(self) -> dict[str, Any]:
        return read_back.read_facts(self.node, self.lab.spec, self.ports)

    @cached_property
    def deployed(self) -> Deployed:
        """The node as the topology made it: read before the first condition touches it."""
        return Deployed.read(self.node)

    @cached_property
    def chosen(self) -> Came:
        """The CPUs that the kernel chose for the cards' interrupts, before the first condition."""
        return read_back.interrupts_by_kernel(self.node, self.ports)

    def spec_of(self, condition: Condition) -> LinuxSpec:
        """Return the part of the condition that is for this node."""
        if self.role is None:
            return condition.linux
        return condition.nodes.get(self.role, NOTHING)

    def mode(self, condition: Condition, wanted: BpfMode | None = None) -> BpfMode:
        """Return how to attach the condition's BPF program: as wanted, as it must be, as chosen."""
        spec = self.spec_of(condition)
        return spec.bpf_mode or wanted or self.bpf_modes.get(spec.bpf or "", "tc")

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        """Bring the router, and the nodes beside it, from whatever they are into `condition`.

        `bpf_mode` overrides the way in which the condition's BPF program is attached; without it
        the way that `bpf_modes` names for the program.  BackendError with the node's own words
        where a step fails.
        """
        spec = self.spec_of(condition)
        rules = steps.RuleFiles.of(self.lab, spec.nft)
        script = [self._reset()]
        for key in spec.sysctls:
            self._remember(key)
        script += steps.sysctls(spec.sysctls)
        if spec.interrupts is not None:
            script.append(read_back.serve_interrupts(spec.interrupts, self.chosen))
        script += steps.links(self.lab, spec, self.ports)
        # Restoring links takes a second under emulation: only where a condition made some.
        self._touched = self._touched or spec.makes_links
        # To load nothing in the place of nothing takes 100 ms a node under emulation.
        if spec.nft or self._standing.rules:
            script.append(rules.load())
        script += steps.queues(self.lab, spec, self.bpf_objects)
        if spec.bpf:
            mode = self.mode(condition, bpf_mode)
            ahead = [self.lab.text(file) for file in spec.switch_rules]
            script += steps.attach(spec, self.ports, self.bpf_objects, mode, rules=ahead)
        script.append(steps.start_programs(spec.programs))
        self._standing = UNKNOWN
        steps.run(self.node, "\n".join(script), condition.name, rules.named)
        if spec.switch_chip:
            # The same routes make the same tables: they are worked out once.
            if condition.name not in self._tables:
                self._tables[condition.name] = steering.tables(self.node, spec.switch_chip)
            steering.fill(self.node, self._tables[condition.name])
        self._standing = Standing.of(spec)
        beside = [
            other
            for other in self.others.values()
            if other._standing.configured or other.spec_of(condition) != NOTHING
        ]
        steps.at_once(beside, lambda other: other.apply(condition))

    reset_kind = "software: forwarding stops, the configuration goes and is set again"

    def reset(self, condition: Condition) -> None:
        """A software reset while traffic flows (RFC 6201 section 4.2), as far as there is one.

        Forwarding stops, all that the condition set is taken away and set anew, forwarding starts.
        """
        steps.run(self.node, f"for key in {_FORWARDING}; do sysctl -q -w $key=0; done", "reset")
        self.apply(condition)
        steps.run(self.node, f"for key in {_FORWARDING}; do sysctl -q -w $key=1; done", "reset")

    def apply_baseline(self) -> None:
        """Drop every frame at the ports' ingress: the sender's own cost remains.

        Nodes beside it forget the condition before: what they track would be a part of that cost.
        """
        script = self._reset() + steps.drop(self.ports)
        self._standing = UNKNOWN
        steps.run(self.node, script, "drop baseline")
        self._standing = DROPPING
        steps.at_once(
            [o for o in self.others.values() if o._standing.configured], LinuxRouter._forget
        )

    def _forget(self) -> None:
        """Take the condition off the node, its rules and what it tracked too."""
        script = self._reset() + (steps.rules("") if self._standing.rules else "")
        self._standing = UNKNOWN
        steps.run(self.node, script, "nothing")
        self._standing = Standing.of(NOTHING)

    def read_back_baseline(self) -> ReadBack:
        state = self._state(None)
        chains = [rule["chain"] for rule in state.rules if "chain" in rule]
        good = len(chains) == 1 and chains[0].get("policy") == "drop"
        problems = () if good else ("the drop baseline's chain is not there",)
        return ReadBack(problems, state.text)

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """Compare the router and the nodes beside it with `condition`.

        Where the condition gives it time (`expect.within`) it is asked again until it is as wanted.
        """
        until = time.monotonic() + self.spec_of(condition).expect.within
        state = self.look(condition, bpf_mode=bpf_mode)
        while state.problems and time.monotonic() < until:
            time.sleep(_PAUSE)
            state = self.look(condition, bpf_mode=bpf_mode)
        named = {name: other for name, other in self.others.items() if name in condition.nodes}
        answers = steps.at_once(list(named.values()), lambda other: other.read_back(condition))
        for name, beside in zip(named, answers, strict=True):
            problems = tuple(f"node {name}: {problem}" for problem in beside.problems)
            text = f"{state.text}# node {name}\n{beside.text}"
            state = ReadBack((*state.problems, *problems), text)
        return state

    def look(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        """Compare this node alone, asked once."""
        words = self.spec_of(condition)
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
        spec = self.spec_of(condition)
        if spec.each_trial:
            steps.run(self.node, "\n".join(spec.each_trial), f"{condition.name}: each_trial")
        for other in self.others.values():
            other.before_trial(condition)

    def counters(self, condition: Condition) -> dict[str, int]:
        """The condition's counters as they stand; of other nodes with the node's name in front.

        BackendError where one is no whole number.
        """
        spec = self.spec_of(condition)
        counts = read_back.read_counters(self.node, spec.counters, condition.name)
        for node, other in self.others.items():
            counts |= {f"{node} {name}": n for name, n in other.counters(condition).items()}
        return counts

    def tracked_connections(self) -> int:
        return read_back.tracked_connections(self.node)

    def offloaded_connections(self) -> int:
        return read_back.offloaded_connections(self.node)

    def steer(self, cpu: int | None) -> None:
        if self.is_external:
            return  # cards: their interrupts say which CPU
        for other in self.others.values():
            other.steer(cpu)
        steering.steer(self.node, self.ports, cpu)

    def _reset(self) -> str:
        """The lines that take away what stands there and is not wanted.

        Under emulation a process takes 80 ms, so what does not stand is not taken away.
        """
        standing, deployed = self._standing, self.deployed
        lines = steps.STOP_PROGRAMS if standing.programs else ""
        lines += "".join(f"{line}\n" for line in steps.sysctls(self._sysctls))
        if standing.interrupts:
            lines += read_back.serve_interrupts("chance", self.chosen)
        lines += steps.take_away(standing, self.ports)
        if standing.links and self._touched:
            lines += deployed.restore()
        if standing.connections:
            lines += "conntrack -F >/dev/null 2>&1 || :\n"
        return lines

    def _remember(self, key: str) -> None:
        if key not in self._sysctls:
            self._sysctls[key] = self.node.run(["sysctl", "-n", key]).stdout.strip()

    def _state(self, spec: LinuxSpec | None) -> State:
        answer = steps.run(self.node, questions(spec, self.ports), "read-back")
        return State.of(answer, self.ports)

    def _listing(self, condition: Condition) -> list[Any]:
        """The rules as the same kernel lists them when the files are loaded into nothing."""
        spec = self.spec_of(condition)
        if not spec.nft:
            return []
        if condition.name not in self._listings:
            script = steps.listing([self.lab.text(file) for file in spec.nft], self.ports)
            answer = self.node.run(["unshare", "--net", "sh", "-e"], input=script)
            self._listings[condition.name] = plain_rules(answer.stdout)
        return self._listings[condition.name]
