"""What every tester holds to (ppslab.testbed.testers.contract), whatever it is made of."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import get_args

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.processes import Meanwhile
from ppslab.model.lab.packets import Flow
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.contract import Ability, Load, Outcome, Step
from ppslab.testbed.testers.counts import NOT_SEEN, TrialCounts
from tests.conftest import Opened
from tests.support.flow_factory import make_flow, steps
from tests.support.waiting import until
from tests.testbed.testers.conformance.subjects import LOSES_EVERY, PORTS, Subject, standing

pytestmark = pytest.mark.guest


def flow(number: int, **changes: object) -> Flow:
    """From port p1 to p2, or for number 2 the other way."""
    here, there = (1, 2) if number == 1 else (2, 1)
    words: dict[str, object] = {
        "name": f"r{here}{there}",
        "tx_name": f"p{here}",
        "rx_name": f"p{there}",
        "src_mac": f"02:00:c6:12:0{here}:02",
        "dst_mac": f"02:00:c6:12:0{here}:01",
        "src": f"198.18.{here}.2",
        "dst": f"198.18.{there}.2",
    }
    return make_flow(**(words | changes))


V6 = {"src": "2001:2:0:1::2", "dst": "2001:2:0:2::2"}

LOAD = Load(
    flows=(flow(1), flow(2)), ports=PORTS, size=128, seconds=0.5, rate=2000.0,
    settle_seconds=0.02, drain_seconds=0.1, weights={"r12": 3},
)  # fmt: skip


# --- abilities ------------------------------------------------------------------------------------


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


# --- every tester ---------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=testers.ABILITIES)
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, opened: Opened
) -> Iterator[Subject]:
    """Each tester in turn, or the reason why it does not run here."""
    try:
        with standing(request.param, tmp_path_factory.mktemp("inventory"), opened) as found:
            yield found
    except CannotHereError as error:
        pytest.skip(f"{request.param}: {error}")


@pytest.fixture(autouse=True)
def clean(request: pytest.FixtureRequest) -> Iterator[None]:
    """A path that loses nothing; after each test no frame is under way any more."""
    if "subject" not in request.fixturenames:
        yield
        return
    subject = request.getfixturevalue("subject")
    subject.path.lose(None)
    subject.path.slow(None)
    yield
    until(lambda: not subject.path.busy(), "the tester to have nothing under way")


@pytest.fixture(scope="module")
def whole(subject: Subject) -> TrialCounts:
    """What one trial without loss counts, for all tests that only look."""
    subject.path.lose(None)
    subject.path.slow(None)
    return sent_whole(subject, LOAD).counts


def test_it_says_what_it_is(subject: Subject) -> None:
    tester = subject.tester
    assert tester.name in testers.ABILITIES
    assert tester.version().strip()
    assert tester.abilities <= set(get_args(Ability))
    assert all(isinstance(word, str) for pair in tester.settings.items() for word in pair)


def test_on_a_path_without_loss_every_frame_of_the_load_arrives(whole: TrialCounts) -> None:
    counts = whole
    assert (counts.aborted, counts.reason) == (False, None)
    assert (counts.size, counts.intended_rate, counts.duration) == (128, 2000.0, 0.5)
    assert [(f.name, f.intended, f.offered, f.received) for f in counts.flows] == [
        ("r12", 750, 750, 750),
        ("r21", 250, 250, 250),
    ]
    assert (counts.intended, counts.offered, counts.received) == (1000, 1000, 1000)
    assert counts.loss_ratio == 0
    # One that began late catches up; a device says for how long it was to send.
    late = (counts.max_lateness_ns or 0) / 1e9
    assert 0.4 - late <= counts.send_seconds <= max(0.5, counts.elapsed_seconds)
    assert counts.elapsed_seconds > 0
    for name in ("duplicates", "reordered", "misdelivered", "corrupt", "kernel_drops"):
        assert getattr(counts, name) in (0, None), name


def test_a_known_loss_comes_back(subject: Subject) -> None:
    subject.path.lose(LOSES_EVERY)
    # What is only late must not be lost.
    counts = sent_whole(subject, replace(LOAD, drain_seconds=1.0), lossy=True).counts
    assert counts.lost == pytest.approx(1000 / LOSES_EVERY, abs=1)
    assert counts.lost == sum(f.intended - f.received for f in counts.flows)


def test_frames_that_it_cannot_send_are_intended_and_lost(subject: Subject) -> None:
    subject.path.slow(10_000.0)
    # Of 5 million frames per second no tester here sends all; of 40 000 a double a quarter.
    rate, seconds = (5e6, 0.1) if subject.secrets == () else (40_000.0, 1.0)
    load = replace(LOAD, flows=(flow(1),), rate=rate, seconds=seconds)
    counts = subject.tester.trial(load).counts
    assert counts.offered < counts.intended
    assert counts.intended >= rate * load.seconds
    assert counts.lost >= counts.intended - counts.offered
    assert not counts.aborted


def test_a_record_takes_what_it_counts_and_no_secret(subject: Subject, whole: TrialCounts) -> None:
    counts = whole
    text = json.dumps([counts.plain(), subject.tester.settings, subject.tester.version()])
    assert TrialCounts.of(json.loads(text)[0]) == counts
    assert set(NOT_SEEN) <= counts.plain().keys()
    assert not [secret for secret in subject.secrets if secret in text]


def test_learning_frames_count_for_nothing(subject: Subject) -> None:
    counts = sent_whole(subject, replace(LOAD, learning_frames=5)).counts
    assert (counts.intended, counts.received) == (1000, 1000)


def unplugged(subject: Subject, seconds: float) -> TrialCounts | None:
    """A trial in which p2 goes down while the tester sends; None: it had ended by then."""
    over, out = threading.Event(), threading.Event()

    def unplug() -> None:
        until(lambda: over.is_set() or subject.path.busy(), "the first frames")
        if not over.is_set():
            subject.path.unplug("p2", True)
            out.set()

    try:
        with Meanwhile(0, unplug):
            try:
                counts = subject.tester.trial(replace(LOAD, seconds=seconds)).counts
                in_time = out.is_set()
            finally:
                over.set()
    finally:
        subject.path.unplug("p2", False)
    return counts if in_time else None


def test_a_port_that_goes_down_aborts_the_trial(subject: Subject) -> None:
    for seconds in (3.0, 6.0, 24.0):  # it takes a slow machine long to see that frames leave
        counts = unplugged(subject, seconds)
        if counts and counts.aborted:
            break
    assert counts is not None, "the tester was never seen to send"
    assert counts.aborted
    assert counts.reason and ("p2" in counts.reason or PORTS["p2"] in counts.reason)


def test_a_flow_of_a_port_that_is_not_there_is_wrong(subject: Subject) -> None:
    with pytest.raises(UsageError, match="p9"):
        subject.tester.trial(replace(LOAD, flows=(flow(1, rx_name="p9"),)))


def test_a_frame_that_holds_no_packet_is_wrong(subject: Subject) -> None:
    with pytest.raises(UsageError):
        subject.tester.trial(replace(LOAD, size=40))


def test_every_ability_is_tested() -> None:
    assert ASKED.keys() | SEEN.keys() == set(get_args(Ability))


@pytest.mark.parametrize("ability", ASKED)
def test_it_does_what_it_is_able_to_and_refuses_the_rest(
    subject: Subject, ability: Ability
) -> None:
    if ability in subject.tester.abilities:
        ASKED[ability](subject)
        return
    with pytest.raises(UsageError, match=f"{subject.tester.name} cannot do this: {ability}"):
        ASKED[ability](subject)


@pytest.mark.parametrize("ability", SEEN)
def test_it_counts_what_it_is_able_to_see_and_nothing_else(
    subject: Subject, whole: TrialCounts, ability: Ability
) -> None:
    if ability in subject.tester.abilities:
        SEEN[ability](whole)
        return
    unseen = (whole.delay_ns.p50, whole.reordered, whole.send_cpu_seconds)
    assert dict(zip(SEEN, unseen, strict=True))[ability] is None
