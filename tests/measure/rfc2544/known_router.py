"""A testbed whose router is arithmetic: it forwards what its capacity and its buffer allow."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np

from ppslab.measure.trial.patience import Patience
from ppslab.measure.trial.spec import TrialSpec
from ppslab.model import results
from ppslab.model.lab import lab, profiles
from ppslab.model.metrics import delays
from ppslab.model.validity import Cause
from ppslab.testbed.testers.contract import Ability
from tests.support.factory import make_counts


@dataclass
class KnownRouter:
    """What `reset` does to it: `outage` seconds without forwarding."""

    outage: float = 0.0
    reset_kind: str = "made up"
    resets: int = 0

    def reset(self, condition: lab.Condition) -> None:
        self.resets += 1


class AbleTester:
    """Whatever it is asked for."""

    name = "made up"
    abilities = frozenset(get_args(Ability))


@dataclass
class KnownTestbed:
    """Frames beyond `capacity` fill `buffer`, then are lost.

    `capacity`: frames per second.  `recovery`: seconds for which it goes on losing frames after
    an overload.  `delay`: what every frame takes, in ns.  `stolen`: so many trials, the first
    ones, lose every frame to the hypervisor.
    """

    capacity: float
    buffer: int = 0
    recovery: float = 0.0
    delay: int = 20_000
    invalid: tuple[str, ...] = ()
    router: KnownRouter = field(default_factory=KnownRouter)
    trials: list[results.Trial] = field(default_factory=list)
    profile: profiles.Profile = field(default_factory=lambda: profiles.load("quick"))
    seconds: float = 0.0
    tester: AbleTester = field(default_factory=AbleTester)
    stolen: int = 0
    slept: list[float] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.patience = Patience(sleep=self.slept.append)

    def trial(self, wanted: TrialSpec) -> results.Trial:
        assert wanted.intended_load is not None and wanted.condition is not None
        intended = round(wanted.intended_load * wanted.intended_duration)
        lost = max(
            0,
            round((wanted.intended_load - self.capacity) * wanted.intended_duration) - self.buffer,
        )
        last = wanted.intended_duration if lost else None
        gap = 1 / wanted.intended_load
        if wanted.then:
            intended += round(wanted.then.rate * wanted.then.seconds)
            if lost and self.recovery:
                lost += round(wanted.then.rate * self.recovery)
                last = wanted.intended_duration + self.recovery
        if wanted.meanwhile:
            wanted.meanwhile[1]()
            lost += round(wanted.intended_load * self.router.outage)
            gap = max(gap, self.router.outage)
        self.seconds += wanted.intended_duration
        noise = len(self.trials) < self.stolen
        lost = intended if noise else lost
        invalid = ("CPU steal: all",) if noise else self.invalid
        counts = make_counts(1000, wanted.size, intended) | {
            "intended": intended, "received": intended - lost,
            "intended_rate": wanted.intended_load, "send_seconds": wanted.intended_duration,
        }  # fmt: skip
        made = results.Trial(
            number=len(self.trials), purpose=wanted.purpose, condition=wanted.condition.name,
            frame_size=wanted.size, arrangement=wanted.arrangement, family=wanted.family,
            direction=wanted.direction, intended_load=wanted.intended_load,
            intended_duration=wanted.intended_duration, at_seconds=0.0, state="completed",
            valid=not invalid, invalid_because=invalid, counts=counts,
            causes=(Cause.STEAL,) if invalid else (),
            every_frame=self._frames(intended, lost, last, gap) if wanted.keep_frames else None,
        )  # fmt: skip
        self.trials.append(made)
        return made

    def _frames(
        self, intended: int, lost: int, last: float | None, gap: float
    ) -> results.EveryFrame:
        received = np.full(intended - lost, self.delay)
        same = results.Delays(
            count=len(received), min=self.delay, mean=self.delay, max=self.delay,
            percentiles=tuple(
                results.Percentile(share=p.share, ns=p.value, beyond=p.beyond)
                for p in delays.percentiles(received)
            ),
            histogram=delays.Histogram.of(received).encode(),
        )  # fmt: skip
        none = results.Variation(count=0)
        more: dict[str, Any] = {"last_lost_seconds": last, "longest_gap_seconds": gap}
        return results.EveryFrame(
            intended=intended, offered=intended, received=intended - lost, lost=lost, duplicates=0,
            reordering=results.Reordering(reordered=0, ratio=0.0, late_ns=none),
            from_intended=same, from_actual=same, pdv=none, ipdv=none, **more,
        )  # fmt: skip
