"""The read-back of a Linux node, compared with what a condition makes of it.

Offloads: a router that merges frames does its work once for many of them, and a cost per packet
says nothing.  The backend turns them off when it makes the ports; whoever turns one on again
(ethtool, a daemon that tunes the machine) is found before the next trial.

Interrupts: Linux: Documentation/core-api/irq/irq-affinity.rst.  A CPU that is written to
/proc/irq/N/smp_affinity_list serves the vector from the card's next interrupt on, and the first
CPU has taken that one still: so the written CPU is read back, and the frames of a trial show who
served them (counters).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ppslab.core.errors import BackendError
from ppslab.core.text.numbers import plural
from ppslab.model.lab.conditions import BpfMode, LinuxSpec
from ppslab.model.lab.lab import LabSpec
from ppslab.model.lab.machine import Machine, plug
from ppslab.model.switch_chip.filling import Tables
from ppslab.testbed.backends import Node
from ppslab.testbed.routers.linux import steering
from ppslab.testbed.routers.linux.deployed import BRIDGE, Deployed
from ppslab.testbed.routers.linux.steps import run

# --- offloads: with them on, one buffer is many frames --------------------------------------------


_OFFLOADS_READ = """echo '## offloads'
ethtool -k '*' 2>/dev/null || for port in /sys/class/net/*; do ethtool -k "${port##*/}"; done
"""
"""One process for all ports, as under emulation each takes 80 ms; one a port where the kernel has
no ethtool over netlink, which the asterisk needs."""

GRO = "generic-receive-offload"
MERGING = (
    GRO,
    "generic-segmentation-offload",
    "tcp-segmentation-offload",
    "rx-gro-list",
    "rx-udp-gro-forwarding",
)
"""Features as ethtool(8) names them."""


def merging_of(listing: str, ports: Sequence[str]) -> dict[str, list[str]]:
    """For each of `ports` the merging features that `ethtool -k` lists as on."""
    features: dict[str, list[str]] = {port: [] for port in ports}
    on: list[str] = []
    for line in listing.splitlines():
        name, _, value = line.strip().partition(":")
        if name.startswith("Features for "):
            on = features.get(name.removeprefix("Features for "), [])
        elif name in MERGING and value.split()[:1] == ["on"]:
            on.append(name)
    return features


def merging_text(features: Mapping[str, Sequence[str]]) -> str:
    """Write the features, a line a port, in the place of ethtool's hundred."""
    return "".join(f"{port}: {', '.join(on) or 'none on'}\n" for port, on in features.items())


def merging_problems(features: Mapping[str, Sequence[str]], *, native_xdp: bool) -> Iterator[str]:
    """Find what is on and must not be.

    A virtual cable with native XDP shows GRO as on, as that is how it gets NAPI (veth_xdp_set in
    the kernel's drivers/net/veth.c); the program runs before anything is merged.
    """
    for port, on in features.items():
        for feature in on:
            if not (native_xdp and feature == GRO):
                yield f"port {port}: {feature} is on"


# --- which CPU serves the interrupts of a node's cards --------------------------------------------


Served = Mapping[str, int]
"""CPU by port."""
Came = Mapping[str, Mapping[int, int]]
"""The CPU that the kernel chose, by port and by the number of the interrupt."""

INTERRUPTS = "interrupts"
# The shell's own words only: under emulation each program takes 50 ms, and each port has three.
_INTERRUPTS_READ = """echo '## interrupts'
for p in {ports}; do for v in /sys/class/net/$p/device/../msi_irqs/*; do
i=${{v##*/}}
[ -e /proc/irq/$i ] || continue
read a </proc/irq/$i/smp_affinity_list
read e </proc/irq/$i/effective_affinity_list
read c </sys/kernel/irq/$i/per_cpu_count
read n </sys/kernel/irq/$i/actions
echo "$p $i $n wanted $a effective $e served $c"
done; done
"""


def interrupt_questions(ports: Sequence[str]) -> str:
    """Shell lines that ask for every interrupt of the ports' cards, under a heading."""
    return _INTERRUPTS_READ.format(ports=" ".join(ports))


def interrupts_by_kernel(node: Node, ports: Sequence[str]) -> Came:
    """Read the CPU that the kernel chose for every interrupt, before anybody else does."""
    answer = node.run(["sh"], input=interrupt_questions(ports)).stdout
    interrupts: dict[str, dict[int, int]] = {port: {} for port in ports}
    for line in answer.splitlines()[1:]:
        port, number, *fields = line.split()
        # The first CPU of a list such as 0-3,5.
        first = re.split("[-,]", fields[fields.index("effective") + 1])[0]
        interrupts[port][int(number)] = int(first)
    without = [port for port, numbers in interrupts.items() if not numbers]
    if without:
        raise BackendError(
            f"node {node.name}: {', '.join(without)}: no network card with interrupts of its own; "
            "the lab's `machine:` gives it one, on the vm backend"
        )
    return interrupts


def serve_interrupts(served: Served | Literal["chance"], chosen: Came) -> str:
    """Shell lines that give the ports' interrupts to their CPUs.

    `chance`, and ports that are not named: where the kernel had them.
    """
    lines = []
    for port, numbers in chosen.items():
        for number, cpu in numbers.items():
            to = cpu if served == "chance" else served.get(port, cpu)
            lines.append(f"echo {to} >/proc/irq/{number}/smp_affinity_list\n")
    return "".join(lines)


def interrupt_problems(
    served: Served | Literal["chance"], answer: str, chosen: Came
) -> Iterable[str]:
    """Find interrupts that are for another CPU, in the answer to `interrupt_questions`."""
    for line in answer.splitlines():
        port, number, *fields = line.split()
        cpu = chosen[port].get(int(number))
        expected = cpu if served == "chance" else served.get(port, cpu)
        cpu_text = fields[fields.index("wanted") + 1]
        if cpu_text != str(expected):
            yield f"port {port}: interrupt {number} is for CPU {cpu_text}, not {expected}"


# --- counters -------------------------------------------------------------------------------------


def read_counters(node: Node, commands: Mapping[str, str], condition: str) -> dict[str, int]:
    """The counters as they stand, by name; `commands` print one each.

    BackendError where one is no whole number.
    """
    if not commands:
        return {}
    script = "".join(f"echo $( {command}\n)\n" for command in commands.values())
    lines = run(node, script, f"{condition}: counters").splitlines()
    counts: dict[str, int] = {}
    for name, line in zip(commands, lines, strict=True):
        if not line.strip().isdigit():
            raise BackendError(
                f"router {node.name}: {condition}: counter {name!r}: "
                f"`{commands[name]}` printed {line!r}, which is no whole number"
            )
        counts[name] = int(line)
    return counts


def tracked_connections(node: Node) -> int:
    """Entries in the connection tracking table of the node's network namespace."""
    path = "/proc/sys/net/netfilter/nf_conntrack_count"
    answer = node.run(["cat", path], check=False)
    return int(answer.stdout) if answer.returncode == 0 else 0


def offloaded_connections(node: Node) -> int:
    """Tracked connections that the flowtable has taken over: nf_conntrack's flag OFFLOAD."""
    table = "/proc/net/nf_conntrack"
    listed = "{ conntrack -L; conntrack -L -f ipv6; } 2>/dev/null"
    found = "grep -c OFFLOAD"
    script = f"if [ -e {table} ]; then {found} {table}; else {listed} | {found}; fi || :"
    return int(run(node, script, "offloaded connections"))


# --- facts ----------------------------------------------------------------------------------------


CANNOT_SHOW = (
    "A router made of the Linux kernel and veth pairs has no switch chip, no line rate and no "
    "hardware queues: it shows which condition costs more and by how much, not the packets per "
    "second of a router of MikroTik's."
)

CARDS_CANNOT_SHOW = (
    "A router in a machine that QEMU emulates has sockets, cards and interrupts to place, but the "
    "link between the sockets takes no time, a card has one queue, and all CPUs share those of the "
    "host: it shows which CPU does which work, not the cost of a placement."
)

QUEUES_CANNOT_SHOW = (
    "A router in a machine that QEMU emulates can distribute packets over its CPUs, but these "
    "share the CPUs of the host. The distribution is Linux's, after a virtual link, or the host's "
    "tap driver's, before a virtual card, and never that of a card's own hash: it shows which CPU "
    "does which work, not how much faster more CPUs are."
)

CPUS_CANNOT_SHOW = (
    "A router of veth pairs in a machine that QEMU emulates can distribute packets over its CPUs, "
    "but these share the CPUs of the host, and Linux calculates the hash that a card with several "
    "queues calculates itself: it shows which CPU does which work, not how much faster more CPUs "
    "are."
)


def of_machine(machine: Machine | None) -> str:
    """Return the limits of a router in a machine of its own."""
    if machine is None or not machine.cards:
        return CPUS_CANNOT_SHOW
    return QUEUES_CANNOT_SHOW if machine.several_queues else CARDS_CANNOT_SHOW


def read_facts(node: Node, lab: LabSpec, ports: Sequence[str]) -> dict[str, Any]:
    """The programs that configure it, and of a machine of its own what was built."""
    programs: dict[str, str] = {}
    for name, argv in {"nft": ["nft", "--version"], "iproute2": ["ip", "-V"]}.items():
        answer = node.run(argv, check=False)
        programs[name] = answer.stdout.strip() or answer.stderr.strip()
    facts: dict[str, Any] = {"programs": programs}
    machine = lab.machine
    if machine is not None:
        cards = machine.cards_of(lab.topology, node.name)
        facts["sockets"] = {
            "built": _built(machine),
            "shown": _sockets(node, [port for port in ports if port in cards]),
        }
    return facts


_MACHINE = """echo '## lscpu'; lscpu
echo '## distances'; cat /sys/devices/system/node/node*/distance
echo '## cpus'; cat /sys/devices/system/node/node*/cpulist
echo '## interrupts'; grep -E 'CPU|virtio[0-9]*-(in|out)put' /proc/interrupts
"""
_CARD = """echo '## {port} numa_node'; cat /sys/class/net/{port}/device/../numa_node
echo '## {port} local_cpulist'; cat /sys/class/net/{port}/device/../local_cpulist
echo '## {port} driver'; ethtool -i {port}
echo '## {port} channels'; ethtool -l {port}
echo '## {port} rings'; ethtool -g {port}
"""


def _sockets(node: Node, ports: Sequence[str]) -> dict[str, str]:
    """The answers of the router's node by heading, such as `lscpu` or `eth1 numa_node`."""
    script = _MACHINE + "".join(_CARD.format(port=port) for port in ports)
    return _sections(node.run(["sh"], input=script).stdout)


def _built(machine: Machine) -> dict[str, Any]:
    """The machine as it was ordered: its words, and the slot of every card."""
    return {
        **machine.model_dump(mode="json"),
        "slots": {
            f"{each.topology} {each.end.node}:{each.end.interface}": each.port
            for each in plug(machine)
        },
    }


# --- the read-back --------------------------------------------------------------------------------


_READ = (
    """echo '## rules'; nft -j -s list ruleset
echo '## links'; ip -j -d link show
echo '## qdiscs'; tc -j qdisc show
"""
    + _OFFLOADS_READ
)


@dataclass(frozen=True)
class State:
    """A node's answers: `parts` by heading, the rest read out of them."""

    parts: dict[str, str]
    merging: dict[str, list[str]]
    rules: list[Any]
    links: dict[str, dict[str, Any]]
    qdiscs: list[dict[str, Any]]

    @property
    def text(self) -> str:
        """All that was answered, for the record."""
        return "".join(f"## {name}\n{part}" for name, part in self.parts.items())

    @classmethod
    def of(cls, answer: str, ports: Sequence[str]) -> State:
        """Of what the script that `questions` makes has printed."""
        parts = _sections(answer)
        merging = merging_of(parts["offloads"], ports)
        parts["offloads"] = merging_text(merging)
        return cls(
            parts=parts,
            merging=merging,
            rules=plain_rules(parts["rules"]),
            links={link["ifname"]: link for link in json.loads(parts["links"]) if link},
            qdiscs=json.loads(parts["qdiscs"]),
        )


def questions(spec: LinuxSpec | None, ports: Sequence[str]) -> str:
    """Shell lines that ask a node what it is; `spec` None: not what a condition would add."""
    script = _READ
    if spec is None:
        return script
    # Two processes a port: only where somebody reads what they say.
    for port in ports:
        if spec.expect.classes is not None:
            script += f"echo '## classes {port}'; tc class show dev {port}\n"
        if spec.expect.filters is not None:
            script += f"echo '## filters {port}'; tc filter show dev {port}\n"
    if spec.bpf:
        script += "echo '## block'; tc filter show block 1 2>/dev/null || :\n"
    script += steering.chip_questions(spec)
    if spec.interrupts is not None:
        script += interrupt_questions(ports)
    if spec.port_queues:
        script += steering.questions(spec.port_queues)
    for key in spec.sysctls:
        script += f"echo '## sysctl {key}'; sysctl -n {key}\n"
    for number, command in enumerate(spec.expect.answers):
        # In a shell of its own: one that fails answers nothing, and the rest is still asked.
        script += f"echo '## answer {number}'; ( {command}\n) 2>&1 || :\n"
    return script


def compare(
    spec: LinuxSpec,
    state: State,
    *,
    ports: Sequence[str],
    deployed: Deployed,
    listing: Sequence[Any],
    bpf_mode: BpfMode,
    chosen: Came | None = None,
    tables: Tables | None = None,
) -> Iterable[str]:
    """Find the node's differences from the words, a sentence each.

    `listing`: the rules as the same kernel lists them when the files are loaded into nothing.
    `chosen`: the CPUs that the kernel had chosen for the cards' interrupts.
    `tables`: what a switch chip's were filled with.
    """
    yield from _rules(spec, state.rules, listing)
    yield from _bridge(spec, state.links, ports, deployed)
    yield from _queues(spec, state, ports, deployed)
    yield from _bpf(spec, bpf_mode, state, ports)
    yield from steering.chip_problems(spec, state.parts.get("chip", ""), tables)
    if spec.interrupts is not None:
        answer = state.parts.get(INTERRUPTS, "")
        yield from interrupt_problems(spec.interrupts, answer, chosen or {})
    yield from steering.problems(spec.port_queues, state.parts.get(steering.HEADING, ""))
    native = bool(spec.bpf) and bpf_mode == "xdp-native"
    yield from merging_problems(state.merging, native_xdp=native)
    for key, value in spec.sysctls.items():
        found = " ".join(state.parts.get(f"sysctl {key}", "").split())
        if found != value:
            yield f"{key} is {found!r}, not {value!r}"
    for number, (command, expected) in enumerate(spec.expect.answers.items()):
        found = state.parts.get(f"answer {number}", "")
        there = re.search(expected.removeprefix("!"), found, re.MULTILINE) is not None
        if there == expected.startswith("!"):
            lines = found.strip().splitlines()
            said = lines[0][:120] if lines else "nothing"
            must = "must not have" if there else "has no"
            yield f"`{command}` {must} {expected.removeprefix('!')!r}, it says: {said}"


def _rules(spec: LinuxSpec, rules: list[Any], listing: Sequence[Any]) -> Iterable[str]:
    count = sum("rule" in entry for entry in rules)
    expected = spec.expect.rules
    if expected is not None and count != expected:
        yield f"the router has {plural(count, 'rule')}, not {expected}"
    if rules != list(listing):
        files = ", ".join(spec.nft) or "no rule set"
        yield f"the router's rules are not those of {files}"


def _bridge(
    spec: LinuxSpec, links: dict[str, Any], ports: Sequence[str], deployed: Deployed
) -> Iterable[str]:
    for port in ports:
        master = links.get(port, {}).get("master")
        if spec.bridge and master != BRIDGE:
            yield f"port {port} is not in {BRIDGE}"
        # A condition with links of its own says in `answers` where its ports must be.
        by_itself = deployed.links.get(port, {}).get("master")
        if not spec.bridge and not spec.ip and master != by_itself:
            yield f"port {port} is in {master}"


def _queues(
    spec: LinuxSpec, state: State, ports: Sequence[str], deployed: Deployed
) -> Iterable[str]:
    expect = spec.expect
    for port in ports:
        kinds = frozenset(q["kind"] for q in state.qdiscs if q["dev"] == port)
        if not spec.tc and deployed.queued(port, kinds):
            yield f"port {port} has a queue"
        if expect.classes is not None:
            lines = state.parts.get(f"classes {port}", "").splitlines()
            leaves = sum(" leaf " in f"{line} " or " prio " in line for line in lines)
            if leaves != expect.classes:
                yield f"port {port} has {leaves} leaf classes, not {expect.classes}"
        if expect.filters is not None:
            lines = state.parts.get(f"filters {port}", "").splitlines()
            filters = sum("flowid" in line for line in lines)
            if filters != expect.filters:
                yield f"port {port} has {filters} filters, not {expect.filters}"


def _bpf(spec: LinuxSpec, mode: BpfMode, state: State, ports: Sequence[str]) -> Iterable[str]:
    in_block = f"{spec.bpf}.o" in state.parts.get("block", "")
    for port in ports:
        blocked = any(
            q["dev"] == port and q["kind"] == "clsact" and q.get("ingress_block") == 1
            for q in state.qdiscs
        )
        xdp = state.links.get(port, {}).get("xdp", {}).get("mode")
        mode_found = "tc" if blocked and (in_block or not spec.bpf) else None
        if xdp is not None:
            # linux/if_link.h: XDP_ATTACHED_DRV 1, XDP_ATTACHED_SKB 2
            mode_found = {1: "xdp-native", 2: "xdp-generic"}.get(xdp, str(xdp))
        wanted = spec.bpf and port in (spec.bpf_ports or ports)
        expected = mode if wanted else None
        if mode_found != expected:
            yield f"port {port}: {mode_found or 'no'} BPF program, not {expected or 'none'}"


def plain_rules(listing: str) -> list[Any]:
    """Nft's JSON without what differs between two loads of one file: handles, versions.

    And without what a counter with a name has counted, which `nft -s` leaves in.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            counts = (
                {"packets", "bytes"} if value.keys() >= {"family", "table", "packets"} else set()
            )
            left = {"handle", "index"} | counts
            return {k: plain(v) for k, v in value.items() if k not in left}
        return [plain(v) for v in value] if isinstance(value, list) else value

    entries = json.loads(listing)["nftables"] if listing.strip() else []
    return [plain(entry) for entry in entries if "metainfo" not in entry]


def _sections(text: str) -> dict[str, str]:
    """`## name` lines and what stands below each."""
    parts = re.split(r"^## (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(map(str.strip, parts[1::2]), parts[2::2], strict=True))
