"""What every tester holds to (ppslab.testbed.testers.contract), whatever it is made of.

ppstraffic, and each tester that an installed package brings, in namespaces with a router between
its ports that can be told to lose frames.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, get_args

import pytest

from ppslab.core.errors import CannotHereError, UsageError
from ppslab.core.processes import Meanwhile
from ppslab.model.lab import topology
from ppslab.model.lab.packets import Flow
from ppslab.testbed.backends import Node, capabilities
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.contract import Ability, Load, Outcome, Step, Tester
from ppslab.testbed.testers.counts import NOT_SEEN, TrialCounts
from tests.conftest import Opened
from tests.support.flow_factory import make_flow, steps
from tests.support.waiting import until

LOSES_EVERY = 50
PORTS = {"p1": "eth1", "p2": "eth2"}


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


LOAD = Load(
    flows=(flow(1), flow(2)), ports=PORTS, size=128, seconds=0.5, rate=2000.0,
    settle_seconds=0.02, drain_seconds=0.1, weights={"r12": 3},
)  # fmt: skip


def load_of(*flows: Flow, **changes: Any) -> Load:
    return replace(LOAD, **{"flows": flows, "rate": 1000.0, "weights": {}, **changes})


V6 = {"src": "2001:2:0:1::2", "dst": "2001:2:0:2::2"}
BACK = {"ethernet": {"src": "02:00:c6:12:02:02", "dst": "02:00:c6:12:02:01"}}
RANDOM = {
    "src_port": {"min": 100, "max": 1099, "seed": 7},
    "dst_port": {"min": 200, "max": 208, "seed": 7},
}

ASKED: list[tuple[Ability, Load, list[int]]] = [
    ("ipv6", load_of(flow(1, **V6), flow(2)), [250, 250]),
    ("stepping fields", load_of(flow(1, src_port=steps(100, 4), src=steps("198.18.1.2", 3))),
     [500]),
    ("random fields", load_of(flow(1, **RANDOM)), [500]),
    ("held fields", load_of(flow(1, src_port=steps(100, 4), hold=5)), [500]),
    ("answered flows", load_of(flow(1, answered=BACK), learning_frames=2), [500]),
    ("other protocols", load_of(flow(1, over="tcp"), flow(2, protocol=253), learning_frames=1),
     [250, 250]),
    # Between the ports stands a router, so a frame of one hop more arrives.
    ("hop limit", load_of(flow(1, ttl=1)), [0]),
    ("hop limit", load_of(flow(1, ttl=2)), [500]),
    # The router has no such VLAN, so it takes no tagged frame.
    ("VLAN tag", load_of(flow(1, vlan=3000)), [0]),
    ("every frame", replace(LOAD, keep_frames=True), [750, 250]),
    ("second step", replace(LOAD, then=Step(rate=1000.0, seconds=0.2)), [900, 300]),
]  # fmt: skip
"""An ability, a load that asks for it, and how many frames of each flow arrive."""

FULL_SPEED = replace(LOAD, rate=None, seconds=0.2)


@dataclass
class Subject:
    """A tester and the router between its ports."""

    tester: Tester
    node: Node
    router: Node

    def lose(self, every: int | None) -> None:
        """Lose exactly every n-th frame from now on; None: none."""
        text = "flush ruleset\n"
        if every:
            text += "table inet t { chain f { type filter hook forward priority 0; policy accept;\n"
            text += f"meta l4proto udp numgen inc mod {every} 0 drop\n}}\n}}\n"
        self.router.run(["sh", "-ec", f"nft -f - <<'END'\n{text}END"])

    def unplug(self, port: str, out: bool) -> None:
        """Take the wire out of a port, or put it back."""
        self.node.run(["ip", "link", "set", PORTS[port], "down" if out else "up"])

    def busy(self) -> bool:
        """Whether the tester still sends."""
        # A tester that gets no CPU for so long is asked again: both who call this wait for it.
        count = "cat /sys/class/net/eth1/statistics/tx_packets"
        before, after = self.node.run(["sh", "-ec", f"{count}; sleep 0.2; {count}"]).stdout.split()
        return int(after) - int(before) > 10  # the kernel's own, of a port that came up


@pytest.fixture(scope="module", params=(testers.OURS, *testers.brought()))
def subject(request: pytest.FixtureRequest, opened: Opened) -> Iterator[Subject]:
    """Each tester in turn, or the reason why it does not run here."""
    chosen = testers.chosen(request.param)
    try:
        chosen.must_be_built()
        missing = (chosen.needs | {"nft"}) - capabilities.features_of("namespaces")
        if missing:
            raise CannotHereError(f"no {', '.join(sorted(missing))} here")
        with opened("namespaces").deploy(topology.find("fastpath")) as lab:
            node = lab.node("tester")
            yield Subject(chosen.make(node), node, lab.node("dut"))
    except CannotHereError as error:
        pytest.skip(f"{request.param}: {error}")


@pytest.fixture(autouse=True)
def clean(request: pytest.FixtureRequest) -> Iterator[None]:
    """A path that loses nothing; after each test no frame is under way any more."""
    if "subject" not in request.fixturenames:
        yield
        return
    subject = request.getfixturevalue("subject")
    subject.lose(None)
    yield
    until(lambda: not subject.busy(), "the tester to have nothing under way")


TRIES = 12
"""A sender that has to wait for its CPU rightly leaves frames unsent; then it is tried again."""


def sent_whole(subject: Subject, load: Load, *, lossy: bool = False) -> Outcome:
    """A trial of which every frame was sent, and arrived, unless the path is `lossy` on purpose."""
    for _ in range(TRIES):
        outcome = subject.tester.trial(load)
        counts = outcome.counts
        if counts.offered == counts.intended and (lossy or counts.received >= counts.offered):
            break
    assert outcome.counts.offered == outcome.counts.intended, outcome.counts
    return outcome


@pytest.fixture(scope="module")
def whole(subject: Subject) -> TrialCounts:
    """What one trial without loss counts, for all tests that only look."""
    subject.lose(None)
    return sent_whole(subject, LOAD).counts


@pytest.mark.guest
class TestTrials:
    def test_on_a_path_without_loss_every_frame_of_the_load_arrives(
        self, whole: TrialCounts
    ) -> None:
        assert (whole.aborted, whole.reason) == (False, None)
        assert (whole.size, whole.intended_rate, whole.duration) == (128, 2000.0, 0.5)
        assert [(f.name, f.intended, f.offered, f.received) for f in whole.flows] == [
            ("r12", 750, 750, 750),
            ("r21", 250, 250, 250),
        ]
        assert (whole.intended, whole.offered, whole.received) == (1000, 1000, 1000)
        assert whole.loss_ratio == 0
        # One that began late catches up.
        late = (whole.max_lateness_ns or 0) / 1e9
        assert 0.4 - late <= whole.send_seconds <= max(0.5, whole.elapsed_seconds)
        for name in ("duplicates", "reordered", "misdelivered", "corrupt", "kernel_drops"):
            assert getattr(whole, name) in (0, None), name

    def test_a_known_loss_comes_back(self, subject: Subject) -> None:
        subject.lose(LOSES_EVERY)
        # What is only late must not be lost.
        counts = sent_whole(subject, replace(LOAD, drain_seconds=1.0), lossy=True).counts
        assert counts.lost == pytest.approx(1000 / LOSES_EVERY, abs=1)
        assert counts.lost == sum(f.intended - f.received for f in counts.flows)

    def test_frames_that_it_cannot_send_are_intended_and_lost(self, subject: Subject) -> None:
        rate, seconds = 5e6, 0.1  # no tester here sends so many
        counts = subject.tester.trial(load_of(flow(1), rate=rate, seconds=seconds)).counts
        assert counts.offered < counts.intended
        assert counts.intended >= rate * seconds
        assert counts.lost >= counts.intended - counts.offered
        assert not counts.aborted

    def test_a_record_takes_what_it_counts(self, subject: Subject, whole: TrialCounts) -> None:
        text = json.dumps([whole.plain(), subject.tester.settings, subject.tester.version()])
        assert TrialCounts.of(json.loads(text)[0]) == whole
        assert set(NOT_SEEN) <= whole.plain().keys()

    def test_learning_frames_count_for_nothing(self, subject: Subject) -> None:
        counts = sent_whole(subject, replace(LOAD, learning_frames=5)).counts
        assert (counts.intended, counts.received) == (1000, 1000)

    def test_a_port_that_goes_down_aborts_the_trial(self, subject: Subject) -> None:
        for seconds in (3.0, 6.0, 24.0):  # it takes a slow machine long to see that frames leave
            counts = unplugged(subject, seconds)
            if counts and counts.aborted:
                break
        assert counts is not None, "the tester was never seen to send"
        assert counts.aborted
        assert counts.reason and ("p2" in counts.reason or PORTS["p2"] in counts.reason)

    @pytest.mark.parametrize(
        "wrong", [replace(LOAD, flows=(flow(1, rx_name="p9"),)), replace(LOAD, size=40)]
    )
    def test_a_load_that_is_wrong(self, subject: Subject, wrong: Load) -> None:
        with pytest.raises(UsageError):
            subject.tester.trial(wrong)

    @pytest.mark.parametrize(("ability", "load", "arrived"), ASKED)
    def test_it_does_what_it_is_able_to(
        self, subject: Subject, ability: Ability, load: Load, arrived: list[int]
    ) -> None:
        if ability not in subject.tester.abilities:
            pytest.skip(f"it cannot: {ability}")
        outcome = sent_whole(subject, load, lossy=arrived == [0])
        assert [each.received for each in outcome.counts.flows] == arrived
        assert bool(outcome.frames) == load.keep_frames

    def test_as_fast_as_it_can(self, subject: Subject) -> None:
        if "as fast as it can" not in subject.tester.abilities:
            pytest.skip("it cannot")
        counts = subject.tester.trial(FULL_SPEED).counts
        assert counts.intended_rate is None
        assert counts.offered == counts.intended > 100
        assert {f.name for f in counts.flows if f.received} == {"r12", "r21"}

    def test_it_counts_what_it_is_able_to_see(self, subject: Subject, whole: TrialCounts) -> None:
        able = subject.tester.abilities
        assert able <= set(get_args(Ability))
        assert (whole.delay_ns.p50 is not None) == ("delay" in able)
        assert (whole.reordered is not None) == ("reordering" in able)
        assert (whole.send_cpu_seconds is not None) == ("cpu time" in able)
        for delay in (whole.delay_ns, whole.delay_actual_ns):
            if delay.min is not None and delay.p50 is not None and delay.max is not None:
                assert delay.count == whole.received
                assert 0 < delay.min <= delay.p50 <= delay.max < 1e9
        assert whole.reordered in (0, None)
        assert whole.send_cpu_seconds is None or whole.send_cpu_seconds > 0


def unplugged(subject: Subject, seconds: float) -> TrialCounts | None:
    """A trial in which p2 goes down while the tester sends; None: it had ended by then."""
    over, out = threading.Event(), threading.Event()

    def unplug() -> None:
        until(lambda: over.is_set() or subject.busy(), "the first frames")
        if not over.is_set():
            subject.unplug("p2", True)
            out.set()

    try:
        with Meanwhile(0, unplug):
            try:
                counts = subject.tester.trial(replace(LOAD, seconds=seconds)).counts
                in_time = out.is_set()
            finally:
                over.set()
    finally:
        subject.unplug("p2", False)
    return counts if in_time else None
