"""The vm backend: the namespaces backend inside of a QEMU guest with a stock kernel.

The guest starts once and stays for the run. Its agent, the same program as on the host, answers
over a virtio-serial channel; commands take 30 to 60 ms under emulation.
Which CPU of the guest does what is the guest's own business: plan with
`capabilities.cpu_plan(backend.facts["guest_cpu_list"])`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ppslab.core import processes
from ppslab.core.errors import BackendError
from ppslab.model.lab.machine import Machine, Plugged, plain_links, plug
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
        plugged: tuple[Plugged, ...] = (),
    ) -> None:
        super().__init__(NAME, client, entry, end=end, detached=detached)
        self.facts.update(facts)
        self._plugged = plugged

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
    plugged = plug(machine) if machine else ()
    if detach:
        assert not counted
        return _detached(progress, machine, plugged)
    return _attached(progress, machine, plugged, counted=counted)


def attach(entry: registry.Entry) -> Backend:
    """A guest that another command left running, with its cards."""
    if not entry.socket:
        raise BackendError(f"{entry.backend}: belongs to process {entry.pid}, which still runs")
    plugged = plug(Machine.model_validate(entry.machine)) if entry.machine else ()
    client = Client.over_socket(entry.socket)
    return VmBackend(client, entry, {}, end=entry.kill, detached=True, plugged=plugged)


def _attached(
    progress: Progress,
    machine: Machine | None,
    plugged: tuple[Plugged, ...],
    *,
    counted: bool,
) -> Backend:
    entry = registry.register(NAME)
    running = None
    try:
        entry.files = [str(path) for path in guest_files(entry.name).values()]
        entry.save()
        running = start_guest(entry.name, progress, None, machine, plugged, counted=counted)
        entry.qemu_pid = running.qemu.pid
        entry.qemu_started = processes.start_time(running.qemu.pid)
        entry.save()
        handle = running.channel.detach()
        client = Client(handle, os.dup(handle), running.qemu.last_words, counted=counted)
        return VmBackend(client, entry, running.facts, end=running.qemu.kill, plugged=plugged)
    except BaseException:
        if running is not None:
            running.qemu.kill()
        entry.forget()
        raise


def _detached(progress: Progress, machine: Machine | None, plugged: tuple[Plugged, ...]) -> Backend:
    entry, log = registry.register_detached(NAME)
    assert entry.socket is not None
    entry.files += map(str, guest_files(entry.name).values())
    entry.save()
    relay = None
    try:
        with log.open("wb") as errors:
            module = "ppslab.testbed.backends.vm.relay"
            wanted = [machine.model_dump_json()] if machine else []
            relay = subprocess.Popen(
                [sys.executable, "-m", module, entry.name, entry.socket, *wanted],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
                text=True,
            )
        # Until the guest answers we must stop the relay: killing it kills QEMU.
        entry.agent_pid = relay.pid
        entry.agent_started = processes.start_time(relay.pid)
        entry.save()
        facts = _await(relay, progress, lambda: log.read_text(errors="replace")[-2000:])
        client = Client.over_socket(entry.socket)
        entry.pid, entry.started = relay.pid, entry.agent_started or 0
        entry.qemu_pid = facts.pop("qemu_pid")
        entry.qemu_started = processes.start_time(entry.qemu_pid or 0)
        entry.machine = machine.model_dump(mode="json") if machine else None
        entry.save()
    except BaseException:
        if relay is not None:
            entry.kill()
            relay.wait()
        entry.forget()
        raise

    def end() -> None:
        entry.kill()
        relay.wait()

    return VmBackend(client, entry, facts, end=end, detached=True, plugged=plugged)


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
