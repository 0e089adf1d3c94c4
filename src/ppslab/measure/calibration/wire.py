"""The tester on its own wire, ready for trials that say what the tester can.

with ExitStack() as stack:
    wire = stand(stack, backend)
    print(wire.paced(64, 500.0, "coupled", seconds=4.0).from_actual)
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median

import numpy as np

from ppslab.core.errors import BackendError
from ppslab.measure.testbed.linux import cpus_of, maker, real_time
from ppslab.measure.trial import judging
from ppslab.measure.trial.patience import Patience
from ppslab.measure.trial.spec import TrialSpec
from ppslab.measure.trial.trial import Sent as SentLoad
from ppslab.measure.trial.trial import record
from ppslab.model.lab.packets import Ethernet, Flow, Header, Internet, Udp
from ppslab.model.metrics import delays
from ppslab.model.results import Arrangement, Carried, Paced, Receiver, Sent, Trial
from ppslab.model.validity import Cause, Problem, noisy
from ppslab.testbed.backends import Backend, Node
from ppslab.testbed.backends.capabilities import CpuPlan
from ppslab.testbed.testers import frames as frames_file
from ppslab.testbed.testers import ppstraffic
from ppslab.testbed.testers.contract import BackToBack, Load, Outcome, Tester
from ppslab.testbed.testers.counts import TrialCounts
from ppslab.testbed.testers.testers import PPSTRAFFIC

ATTEMPTS = 3
NOISY_ATTEMPTS = 8
"""Of a trial that nothing but noise spoiled: with the waits between them half a minute."""
TRIALS = 3
NOWHERE = "nowhere0"
"""A port to which no wire leads: a receiver there hears nothing."""

_MAKE_NOWHERE = (
    f"[ -e /sys/class/net/{NOWHERE} ] || ip link add {NOWHERE} type veth peer name nowhere1; "
    f"ip link set {NOWHERE} mtu 9500 up; ip link set nowhere1 mtu 9500 up"
)

DRAIN_SECONDS = 0.1

PUSHED_SECONDS = 1.5
RING_SECONDS = 0.2
"""Of frames at the expected rate is what the ring holds: a trial fills it seven times over."""

FRAME_BYTES = 160
"""Bytes of a 64-byte frame in the ring (traffic/src/receiving/receiver.c)."""

LEAST_RING_MB = 2
STEPS = 5
MOST_STEPS = 12

FLOWS = tuple(
    Flow(
        name=f"calibrate-{number}",
        tx_name="left",
        rx_name="right",
        # Nobody has these addresses: neither kernel answers, or takes the frames for its own.
        packet=(
            Header(ethernet=Ethernet(src="02:00:c6:12:01:02", dst="02:00:c6:12:02:02")),
            Header(ipv4=Internet(src="198.18.1.2", dst="198.18.2.2")),
            Header(udp=Udp(src_port=49184 + number, dst_port=7)),
        ),
    )
    for number in range(2)
)
"""Two streams one way, so that two sending threads can share them."""


@dataclass
class Wire:
    """Two ports of a tester joined by a wire; keeps every trial in `trials`."""

    cable: BackToBack
    cpus: CpuPlan
    first: tuple[str, ...] = ()
    """Words in front of the tester's own command."""
    on_trial: Callable[[Trial], None] = lambda trial: None
    trials: list[Trial] = field(default_factory=list)
    patience: Patience = field(default_factory=Patience)
    _started: float = field(default_factory=time.monotonic)
    _arranged: Arrangement | None = None

    @property
    def arrangements(self) -> tuple[Arrangement, ...]:
        """Those that this machine can have."""
        return ("coupled",) if self.cpus.coupled else ("separate", "coupled")

    def carried(self, size: int, arrangement: Arrangement, *, seconds: float) -> Carried:
        """Measure what the tester carries as fast as it can at a frame size: median of three.

        BackendError where no trial is valid.
        """
        counted = self._three(size, seconds, arrangement)
        rates = [trial.forwarding_rate for trial, _ in counted]
        left = sum(_left(counts) for _, counts in counted)
        came = sum(counts.received for _, counts in counted)
        return Carried(
            frame_size=size,
            arrangement=arrangement,
            rate=median(rates),
            lowest=min(rates),
            highest=max(rates),
            loss_ratio=max(0.0, 1 - came / left),
            trials=tuple(trial.number for trial, _ in counted),
        )

    def sent(self, size: int, *, seconds: float) -> Sent:
        """Measure the sender alone: the far end has no receiver.  BackendError as `carried`."""
        self.cable.node.run(["sh", "-ec", _MAKE_NOWHERE])
        wired = self.cable.ports
        self.cable.ports = {"left": wired["left"], "right": NOWHERE}
        try:
            counted = self._three(size, seconds, "coupled")
        finally:
            self.cable.ports = wired
        rates = [_left(counts) / counts.send_seconds for _, counts in counted]
        return Sent(
            frame_size=size,
            rate=median(rates),
            lowest=min(rates),
            highest=max(rates),
            trials=tuple(trial.number for trial, _ in counted),
        )

    def paced(
        self,
        size: int,
        rate: float,
        arrangement: Arrangement,
        *,
        seconds: float,
        share: float | None = None,
    ) -> Paced:
        """Measure lateness and delays of a paced load, from every frame.

        `share`: of what it carries, where that is how the rate was chosen.  A trial in which the
        machine's other work made frames late counts: that is what is asked for.
        BackendError where no trial is valid.
        """
        spec = TrialSpec("tester", None, size, seconds, rate, arrangement, keep_frames=True)
        trial, outcome = self.valid(spec)
        if not trial.valid or outcome.frames is None or trial.every_frame is None:
            why = "; ".join(trial.invalid_because) or "the tester kept no frames"
            raise BackendError(f"the tester alone, {size} bytes at {rate:.0f}/s: {why}")
        rows = frames_file.read(outcome.frames).rows
        ours = (rows["flags"] & (frames_file.NOT_COUNTED | frames_file.DUPLICATE)) == 0
        late = np.sort(rows["lateness_ns"][ours].astype(np.int64))
        return Paced(
            frame_size=size,
            arrangement=arrangement,
            share=share,
            rate=rate,
            lateness=delays.percentiles(late),
            latest_ns=int(late[-1]) if len(late) else 0,
            from_intended=trial.every_frame.from_intended,
            from_actual=trial.every_frame.from_actual,
            lost=trial.every_frame.lost,
            trials=(trial.number,),
        )

    def trial(
        self, spec: TrialSpec, *, tester: Tester | None = None, attempt: int = 1
    ) -> tuple[Trial, Outcome]:
        """Run one trial and keep it.  `tester`: another one than the cable's."""
        self.arrange(spec.arrangement)
        begun = time.monotonic() - self._started
        load = Load(
            flows=FLOWS,
            ports=self.cable.ports,
            size=spec.size,
            seconds=spec.intended_duration,
            rate=spec.intended_load,
            drain_seconds=DRAIN_SECONDS,
            tx_cpu=self.cpus.sender,
            rx_cpu=self.cpus.receiving(coupled=spec.arrangement == "coupled"),
            keep_frames=spec.keep_frames,
        )
        outcome = (tester or self.cable.tester).trial(load)
        trial = record(
            spec,
            SentLoad(outcome, outlasted=False),
            judge(outcome.counts, self.cpus.own),
            number=len(self.trials),
            attempt=attempt,
            begun=begun,
        )
        self.trials.append(trial)
        self.on_trial(trial)
        return trial, outcome

    def arrange(self, arrangement: Arrangement) -> None:
        """Give the wire's far end a CPU of its own, or the sender's."""
        if arrangement == self._arranged:
            return
        separate = arrangement == "separate"
        if not self.cpus.coupled:
            self.cable.steer(self.cpus.router if separate else None)
        self.cable.tester.arrange(self.cable.ports, separate=separate)
        self._arranged = arrangement

    def _three(
        self, size: int, seconds: float, arrangement: Arrangement
    ) -> list[tuple[Trial, TrialCounts]]:
        """The valid ones of three trials as fast as it can; the noisy ones where none is valid."""
        spec = TrialSpec("tester", None, size, seconds, arrangement=arrangement)
        tried = [self.valid(spec) for _ in range(TRIALS)]
        counted = [(trial, outcome.counts) for trial, outcome in tried if trial.valid] or [
            # The whole time was noisy: what it carried all the same is a lower bound.
            (trial, outcome.counts)
            for trial, outcome in tried
            if noisy(trial.causes) and Cause.NOTHING_SENT not in trial.causes
        ]
        if not counted:
            why = sorted({reason for trial, _ in tried for reason in trial.invalid_because})
            raise BackendError(f"the tester alone, {size} bytes: no valid trial: {'; '.join(why)}")
        return counted

    def valid(self, spec: TrialSpec) -> tuple[Trial, Outcome]:
        """A trial that nothing spoiled, or the last attempt: noise is waited out between them."""
        attempt = 1
        while True:
            trial, outcome = self.trial(spec, attempt=attempt)
            if trial.valid:
                self.patience.quiet()
                return trial, outcome
            if attempt >= (NOISY_ATTEMPTS if noisy(trial.causes) else ATTEMPTS):
                return trial, outcome
            if noisy(trial.causes):
                self.patience.noisy()
            attempt += 1


def stand(
    stack: ExitStack,
    backend: Backend,
    *,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> Wire:
    wiring = BackToBack.wiring()
    deployment = stack.enter_context(backend.deploy(wiring))
    first = real_time(deployment.node(wiring.links[0].a.node), backend)
    cable = BackToBack(deployment, wiring, maker(PPSTRAFFIC, first=first))
    return Wire(cable=cable, cpus=cpus_of(backend), first=first, on_trial=on_trial)


def judge(counts: TrialCounts, cpus: Collection[int] | None = None) -> tuple[Problem, ...]:
    """Return the problems of a trial over the wire; none where it is a measurement.

    `cpus`: those that work for it; None: all.
    """
    problems: list[Problem | None] = [judging.of_stop(counts), judging.of_sending(counts)]
    problems += [judging.of_receiver(counts), counts.stolen(cpus)]
    return tuple(problem for problem in problems if problem is not None)


def _left(counts: TrialCounts) -> int:
    """Frames that left the sender, also those that the wire refused."""
    return counts.offered + (counts.refused or 0)


class Pushed(ppstraffic.Tester):
    """ppstraffic with several senders and a receive ring of a given size."""

    def __init__(self, node: Node, *, first: tuple[str, ...], senders: int, ring_mb: int) -> None:
        super().__init__(node, first=first)
        self.senders = senders
        self.ring_mb = ring_mb

    def trial(self, load: Load) -> Outcome:
        argv = [*ppstraffic.arguments(load, senders=self.senders), "--ring-mb", str(self.ring_mb)]
        done = self.node.run(
            [*self.first, str(self.path), *argv], timeout=60 + 3 * load.seconds, check=False
        )
        return Outcome(ppstraffic.read(done))


def zero_drop_rate(wire: Wire, carried: float, *, size: int = 64) -> Receiver:
    """Search the highest rate at which the receiver's ring drops nothing.

    `carried`: frames per second that one sender carries at this size.  All CPUs send as fast as
    they can; only if the ring then drops is the rate halved until it does not, and the gap closed.
    """
    # Sending threads take CPUs in turn from the sender's on: two where the router's is the next.
    senders = 2 if wire.cpus.router == wire.cpus.sender + 1 else 1
    ring_mb = max(LEAST_RING_MB, math.ceil(carried * senders * RING_SECONDS * FRAME_BYTES / 1e6))
    tester = Pushed(wire.cable.node, first=wire.first, senders=senders, ring_mb=ring_mb)
    begun = len(wire.trials)
    unexplained = 0

    def dropped(rate: float | None) -> tuple[bool, float]:
        nonlocal unexplained
        spec = TrialSpec("tester", None, size, PUSHED_SECONDS, rate)
        trial, outcome = wire.trial(spec, tester=tester)
        counts = outcome.counts
        # What left, and neither came nor was counted as dropped.
        unexplained += max(0, counts.offered - counts.received - (counts.kernel_drops or 0))
        return bool(counts.kernel_drops), trial.forwarding_rate

    failed, reached = dropped(None)
    kept, lost = (None, reached) if failed else (reached, None)
    for _ in range(MOST_STEPS):
        if lost is None or (kept is not None and lost - kept < lost / 2**STEPS):
            break
        tried = lost / 2 if kept is None else (kept + lost) / 2
        failed, reached = dropped(tried)
        # Paced senders that cannot keep the pace offer less: what arrived is what was shown.
        if failed:
            lost = tried
        else:
            kept = reached
            if reached < 0.99 * tried:
                break
    return Receiver(
        frame_size=size,
        rate=kept,
        dropped_at=lost,
        senders=senders,
        seconds=PUSHED_SECONDS,
        ring_bytes=ring_mb << 20,
        unexplained=unexplained,
        trials=tuple(range(begun, len(wire.trials))),
    )
