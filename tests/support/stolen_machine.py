"""A machine with a clock of its own whose hypervisor takes CPU time; on it, a lab's testbed.

Nothing waits: a trial, and a wait for quiet, only move the clock.  Steal is counted as Linux does
it, in whole ticks by CPU.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, get_args

from ppslab.core.errors import BackendError
from ppslab.measure.trial.patience import Patience
from ppslab.measure.trial.trial import FrameTestbed
from ppslab.model.lab import profiles
from ppslab.model.lab.lab import Condition, Lab
from ppslab.model.results import Trial
from ppslab.testbed.backends.capabilities import CpuPlan
from ppslab.testbed.routers.contract import ReadBack
from ppslab.testbed.routers.linux.router import BpfMode
from ppslab.testbed.testers.contract import Ability, Load, Outcome
from ppslab.testbed.testers.counts import TrialCounts
from tests.support.factory import make_counts

TICK = 0.01
NANOSECONDS: Mapping[BpfMode | None, float] = {
    None: 600.0, "tc": 450.0, "xdp-generic": 400.0, "xdp-native": 500.0,
}  # fmt: skip
"""Of a packet by how its program is attached: generic XDP is the cheapest here."""


@dataclass
class StolenMachine:
    """Both CPUs lose `share` from `begin` to `end`, in gaps of `gap` seconds."""

    begin: float = 0.0
    end: float = 0.0
    share: float = 0.0
    gap: float = 0.01
    now: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def stolen(self, until: float) -> float:
        """Seconds that each CPU has lost until then."""
        if self.share == 0 or until <= self.begin:
            return 0.0
        period = self.gap / self.share
        whole, rest = divmod(min(until, self.end) - self.begin, period)
        return whole * self.gap + min(rest, self.gap)

    def ticks(self, begin: float, end: float) -> dict[str, int]:
        lost = int(self.stolen(end) / TICK + 1e-9) - int(self.stolen(begin) / TICK + 1e-9)
        return {"0": lost, "1": lost} if lost else {}


@dataclass
class StolenTester:
    """Sends into a router that forwards everything, in the time that the condition takes."""

    machine: StolenMachine
    nanoseconds: Callable[[], float]
    delivers: Callable[[], bool] = lambda: True
    name: str = "ppstraffic"
    abilities: frozenset[str] = frozenset(get_args(Ability))
    settings: dict[str, str] = field(default_factory=dict)

    def version(self) -> str:
        return "made up"

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """Its ports are always ready."""

    def trial(self, load: Load) -> Outcome:
        machine, each = self.machine, self.nanoseconds()
        machine.sleep(load.settle_seconds)
        begin = machine.now
        machine.sleep(load.seconds)
        ticks = machine.ticks(begin, machine.now)
        lost = machine.stolen(machine.now) - machine.stolen(begin)
        most = 1e9 / each
        due = round((load.rate or most) * load.seconds)
        offered = due if load.rate else round(most * max(1e-6, load.seconds - lost))
        received = min(offered, round(most * load.seconds)) if self.delivers() else 0
        counts = make_counts(each, load.size, offered) | {
            "intended": due if load.rate else offered, "received": received,
            "intended_rate": load.rate, "duration": load.seconds,
            "send_seconds": load.seconds, "send_cpu_seconds": max(0.0, load.seconds - lost),
            "steal_ticks": ticks, "steal_window_seconds": load.seconds,
        }  # fmt: skip
        machine.sleep(load.drain_seconds)
        return Outcome(TrialCounts.of(counts))


@dataclass
class StolenRouter:
    """Takes every condition at once.  `refuses`: modes that its kernel does not take."""

    lab: Lab
    refuses: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    """Modes that are attached, and that the read-back does not find."""
    name: str = "linux"
    cannot_show: str = ""
    is_external: bool = False
    bpf_modes: dict[str, BpfMode] = field(default_factory=dict)
    now: Condition | None = None
    now_mode: BpfMode | None = None

    def apply(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> None:
        if bpf_mode in self.refuses:
            raise BackendError(f"ip link: {bpf_mode}: Operation not supported")
        self.now, self.now_mode = condition, bpf_mode

    def read_back(self, condition: Condition, *, bpf_mode: BpfMode | None = None) -> ReadBack:
        return ReadBack(("no program",) if bpf_mode in self.unread else (), "")

    def apply_baseline(self) -> None:
        self.now = self.now_mode = None

    def read_back_baseline(self) -> ReadBack:
        return ReadBack((), "")

    def mode(self, condition: Condition, wanted: BpfMode | None = None) -> BpfMode | None:
        program = condition.linux.bpf
        if program is None:
            return None
        return condition.linux.bpf_mode or wanted or self.bpf_modes.get(program, "tc")

    def before_trial(self, condition: Condition) -> None:
        """Nothing to do."""

    def counters(self, condition: Condition) -> dict[str, int]:
        return {}

    def tracked_connections(self) -> int:
        tracked = self.now.linux.expect.conntrack if self.now else None
        return 1 if tracked else 0

    def offloaded_connections(self) -> int:
        return 1 if self.now and self.now.linux.expect.offloaded else 0

    def steer(self, cpu: int | None) -> None:
        """Its CPU is where it is."""


def stand(
    lab: Lab, machine: StolenMachine, *, profile: str = "quick", **router: Any
) -> FrameTestbed:
    """The testbed of a lab on such a machine."""
    device = StolenRouter(lab, **router)

    def nanoseconds() -> float:
        return NANOSECONDS[device.now_mode] if device.now else 200.0

    def delivers() -> bool:
        return device.now is not None and device.now.delivers == "all"

    cable: Any = SimpleNamespace(
        tester=StolenTester(machine, lambda: 150.0),
        ports={"left": "eth1", "right": "eth2"},
        flows=lambda flows: flows,
        steer=lambda cpu: None,
    )
    return FrameTestbed(
        lab=lab,
        router=device,  # type: ignore[arg-type]
        tester=StolenTester(machine, nanoseconds, delivers),
        cable=cable,
        cpus=CpuPlan(0, 1, 0),
        profile=profiles.load(profile),  # type: ignore[arg-type]
        patience=Patience(sleep=machine.sleep),
    )


def seen(trials: list[Trial], **words: Any) -> list[Trial]:
    """The trials that have these words."""
    return [t for t in trials if all(getattr(t, name) == value for name, value in words.items())]
