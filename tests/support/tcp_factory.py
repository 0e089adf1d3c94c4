"""TCP records made up for tests, with goodputs that the test knows.  Never shipped as results."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime

from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.model.results import TcpDirection, Transfer, Way
from tests.support.factory import WHERE

GOODPUT = {"routing-fast-path": 4.0e9, "routing-plain": 3.0e9, "routing-25-ip-filter-rules": 1.5e9}
"""Bits per second of one way by condition."""

SECONDS = 2.0
SEGMENT = 1448
RETRANSMITTED = 0.01


def make_way(goodput: float, client: str = "host1", server: str = "host2") -> Way:
    """A way of four streams: three with equal shares, one with half of such a share."""
    each = goodput * SECONDS / 8 / 3.5
    received = (round(each), round(each), round(each), round(each / 2))
    return Way(
        client=client,
        server=server,
        seconds=SECONDS,
        congestion="cubic",
        received_bytes=received,
        retransmits=tuple(round(RETRANSMITTED * one / SEGMENT) for one in received),
        rtt_us=(900.0, 1000.0, 1100.0, 1000.0),
        round_trip=results.RoundTrip(min=100.0, median=1000.0, p95=2000.0, max=9000.0, count=80),
        cpu_sender=0.4,
        cpu_receiver=0.5,
    )


def make_tcp_record(
    goodput: Mapping[str, float] | None = None,
    *,
    rounds: int = 8,
    noise: float = 0.01,
    seed: int = 1,
    without: tuple[str, ...] = (),
) -> results.TcpRecord:
    """A completed record; `without`: conditions whose transfers are all invalid."""
    fastpath = lab.find("fastpath")
    profile = profiles.load("quick")
    known = dict(goodput or GOODPUT)
    chance = random.Random(seed)
    transfers: list[Transfer] = []
    slots = [("transfer", name) for name in known] + [("a-a", fastpath.spec.reference)]
    for number in range(rounds):
        for purpose, name in slots:
            directions: tuple[TcpDirection, ...] = ("there", "back", "both")
            for direction in directions:
                value = known[name] * chance.gauss(1.0, noise)
                ways = (
                    (make_way(value / 2), make_way(value / 2, "host2", "host1"))
                    if direction == "both"
                    else (make_way(value),)
                )
                spoiled = name in without
                transfers.append(
                    Transfer(
                        number=len(transfers),
                        purpose=purpose,
                        condition=name,
                        direction=direction,
                        round=number,
                        at_seconds=3.0 * len(transfers),
                        state="aborted" if spoiled else "completed",
                        valid=not spoiled,
                        invalid_because=("router state not as configured: no rules",)
                        if spoiled
                        else (),
                        steal=0.0,
                        ways=() if spoiled else ways,
                        router=None
                        if spoiled
                        else results.RouterCounts(
                            packets=400_000, bytes=500_000_000, port_drops=10, dropped={"1": 10}
                        ),
                    )
                )
    return results.TcpRecord(
        schema="ppslab/tcp/2",
        id=f"fastpath-made-up-{seed}",
        lab="fastpath",
        title=fastpath.title,
        started=datetime(2026, 11, 21, 3, 0, tzinfo=UTC),
        finished=datetime(2026, 11, 21, 3, 3, tzinfo=UTC),
        state="completed",
        **WHERE,
        tester=results.Tester(name="iperf3", version="0"),
        profile=profile.model_dump(mode="json"),
        deviations=(),
        seed=seed,
        conditions=tuple(
            results.ConditionRecord(
                name=name,
                title=fastpath.conditions[name].title,
                configuration=fastpath.configuration(fastpath.conditions[name]),
                read_back="",
            )
            for name in known
        ),
        trials=(),
        reference=fastpath.spec.reference,
        arrangement="separate",
        instances=2,
        streams=2,
        seconds=2,
        segment_size=SEGMENT,
        offloads=False,
        explanations=(),
        transfers=tuple(transfers),
    )
