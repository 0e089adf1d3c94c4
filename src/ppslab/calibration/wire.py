"""The tester on its own wire, ready for trials that say what the tester can.

with ExitStack() as stack:
    wire = stand(stack, backend)
    print(wire.paced(64, 500.0, "coupled", seconds=4.0).from_actual)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import numpy as np

from ppslab import every_frame
from ppslab.backends import Backend
from ppslab.cable import Cable
from ppslab.calibration.climbing import CLIMB_SECONDS, climb
from ppslab.capabilities import CpuPlan
from ppslab.errors import BackendError
from ppslab.instruments import frames as frames_file
from ppslab.instruments import testers
from ppslab.instruments.contract import Load, Outcome, Tester
from ppslab.instruments.counts import TrialCounts
from ppslab.instruments.flows import Flow
from ppslab.metrics import delays
from ppslab.results import Arrangement, Carried, Paced, Percentile, Sent, Trial
from ppslab.standing import cpus_of, maker, real_time

FLOWS = tuple(
    Flow(
        name=f"calibrate-{number}",
        tx_name="left",
        rx_name="right",
        # Nobody has these addresses: neither kernel answers, or takes the frames for its own.
        src_mac="02:00:c6:12:01:02",
        dst_mac="02:00:c6:12:02:02",
        src="198.18.1.2",
        dst="198.18.2.2",
        src_port=49184 + number,
        dst_port=7,
    )
    for number in range(2)
)
"""Two streams one way, so that two sending threads can share them."""

ATTEMPTS = 3
STEAL_LIMIT = 0.05
TRIALS = 3
NOWHERE = "nowhere0"
"""A port to which no wire leads: a receiver there hears nothing."""

_MAKE_NOWHERE = (
    f"[ -e /sys/class/net/{NOWHERE} ] || ip link add {NOWHERE} type veth peer name nowhere1; "
    f"ip link set {NOWHERE} mtu 9500 up; ip link set nowhere1 mtu 9500 up"
)

DRAIN_SECONDS = 0.1


@dataclass
class Wire:
    """Two ports of a tester joined by a wire; keeps every trial in `trials`."""

    cable: Cable
    cpus: CpuPlan
    first: tuple[str, ...] = ()
    on_trial: Callable[[Trial], None] = lambda trial: None
    trials: list[Trial] = field(default_factory=list)
    _started: float = field(default_factory=time.monotonic)
    _arranged: Arrangement | None = None

    @property
    def device(self) -> bool:
        """Whether the tester is a device with CPUs, ports and a wire of its own."""
        return self.cable.tester.name in testers.DEVICES

    @property
    def arrangements(self) -> tuple[Arrangement, ...]:
        """Those that this machine, or the device, can have."""
        if self.device:
            return ("separate",)
        return ("coupled",) if self.cpus.coupled else ("separate", "coupled")

    def carried(self, size: int, arrangement: Arrangement, *, seconds: float) -> Carried:
        """What the tester carries at a frame size, as fast as it can: the median of three trials.

        Of a tester that only knows a rate: what it carried when it was asked for more than it can.
        BackendError where no trial is valid.
        """
        if "as fast as it can" in self.cable.tester.abilities:
            counted = self._three(size, seconds, arrangement)
        else:
            counted = [climb(self, size, max(seconds, CLIMB_SECONDS), arrangement)]
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
        """What the sender does alone: the far end has no receiver.  BackendError as `carried`."""
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
        """What the tester and the wire do to the frames of a paced load, from every one of them.

        `share`: of what it carries, where that is how the rate was chosen.  A trial in which the
        machine's other work made frames late counts: that is what is asked for.
        BackendError where no trial is valid.
        """
        trial, outcome = self.valid(size, seconds, arrangement, rate=rate, keep_frames=True)
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
            lateness=percentiles(late),
            latest_ns=int(late[-1]) if len(late) else 0,
            from_intended=trial.every_frame.from_intended,
            from_actual=trial.every_frame.from_actual,
            lost=trial.every_frame.lost,
            trials=(trial.number,),
        )

    def trial(
        self,
        size: int,
        seconds: float,
        arrangement: Arrangement,
        *,
        rate: float | None = None,
        keep_frames: bool = False,
        tester: Tester | None = None,
        attempt: int = 1,
    ) -> tuple[Trial, Outcome]:
        """Run one trial and keep it.  `tester`: another one than the cable's."""
        self.arrange(arrangement)
        begun = time.monotonic() - self._started
        load = Load(
            flows=FLOWS,
            ports=self.cable.ports,
            size=size,
            seconds=seconds,
            rate=rate,
            drain_seconds=DRAIN_SECONDS,
            tx_cpu=self.cpus.sender,
            rx_cpu=self._reader(arrangement),
            keep_frames=keep_frames,
        )
        outcome = (tester or self.cable.tester).trial(load)
        counts = outcome.counts
        problems = judge(counts)
        kept = outcome.frames is not None and counts.offered > 0
        trial = Trial(
            number=len(self.trials),
            purpose="tester",
            condition=None,
            frame_size=size,
            arrangement=arrangement,
            attempt=attempt,
            intended_rate=rate,
            intended_seconds=seconds,
            at_seconds=round(begun, 3),
            state="aborted" if counts.aborted else "completed",
            valid=not problems,
            invalid_because=problems,
            counts=counts.plain(),
            every_frame=every_frame.count(outcome.frames) if kept and outcome.frames else None,
        )
        self.trials.append(trial)
        self.on_trial(trial)
        return trial, outcome

    def arrange(self, arrangement: Arrangement) -> None:
        """Give the wire's far end a CPU of its own, or the sender's."""
        if arrangement == self._arranged or self.device:
            return
        separate = arrangement == "separate"
        if not self.cpus.coupled:
            self.cable.steer(self.cpus.router if separate else None)
        self.cable.tester.arrange(self.cable.ports, separate=separate)
        self._arranged = arrangement

    def _three(
        self, size: int, seconds: float, arrangement: Arrangement
    ) -> list[tuple[Trial, TrialCounts]]:
        """The valid ones of three trials as fast as the tester can."""
        self.arrange(arrangement)
        tried = [self.valid(size, seconds, arrangement) for _ in range(TRIALS)]
        counted = [(trial, outcome.counts) for trial, outcome in tried if trial.valid]
        if not counted:
            why = sorted({said for trial, _ in tried for said in trial.invalid_because})
            raise BackendError(f"the tester alone, {size} bytes: no valid trial: {'; '.join(why)}")
        return counted

    def valid(
        self,
        size: int,
        seconds: float,
        arrangement: Arrangement,
        *,
        rate: float | None = None,
        keep_frames: bool = False,
    ) -> tuple[Trial, Outcome]:
        """A trial that the machine's noise did not spoil, or the last of three that it did."""
        attempt = 1
        while True:
            trial, outcome = self.trial(
                size, seconds, arrangement, rate=rate, keep_frames=keep_frames, attempt=attempt
            )
            if trial.valid or attempt == ATTEMPTS:
                return trial, outcome
            attempt += 1

    def _reader(self, arrangement: Arrangement) -> int:
        """The CPU that empties the receiver's ring: as in a run's trials."""
        if arrangement == "coupled" and self.cpus.router is not None:
            return self.cpus.router if self.cpus.reader == self.cpus.sender else self.cpus.reader
        return self.cpus.reader


def stand(
    stack: ExitStack,
    backend: Backend,
    *,
    tester: str = "ppstraffic",
    tester_config: Path | None = None,
    on_trial: Callable[[Trial], None] = lambda trial: None,
) -> Wire:
    """Deploy a wire on an open backend; it goes when `stack` unwinds."""
    wiring = Cable.wiring()
    deployment = stack.enter_context(backend.deploy(wiring))
    first = real_time(deployment.node(wiring.links[0].a.node), backend)
    cable = Cable(deployment, wiring, maker(tester, tester_config, first=first))
    return Wire(cable=cable, cpus=cpus_of(backend), first=first, on_trial=on_trial)


def judge(counts: TrialCounts) -> tuple[str, ...]:
    """Why a trial over the wire is no measurement; nothing where it is one."""
    problems = []
    if counts.aborted:
        problems.append("aborted")
    if counts.offered == 0 or counts.send_seconds <= 0:
        problems.append(f"tester sent {counts.offered} frames, all at once")
    if counts.kernel_drops:
        problems.append(f"receiver dropped {counts.kernel_drops} frames")
    if counts.steal_seconds and counts.steal_seconds > STEAL_LIMIT * counts.elapsed_seconds:
        share = counts.steal_seconds / counts.elapsed_seconds
        problems.append(f"CPU steal: the hypervisor took {share:.0%} of the time")
    return tuple(problems)


def percentiles(ascending: delays.Integers) -> tuple[Percentile, ...]:
    """Percentiles of times in ns, for a record."""
    return tuple(
        Percentile(share=each.share, ns=each.value, beyond=each.beyond)
        for each in delays.percentiles(ascending)
    )


def _left(counts: TrialCounts) -> int:
    """Frames that left the sender, also those that the wire refused."""
    return counts.offered + (counts.refused or 0)
