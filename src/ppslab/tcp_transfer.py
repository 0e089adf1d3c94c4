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
from ppslab.lab import Condition, Lab, Tcp
from ppslab.packets import first_value
from ppslab.results import TcpDirection, Transfer, Way
from ppslab.tcp_ground import Between, TcpGround
from ppslab.trial import STEAL_LIMIT

Purpose = Literal["transfer", "null"]

_ONCE_MORE = ("CPU steal", "CPU queues", "iperf3")


def ends(lab: Lab, words: Tcp, condition: Condition) -> list[tuple[Between, Between]]:
    """There and back between the hosts of each pair; all pairs talk at once.

    Where hosts stand behind ports: those of the condition's first stream, at its addresses.
    """
    pairs = words.group(condition.tcp)
    if pairs:
        return [
            (Between(a.host, b.host, b.address), Between(b.host, a.host, a.address))
            for a, b in pairs
        ]
    flow = lab.flows(condition)[0]
    source, target = str(first_value(flow.internet.src)), str(first_value(flow.internet.dst))
    first, second = words.hosts[flow.tx_name], words.hosts[flow.rx_name]
    return [(Between(first, second, target), Between(second, first, source))]


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
    grown: dict[str, int] = {}
    if not problems:
        pairs = [
            between
            for there, back in ends(lab, wanted.words, condition)
            for between in _ways_of(wanted.direction, there, back)
        ]
        _serve(ground, pairs)
        ground.router.before_trial(condition)
        far, own = ground.far_drops(), ground.router.counters(condition)
        before = ground.counters()
        found = _together(ground, pairs, wanted)
        counted, steal = ground.counters().since(before)
        grown = {n: now - own[n] for n, now in ground.router.counters(condition).items()}
        far = ground.far_drops() - far
        for pair, instances in zip(pairs, found, strict=True):
            failed = [one.failed for one in instances if one.failed]
            problems += [f"iperf3 from {pair.client} to {pair.server}: {said}" for said in failed]
            if not failed:
                ways.append(_way(pair, instances))
        if steal > STEAL_LIMIT:
            problems.append(f"CPU steal: the hypervisor took {steal:.0%} of the time")
        problems += [*ground.judge_queues(counted, far), *ground.judge_tracking(condition)]
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
        counters=grown,
    )


def _ways_of(direction: TcpDirection, there: Between, back: Between) -> list[Between]:
    return {"there": [there], "back": [back], "both": [there, back]}[direction]


def _serve(ground: TcpGround, ways: Sequence[Between]) -> None:
    """Have the servers run on every host that one of the ways ends at, before anything is counted.

    Each host is waited for in a thread: a server takes 0.1 s to start under emulation.
    """
    with ThreadPoolExecutor(max_workers=len(ways)) as pool:
        list(
            pool.map(ground.tester.serve, {w.server: ground.hosts[w.server] for w in ways}.values())
        )


def _together(
    ground: TcpGround, ways: Sequence[Between], wanted: Wanted
) -> list[list[InstanceResult]]:
    """All ways at once; each client waits for its instances in a thread of its own."""
    words, load = wanted.words, wanted.condition.tcp
    pool = ThreadPoolExecutor(max_workers=len(ways))
    try:
        running = [
            pool.submit(
                ground.tester.transfer,
                ground.hosts[way.client],
                ground.hosts[way.server],
                way.address,
                wanted.seconds,
                instances=words.instances_of(load),
                streams=words.streams_of(load),
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
