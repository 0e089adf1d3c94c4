"""The packet generator and receiver `ppstraffic` (traffic/README.md), as Python sees it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, get_args

from ppslab.core import paths
from ppslab.core.errors import BackendError, CannotHereError, PpslabError, UsageError
from ppslab.model.lab.packets import TCP, TTL, UDP, Flow, Increment, Random, first_value, how_many
from ppslab.testbed.testers.contract import Ability, Load, Outcome
from ppslab.testbed.testers.counts import TrialCounts

MIN_SIZE = 64
MIN_SIZE_V6 = 84
"""Ethernet, IPv6, UDP, the 18-byte signature and the FCS: an IPv6 frame cannot be smaller."""
MAX_SIZE = 9216

FRAMES_FILE = "/run/ppslab-frames"
"""In the tester node's own /run, which no other run sees."""


def binary() -> Path:
    """Return the path of ppstraffic: `$PPSTRAFFIC`, the checkout's `_build/bin`, or the PATH.

    CannotHereError where it was not built.
    """
    path = os.environ.get("PPSTRAFFIC")
    if path:
        return Path(path)
    built = paths.build_dir() / "bin" / "ppstraffic"
    if built.exists():
        return built
    installed = shutil.which("ppstraffic")
    if installed:
        return Path(installed)
    raise CannotHereError("ppstraffic has not been built", "make -C traffic")


def smallest(flow: Flow) -> int:
    """Bytes of the flow's smallest frame with ppstraffic's signature, FCS included."""
    over = 20 if flow.protocol == TCP else 8
    link = 18 if flow.ethernet.vlan else 14
    return max(MIN_SIZE, link + (40 if flow.ipv6 else 20) + over + 18 + 4)


def flow_argument(flow: Flow, weight: int = 1) -> str:
    """The value of `--flow`: what is as always is left out.

    UsageError where a field steps by anything but 1.
    """
    fields = dict(zip(("src", "dst", "sport", "dport"), flow.stepping, strict=True))
    for name, value in fields.items():
        if isinstance(value, Increment) and value.step != 1:
            raise UsageError(f"flow {flow.name}: {name} steps by {value.step}; ppstraffic by 1")
    back = flow.answered
    settings: dict[str, str | int | None] = {
        "name": flow.name,
        "tx": flow.tx_name,
        "rx": flow.rx_name,
        "src-mac": flow.ethernet.src,
        "dst-mac": flow.ethernet.dst,
        **{name: first_value(value) for name, value in fields.items()},
        **{f"{name}-count": how_many(value) for name, value in fields.items()},
        **{
            f"{name}-random": value.seed if isinstance(value, Random) else 0
            for name, value in fields.items()
        },
        "hold": flow.hold,
        "weight": weight,
        "protocol": flow.protocol,
        "ttl": flow.internet.ttl,
        "vlan": flow.ethernet.vlan,
        "reply-src-mac": back.ethernet.src if back else None,
        "reply-dst-mac": back.ethernet.dst if back else None,
        "reply-src": back.src if back else None,
        "reply-dst": back.dst if back else None,
    }
    usual: dict[str, int] = {"hold": 1, "weight": 1, "protocol": UDP, "ttl": TTL}
    usual |= {f"{name}-count": 1 for name in fields} | {f"{name}-random": 0 for name in fields}
    return ",".join(
        f"{key}={value}"
        for key, value in settings.items()
        if value is not None and value != usual.get(key)
    )


def arguments(
    load: Load,
    *,
    senders: int = 1,
    burst: int | None = None,
    frames: Path | str | None = None,
    kernel_threads: str | None = None,
) -> list[str]:
    """The arguments of `ppstraffic run`.

    `frames`: file for a record of every received frame.
    UsageError where a flow does not fit into the frame.
    """
    flows, size = load.flows, load.size
    if not MIN_SIZE <= size <= MAX_SIZE:
        raise UsageError(f"frame size {size}: ppstraffic sends {MIN_SIZE} to {MAX_SIZE} bytes")
    for flow in flows:
        if size < smallest(flow):
            raise UsageError(
                f"flow {flow.name}: its frame with a signature needs {smallest(flow)} bytes, "
                f"not {size}"
            )
    rate = "max" if load.rate is None else f"{load.rate:.12g}"
    argv = ["run", "--size", str(size), "--rate", rate]
    argv += ["--duration", f"{load.seconds:.9g}"]
    if load.then:
        argv += ["--then", f"{load.then.rate:.12g}:{load.then.seconds:.9g}"]
    for name, interface in load.ports.items():
        argv += ["--port", f"{name}={interface}"]
    for flow in flows:
        argv += ["--flow", flow_argument(flow, load.weight(flow))]
    argv += ["--learn", str(load.learning_frames)]
    argv += ["--settle", str(round(load.settle_seconds * 1000))]
    argv += ["--drain", str(round(load.drain_seconds * 1000))]
    optional = {
        "--tx-cpu": load.tx_cpu,
        "--rx-cpu": load.rx_cpu,
        "--burst": burst,
        "--frames": frames,
        "--kernel-threads": kernel_threads,
    }
    for flag, value in optional.items():
        if value is not None:
            argv += [flag, str(value)]
    if load.sleeps:
        argv.append("--sleep")
    return [*argv, "--senders", str(senders)]


def read(completed: Completed) -> TrialCounts:
    """The counts that `ppstraffic run` printed, also those of an aborted trial.

    By its exit code: UsageError (2), CannotHereError (3), BackendError where it printed no result.
    """
    reason = completed.stderr.strip() or f"ppstraffic ended with {completed.returncode}"
    failure: dict[int, type[PpslabError]] = {2: UsageError, 3: CannotHereError}
    if completed.returncode in failure:
        raise failure[completed.returncode](reason)
    try:
        printed = json.loads(completed.stdout)
    except ValueError:
        raise BackendError(reason) from None
    return TrialCounts.of(printed)


class Tester:
    """ppstraffic on one node of a deployed lab."""

    name = "ppstraffic"
    abilities: frozenset[Ability] = frozenset(get_args(Ability))

    def __init__(
        self,
        node: Runner,
        *,
        first: Sequence[str] = (),
        burst: int | None = None,
        cards: bool = False,
        kernel_threads: str | None = None,
        path: Path | None = None,
    ) -> None:
        """`first`: a command in front, such as `("chrt", "--fifo", "50")` (traffic/README.md).

        `burst`: frames a call at most; None: as many as ppstraffic takes by itself.  `cards`: its
        ports are network cards of this machine, which have queues of their own.  `kernel_threads`:
        a /proc that shows the kernel's own threads, where their time is to be counted.  `path`: of
        the program, as the node finds it; None: `binary()`.
        """
        self.node = node
        self.cards = cards
        self.first = tuple(first)
        self.burst = burst
        self.kernel_threads = kernel_threads
        self.path = path or binary()
        self.settings = {"started by": " ".join(first)}
        if burst is not None:
            self.settings["burst"] = str(burst)

    def version(self) -> str:
        """The program's version, such as `0.1.0`."""
        return self.node.run([str(self.path), "--version"]).stdout.split()[-1]

    def arrange(self, ports: Mapping[str, str], *, separate: bool) -> None:
        """GRO on the ports in separate trials, off in coupled ones.

        GRO gives each port of the tester a queue of its own (veth takes NAPI with it).  Without
        one, router and receiver share a backlog, and an overloaded router's frames are lost
        behind it.  Coupled trials overflow nothing, and it would cost them 200 ns a packet.
        Not for cards, which it would let put segments together.
        """
        if not self.cards:
            state = "on" if separate else "off"
            lines = [f"ethtool -K {port} gro {state}" for port in ports.values()]
            self.node.run(["sh", "-ec", "; ".join(lines)])

    def trial(self, load: Load) -> Outcome:
        """Run one trial.  An aborted one (a port went down) is returned, with the reason."""
        frames = FRAMES_FILE if load.keep_frames else None
        argv = arguments(load, frames=frames, burst=self.burst, kernel_threads=self.kernel_threads)
        # Rings are set up and read outside of the trial; under emulation that takes its time.
        seconds = load.seconds + (load.then.seconds if load.then else 0.0)
        timeout = 30 + 3 * (seconds + load.settle_seconds + load.drain_seconds)
        command = [*self.first, str(self.path), *argv]
        counts = read(self.node.run(command, timeout=timeout, check=False))
        if frames is None:
            return Outcome(counts)
        kept = self.node.read(frames)
        self.node.run(["rm", "-f", frames])
        return Outcome(counts, kept)


class Completed(Protocol):
    @property
    def returncode(self) -> int: ...

    @property
    def stdout(self) -> str: ...

    @property
    def stderr(self) -> str: ...


class Runner(Protocol):
    """A place to run a tester: a node of a deployed lab."""

    def run(self, argv: Sequence[str], *, timeout: float = 60.0, check: bool = True) -> Completed:
        """Run a command to its end; `check` turns a non-zero exit code into an exception."""

    def read(self, path: str) -> bytes:
        """A file of the node, whole."""
