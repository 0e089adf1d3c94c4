"""The receiver keeps what the fastest router sends and half as much again, or says what it lost.

The router is the lab's fastest condition on this machine; the receiver is then driven beyond it
over a wire by every CPU at once, and at last pushed over by a reader that gets no CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

from ppslab.measure.calibration.wire import Pushed, Wire
from ppslab.measure.calibration.wire import stand as stand_wire
from ppslab.measure.testbed.linux import stand
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import lab, profiles
from ppslab.testbed.backends import capabilities, open_backend
from ppslab.testbed.testers.counts import TrialCounts

pytestmark = [pytest.mark.live, pytest.mark.alone]

FASTEST = ("routing-fast-path", "bridging-fast-path")
MARGIN = 1.5
ATTEMPTS = 6
FRAME_BYTES = 160


@dataclass
class Setup:
    """The lab and a wire beside it."""

    testbed: FrameTestbed
    wire: Wire

    def pushed(self, *, senders: int, ring_mb: int) -> Pushed:
        return Pushed(self.wire.cable.node, first=self.wire.first, senders=senders, ring_mb=ring_mb)


@pytest.fixture(scope="module")
def both() -> Iterator[Setup]:
    missing = {"rps", "nft"} - capabilities.features_of("namespaces")
    if missing:
        pytest.skip(f"this kernel has no {', '.join(missing)} here: ppslab doctor")
    with ExitStack() as stack:
        backend = stack.enter_context(open_backend("namespaces"))
        found = stand(stack, backend, lab.find("fastpath"), profiles.load("quick"))
        if found.cpus.router is None:
            pytest.skip("one CPU: nobody could drive the receiver")
        yield Setup(found, stand_wire(stack, backend))


def fastest_rate(testbed: FrameTestbed) -> float:
    """The most that the router forwarded under its fastest conditions, frames per second."""
    trials = [
        testbed.trial(TrialSpec("search", testbed.lab.condition(name), 64, 0.2, None, "separate"))
        for name in FASTEST
        if testbed.lab.condition(name).needs <= capabilities.features_of("namespaces")
        for _ in range(3)
    ]
    return max(trial.forwarding_rate for trial in trials if trial.counts)


def unexplained(counts: TrialCounts) -> int:
    """Frames that left, and neither came nor were counted as dropped by the receiver."""
    return counts.offered - counts.received - (counts.kernel_drops or 0)


def overflowed() -> int:
    """Frames for which a CPU's backlog had no room since the machine started, whoever's they were.

    All namespaces share the backlogs: what is dropped there neither receiver nor router has seen.
    """
    lines = Path("/proc/net/softnet_stat").read_text(encoding="ascii").splitlines()
    return sum(int(line.split()[1], 16) for line in lines)


def test_half_as_much_again_as_the_fastest_router_is_received_or_the_excess_is_told(
    both: Setup,
) -> None:
    """A ring of a tenth of what a trial receives: so it holds for trials of any length."""
    wanted = reached = 0.0
    for _ in range(ATTEMPTS):
        wanted = MARGIN * fastest_rate(both.testbed)
        tester = both.pushed(senders=2, ring_mb=max(8, round(wanted * 0.1 * FRAME_BYTES / 1e6)))
        before = overflowed()
        trial, outcome = both.wire.trial(TrialSpec("tester", None, 64, 1.0), tester=tester)
        counts, elsewhere = outcome.counts, overflowed() - before
        assert 0 <= unexplained(counts) <= elsewhere, counts
        assert counts.foreign == counts.corrupt == counts.duplicates == 0
        if counts.kernel_drops:
            assert not trial.valid
            assert any("receiver dropped" in said for said in trial.invalid_because)
        else:
            assert counts.received >= counts.offered - elsewhere
        reached = max(reached, counts.offered / counts.send_seconds)
        if counts.offered / counts.send_seconds >= wanted:
            print(f"sent {reached:.0f}/s of {wanted:.0f}/s, dropped {counts.kernel_drops}")
            return
    pytest.skip(
        f"{capabilities.cpu_facts().online} CPUs send at most {reached:.0f}/s, not {wanted:.0f}/s: "
        "this machine cannot drive the receiver that far"
    )


def test_a_reader_that_gets_no_cpu_makes_the_trial_invalid(both: Setup) -> None:
    """Another program holds the reader's CPU at a higher priority while frames arrive."""
    wire = both.wire
    if not wire.first:
        pytest.skip("no right to a real-time priority: nothing can hold a CPU")
    reader = wire.cpus.router
    # Its turn comes when frames have left: how long the tester takes to begin, nobody knows.
    sent = f"/sys/class/net/{wire.cable.ports['left']}/statistics/tx_packets"
    steal = (
        f"least=$(($(cat {sent}) + 1000)); while [ $(cat {sent}) -lt $least ]; do sleep 0.01; done;"
        f" exec timeout 2 chrt --fifo 90 taskset -c {reader} sh -c 'while :; do :; done'"
    )
    tester = both.pushed(senders=1, ring_mb=4)
    thief = Thread(target=wire.cable.node.run, args=(["sh", "-c", steal],), kwargs={"check": False})
    before = overflowed()
    thief.start()
    try:
        trial, outcome = wire.trial(TrialSpec("tester", None, 64, 1.5, 200_000.0), tester=tester)
    finally:
        thief.join()
    counts = outcome.counts
    assert counts.rx_cpu == reader
    assert counts.kernel_drops
    assert 0 <= unexplained(counts) <= overflowed() - before, counts
    assert not trial.valid
    assert any("receiver dropped" in said for said in trial.invalid_because)


def test_a_trial_longer_than_its_ring_is_read_beside_a_sender_on_the_same_cpu(
    both: Setup,
) -> None:
    """Of equal real-time priority, the reader never ran while the sender did."""
    wire = both.wire
    if not wire.first:
        pytest.skip("no right to a real-time priority: the kernel shares the CPU fairly anyway")
    seen = []
    for _ in range(ATTEMPTS):
        wire.arrange("coupled")
        tester = both.pushed(senders=1, ring_mb=16)
        spec = TrialSpec("tester", None, 64, 1.0, 200_000.0, "separate")
        _, outcome = wire.trial(spec, tester=tester)
        assert outcome.counts.tx_cpu == outcome.counts.rx_cpu
        assert outcome.counts.offered > (16 << 20) / FRAME_BYTES, "longer than its ring"
        seen.append(outcome.counts.kernel_drops)
        if not outcome.counts.kernel_drops:
            return
    raise AssertionError(f"a ring that is read in time drops nothing: {seen}")
