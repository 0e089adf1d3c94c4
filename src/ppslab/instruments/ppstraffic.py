"""The packet generator and receiver `ppstraffic` (traffic/README.md), as Python sees it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from ppslab import lab, paths
from ppslab.errors import BackendError, CannotHereError, PpslabError, UsageError
from ppslab.instruments.counts import Delay, FlowCounts, TrialCounts
from ppslab.instruments.flows import Flow, Port

__all__ = ["Delay", "Flow", "FlowCounts", "Port", "Tester", "TrialCounts", "arguments", "read"]

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

    def __init__(self, node: Runner, *, first: Sequence[str] = ()) -> None:
        """`first`: a command in front, such as `("chrt", "--fifo", "50")` (traffic/README.md)."""
        self.node = node
        self.first = tuple(first)
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
        return read(
            self.node.run([*self.first, str(self.path), *argv], timeout=timeout, check=False)
        )
