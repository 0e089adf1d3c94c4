"""What ppstraffic found in a trial (traffic/README.md defines every field)."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from ppslab.errors import BackendError

VERSION = 1
"""Version of the JSON that this module reads."""


@dataclass(frozen=True)
class Delay:
    """One-way delay of the distinct frames in ns; percentiles at most 0.05 % off, the rest exact.

    None for all but `count` where no frame arrived.
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
    """Frames of one flow."""

    name: str
    intended: int
    offered: int
    received: int
    duplicates: int
    reordered: int


@dataclass(frozen=True)
class TrialCounts:
    """What one trial found.  Counts are frames; times are seconds unless the name says ns."""

    aborted: bool
    reason: str | None
    size: int
    intended_rate: float | None
    duration: float
    intended: int
    offered: int
    received: int
    duplicates: int
    reordered: int
    misdelivered: int
    foreign: int
    corrupt: int
    send_errors: int
    refused: int
    kernel_drops: int
    send_seconds: float
    send_cpu_seconds: float
    elapsed_seconds: float
    steal_seconds: float
    max_lateness_ns: int
    clock_step_ns: int
    delay_ns: Delay
    """From the intended send time: what an open-loop source sees, tester's delays included."""
    delay_actual_ns: Delay
    """From the actual send time."""
    flows: tuple[FlowCounts, ...]
    tx_cpu: int | None
    rx_cpu: int | None
    printed: Mapping[str, Any] = field(repr=False, compare=False)
    """The JSON object as ppstraffic printed it."""

    @property
    def lost(self) -> int:
        """Frames that did not come back; frames that were not sent count as lost (FD.io CSIT)."""
        return self.intended - self.received

    @property
    def loss_ratio(self) -> float:
        """`lost` as a share of the intended frames."""
        return self.lost / self.intended if self.intended else 0.0

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
        plain = {
            name: printed[name]
            for name in cls.__dataclass_fields__
            if name not in {"reason", "clock_step_ns", "flows", "printed"} and "delay" not in name
        }
        return cls(
            **plain,
            reason=printed.get("reason"),
            clock_step_ns=printed.get("clock_step_ns", 0),
            delay_ns=_delay(printed["delay_ns"]),
            delay_actual_ns=_delay(printed["delay_actual_ns"]),
            flows=tuple(FlowCounts(**flow) for flow in printed["flows"]),
            printed=printed,
        )


def _delay(printed: Mapping[str, Any]) -> Delay:
    return Delay(**{name: printed[name] for name in Delay.__dataclass_fields__})
