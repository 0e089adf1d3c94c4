"""`ppslab tcp`: TCP between hosts of their own behind the lab's router, by condition and direction.

Conditions and directions stand in random order in every round, so that what drifts hits them
alike; the reference condition stands in each round twice, which gives the A/A interval.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal, get_args

import numpy as np

from ppslab import documents, profiles, results
from ppslab.errors import FileError, UsageError
from ppslab.instruments.iperf3 import InstanceResult
from ppslab.lab import Condition, Lab, Tcp
from ppslab.packets import first_value
from ppslab.results import TcpDirection, Transfer, Way
from ppslab.routers.linux import BpfMode
from ppslab.session import Ground, Place, Progress, Session, State
from ppslab.tcp_ground import Between, TcpGround, stand_tcp
from ppslab.trial import STEAL_LIMIT

Purpose = Literal["transfer", "null"]

DIRECTIONS: tuple[TcpDirection, ...] = get_args(TcpDirection)

HEADERS = 52
"""Bytes of a frame's payload that carry no data: IPv4 20, TCP 20, its timestamps 12."""

_ONCE_MORE = ("CPU steal", "CPU queues", "iperf3")

BPF_MODE: BpfMode = "tc"
"""How a BPF program is attached here: `ppslab run` chooses by measuring UDP frames, TCP is not."""


@dataclass(frozen=True)
class Options(Place):
    """What to measure and where; no conditions means all.  `offloads`: leave GSO, GRO, TSO on."""

    conditions: tuple[str, ...] = ()
    offloads: bool = False


def run(
    lab: Lab, options: Options, progress: Progress | None = None
) -> tuple[results.TcpRecord, Path]:
    """Measure `lab` with TCP and write the record; returns it and the file that it is in.

    Stopped by Ctrl-C or a failure, what was measured until then is written as an aborted record,
    and the reason is raised.  UsageError for what the lab does not have (its lab.yml must say
    `tcp:`); CannotHereError where no backend can, or iperf3 is missing.
    """
    words = lab.words.tcp
    if words is None:
        raise UsageError(f"lab {lab.name} says nothing of TCP: its lab.yml has no `tcp:`")
    _check_ends(lab, words)
    session = TcpSession.prepare(lab, options.conditions, options, progress)
    session.offloads = options.offloads
    seconds = words.seconds or profiles.load(options.profile).tcp.seconds
    return session.measure(
        lambda open_session: _measure(open_session, words, seconds),
        lambda open_session, state: _record(open_session, state, words, seconds),
    )


class TcpSession(Session):
    """A session that stands on hosts in the place of a tester."""

    offloads = False

    @property
    def tcp(self) -> TcpGround:
        """The hosts and the router; only of an open session."""
        assert isinstance(self.ground, TcpGround)
        return self.ground

    def _stand(self, stack: ExitStack) -> Ground:
        ground = stand_tcp(
            stack,
            self.backend,
            self.lab,
            profiles.load(self.place.profile),
            offloads=self.offloads,
        )
        for condition in self.conditions:
            if condition.linux.bpf:
                ground.router.bpf_modes[condition.linux.bpf] = BPF_MODE
        self.tester = results.Tester(name="iperf3", version=ground.version())
        return ground


def ends(lab: Lab, words: Tcp, condition: Condition) -> tuple[Between, Between]:
    """There and back: the hosts behind the ports of the condition's first stream.

    Each knows the address that the stream has at that end.
    """
    flow = lab.flows(condition)[0]
    source, target = str(first_value(flow.internet.src)), str(first_value(flow.internet.dst))
    first, second = words.hosts[flow.tx_name], words.hosts[flow.rx_name]
    return Between(first, second, target), Between(second, first, source)


def _check_ends(lab: Lab, words: Tcp) -> None:
    path = lab.folder / "lab.yml"
    for condition in lab.conditions.values():
        flow = lab.flows(condition)[0]
        for port in (flow.tx_name, flow.rx_name):
            if port not in words.hosts:
                line = documents.load_yaml(path).line("tcp", "hosts")
                raise FileError(
                    path, line, f"tcp: hosts: none behind port {port} (flow {flow.name})"
                )


def _measure(session: Session, words: Tcp, seconds: int) -> None:
    assert isinstance(session, TcpSession)
    order = random.Random(session.seed)
    reference = next((c for c in session.conditions if c.name == session.lab.words.reference), None)
    slots: list[tuple[Purpose, Condition, TcpDirection]] = [
        ("transfer", c, direction) for c in session.conditions for direction in DIRECTIONS
    ]
    if reference:
        slots += [("null", reference, direction) for direction in DIRECTIONS]
    rounds = session.profile.tcp.rounds
    session.progress.plan(rounds * len(slots))
    session.progress.stage(f"transfers of {seconds} s")
    for number in range(rounds):
        order.shuffle(slots)
        for purpose, condition, direction in slots:
            wanted = Wanted(words, seconds, purpose, condition, direction, number)
            session.progress.trial(transfer(session.tcp, session.lab, wanted))


@dataclass(frozen=True)
class Wanted:
    """A transfer that is asked for."""

    words: Tcp
    seconds: int
    purpose: Purpose
    condition: Condition
    direction: TcpDirection
    round_number: int


def transfer(ground: TcpGround, lab: Lab, wanted: Wanted) -> Transfer:
    """One transfer, again while the machine's noise spoils it; every attempt is kept."""
    attempt = 1
    while True:
        made = _attempt(ground, lab, wanted, attempt)
        ground.trials.append(made)
        again = all(said.startswith(_ONCE_MORE) for said in made.invalid_because)
        if made.valid or not again or attempt > ground.profile.repeats_of_noisy_trials:
            return made
        attempt += 1


def _attempt(ground: TcpGround, lab: Lab, wanted: Wanted, attempt: int) -> Transfer:
    condition = wanted.condition
    begun = ground.clock()
    problems = [f"router state not as configured: {said}" for said in ground.configure(condition)]
    ways: list[Way] = []
    counted = steal = None
    if not problems:
        there, back = ends(lab, wanted.words, condition)
        pairs = {"there": [there], "back": [back], "both": [there, back]}[wanted.direction]
        before = ground.counters()
        found = _together(ground, pairs, wanted.seconds)
        counted, steal = ground.counters().since(before)
        for pair, instances in zip(pairs, found, strict=True):
            failed = [one.failed for one in instances if one.failed]
            problems += [f"iperf3 from {pair.client} to {pair.server}: {said}" for said in failed]
            if not failed:
                ways.append(_way(pair, instances))
        if steal > STEAL_LIMIT:
            problems.append(f"CPU steal: the hypervisor took {steal:.0%} of the time")
        problems += [*ground.judge_queues(counted), *ground.judge_tracking(condition)]
    return Transfer(
        number=len(ground.trials),
        purpose=wanted.purpose,
        condition=condition.name,
        direction=wanted.direction,
        round=wanted.round_number,
        attempt=attempt,
        at_seconds=round(begun, 3),
        state="completed" if counted else "aborted",
        valid=not problems,
        invalid_because=tuple(dict.fromkeys(problems)),
        steal=steal,
        ways=tuple(ways),
        router=counted,
    )


def _together(
    ground: TcpGround, ways: Sequence[Between], seconds: int
) -> list[list[InstanceResult]]:
    """All ways at once; each client waits for its instances in a thread of its own."""
    for way in ways:
        ground.tester.serve(ground.hosts[way.server])
    pool = ThreadPoolExecutor(max_workers=len(ways))
    try:
        running = [
            pool.submit(
                ground.tester.transfer,
                ground.hosts[way.client],
                ground.hosts[way.server],
                way.address,
                seconds,
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
    )


def _record(session: Session, state: State, words: Tcp, seconds: int) -> results.TcpRecord:
    assert isinstance(session, TcpSession)
    ground = session.tcp
    said = [
        "TCP is no test of RFC 2544: its senders set the load themselves, by what is lost.",
        f"A transfer lasts {seconds} s, and its slow start is a part of it.",
        "iperf3's server counts what arrives while it ends, which its clock does not: on a path of "
        "100 Mbit/s it told 6 to 12 % too much of 2 s; a faster path empties its queues sooner.",
    ]
    if any(condition.linux.bpf for condition in session.conditions):
        said.append(
            f"BPF programs are attached by {BPF_MODE}; `ppslab run` chooses by measuring, here not."
        )
    head = {**session.head(state, said), "trials": ()}
    return results.TcpRecord(
        schema="ppslab/tcp/1",
        **head,
        reference=session.lab.words.reference,
        arrangement=ground.arrangement,
        instances=words.instances,
        streams=words.streams,
        seconds=seconds,
        segment_size=ground.mtu - HEADERS,
        offloads=session.offloads,
        explanations=explanations(ground.arrangement, session.offloads),
        transfers=tuple(ground.trials),
    )


def explanations(arrangement: results.Arrangement, offloads: bool) -> tuple[str, ...]:
    """How to read the retransmits of a saturated path, one sentence each."""
    said = [
        "Retransmits on a saturated path are no fault: a TCP sender sends ever faster until a "
        "queue on the way overflows, and learns its rate from the segment that was lost.",
        "So a slower router has more of them for each packet, and so has a shorter queue; compare "
        "them between conditions, not with zero.",
    ]
    if arrangement == "separate":
        said.append(
            "The queues here are the backlogs of two CPUs, the router's and the hosts' "
            "(net.core.netdev_max_backlog, 1000 packets each): whose overflowed, `dropped` says."
        )
    else:
        said.append(
            "Hosts and router share the CPUs here: a busy sender holds the router up, so few "
            "segments are lost, and the goodput is that of hosts and router together."
        )
    if offloads:
        said.append(
            "Offloads are on: the router forwards bundles of segments, so packets per second here "
            "are not those of a wire."
        )
    return tuple(said)
