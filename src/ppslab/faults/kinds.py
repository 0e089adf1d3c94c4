"""The faults: what is done to the instrument, and what it should say then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ppslab.calibration import TESTER_SHARE
from ppslab.errors import UsageError, did_you_mean
from ppslab.instruments import ppstraffic
from ppslab.lab import Condition
from ppslab.results import Tester, Trial
from ppslab.results.faults import FaultName
from ppslab.trial import Bench, Wanted

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
class Ground:
    """What the faults are tried on.

    `plain`: the lab's reference condition; `ruled`: one with rules, None where the lab has none;
    `fastest`: frames per second that the tester was just seen to send into the router.
    """

    bench: Bench
    plain: Condition
    ruled: Condition | None
    size: int
    fastest: float

    @property
    def paced(self) -> float:
        """A load in frames per second that everybody can bear."""
        return min(PACED_MOST, PACED_SHARE * self.fastest)

    @property
    def pause(self) -> float:
        """Seconds for which a tester must stand still for its lateness to matter."""
        return max(0.06, BURSTS * self.bench.bearable_burst / self.paced)


@dataclass(frozen=True)
class Tried:
    """A trial with the fault beside one without it.

    `happened`: by a sign that is not the instrument's own verdict.
    """

    healthy: Trial
    broken: Trial
    happened: bool = True
    said: tuple[str, ...] | None = None
    said_before: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Fault:
    """One way to spoil a measurement.  `says`: how the sentence begins that catches it."""

    name: FaultName
    title: str
    broken: str
    believed: str
    says: str
    try_it: Callable[[Ground], Tried]

    def possible(self, ground: Ground) -> bool:
        """Whether it can be tried on this lab."""
        return ground.ruled is not None or self.name != "rules-gone"


@contextmanager
def started_by(bench: Bench, script: str) -> Iterator[None]:
    """Start the tester from a shell script, in which "$@" is the tester's own command."""
    tester = bench.tester
    if not isinstance(tester, ppstraffic.Tester):
        raise UsageError(f"tester {tester.name}: only ppstraffic can be broken here")
    before = tester.first
    tester.first = ("sh", "-c", script, "sh", *before)
    try:
        yield
    finally:
        tester.first = before


def late_tester(ground: Ground) -> Tried:
    """SIGSTOP, a pause, SIGCONT, while a paced load is sent."""
    bench, seconds = ground.bench, PACED_SECONDS + 2 * ground.pause
    wanted = Wanted("latency", ground.plain, ground.size, seconds, ground.paced)
    healthy = bench.trial(wanted)
    script = (
        f'"$@" & tester=$!; sleep {START_SECONDS}; kill -STOP $tester; '
        f"sleep {ground.pause:.3f}; kill -CONT $tester; wait $tester"
    )
    with started_by(bench, script):
        return Tried(healthy, bench.trial(wanted))


def small_ring(ground: Ground) -> Tried:
    """The smallest ring, at the highest rate; if the reader keeps up, no CPU for the reader.

    Under emulation frames come so slowly that it keeps up.
    """
    bench = ground.bench
    wanted = Wanted("cost", ground.plain, ground.size, 1.0)
    healthy = bench.trial(wanted)
    with started_by(bench, 'exec "$@" --ring-mb 1'):
        broken = bench.trial(wanted)
    if not _missing(broken) and bench.cpus.router is not None:
        # A coupled trial leaves the router's CPU to the reader (Bench).
        spin = "chrt --fifo 90 sh -c 'while :; do :; done'"
        crowd = f"timeout 1.5 taskset -c {bench.cpus.router} {spin}"
        tester = f'"$@" --ring-mb 1 --rx-cpu {bench.cpus.router}'
        with started_by(bench, f"{crowd} & {tester}; status=$?; kill $!; exit $status"):
            broken = bench.trial(wanted)
    return Tried(healthy, broken, happened=_missing(broken))


def _missing(trial: Trial) -> bool:
    """Whether more frames are missing than go missing by themselves."""
    counts = trial.counts or {}
    offered = counts.get("offered", 0)
    return bool(offered - counts.get("received", 0) > LOST * offered)


def rules_gone(ground: Ground) -> Tried:
    """Somebody empties the rule set between two trials."""
    assert ground.ruled is not None
    bench = ground.bench
    wanted = Wanted("cost", ground.ruled, ground.size, bench.profile.cost.trial_seconds)
    healthy = bench.trial(wanted)
    bench.linux.node.run(["nft", "flush", "ruleset"])
    return Tried(healthy, bench.trial(wanted))


def offload_on(ground: Ground) -> Tried:
    """Somebody turns GRO on at a port of the router."""
    bench = ground.bench
    port = next(iter(bench.lab.words.ports.values()))
    wanted = Wanted("cost", ground.plain, ground.size, bench.profile.cost.trial_seconds)
    healthy = bench.trial(wanted)
    bench.linux.node.run(["ethtool", "-K", port, "gro", "on"])
    try:
        return Tried(healthy, bench.trial(wanted))
    finally:
        bench.linux.node.run(["ethtool", "-K", port, "gro", "off"])


def slow_tester(ground: Ground) -> Tried:
    """A wire in the place of the router, and three times the load that the tester can send."""
    bench, seconds = ground.bench, bench_seconds(ground)
    healthy = bench.trial(Wanted("tester", None, ground.size, seconds, ground.paced))
    fastest = bench.trial(Wanted("tester", None, ground.size, seconds))
    rate = OVERLOAD * fastest.forwarding_rate
    broken = bench.trial(Wanted("tester", None, ground.size, seconds, rate))
    counts = broken.counts or {}
    return Tried(
        healthy,
        broken,
        happened=counts.get("offered", 0) < counts.get("intended", 0),
        said=_limited(fastest, broken),
        said_before=_limited(fastest, healthy),
    )


def bench_seconds(ground: Ground) -> float:
    """A trial long enough that 10 ms of grace for the last frames is little of it."""
    return max(0.5, ground.bench.profile.cost.trial_seconds)


def _limited(fastest: Trial, trial: Trial) -> tuple[str, ...]:
    """What the searches say of a rate near the tester's own limit (rounds.searches)."""
    if trial.counts is None:
        return ()
    sent = trial.counts["offered"] / trial.counts["send_seconds"]
    tester = Tester(
        name="",
        version="",
        back_to_back={trial.frame_size: fastest.forwarding_rate},
        into_the_router={trial.frame_size: sent},
    )
    limit = tester.limit(trial.frame_size) or 0.0
    if trial.forwarding_rate < TESTER_SHARE * limit:
        return ()
    share = trial.counts["offered"] / trial.counts["intended"]
    return (
        f"tester-limited: {share:.0%} of the intended frames were sent, the rest counts as lost",
    )


def stopped_trial(ground: Ground) -> Tried:
    """The reader has seen enough and stops the tester in the middle."""
    bench = ground.bench
    wanted = Wanted("search", ground.plain, ground.size, PACED_SECONDS, ground.paced)
    healthy = bench.trial(wanted)
    script = f'"$@" & tester=$!; sleep {START_SECONDS}; kill -TERM $tester; wait $tester'
    with started_by(bench, script):
        return Tried(healthy, bench.trial(wanted))


FAULTS = (
    Fault(
        "late-tester",
        "The tester comes late",
        "The tester is stopped for a moment in the middle of a trial, and goes on.",
        "Every frame came back, so the router bears this load.",
        "tester late",
        late_tester,
    ),
    Fault(
        "small-ring",
        "The receiver overflows",
        "The receiver gets a ring of one megabyte, and the sender goes as fast as it can.",
        "The router loses frames at this rate.",
        "receiver dropped",
        small_ring,
    ),
    Fault(
        "rules-gone",
        "The rules are not there",
        "The rule set is flushed behind the instrument's back, between two trials.",
        "These rules cost nothing.",
        "router state not as configured",
        rules_gone,
    ),
    Fault(
        "offload-on",
        "Frames are merged",
        "Generic receive offload (GRO) is turned on at one port of the router.",
        "A packet costs this router something else today.",
        "router state not as configured",
        offload_on,
    ),
    Fault(
        "slow-tester",
        "The tester is slower than the router",
        "A wire stands in the router's place, and three times the load is asked that can be sent.",
        "The router forwards this much and no more.",
        "tester-limited",
        slow_tester,
    ),
    Fault(
        "stopped-trial",
        "A trial is stopped",
        "The tester is told to end in the middle of a trial.",
        "The router lost the frames that are missing.",
        "aborted",
        stopped_trial,
    ),
)
"""In the order of the chapter."""


def find(names: Sequence[str]) -> list[Fault]:
    """The faults of these names, all of them for none; UsageError names the near one."""
    known: dict[str, Fault] = {fault.name: fault for fault in FAULTS}
    for name in names:
        if name not in known:
            near = did_you_mean(name, known) or f" (there are {', '.join(known)})"
            raise UsageError(f"no fault {name!r}{near}")
    return [known[name] for name in names] or list(FAULTS)
