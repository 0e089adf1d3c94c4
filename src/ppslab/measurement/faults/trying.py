"""What is done to the instrument: a trial as it should be, and one with the fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ppslab.base.errors import UsageError
from ppslab.instruments import ppstraffic
from ppslab.lab.lab import Condition
from ppslab.measurement.trial.spec import TrialSpec
from ppslab.measurement.trial.trial import FrameTestbed
from ppslab.results import Tester, Trial
from ppslab.theory.recorded import TESTER_SHARE

PACED_SHARE = 0.125
"""The paced load, as a share of what the tester sends as fast as it can: no strain for anybody."""
PACED_MOST = 50_000.0
START_SECONDS = 0.3
"""Into the tester's run: it has set its rings up and sends."""
PACED_SECONDS = 0.55
"""Below a second in all: then the kernel takes 50 ms from a tester of real-time priority
(traffic/README.md), and a healthy one would be late too."""
BURSTS = 3
"""A stopped tester has so many times the burst to catch up with that a router may be asked."""
OVERLOAD = 3.0
LOST = 0.001
"""A share of frames that do not go missing by themselves while sender and router share a CPU."""


@dataclass(frozen=True)
class FaultSetup:
    """What the faults are tried on.

    `plain`: the lab's reference condition; `ruled`: one with rules, None where the lab has none;
    `fastest`: frames per second that the tester was just seen to send into the router.
    """

    testbed: FrameTestbed
    """The lab with its tester."""
    plain: Condition
    ruled: Condition | None
    size: int
    """Bytes of a frame, with the frame check sequence."""
    fastest: float

    @property
    def paced(self) -> float:
        """A load in frames per second that everybody can bear."""
        return min(PACED_MOST, PACED_SHARE * self.fastest)

    @property
    def pause(self) -> float:
        """Seconds for which a tester must stand still for its lateness to matter."""
        return max(0.06, BURSTS * self.testbed.bearable_burst / self.paced)


@dataclass(frozen=True)
class Limited:
    """The trial was valid, and its rate is the tester's: it sent this share of the frames."""

    sent: float
    """Share of the intended frames."""

    def __str__(self) -> str:
        return (
            f"tester-limited: {self.sent:.0%} of the intended frames were sent, "
            "the rest counts as lost"
        )


@dataclass(frozen=True)
class Tried:
    """A trial with the fault beside one without it.

    `happened`: by a sign that is not the instrument's own verdict.  `limited`, `limited_before`:
    what the searches say of the broken trial and of the healthy one, where the tester is the limit.
    """

    healthy: Trial
    """The trial without the fault."""
    broken: Trial
    """The trial with it."""
    happened: bool = True
    limited: Limited | None = None
    limited_before: Limited | None = None


@contextmanager
def started_by(testbed: FrameTestbed, script: str) -> Iterator[None]:
    """Start the tester from a shell script, in which "$@" is the tester's own command."""
    tester = testbed.tester
    if not isinstance(tester, ppstraffic.Tester):
        raise UsageError(f"tester {tester.name}: only ppstraffic can be broken here")
    before = tester.first
    tester.first = ("sh", "-c", script, "sh", *before)
    try:
        yield
    finally:
        tester.first = before


def late_tester(setup: FaultSetup) -> Tried:
    """SIGSTOP, a pause, SIGCONT, while a paced load is sent."""
    testbed, seconds = setup.testbed, PACED_SECONDS + 2 * setup.pause
    spec = TrialSpec("latency", setup.plain, setup.size, seconds, setup.paced)
    healthy = testbed.trial(spec)
    script = (
        f'"$@" & tester=$!; sleep {START_SECONDS}; kill -STOP $tester; '
        f"sleep {setup.pause:.3f}; kill -CONT $tester; wait $tester"
    )
    with started_by(testbed, script):
        return Tried(healthy, testbed.trial(spec))


def small_ring(setup: FaultSetup) -> Tried:
    """The smallest ring, at the highest rate; if the reader keeps up, no CPU for the reader.

    Under emulation frames come so slowly that it keeps up.
    """
    testbed = setup.testbed
    spec = TrialSpec("cost", setup.plain, setup.size, 1.0)
    healthy = testbed.trial(spec)
    with started_by(testbed, 'exec "$@" --ring-mb 1'):
        broken = testbed.trial(spec)
    if not _missing(broken) and testbed.cpus.router is not None:
        # A coupled trial leaves the router's CPU to the reader (FrameTestbed).
        spin = "chrt --fifo 90 sh -c 'while :; do :; done'"
        crowd = f"timeout 1.5 taskset -c {testbed.cpus.router} {spin}"
        tester = f'"$@" --ring-mb 1 --rx-cpu {testbed.cpus.router}'
        with started_by(testbed, f"{crowd} & {tester}; status=$?; kill $!; exit $status"):
            broken = testbed.trial(spec)
    return Tried(healthy, broken, happened=_missing(broken))


def _missing(trial: Trial) -> bool:
    """Whether more frames are missing than go missing by themselves."""
    if trial.counts is None:
        return False
    offered = trial.counts["offered"]
    return offered - trial.counts["received"] > LOST * offered


def rules_gone(setup: FaultSetup) -> Tried:
    """Somebody empties the rule set between two trials."""
    assert setup.ruled is not None
    testbed = setup.testbed
    spec = TrialSpec("cost", setup.ruled, setup.size, testbed.profile.cost.trial_seconds)
    healthy = testbed.trial(spec)
    testbed.linux.node.run(["nft", "flush", "ruleset"])
    return Tried(healthy, testbed.trial(spec))


def offload_on(setup: FaultSetup) -> Tried:
    """Somebody turns GRO on at a port of the router."""
    testbed = setup.testbed
    port = next(iter(testbed.lab.spec.ports.values()))
    spec = TrialSpec("cost", setup.plain, setup.size, testbed.profile.cost.trial_seconds)
    healthy = testbed.trial(spec)
    testbed.linux.node.run(["ethtool", "-K", port, "gro", "on"])
    try:
        return Tried(healthy, testbed.trial(spec))
    finally:
        testbed.linux.node.run(["ethtool", "-K", port, "gro", "off"])


def slow_tester(setup: FaultSetup) -> Tried:
    """A wire in the place of the router, and three times the load that the tester can send."""
    testbed, seconds = setup.testbed, bench_seconds(setup)
    healthy = testbed.trial(TrialSpec("tester", None, setup.size, seconds, setup.paced))
    fastest = testbed.trial(TrialSpec("tester", None, setup.size, seconds))
    rate = OVERLOAD * fastest.forwarding_rate
    broken = testbed.trial(TrialSpec("tester", None, setup.size, seconds, rate))
    counts = broken.counts
    return Tried(
        healthy,
        broken,
        happened=counts is not None and counts["offered"] < counts["intended"],
        limited=_limited(fastest, broken),
        limited_before=_limited(fastest, healthy),
    )


def bench_seconds(setup: FaultSetup) -> float:
    """A trial long enough that 10 ms of grace for the last frames is little of it."""
    return max(0.5, setup.testbed.profile.cost.trial_seconds)


def _limited(fastest: Trial, trial: Trial) -> Limited | None:
    """What the searches say of a rate near the tester's own limit (rounds.searches)."""
    if trial.counts is None:
        return None
    sent = trial.counts["offered"] / trial.counts["send_seconds"]
    tester = Tester(
        name="",
        version="",
        back_to_back={trial.frame_size: fastest.forwarding_rate},
        into_the_router={trial.frame_size: sent},
    )
    limit = tester.limit(trial.frame_size) or 0.0
    if trial.forwarding_rate < TESTER_SHARE * limit:
        return None
    return Limited(trial.counts["offered"] / trial.counts["intended"])


def stopped_trial(setup: FaultSetup) -> Tried:
    """The reader has seen enough and stops the tester in the middle."""
    testbed = setup.testbed
    spec = TrialSpec("search", setup.plain, setup.size, PACED_SECONDS, setup.paced)
    healthy = testbed.trial(spec)
    script = f'"$@" & tester=$!; sleep {START_SECONDS}; kill -TERM $tester; wait $tester'
    with started_by(testbed, script):
        return Tried(healthy, testbed.trial(spec))
