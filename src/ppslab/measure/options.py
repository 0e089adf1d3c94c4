"""The options of the measuring commands, checked at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from ppslab.core.errors import UsageError, did_you_mean
from ppslab.core.measures import Measure
from ppslab.model.lab.lab import Condition, Lab
from ppslab.testbed.backends.capabilities import usable

ROUTERS = ("linux", "routeros")
"""The choices of `--router`."""


@dataclass(frozen=True)
class TesterOptions:
    """Backend and tester to measure with."""

    backend: str = "auto"
    """Backend of the lab; auto: the first that can."""
    tester: str = "ppstraffic"
    """The tester's name."""
    tester_config: Path | None = None
    """The inventory file of a tester with ports of its own."""
    out: Path | None = None
    """The record's file; None: one in results/local/."""
    wait: bool = True
    """Wait while another measurement runs."""

    def check(self) -> None:
        """UsageError for options that do not fit together."""
        if self.out and self.out.is_dir():
            raise UsageError(f"--out {self.out}: this is a folder; name a file")


@dataclass(frozen=True)
class RunOptions(TesterOptions):
    """Router and profile to measure."""

    router: str = "linux"
    """linux or routeros."""
    profile: str = "quick"
    """The profile's name."""
    seed: int | None = None
    """Of the order of the trials; None: one is drawn."""
    dut: Path | None = None
    """The inventory of a router on the bench; None: the lab's own router."""
    isolated: bool = False
    """Nothing else is on the bench's network."""

    def check(self) -> None:
        """UsageError where there is no such router, or the record cannot be written to `out`."""
        super().check()
        if self.router not in ROUTERS:
            near = did_you_mean(self.router, ROUTERS)
            raise UsageError(f"no router {self.router!r}{near}: there are {', '.join(ROUTERS)}")

    def router_backend(self) -> str:
        """The backend to ask for; UsageError where the router does not run on the named one."""
        if self.router == "linux":
            return self.backend
        # On the bench the backend has the tester alone, in a namespace with interfaces of this
        # machine.
        backend = "namespaces" if self.dut else "containerlab"
        if self.backend in ("auto", backend):
            return backend
        raise UsageError(
            f"the backend {self.backend} has no router with RouterOS: use a CHR on containerlab, "
            "or your own router on the bench (--dut FILE)"
        )


def check_sizes(*sizes: int) -> None:
    """UsageError for a frame size that no Ethernet frame has."""
    for size in sizes:
        if not 64 <= size <= 9216:
            raise UsageError(f"frame size {size}: must be from 64 to 9216 bytes")


def measure_of(asked: str | None, options: RunOptions, lab: Lab) -> Measure:
    """Return the measure that was asked for, or else the lab's own where it can be counted.

    UsageError where instructions are asked for and nobody can count them there, and for an unknown
    measure.
    """
    known = get_args(Measure)
    if asked is not None and asked not in known:
        near = did_you_mean(asked, known)
        raise UsageError(f"no measure {asked!r}{near}: there are {', '.join(known)}")
    reason = _uncountable(options, lab)
    if asked == "counted" and reason:
        raise UsageError(f"--measure counted: {reason}")
    if asked is not None:
        return cast("Measure", asked)
    return "timed" if reason or not usable("vm").usable else lab.spec.measure


def _uncountable(options: RunOptions, lab: Lab) -> str:
    """The reason why nobody can count instructions there; empty where it can be done."""
    if options.router != "linux":
        return "instructions are counted only in ppslab's own guest; this router can only be timed"
    if options.backend not in ("auto", "vm"):
        return f"instructions are counted on the backend vm, not on {options.backend}"
    if options.tester != "ppstraffic":
        return f"the tester {options.tester} tells no time of its own, from which to count"
    if lab.spec.machine is not None:
        return f"{lab.name} wants a machine of several CPUs, and instructions are counted on one"
    return ""


def unlike_one_cpu(condition: Condition) -> str:
    """Return why a condition's instructions are not counted; empty where they are."""
    if condition.cpus > 1:
        return f"it is about {condition.cpus} CPUs, and instructions are counted on one"
    if condition.rounds == 0:
        return "its throughput alone is measured, and counting knows none"
    return ""
