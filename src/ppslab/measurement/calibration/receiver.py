"""How much the receiver takes before its ring drops a frame.

One sender cannot drive it that far, so all CPUs send at once; and the ring is made so small that a
trial fills it many times over, so that what is found holds for trials of any length.
"""

from __future__ import annotations

import math

from ppslab.backends import Node
from ppslab.instruments import ppstraffic
from ppslab.instruments.contract import Load, Outcome
from ppslab.instruments.counts import TrialCounts
from ppslab.measurement.calibration.wire import Wire
from ppslab.results import Receiver

SECONDS = 1.5
RING_SECONDS = 0.2
"""Of frames at the expected rate is what the ring holds: a trial fills it seven times over."""

FRAME_BYTES = 160
"""What a frame of 64 bytes takes in the ring (traffic/src/receiving/receiver.c)."""

LEAST_RING_MB = 2
STEPS = 5
MOST_STEPS = 12


class Pushed(ppstraffic.Tester):
    """ppstraffic with several senders and a receive ring of a given size."""

    def __init__(self, node: Node, *, first: tuple[str, ...], senders: int, ring_mb: int) -> None:
        super().__init__(node, first=first)
        self.senders = senders
        self.ring_mb = ring_mb

    def trial(self, load: Load) -> Outcome:
        """Run one trial; no record of its frames."""
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
    senders = _senders(wire)
    ring_mb = max(LEAST_RING_MB, math.ceil(carried * senders * RING_SECONDS * FRAME_BYTES / 1e6))
    tester = Pushed(wire.cable.node, first=wire.first, senders=senders, ring_mb=ring_mb)
    begun = len(wire.trials)
    unexplained = 0

    def dropped(rate: float | None) -> tuple[bool, float]:
        nonlocal unexplained
        trial, outcome = wire.trial(size, SECONDS, "coupled", rate=rate, tester=tester)
        unexplained += _unexplained(outcome.counts)
        return bool(outcome.counts.kernel_drops), trial.forwarding_rate

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
        seconds=SECONDS,
        ring_bytes=ring_mb << 20,
        unexplained=unexplained,
        trials=tuple(range(begun, len(wire.trials))),
    )


def _senders(wire: Wire) -> int:
    """Sending threads take CPUs in turn from the sender's on: two where router's is the next."""
    return 2 if wire.cpus.router == wire.cpus.sender + 1 else 1


def _unexplained(counts: TrialCounts) -> int:
    """Frames that left, and neither came nor were counted as dropped."""
    return max(0, counts.offered - counts.received - (counts.kernel_drops or 0))
