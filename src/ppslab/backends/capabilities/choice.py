"""Which backend a lab takes, and why."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass

from ppslab.backends.capabilities.features import (
    BASE,
    OF_THE_HOST,
    OF_THE_MACHINE,
    STOCK,
    Feature,
    guest_features,
    host_features,
)
from ppslab.backends.capabilities.tools import containerlab_missing, vm_tools
from ppslab.backends.prober.absence import Obstacle
from ppslab.base.errors import CannotHereError, UsageError

BACKENDS = ("auto", "namespaces", "vm", "containerlab")


@dataclass(frozen=True)
class Choice:
    """The backend to open, and the reason for the reader."""

    backend: str
    reason: str


@dataclass(frozen=True)
class Usable:
    """Whether a backend can start here; if not, why and which command helps."""

    backend: str
    usable: bool
    why: str
    remedy: str = ""


def features_of(backend: str) -> frozenset[str]:
    """The features that a backend offers here.

    For a guest that never booted yet: those of the stock kernels, and those of this machine. The vm
    backend probes its guest at the first boot, so ask again once it is open.
    """
    host = host_features().items()
    if backend == "vm":
        found = guest_features()
        if found is None:
            return STOCK | {name for name, each in host if name in OF_THE_HOST and each.present}
        return frozenset(name for name, feature in found.items() if feature.present)
    own = [(name, feature) for name, feature in host if name not in OF_THE_HOST]
    if backend == "containerlab":
        return frozenset(name for name, feature in own if feature.present or _in_image(feature))
    return frozenset(name for name, feature in own if feature.present)


def _in_image(feature: Feature) -> bool:
    """Whether a container has what this user lacks: the tools of an image, and root's rights.

    The kernel is this one; where it still cannot, the condition fails with the node's own words.
    """
    if feature.absence is None:
        return False
    if feature.absence.obstacle is Obstacle.NO_PROGRAM:
        return True
    return feature.absence.obstacle is Obstacle.NOT_ALLOWED and os.geteuid() != 0


def usable(backend: str) -> Usable:
    """Whether a backend can start here at all, whatever the lab."""
    if backend == "vm":
        missing = [tool for tool in vm_tools() if not tool.present]
        if missing:
            return Usable(
                "vm",
                False,
                "; ".join(f"{tool.name}: {tool.detail}" for tool in missing),
                "; ".join(tool.remedy for tool in missing if tool.remedy),
            )
        return Usable("vm", True, "QEMU and a guest kernel")
    if backend == "namespaces":
        host = host_features()
        absent = [host[name] for name in sorted(BASE) if not host[name].present]
        if absent:
            return Usable(
                "namespaces", False, f"{absent[0].name}: {absent[0].why}", absent[0].remedy
            )
        who = "root" if os.geteuid() == 0 else "an unprivileged user namespace"
        return Usable("namespaces", True, who)
    missing = containerlab_missing()
    if missing:
        return Usable(
            backend,
            False,
            "; ".join(f"{tool.name}: {tool.detail}" for tool in missing),
            "; ".join(tool.remedy for tool in missing if tool.remedy),
        )
    return Usable(backend, True, "Docker and containerlab")


def choose(needs: Iterable[str], requested: str = "auto") -> Choice:
    """The backend for a lab whose conditions need `needs`.

    `auto` takes namespaces if this kernel has it all, else the guest. A backend asked for by name
    is taken if it can start at all: conditions that it cannot do are then skipped with the reason.
    CannotHereError (exit code 3) where none can, with what would help; UsageError for a name that
    is no backend, or a need that is no feature.
    """
    needs = frozenset(needs)
    unknown = needs - STOCK - host_features().keys()
    if unknown:
        raise UsageError(
            f"needs: {', '.join(sorted(unknown))}: no such feature; `ppslab doctor` lists them"
        )
    needs -= OF_THE_MACHINE
    if requested not in BACKENDS:
        raise UsageError(f"no backend {requested!r}: there are {', '.join(BACKENDS)}")
    if requested != "auto":
        state = usable(requested)
        if not state.usable:
            raise CannotHereError(f"--backend {requested}: {state.why}", state.remedy)
        return Choice(requested, "as asked for")
    return _automatic(needs)


def _automatic(needs: frozenset[str]) -> Choice:
    host, namespaces, machine = host_features(), usable("namespaces"), usable("vm")
    missing = sorted(name for name in needs if not host[name].present)
    if namespaces.usable and not missing:
        return Choice("namespaces", f"this kernel has what the lab needs ({namespaces.why})")
    lacking = (
        f"this kernel offers no {', '.join(missing)} here ({host[missing[0]].why})"
        if namespaces.usable
        else f"no namespaces here ({namespaces.why})"
    )
    beyond = sorted(needs - features_of("vm"))
    if machine.usable and not beyond:
        return Choice("vm", lacking)
    other = f"vm: {machine.why}" if not machine.usable else f"the guest has no {', '.join(beyond)}"
    remedies = [host[missing[0]].remedy if namespaces.usable else namespaces.remedy, machine.remedy]
    raise CannotHereError(
        f"{lacking}; {other}", "\n".join(dict.fromkeys(text for text in remedies if text))
    )
