"""`ppslab tcp`: TCP between hosts on both sides of the lab's router, by condition and direction.

Conditions and directions stand in random order in every round, so that what drifts hits them
alike; the reference condition stands in each round twice, which gives the A/A interval.

The hosts, and what no condition configures, share what CPUs the router has not: a router that
shares its CPU with the hosts slows them down, and the goodput would say little of it.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Literal

import numpy as np

from ppslab.core import documents
from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.core.text.numbers import plural
from ppslab.measure import kernel_counters
from ppslab.measure.experiment import LabExperiment, Progress, State
from ppslab.measure.kernel_counters import Counters
from ppslab.measure.options import RunOptions
from ppslab.measure.testbed.linux import cpus_of, router_of
from ppslab.measure.trial.patience import Patience
from ppslab.model import results
from ppslab.model.lab import topology
from ppslab.model.lab.lab import Condition, Lab, Tcp
from ppslab.model.lab.packets import first_value
from ppslab.model.lab.profiles import Profile
from ppslab.model.lab.topology import Topology
from ppslab.model.results import (
    Arrangement,
    RouterCounts,
    TcpDirection,
    Transfer,
    Way,
)
from ppslab.model.validity import (
    Cause,
    Iperf3Failed,
    NotAsConfigured,
    Problem,
    QueuesOverflowed,
    WrongConnections,
    causes,
    sentences,
    steal_of,
    worst_steal,
)
from ppslab.testbed.backends import Backend, Node
from ppslab.testbed.backends.capabilities import CpuPlan
from ppslab.testbed.routers.linux.router import BpfMode, LinuxRouter
from ppslab.testbed.testers.iperf3 import InstanceResult, Iperf3

HEADERS = 52
"""Bytes of a frame's payload that carry no data: IPv4 20, TCP 20, its timestamps 12."""

BPF_MODE: BpfMode = "tc"
"""Hook of BPF programs here: `ppslab run` chooses by measuring UDP frames, TCP does not."""


@dataclass(frozen=True)
class Options(RunOptions):
    """Conditions to measure, and where; none means those of lab.yml."""

    conditions: tuple[str, ...] = ()
    """Names of conditions."""


# The testbed.

FOREIGN_SHARE = 0.01
"""Dropped packets of others, as a share of a transfer's own packets, that it bears."""


@dataclass(frozen=True)
class Between:
    """Two hosts, and the address of the one that receives."""

    client: str
    server: str
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
    hosts: Mapping[str, Node]
    tester: Iperf3
    cpus: CpuPlan
    profile: Profile
    mtu: int
    """Bytes, of the hosts' links."""
    far: Mapping[Node, Sequence[str]] = field(default_factory=dict)
    alone: bool = False
    trials: list[Transfer] = field(default_factory=list)
    read_backs: dict[str, str] = field(default_factory=dict)
    patience: Patience = field(default_factory=Patience)
    remarks: list[str] = field(default_factory=list)
    _now: str | None = None
    _started: float = field(default_factory=time.monotonic)

    @property
    def arrangement(self) -> Arrangement:
        """`separate`: the router has a CPU of its own."""
        return "coupled" if self.cpus.coupled else "separate"

    @property
    def settings(self) -> dict[str, str]:
        return self.tester.settings

    def identity(self) -> results.Tester:
        """Iperf3, as the hosts have it; CannotHereError where it is missing."""
        version = self.tester.version(next(iter(self.hosts.values())))
        return results.Tester(name="iperf3", version=version)

    def clock(self) -> float:
        """Seconds since it stood."""
        return time.monotonic() - self._started

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
        """Return what the router's ports and all CPUs have counted until now."""
        return kernel_counters.read(self.router.node, self.router.ports)

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
        """Judge by the queues of CPUs whether other programs disturbed the transfer.

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


def stand_tcp(stack: ExitStack, backend: Backend, lab: Lab, profile: Profile) -> TcpTestbed:
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
    router = router_of(lab, deployment, wiring)
    nodes = {name: deployment.node(name) for name in wiring.nodes}
    hosts = {name: nodes[name] for name in tcp_spec.nodes}
    others = [] if cpus.router is None else [c for c in _cpus(backend) if c != cpus.router]
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
        mtu=min(link.mtu for link in wiring.links if {link.a.node, link.b.node} & hosts.keys()),
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


# One transfer.

Purpose = Literal["transfer", "a-a"]

_ONCE_MORE = frozenset({Cause.STEAL, Cause.CPU_QUEUES, Cause.IPERF3})


def ends(lab: Lab, tcp_spec: Tcp, condition: Condition) -> list[tuple[Between, Between]]:
    """There and back between the hosts of each pair; all pairs talk at once.

    Where hosts stand behind ports: those of the condition's first stream, at its addresses.
    """
    pairs = tcp_spec.group(condition.tcp)
    if pairs:
        return [
            (Between(a.host, b.host, b.address), Between(b.host, a.host, a.address))
            for a, b in pairs
        ]
    flow = lab.flows(condition)[0]
    source, target = str(first_value(flow.internet.src)), str(first_value(flow.internet.dst))
    first, second = tcp_spec.hosts[flow.tx_name], tcp_spec.hosts[flow.rx_name]
    return [(Between(first, second, target), Between(second, first, source))]


@dataclass(frozen=True)
class TransferSpec:
    """A transfer that is asked for."""

    tcp_spec: Tcp
    """lab.yml's `tcp`."""
    seconds: int
    purpose: Purpose
    condition: Condition
    direction: TcpDirection
    """The ways that data goes."""
    round_number: int
    """Transfers of one round are paired."""


def transfer(testbed: TcpTestbed, lab: Lab, spec: TransferSpec) -> Transfer:
    """One transfer, again while the machine's noise spoils it; every attempt is kept."""
    attempt = 1
    while True:
        done = _attempt(testbed, lab, spec, attempt)
        testbed.trials.append(done)
        if done.valid:
            testbed.patience.quiet()
            return done
        again = _ONCE_MORE.issuperset(done.causes)
        if not again or attempt > testbed.profile.repeats_of_noisy_trials:
            return done
        testbed.patience.noisy()
        attempt += 1


def _attempt(testbed: TcpTestbed, lab: Lab, spec: TransferSpec, attempt: int) -> Transfer:
    condition = spec.condition
    begun = testbed.clock()
    problems = testbed.configure(condition)
    ways: list[Way] = []
    counted: RouterCounts | None = None
    lost: float | None = None
    grown: dict[str, int] = {}
    if not problems:
        pairs = [
            between
            for there, back in ends(lab, spec.tcp_spec, condition)
            for between in {"there": [there], "back": [back], "both": [there, back]}[spec.direction]
        ]
        _serve(testbed, pairs)
        testbed.router.before_trial(condition)
        far, own = testbed.far_drops(), testbed.router.counters(condition)
        before = testbed.counters()
        outcomes = _together(testbed, pairs, spec)
        after = testbed.counters()
        counted = after.router_counts(before)
        stolen, seconds = after.stolen(before)
        lost = worst_steal(stolen, seconds)
        grown = {n: now - own[n] for n, now in testbed.router.counters(condition).items()}
        far = testbed.far_drops() - far
        for pair, instances in zip(pairs, outcomes, strict=True):
            failed = [one.failed for one in instances if one.failed]
            problems += [Iperf3Failed(pair.client, pair.server, problem) for problem in failed]
            if not failed:
                ways.append(_way(pair, instances))
        found_steal = steal_of(stolen, seconds)
        if found_steal:
            problems.append(found_steal)
        problems += [*testbed.judge_queues(counted, far), *testbed.judge_tracking(condition)]
    return Transfer(
        number=len(testbed.trials),
        purpose=spec.purpose,
        condition=condition.name,
        direction=spec.direction,
        round=spec.round_number,
        attempt=attempt,
        at_seconds=round(begun, 3),
        state="completed" if counted else "aborted",
        valid=not problems,
        invalid_because=sentences(problems),
        causes=causes(problems),
        steal=lost,
        ways=tuple(ways),
        router=counted,
        counters=grown,
    )


def _serve(testbed: TcpTestbed, ways: Sequence[Between]) -> None:
    """Have the servers run on every host that one of the ways ends at, before anything is counted.

    Each host is waited for in a thread: a server takes 0.1 s to start under emulation.
    """
    with ThreadPoolExecutor(max_workers=len(ways)) as pool:
        list(
            pool.map(
                testbed.tester.serve, {w.server: testbed.hosts[w.server] for w in ways}.values()
            )
        )


def _together(
    testbed: TcpTestbed, ways: Sequence[Between], spec: TransferSpec
) -> list[list[InstanceResult]]:
    """All ways at once; each client waits for its instances in a thread of its own."""
    tcp_spec, load = spec.tcp_spec, spec.condition.tcp
    pool = ThreadPoolExecutor(max_workers=len(ways))
    try:
        running = [
            pool.submit(
                testbed.tester.transfer,
                testbed.hosts[way.client],
                testbed.hosts[way.server],
                way.address,
                spec.seconds,
                instances=tcp_spec.instances_of(load),
                streams=tcp_spec.streams_of(load),
                ways=len(ways),
            )
            for way in ways
        ]
        return [one.result() for one in running]
    finally:
        # Not wait: stopped by Ctrl-C, the threads end when the nodes go, not after the transfer.
        pool.shutdown(wait=False, cancel_futures=True)


def _way(between: Between, instances: Sequence[InstanceResult]) -> Way:
    streams = [stream for one in instances for stream in one.streams]
    trips = [float(value) for stream in streams for value in stream.rtt_us]
    return Way(
        client=between.client,
        server=between.server,
        seconds=sum(one.seconds for one in instances) / len(instances),
        congestion=instances[0].congestion,
        received_bytes=tuple(stream.received for stream in streams),
        retransmits=tuple(stream.retransmits for stream in streams),
        rtt_us=tuple(median(stream.rtt_us) for stream in streams),
        round_trip=results.RoundTrip(
            min=min(trips),
            median=median(trips),
            p95=float(np.quantile(trips, 0.95)),
            max=max(trips),
            count=len(trips),
        ),
        cpu_sender=sum(one.cpu_sender for one in instances),
        cpu_receiver=sum(one.cpu_receiver for one in instances),
        segment_size=instances[0].segment_size,
        addresses=instances[0].addresses,
        ports=tuple(stream.ports for stream in streams),
    )


# The experiment.


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.TcpRecord, Path]:
    """Measure `lab` with TCP and write the record; returns it and the file that it is in.

    Errors and interruptions as `Experiment.run`; UsageError for what the lab does not have (its
    lab.yml must say `tcp:`); CannotHereError where iperf3 is missing.
    """
    return TcpRun(lab, options, progress).run()


class TcpRun(LabExperiment[TcpTestbed, results.TcpRecord]):
    """Transfers between hosts that stand in the place of a tester."""

    kind = results.TcpRecord
    sends_frames = False

    def __init__(self, lab: Lab, options: Options, progress: Progress | None = None) -> None:
        tcp_spec = lab.spec.tcp
        if tcp_spec is None:
            raise UsageError(f"lab {lab.name} has no TCP test: its lab.yml has no `tcp:`")
        _check_ends(lab, tcp_spec)
        names = options.conditions or tcp_spec.conditions or tuple(lab.conditions)
        super().__init__(lab, [lab.condition(name) for name in names], options, progress)
        self.in_lab = tcp_spec
        self.seconds = tcp_spec.seconds or self.profile.tcp.seconds

    def stand(self, stack: ExitStack) -> TcpTestbed:
        testbed = stand_tcp(stack, self.backend, self.lab, self.profile)
        for condition in self.asked:
            if condition.linux.bpf:
                testbed.router.bpf_modes[condition.linux.bpf] = BPF_MODE
        return testbed

    def stages(self) -> None:
        testbed, tcp_spec = self.testbed, self.testbed.tcp_spec
        order = random.Random(self.seed)
        reference = next(
            (c for c in self.conditions if c.name == self.lab.spec.tcp_reference), None
        )
        slots: list[tuple[Purpose, Condition, TcpDirection]] = [
            ("transfer", c, direction) for c in self.conditions for direction in tcp_spec.directions
        ]
        if reference:
            slots += [("a-a", reference, direction) for direction in tcp_spec.directions]
        rounds = tcp_spec.rounds or testbed.profile.tcp.rounds
        self.progress.plan(rounds * len(slots))
        self.progress.stage(f"transfers of {self.seconds} s")
        for number in range(rounds):
            order.shuffle(slots)
            for purpose, condition, direction in slots:
                spec = TransferSpec(tcp_spec, self.seconds, purpose, condition, direction, number)
                self.keep(transfer(testbed, self.lab, spec))

    def record(self, state: State) -> results.TcpRecord:
        testbed = self.testbed
        return results.TcpRecord(
            schema="ppslab/tcp/2",
            **self.head(state, self._deviations(), trials=()),
            reference=self.lab.spec.tcp_reference,
            arrangement=testbed.arrangement,
            instances=testbed.tcp_spec.instances,
            streams=testbed.tcp_spec.streams,
            seconds=self.seconds,
            segment_size=testbed.mtu - HEADERS,
            offloads=False,
            explanations=explanations(testbed.arrangement),
            transfers=tuple(testbed.trials),
        )

    def _deviations(self) -> list[str]:
        tcp_spec, in_lab = self.testbed.tcp_spec, self.in_lab
        deviations = [
            "A TCP transfer is no test of RFC 2544: its senders adapt the load to the loss.",
            f"A transfer lasts {self.seconds} s, including its slow start.",
            "iperf3's server also counts the bytes that arrive after its clock has stopped: on a "
            "100 Mbit/s path, a transfer of 2 s showed 6 to 12 % too much; a faster path empties "
            "its queues sooner.",
        ]
        if any(condition.linux.bpf for condition in self.conditions):
            deviations.append(
                f"BPF programs are attached by {BPF_MODE}; only `ppslab run` chooses the way by "
                "measuring."
            )
        if in_lab != tcp_spec:
            deviations.append(
                "Scaled to the rate of emulated CPUs: "
                f"{plural(tcp_spec.instances, 'instance')} of iperf3 with {tcp_spec.streams} "
                f"streams on each host, not {in_lab.instances} with {in_lab.streams}."
            )
        return deviations


def _check_ends(lab: Lab, tcp_spec: Tcp) -> None:
    if tcp_spec.pairs:
        return
    path = lab.folder / "lab.yml"
    for name in tcp_spec.conditions or lab.conditions:
        flow = lab.flows(lab.conditions[name])[0]
        for port in (flow.tx_name, flow.rx_name):
            if port not in tcp_spec.hosts:
                line = documents.load_yaml(path).line("tcp", "hosts")
                raise FileError(
                    path, line, f"tcp: hosts: none behind port {port} (flow {flow.name})"
                )


def explanations(arrangement: results.Arrangement) -> tuple[str, ...]:
    """Return sentences on how to read the retransmits of a saturated path."""
    sentences = [
        "Retransmissions on a saturated path are normal: most TCP senders send faster and "
        "faster until a queue on the path overflows, and then slow down.",
        "So a slower router or a shorter queue can cause more retransmissions per packet; compare "
        "them between conditions, not with zero.",
    ]
    if arrangement == "separate":
        sentences.append(
            "The queues here are the backlogs of two CPUs, the router's and the hosts' "
            "(net.core.netdev_max_backlog, 1000 packets each): `dropped` shows which of them "
            "overflowed."
        )
    else:
        sentences.append(
            "Hosts and router share the CPUs here: a busy sender delays the router, so few "
            "segments are lost, and the goodput is that of hosts and router together."
        )
    return tuple(sentences)
