"""Where and how to measure: what the measuring commands are told, checked before any starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ppslab import dut as duts
from ppslab.dut import Dut
from ppslab.errors import UsageError, did_you_mean
from ppslab.instruments import testers

ROUTERS = ("linux", "routeros")
"""What `--router` chooses from."""


@dataclass(frozen=True)
class Place:
    """Where and how to measure: what the measuring commands have in common.

    `seed` None: one is drawn.  `out` None: results/local/.  `tester_config`: the inventory file of
    a tester with ports of its own.  XX
    """

    backend: str = "auto"
    router: str = "linux"
    tester: str = "ppstraffic"
    tester_config: Path | None = None
    profile: str = "quick"
    seed: int | None = None
    out: Path | None = None
    dut: Path | None = None
    isolated: bool = False


def backend_of(place: Place) -> str:
    """The backend to ask for.  UsageError where the router cannot be on the one that was named."""
    if place.router == "linux":
        return place.backend
    # On the bench the backend has the tester alone, in a namespace with interfaces of this machine.
    wanted = "namespaces" if place.dut else "containerlab"
    if place.backend in ("auto", wanted):
        return wanted
    raise UsageError(
        f"no RouterOS router stands on the backend {place.backend}: a CHR does on containerlab, "
        "and your own router on the bench (--dut FILE)"
    )


def check(place: Place) -> Dut | None:
    """The router on the bench, where there is one.

    UsageError for a router, a tester or an inventory that there is not; FileError where an
    inventory is wrong.
    """
    if place.out and place.out.is_dir():
        raise UsageError(f"--out {place.out}: this is a folder, a file is wanted")
    if place.router not in ROUTERS:
        near = did_you_mean(place.router, ROUTERS)
        raise UsageError(f"no router {place.router!r}{near}: there are {', '.join(ROUTERS)}")
    testers.check(place.tester, place.tester_config)
    if "as fast as it can" not in testers.ABILITIES[place.tester]:
        raise UsageError(
            f"the tester {place.tester} sends at a set rate only; what it can, and what a router "
            "can, is found by sending without one: --tester ppstraffic, pktgen or otg "
            f"(ppslab calibrate --tester {place.tester} takes it)"
        )
    return duts.told(place.dut, place.router)
