"""What a tester may be able to do, and what it may be able to see: each as it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ppslab.testbed.testers.contract import Ability, Load, Outcome, Step
from ppslab.testbed.testers.counts import TrialCounts
from tests.support.flow_factory import steps
from tests.testbed.testers.conformance.loads import LOAD, V6, flow
from tests.testbed.testers.conformance.subjects import Subject

TRIES = 12
"""A sender that has to wait for its CPU rightly leaves frames unsent; then it is tried again."""


def sent_whole(subject: Subject, load: Load, *, lossy: bool = False) -> Outcome:
    """A trial of which every frame was sent, and arrived, unless the path is `lossy` on purpose."""
    for _ in range(TRIES):
        found = subject.tester.trial(load)
        counts = found.counts
        if counts.offered == counts.intended and (lossy or counts.received >= counts.offered):
            break
    assert found.counts.offered == found.counts.intended, found.counts
    return found


def as_fast(subject: Subject) -> None:
    counts = subject.tester.trial(replace(LOAD, rate=None, seconds=0.2)).counts
    assert counts.intended_rate is None
    assert counts.offered == counts.intended > 100
    assert {f.name for f in counts.flows if f.received} == {"r12", "r21"}


def ipv6(subject: Subject) -> None:
    load = replace(LOAD, flows=(flow(1, **V6), flow(2)), rate=1000.0, weights={})
    counts = sent_whole(subject, load).counts
    assert [(f.intended, f.received) for f in counts.flows] == [(250, 250), (250, 250)]


def stepping(subject: Subject) -> None:
    load = replace(
        LOAD, flows=(flow(1, src_port=steps(100, 4), src=steps("198.18.1.2", 3)),), rate=1000.0
    )
    counts = sent_whole(subject, load).counts
    assert (counts.intended, counts.received) == (500, 500)


def random_fields(subject: Subject) -> None:
    drawn = {"src_port": {"min": 100, "max": 1099, "seed": 7}}
    one = flow(1, **drawn, dst_port={"min": 200, "max": 208, "seed": 7})
    counts = sent_whole(subject, replace(LOAD, flows=(one,), rate=1000.0)).counts
    assert (counts.intended, counts.received) == (500, 500)


def held(subject: Subject) -> None:
    load = replace(LOAD, flows=(flow(1, src_port=steps(100, 4), hold=5),), rate=1000.0)
    counts = sent_whole(subject, load).counts
    assert (counts.intended, counts.received) == (500, 500)


BACK = {"ethernet": {"src": "02:00:c6:12:02:02", "dst": "02:00:c6:12:02:01"}}


def answered(subject: Subject) -> None:
    load = replace(LOAD, flows=(flow(1, answered=BACK),), rate=1000.0, learning_frames=2)
    counts = sent_whole(subject, load).counts
    assert (counts.intended, counts.received) == (500, 500)


def other_protocols(subject: Subject) -> None:
    flows = (flow(1, over="tcp"), flow(2, protocol=253))
    load = replace(LOAD, flows=flows, rate=1000.0, learning_frames=1, weights={})
    counts = sent_whole(subject, load).counts
    assert [(f.intended, f.received) for f in counts.flows] == [(250, 250), (250, 250)]


def hop_limit(subject: Subject) -> None:
    """Between the ports stands a router, so a frame of one hop more arrives."""
    for ttl, received in ((1, 0), (2, 500)):
        load = replace(LOAD, flows=(flow(1, ttl=ttl),), rate=1000.0)
        counts = sent_whole(subject, load, lossy=received == 0).counts
        assert (counts.intended, counts.received) == (500, received)


def vlan_tag(subject: Subject) -> None:
    """The router between the ports has no such VLAN, so it takes no tagged frame."""
    load = replace(LOAD, flows=(flow(1, vlan=3000),), rate=1000.0)
    counts = sent_whole(subject, load, lossy=True).counts
    assert (counts.intended, counts.received) == (500, 0)


def delay(counts: TrialCounts) -> None:
    for found in (counts.delay_ns, counts.delay_actual_ns):
        assert found.count == counts.received
        assert found.min is not None and found.p50 is not None and found.max is not None
        assert 0 < found.min <= found.p50 <= found.max < 1e9


def every_frame(subject: Subject) -> None:
    assert sent_whole(subject, replace(LOAD, keep_frames=True)).frames


def second_step(subject: Subject) -> None:
    load = replace(LOAD, then=Step(rate=1000.0, seconds=0.2))
    assert sent_whole(subject, load).counts.received == 1200


def reordering(counts: TrialCounts) -> None:
    assert counts.reordered == 0


def cpu_time(counts: TrialCounts) -> None:
    assert counts.send_cpu_seconds is not None and counts.send_cpu_seconds > 0


ASKED: dict[Ability, Callable[[Subject], None]] = {
    "as fast as it can": as_fast,
    "ipv6": ipv6,
    "stepping fields": stepping,
    "random fields": random_fields,
    "held fields": held,
    "answered flows": answered,
    "other protocols": other_protocols,
    "hop limit": hop_limit,
    "VLAN tag": vlan_tag,
    "every frame": every_frame,
    "second step": second_step,
}
"""Abilities that a load asks for."""

SEEN: dict[Ability, Callable[[TrialCounts], None]] = {
    "delay": delay,
    "reordering": reordering,
    "cpu time": cpu_time,
}
"""Abilities that show in what is counted."""
