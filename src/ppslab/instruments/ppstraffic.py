"""The packet generator and receiver `ppstraffic` (traffic/README.md), as Python sees it.

Flows and ports use the words of the Open Traffic Generator models.  A flow knows nothing of rates:
the rate of a trial is the aggregate over its flows, which take turns.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ppslab import lab, paths
from ppslab.errors import BackendError, CannotHereError, PpslabError, UsageError

VERSION = 1
"""Version of the JSON that this module reads."""

MIN_SIZE = 64
MIN_SIZE_V6 = 84
"""Ethernet, IPv6, UDP, the 18-byte signature and the FCS: an IPv6 frame cannot be smaller."""
MAX_SIZE = 9216


class Completed(Protocol):
    """What a command left behind."""

    @property
    def returncode(self) -> int:
        """Its exit code."""

    @property
    def stdout(self) -> str:
        """What it printed."""

    @property
    def stderr(self) -> str:
        """What it complained of."""


class Runner(Protocol):
    """Where ppstraffic runs: a node of a deployed lab."""

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, check: bool = True) -> Completed:
        """Run a command to its end; `check` turns a non-zero exit code into an exception."""


@dataclass(frozen=True)
class Port:
    """A test port: the name that flows use, and the interface on the tester node."""

    name: str
    interface: str

    def argument(self) -> str:
        """The value of `--port`."""
        return f"{self.name}={self.interface}"


@dataclass(frozen=True)
class Flow:
    """One UDP flow.  A count above 1 steps its field through that many values, by one."""

    name: str
    tx_name: str
    rx_name: str
    src_mac: str
    dst_mac: str
    src: str
    dst: str
    src_port: int
    dst_port: int
    src_count: int = 1
    dst_count: int = 1
    src_port_count: int = 1
    dst_port_count: int = 1
    weight: int = 1
    reply_src_mac: str | None = None
    """With `reply_dst_mac`: learning also sends the reversed flow from the receiving port."""
    reply_dst_mac: str | None = None

    @classmethod
    def of(cls, flow: lab.Flow) -> Flow:
        """The flow of a lab file.  UsageError where it steps by anything but 1."""

        def first(value: Any, what: str) -> tuple[Any, int]:
            if not isinstance(value, lab.Increment):
                return value, 1
            if value.step != 1:
                raise UsageError(
                    f"flow {flow.name}: {what} steps by {value.step}; ppstraffic only by 1"
                )
            return value.start, value.count

        src, src_count = first(flow.internet.src, "src")
        dst, dst_count = first(flow.internet.dst, "dst")
        src_port, src_port_count = first(flow.udp.src_port, "src_port")
        dst_port, dst_port_count = first(flow.udp.dst_port, "dst_port")
        return cls(
            name=flow.name,
            tx_name=flow.tx_name,
            rx_name=flow.rx_name,
            src_mac=flow.ethernet.src,
            dst_mac=flow.ethernet.dst,
            src=str(src),
            dst=str(dst),
            src_port=int(src_port),
            dst_port=int(dst_port),
            src_count=src_count,
            dst_count=dst_count,
            src_port_count=src_port_count,
            dst_port_count=dst_port_count,
        )

    @property
    def ipv6(self) -> bool:
        """Whether the flow is IPv6."""
        return ":" in self.src

    def argument(self) -> str:
        """The value of `--flow`."""
        words: dict[str, str | int | None] = {
            "name": self.name,
            "tx": self.tx_name,
            "rx": self.rx_name,
            "src-mac": self.src_mac,
            "dst-mac": self.dst_mac,
            "src": self.src,
            "dst": self.dst,
            "sport": self.src_port,
            "dport": self.dst_port,
            "src-count": self.src_count,
            "dst-count": self.dst_count,
            "sport-count": self.src_port_count,
            "dport-count": self.dst_port_count,
            "weight": self.weight,
            "reply-src-mac": self.reply_src_mac,
            "reply-dst-mac": self.reply_dst_mac,
        }
        defaults = {"src-count", "dst-count", "sport-count", "dport-count", "weight"}
        return ",".join(
            f"{key}={value}"
            for key, value in words.items()
            if value is not None and not (key in defaults and value == 1)
        )


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


def binary() -> Path:
    """Where ppstraffic is: `$PPSTRAFFIC`, the checkout's `_build/bin`, or the PATH.

    CannotHereError where it was not built.
    """
    told = os.environ.get("PPSTRAFFIC")
    if told:
        return Path(told)
    built = paths.build_dir() / "bin" / "ppstraffic"
    if built.exists():
        return built
    installed = shutil.which("ppstraffic")
    if installed:
        return Path(installed)
    raise CannotHereError("ppstraffic is not built", "make -C traffic")


def arguments(
    *,
    flows: Sequence[Flow],
    ports: Sequence[Port],
    size: int,
    seconds: float,
    rate: float | None = None,
    learning_frames: int = 0,
    settle_seconds: float = 0.05,
    drain_seconds: float = 0.2,
    tx_cpu: int | None = None,
    rx_cpu: int | None = None,
    senders: int = 1,
    burst: int | None = None,
    frames: Path | None = None,
) -> list[str]:
    """The arguments of `ppstraffic run`.

    `size`: frame size in bytes with the frame check sequence.  `rate`: frames per second over all
    flows, None for as fast as possible.  `frames`: file for a record of every received frame.
    UsageError where a flow does not fit into the frame.
    """
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise UsageError(f"frame size {size}: ppstraffic sends {MIN_SIZE} to {MAX_SIZE} bytes")
    for flow in flows:
        if flow.ipv6 and size < MIN_SIZE_V6:
            raise UsageError(
                f"flow {flow.name}: an IPv6 frame with a signature needs {MIN_SIZE_V6} bytes, "
                f"not {size}"
            )
    argv = ["run", "--size", str(size), "--rate", "max" if rate is None else f"{rate:.12g}"]
    argv += ["--duration", f"{seconds:.9g}"]
    for port in ports:
        argv += ["--port", port.argument()]
    for flow in flows:
        argv += ["--flow", flow.argument()]
    argv += ["--learn", str(learning_frames)]
    argv += ["--settle", str(round(settle_seconds * 1000))]
    argv += ["--drain", str(round(drain_seconds * 1000))]
    optional = {"--tx-cpu": tx_cpu, "--rx-cpu": rx_cpu, "--burst": burst, "--frames": frames}
    for flag, value in optional.items():
        if value is not None:
            argv += [flag, str(value)]
    return [*argv, "--senders", str(senders)]


def read(completed: Completed) -> TrialCounts:
    """The counts that `ppstraffic run` printed, also those of an aborted trial.

    By its exit code: UsageError (2), CannotHereError (3), BackendError where it printed no result.
    """
    said = completed.stderr.strip() or f"ppstraffic ended with {completed.returncode}"
    failure: dict[int, type[PpslabError]] = {2: UsageError, 3: CannotHereError}
    if completed.returncode in failure:
        raise failure[completed.returncode](said)
    try:
        printed = json.loads(completed.stdout)
    except ValueError:
        raise BackendError(said) from None
    return TrialCounts.of(printed)


class Tester:
    """ppstraffic on one node of a deployed lab."""

    name = "ppstraffic"

    def __init__(self, node: Runner) -> None:
        self.node = node
        self.path = binary()

    def version(self) -> str:
        """The program's version, such as `0.1.0`."""
        return self.node.run([str(self.path), "--version"]).stdout.split()[-1]

    def trial(
        self,
        *,
        flows: Sequence[lab.Flow | Flow],
        ports: Mapping[str, str],
        size: int,
        seconds: float,
        rate: float | None = None,
        learning_frames: int = 0,
        settle_seconds: float = 0.05,
        drain_seconds: float = 0.2,
        tx_cpu: int | None = None,
        rx_cpu: int | None = None,
        frames: Path | None = None,
    ) -> TrialCounts:
        """Run one trial; `ports` maps a port's name to its interface, the rest is `arguments()`.

        An aborted trial (a port went down) is returned, with the reason.
        """
        argv = arguments(
            flows=[flow if isinstance(flow, Flow) else Flow.of(flow) for flow in flows],
            ports=[Port(name, interface) for name, interface in ports.items()],
            size=size,
            seconds=seconds,
            rate=rate,
            learning_frames=learning_frames,
            settle_seconds=settle_seconds,
            drain_seconds=drain_seconds,
            tx_cpu=tx_cpu,
            rx_cpu=rx_cpu,
            frames=frames,
        )
        # Rings are set up and read outside of the trial; under emulation that takes its time.
        timeout = 30 + 3 * (seconds + settle_seconds + drain_seconds)
        return read(self.node.run([str(self.path), *argv], timeout=timeout, check=False))
