"""What `ppslab tcp` stands on: the lab's router, the hosts that talk through it, and their CPUs.

The hosts, and what no condition configures, share what CPUs the router has not: a router that
shares its CPU with the hosts slows them down, and the goodput would say little of it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from ppslab.backends import Backend, Node
from ppslab.backends.capabilities import CpuPlan
from ppslab.base.errors import CannotHereError, FileError
from ppslab.instruments.iperf3 import Iperf3
from ppslab.lab import topology
from ppslab.lab.lab import Condition, Lab, Tcp
from ppslab.lab.profiles import Profile
from ppslab.lab.topology import Topology
from ppslab.measurement.tcp import counters as tcp_counters
from ppslab.measurement.tcp.counters import Counters
from ppslab.measurement.testbed.linux import cpus_of, router_of
from ppslab.measurement.trial.patience import Patience
from ppslab.results import Arrangement, RouterCounts, Transfer
from ppslab.routers.linux.router import LinuxRouter
from ppslab.theory.validity import Problem
from ppslab.theory.validity.problems import NotAsConfigured, QueuesOverflowed, WrongConnections

_OFFLOADS = ("gro", "gso", "tso")

FOREIGN_SHARE = 0.01
"""Dropped packets of others, as a share of a transfer's own packets, that it bears."""


@dataclass(frozen=True)
class Between:
    """Two hosts, and the address of the one that receives."""

    client: str
    """The host that sends."""
    server: str
    """The host that receives."""
    address: str
    """The address at which it does."""


@dataclass
class TcpTestbed:
    """The router and the hosts of an open session; `trials` are its transfers.

    `tcp_spec`: lab.yml's `tcp`, as it is used here.  `far`: other nodes' interfaces whose wire
    does not end at the router.  `alone`: no program but those of the session works in this
    kernel.
    """

    tcp_spec: Tcp
    router: LinuxRouter
    """The router under test."""
    hosts: Mapping[str, Node]
    """The hosts, by name."""
    tester: Iperf3
    """What makes the transfers."""
    cpus: CpuPlan
    """Which CPU sends, routes and reads."""
    profile: Profile
    """How long and how often."""
    mtu: int
    """Bytes, of the hosts' links."""
    offloads: bool
    """Whether GSO, GRO and TSO stay on."""
    far: Mapping[Node, Sequence[str]] = field(default_factory=dict)
    alone: bool = False
    trials: list[Transfer] = field(default_factory=list)
    """Every transfer, in the order in which they ran."""
    read_backs: dict[str, str] = field(default_factory=dict)
    """What the router said of itself, by condition."""
    patience: Patience = field(default_factory=Patience)
    """Waits until noise has passed."""
    remarks: list[str] = field(default_factory=list)
    """What the reader of the record should know."""
    _now: str | None = None
    _started: float = field(default_factory=time.monotonic)

    @property
    def arrangement(self) -> Arrangement:
        """Whether the router has a CPU of its own."""
        return "coupled" if self.cpus.coupled else "separate"

    def clock(self) -> float:
        """Seconds since it stood."""
        return time.monotonic() - self._started

    def version(self) -> str:
        """Of iperf3, as the hosts have it; CannotHereError where it is missing."""
        return self.tester.version(next(iter(self.hosts.values())))

    def configure(self, condition: Condition) -> list[Problem]:
        """Bring the router into the condition where it is not; what the read-back finds wrong."""
        if condition.name != self._now:
            self._now = None
            self.router.apply(condition)
        read = self.router.read_back(condition)
        problems: list[Problem] = [NotAsConfigured(problem) for problem in read.problems]
        if not problems:
            self._now = condition.name
            self.read_backs.setdefault(condition.name, read.text)
        return problems

    def counters(self) -> Counters:
        """What the router's ports and all CPUs have counted until now."""
        ports = self.router.ports
        answer = self.router.node.run(["sh", "-e"], input=tcp_counters.questions(ports))
        return Counters.read(answer.stdout, ports)

    def far_drops(self) -> int:
        """Packets that CPUs have dropped on wires of the topology that the router is not on."""
        if self.alone:
            return 0
        dropped = 0
        for node, ports in self.far.items():
            files = [f"/sys/class/net/{port}/statistics/rx_dropped" for port in ports]
            dropped += sum(int(line) for line in node.run(["cat", *files]).stdout.split())
        return dropped

    def judge_queues(self, counted: RouterCounts, far_drops: int = 0) -> list[Problem]:
        """Whether other programs of this machine filled the queues that the transfer went through.

        The backlog of a CPU is one queue for all namespaces.  With a second measurement beside
        it, a limit of 100 Mbit/s was measured as 40, for TCP took the other's losses for its own.
        A guest's kernel has no other programs.
        """
        foreign = sum(counted.dropped.values()) - counted.port_drops - far_drops
        if self.alone or foreign <= FOREIGN_SHARE * counted.packets:
            return []
        return [QueuesOverflowed(foreign)]

    def judge_tracking(self, condition: Condition) -> list[Problem]:
        """Only traffic shows whether connections are tracked, so this is asked after it."""
        tracked = condition.linux.expect.conntrack
        if tracked is None:
            return []
        entries = self.router.tracked_connections()
        return [] if tracked == (entries > 0) else [WrongConnections("tracked", entries)]


def stand_tcp(
    stack: ExitStack, backend: Backend, lab: Lab, profile: Profile, *, offloads: bool
) -> TcpTestbed:
    """Deploy the lab's TCP topology on an open backend; it goes when `stack` unwinds.

    FileError where the topology has not the nodes that lab.yml names; CannotHereError where
    packets cannot be steered to the router's CPU.
    """
    tcp_spec = lab.spec.tcp
    assert tcp_spec is not None
    emulated = backend.facts.get("emulation") == "tcg"
    if emulated:
        tcp_spec, profile = tcp_spec.under_emulation(), profile.under_emulation()
    wiring = topology.find(tcp_spec.topology or lab.spec.topology)
    for name in tcp_spec.nodes:
        if name not in wiring.nodes:
            there = ", ".join(wiring.nodes)
            raise FileError(
                lab.folder / "lab.yml", None, f"tcp: {wiring.name} has no node {name!r}: {there}"
            )
    deployment = stack.enter_context(backend.deploy(wiring))
    cpus = cpus_of(backend)
    router = router_of(lab, deployment, wiring, merging=offloads)
    nodes = {name: deployment.node(name) for name in wiring.nodes}
    hosts = {name: nodes[name] for name in tcp_spec.nodes}
    others = [] if cpus.router is None else [c for c in _cpus(backend) if c != cpus.router]
    if offloads:
        for node in nodes.values():
            _merge(node, wiring.interfaces(node.name))
    if cpus.router is not None:
        router.steer(cpus.router)
        for name, node in nodes.items():
            if name in hosts or name not in (lab.spec.router, *router.others):
                _steer(node, wiring.interfaces(name), others)
    loads = [condition.tcp for condition in lab.conditions.values()]
    return TcpTestbed(
        tcp_spec=tcp_spec,
        router=router,
        hosts=hosts,
        tester=Iperf3(
            instances=max(tcp_spec.instances_of(load) for load in loads),
            streams=tcp_spec.streams,
            congestion=tcp_spec.congestion,
            cpus=others,
        ),
        cpus=cpus,
        profile=profile,
        mtu=_mtu(wiring, hosts),
        offloads=offloads,
        far={nodes[name]: ports for name, ports in _far(wiring, lab.spec.router).items()},
        alone=backend.name == "vm",
    )


def _far(wiring: Topology, router: str) -> dict[str, list[str]]:
    """The interfaces of wires that do not end at the router, by node."""
    interfaces: dict[str, list[str]] = {}
    for link in wiring.links:
        if router not in (link.a.node, link.b.node):
            for end in (link.a, link.b):
                interfaces.setdefault(end.node, []).append(end.interface)
    return interfaces


def _cpus(backend: Backend) -> Sequence[int]:
    if backend.name == "vm":
        return range(int(backend.facts["cpus"]))
    return sorted(os.sched_getaffinity(0))


def _mtu(wiring: Topology, hosts: Iterable[str]) -> int:
    wanted = set(hosts)
    return min(link.mtu for link in wiring.links if {link.a.node, link.b.node} & wanted)


def _merge(node: Node, ports: Sequence[str]) -> None:
    """Turn on what the backend has turned off."""
    settings = " ".join(f"{feature} on" for feature in _OFFLOADS)
    node.run(["sh", "-ec", "\n".join(f"ethtool -K {port} {settings}" for port in ports)])


def _steer(node: Node, ports: Sequence[str], cpus: Sequence[int]) -> None:
    """Let `cpus` receive for a host: what the router's CPU sends, it would else receive too."""
    mask = cpu_mask(cpus)
    lines = [f"echo {mask} > /sys/class/net/{port}/queues/rx-0/rps_cpus" for port in ports]
    done = node.run(["sh", "-ec", "\n".join(lines)], check=False)
    if done.returncode != 0:
        raise CannotHereError(
            "packets cannot be steered to the hosts' CPUs here: "
            + done.stderr.strip().splitlines()[-1],
            "run as root, or with --backend vm",
        )


def cpu_mask(cpus: Sequence[int]) -> str:
    """CPUs as the kernel's bit maps are written: hexadecimal, a comma after each 32.

    >>> cpu_mask([0]), cpu_mask([0, 2]), cpu_mask([33])
    ('1', '5', '2,00000000')
    """
    bits = sum(1 << cpu for cpu in cpus)
    groups = [f"{bits & 0xFFFFFFFF:x}"]
    while bits := bits >> 32:
        groups = [f"{bits & 0xFFFFFFFF:x}", *(group.zfill(8) for group in groups)]
    return ",".join(groups)
