"""Where and how to measure: the options of every measuring command, checked before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ppslab.base.errors import UsageError, did_you_mean

ROUTERS = ("linux", "routeros")
"""What `--router` chooses from."""


@dataclass(frozen=True)
class RunOptions:
    """Where and how to measure: what the measuring commands have in common."""

    backend: str = "auto"
    """Where the lab is stood up; auto: where it can be."""
    router: str = "linux"
    """linux or routeros."""
    tester: str = "ppstraffic"
    """The tester's name."""
    tester_config: Path | None = None
    """The inventory file of a tester with ports of its own."""
    profile: str = "quick"
    """The profile's name."""
    seed: int | None = None
    """Of the order of the trials; None: one is drawn."""
    out: Path | None = None
    """The record's file; None: one in results/local/."""
    dut: Path | None = None
    """The inventory of a router on the bench; None: the lab's own router."""
    isolated: bool = False
    """Whether nothing else is on the bench's network."""
    wait: bool = True
    """Whether to wait while another measurement runs."""


def backend_of(options: RunOptions) -> str:
    """The backend to ask for.  UsageError where the router cannot be on the one that was named."""
    if options.router == "linux":
        return options.backend
    # On the bench the backend has the tester alone, in a namespace with interfaces of this machine.
    backend = "namespaces" if options.dut else "containerlab"
    if options.backend in ("auto", backend):
        return backend
    raise UsageError(
        f"no RouterOS router stands on the backend {options.backend}: a CHR does on containerlab, "
        "and your own router on the bench (--dut FILE)"
    )


def check(options: RunOptions) -> None:
    """UsageError where there is no such router, or where the record cannot be written to `out`."""
    if options.out and options.out.is_dir():
        raise UsageError(f"--out {options.out}: this is a folder; name a file")
    if options.router not in ROUTERS:
        near = did_you_mean(options.router, ROUTERS)
        raise UsageError(f"no router {options.router!r}{near}: there are {', '.join(ROUTERS)}")
