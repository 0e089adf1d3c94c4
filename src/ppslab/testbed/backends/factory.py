"""Opens a backend, by its name or as another command left it running."""

from __future__ import annotations

from ppslab.core.errors import BackendError, CannotHereError, UsageError, did_you_mean
from ppslab.core.measures import Measure
from ppslab.model.lab.machine import Machine
from ppslab.testbed.backends import namespaces, registry
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.backend import Backend

WANTS_A_MACHINE = ("this lab wants a machine with sockets and cards of its own", "--backend vm")
"""The reason and the remedy where a backend builds none."""

NAMES = ("namespaces", "vm", "containerlab")


def open_backend(
    name: str, *, detach: bool = False, machine: Machine | None = None, measure: Measure = "timed"
) -> Backend:
    """Start a backend: "namespaces", "vm" or "containerlab".

    `machine`: what the lab wants built, which only vm can; `measure`: counted is of vm too.
    Raises CannotHereError, with what brings it, where this machine has no such backend.
    Detached, it lives on until `ppslab down` (`attach` and then stop()).
    """
    registry.sweep()
    if name in NAMES and name != "vm" and machine is not None:
        raise CannotHereError(*WANTS_A_MACHINE)
    if name == "namespaces":
        return namespaces.open_namespaces(detach=detach)
    if name == "vm":
        from ppslab.testbed.backends.vm.backend import open_vm  # noqa: PLC0415  (not for who has no guest)

        return open_vm(detach=detach, machine=machine, counted=measure == "counted")
    if name == "containerlab":
        from ppslab.testbed.backends.containerlab.backend import open_containerlab  # noqa: PLC0415

        return open_containerlab(detach=detach)
    near = did_you_mean(name, NAMES) or f" (there are: {', '.join(NAMES)})"
    raise UsageError(f'no backend "{name}"{near}')


def attach(entry: registry.Entry) -> Backend:
    """Talk to a detached agent that another command started (registry.live())."""
    if not entry.socket:
        raise BackendError(f"{entry.backend}: belongs to process {entry.pid}, which still runs")
    client = Client.over_socket(entry.socket)
    if entry.backend == "vm":
        from ppslab.testbed.backends.vm.backend import VmBackend  # noqa: PLC0415

        return VmBackend(client, entry, {}, end=entry.kill, detached=True)
    kind = Backend
    if entry.backend == "containerlab":
        from ppslab.testbed.backends.containerlab.backend import ContainerlabBackend  # noqa: PLC0415

        kind = ContainerlabBackend
    return kind(entry.backend, client, entry, end=entry.kill, detached=True)
