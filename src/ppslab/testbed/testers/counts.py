"""The counts of a trial (traffic/README.md defines every field).

None stands for what a tester cannot see; ppstraffic sees all of it.  `assembled` makes the counts
of the other testers, in the same words, so that every record is read the same way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, field
from typing import Any

from ppslab.core.errors import BackendError
from ppslab.model.validity import Problem, steal_of

VERSION = 1
"""Version of the JSON that this module reads."""

NOT_SEEN = (
    "duplicates", "reordered", "misdelivered", "foreign", "corrupt", "send_errors", "refused",
    "kernel_drops", "send_cpu_seconds", "steal_ticks", "steal_window_seconds", "max_lateness_ns",
)  # fmt: skip
"""The fields that are None where the tester cannot see them."""


@dataclass(frozen=True)
class Delay:
    """One-way delay of the distinct frames in ns; percentiles at most 0.05 % off, the rest exact.

    `count`: frames whose delay was taken; the rest is None where it is 0.  Percentiles are None
    where a tester gives none.
    """

    min: int | None
    p50: float | None
    p90: float | None
    p99: float | None
    p999: float | None
    max: int | None
    mean: float | None
    count: int


@dataclass(frozen=True)
class FlowCounts:
    name: str
    intended: int
    offered: int
    received: int
    duplicates: int | None = None
    reordered: int | None = None


@dataclass(frozen=True)
class TrialCounts:
    """The counts of one trial, in frames; times are seconds unless the name says ns.

    `intended`: rate times seconds, or more where a late sender went on after them: what was due
    until it stopped.
    """

    aborted: bool
    reason: str | None
    size: int
    intended_rate: float | None
    duration: float
    intended: int
    offered: int
    received: int
    duplicates: int | None
    reordered: int | None
    misdelivered: int | None
    foreign: int | None
    corrupt: int | None
    send_errors: int | None
    refused: int | None
    kernel_drops: int | None
    send_seconds: float
    send_cpu_seconds: float | None
    elapsed_seconds: float
    steal_ticks: Mapping[str, int] | None
    """Taken by the hypervisor, by CPU, in ticks of USER_HZ; a CPU that lost none may be missing."""
    steal_window_seconds: float | None
    """In which the ticks were counted."""
    max_lateness_ns: int | None
    clock_step_ns: int
    delay_ns: Delay
    """From the intended send time: what an open-loop source sees, tester's delays included."""
    delay_actual_ns: Delay
    flows: tuple[FlowCounts, ...]
    tx_cpu: int | None
    rx_cpu: int | None
    printed: Mapping[str, Any] = field(repr=False, compare=False)
    """The JSON object as ppstraffic printed it, or `assembled` made it."""
    kernel_thread_seconds: float | None = None
    """CPU time of the kernel's own threads, but for those that only did housekeeping.

    None where nobody read it.
    """
    kernel_chores_seconds: float | None = None
    """Of those among them that did housekeeping last, and may have worked on packets before."""

    @property
    def lost(self) -> int:
        """Frames that did not come back; frames that were not sent count as lost (FD.io CSIT)."""
        return self.intended - self.received

    @property
    def loss_ratio(self) -> float:
        """`lost` as a share of the intended frames."""
        return self.lost / self.intended if self.intended else 0.0

    def stolen(self, cpus: Collection[int] | None = None) -> Problem | None:
        """The problem where the hypervisor took too much of a CPU; `cpus`: that matter (or all)."""
        if self.steal_ticks is None or self.steal_window_seconds is None:
            return None
        ticks = {int(cpu): n for cpu, n in self.steal_ticks.items()}
        return steal_of(ticks, self.steal_window_seconds, cpus)

    def plain(self) -> dict[str, Any]:
        """The JSON object, for a record."""
        return deepcopy(dict(self.printed))

    @classmethod
    def of(cls, printed: Mapping[str, Any]) -> TrialCounts:
        """Read ppstraffic's JSON.  BackendError where it is of another version."""
        if printed.get("version") != VERSION:
            raise BackendError(
                f"ppstraffic printed JSON of version {printed.get('version')}, not {VERSION}: "
                "build it again (make -C traffic)"
            )
        fields: dict[str, Any] = {
            # What other testers may leave out.
            **{
                "reason": None,
                "clock_step_ns": 0,
                "steal_ticks": None,
                "steal_window_seconds": None,
            },
            **{name: printed[name] for name in cls.__dataclass_fields__ if name in printed},
            **{name: _delay(printed[name]) for name in ("delay_ns", "delay_actual_ns")},
            "flows": tuple(FlowCounts(**flow) for flow in printed["flows"]),
        }
        return cls(**fields, printed=printed)


NO_DELAY = Delay(None, None, None, None, None, None, None, 0)


def assembled(
    tester: str,
    *,
    size: int,
    rate: float | None,
    seconds: float,
    flows: Sequence[FlowCounts],
    send_seconds: float,
    elapsed_seconds: float,
    reason: str | None = None,
    delay_actual: Delay = NO_DELAY,
    tx_cpu: int | None = None,
    **seen: int | float | Mapping[str, int] | None,
) -> TrialCounts:
    """The counts of a trial of a tester that prints no JSON of ours.

    `reason`: why the trial was aborted, None: it was not.  `seen`: those of `NOT_SEEN` that this
    tester does see.
    """
    unknown = seen.keys() - set(NOT_SEEN)
    assert not unknown, unknown
    printed: dict[str, Any] = {
        "version": VERSION,
        "tester": tester,
        "aborted": reason is not None,
        "reason": reason,
        "size": size,
        "intended_rate": rate,
        "duration": seconds,
        "intended": sum(flow.intended for flow in flows),
        "offered": sum(flow.offered for flow in flows),
        "received": sum(flow.received for flow in flows),
        **{name: seen.get(name) for name in NOT_SEEN},
        "send_seconds": send_seconds,
        "elapsed_seconds": elapsed_seconds,
        "delay_ns": asdict(NO_DELAY),
        "delay_actual_ns": asdict(delay_actual),
        "flows": [asdict(flow) for flow in flows],
        "tx_cpu": tx_cpu,
        "rx_cpu": None,
    }
    return TrialCounts.of(printed)


def _delay(printed: Mapping[str, Any]) -> Delay:
    return Delay(**{name: printed[name] for name in Delay.__dataclass_fields__})
