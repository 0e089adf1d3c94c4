"""The vm backend: the namespaces backend inside of a QEMU guest with a stock kernel.

The guest starts once and stays for the run. Its agent, the same program as on the host, answers
over a virtio-serial channel; commands take 30 to 60 ms under emulation.
Which CPU of the guest does what is the guest's own business: plan with
`capabilities.cpu_plan(backend.facts["guest_cpu_list"])`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ppslab.core import processes
from ppslab.core.errors import BackendError
from ppslab.model.lab.machine import Machine, plain_links, plug
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.agent.client import Client
from ppslab.testbed.backends.agent.protocol import revive
from ppslab.testbed.backends.backend import Backend
from ppslab.testbed.backends.capabilities.guest_kernel import Progress
from ppslab.testbed.backends.vm.guest import guest_files, start_guest

if TYPE_CHECKING:
    from ppslab.model.lab.topology import Topology

NAME = "vm"

MACHINE_PROC = "/run/machine-proc"
"""The guest's own /proc in each node of a counted guest: a node's has no kernel threads."""

_MACHINE = {"source": "/proc", "target": MACHINE_PROC, "read_only": True}


class VmBackend(Backend):
    """A guest of our own.  `facts` tells, beside what the agent knows: emulation ("tcg", "kvm"),
    qemu, guest_cpus, guest_cpu_list, guest_memory_mb, guest_kernel_package, boot_seconds.
    """

    def __init__(
        self,
        client: Client,
        entry: registry.Entry,
        facts: dict[str, Any],
        *,
        end: Callable[[], None],
        detached: bool = False,
    ) -> None:
        super().__init__(NAME, client, entry, end=end, detached=detached)
        self.facts.update(facts)
        self._plugged = plug(Machine.model_validate(entry.machine)) if entry.machine else ()

    def _plain(self, topology: Topology, run: str) -> dict[str, Any]:
        plain = plain_links(self._plugged, super()._plain(topology, run))
        if self.counted:
            for node in plain["nodes"].values():
                node["binds"] = [*node["binds"], _MACHINE]
        return plain


def open_vm(
    *,
    detach: bool = False,
    progress: Progress = lambda _: None,
    machine: Machine | None = None,
    counted: bool = False,
) -> Backend:
    """Boot a guest; `progress` is told in words what goes on.

    `machine`: the guest's sockets and cards; None: one socket, and no card.  `counted`: one CPU
    whose clock is its instructions; only attached, for who works in a guest by hand wants time.

    CannotHereError where this machine has no QEMU or can have no kernel; BackendError, with the
    guest's last words, where it does not come up.
    Attached, QEMU dies with this process, however that ends. Detached, a small process of its
    own keeps the guest and lets any number of commands talk to it (see relay.py).
    """
    built = machine.model_dump(mode="json") if machine else None
    entry = registry.register(NAME, detached=detach, machine=built)
    try:
        entry.files += map(str, guest_files(entry.name).values())
        entry.save()
        if detach:
            assert not counted
            return _detached(entry, progress, machine)
        return _attached(entry, progress, machine, counted=counted)
    except BaseException:
        entry.kill()
        entry.forget()
        raise


def _attached(
    entry: registry.Entry, progress: Progress, machine: Machine | None, *, counted: bool
) -> Backend:
    running = start_guest(entry.name, progress, None, machine, counted=counted)
    try:
        entry.qemu_pid = running.qemu.pid
        entry.qemu_started = processes.start_time(running.qemu.pid)
        entry.save()
        client = Client(running.channel, running.qemu.last_words, counted=counted)
        return VmBackend(client, entry, running.facts, end=running.qemu.kill)
    except BaseException:
        running.qemu.kill()
        raise


def _detached(entry: registry.Entry, progress: Progress, machine: Machine | None) -> Backend:
    assert entry.socket is not None
    with entry.log.open("wb") as errors:
        relay = subprocess.Popen(
            [
                *(sys.executable, "-m", "ppslab.testbed.backends.vm.relay"),
                *(entry.name, entry.socket, *([machine.model_dump_json()] if machine else [])),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
            text=True,
        )

    def end() -> None:
        entry.kill()
        relay.wait()

    try:
        # Until the guest answers we must stop the relay: killing it kills QEMU.
        entry.agent_pid = relay.pid
        entry.agent_started = processes.start_time(relay.pid)
        entry.save()
        facts = _await(relay, progress, lambda: entry.log.read_text(errors="replace")[-2000:])
        client = Client.over_socket(entry.socket)
        entry.pid, entry.started = relay.pid, entry.agent_started or 0
        entry.qemu_pid = facts.pop("qemu_pid")
        entry.qemu_started = processes.start_time(entry.qemu_pid or 0)
        entry.save()
        return VmBackend(client, entry, facts, end=end, detached=True)
    except BaseException:
        end()
        raise


def _await(
    relay: subprocess.Popen[str], progress: Progress, complaint: Callable[[], str]
) -> dict[str, Any]:
    """The relay's lines: {"progress": words}, at last {"ready": facts} or {"error": ...}."""
    assert relay.stdout is not None
    for line in relay.stdout:
        message = json.loads(line)
        if "progress" in message:
            progress(message["progress"])
        elif "error" in message:
            raise revive(message["error"])
        else:
            facts: dict[str, Any] = message["ready"]
            return facts
    raise BackendError(f"the guest's keeper died:\n{complaint()}")
