"""One transfer of `ppslab tcp`: configure, read back, count, let all pairs talk, judge."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Literal

import numpy as np

from ppslab import results
from ppslab.instruments.iperf3 import InstanceResult
from ppslab.lab.lab import Condition, Lab, Tcp
from ppslab.lab.packets import first_value
from ppslab.measurement.tcp.testbed import Between, TcpTestbed
from ppslab.results import RouterCounts, TcpDirection, Transfer, Way
from ppslab.theory.validity import Cause, causes, sentences, steal
from ppslab.theory.validity.problems import Iperf3Failed

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
    """Seconds of the transfer."""
    purpose: Purpose
    """Why it is run."""
    condition: Condition
    """The condition that the router is in."""
    direction: TcpDirection
    """Which ways data goes."""
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
            for between in _ways_of(spec.direction, there, back)
        ]
        _serve(testbed, pairs)
        testbed.router.before_trial(condition)
        far, own = testbed.far_drops(), testbed.router.counters(condition)
        before = testbed.counters()
        outcomes = _together(testbed, pairs, spec)
        after = testbed.counters()
        counted = after.since(before)
        stolen, seconds = after.stolen(before)
        lost = steal.worst_share(stolen, seconds)
        grown = {n: now - own[n] for n, now in testbed.router.counters(condition).items()}
        far = testbed.far_drops() - far
        for pair, instances in zip(pairs, outcomes, strict=True):
            failed = [one.failed for one in instances if one.failed]
            problems += [Iperf3Failed(pair.client, pair.server, problem) for problem in failed]
            if not failed:
                ways.append(_way(pair, instances))
        found_steal = steal.judge(stolen, seconds)
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


def _ways_of(direction: TcpDirection, there: Between, back: Between) -> list[Between]:
    return {"there": [there], "back": [back], "both": [there, back]}[direction]


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
