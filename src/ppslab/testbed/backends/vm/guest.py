"""A guest from its start until its agent answers."""

from __future__ import annotations

import json
import math
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ppslab.core import measures
from ppslab.core.errors import BackendError, PpslabError
from ppslab.core.paths import build_dir, cache_dir, project_root
from ppslab.model.lab.machine import QUEUES, Machine, plug
from ppslab.testbed.backends import registry
from ppslab.testbed.backends.capabilities.features import (
    guest_features,
    host_features,
    prober_command,
    remember_guest,
)
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel, Progress, guest_kernel
from ppslab.testbed.backends.vm import machine as vm_machine
from ppslab.testbed.backends.vm.initramfs import initramfs, of_agent
from ppslab.testbed.backends.vm.qemu import Emulation, Guest, Qemu, kvm_boots, qemu_version

#: Until the agent answers: emulation takes 4 s on an idle CPU of 2023, and CI's are never idle.
BOOT_SECONDS = {"tcg": 300.0, "kvm": 60.0}
MEMORY_MB = 2048
#: An emulator of several CPUs now and then resets or hangs while they start, and a machine whose
#: memory is short for a moment kills QEMU: a guest that ended, or fell silent, before its agent
#: answered is started again.
BOOTS = 2
#: Without a new word on the console.  From the kernel's last word to the agent's first emulation
#: takes 3 s on an idle CPU.
SILENT_SECONDS = {"tcg": 120.0, "kvm": 30.0}
#: For trying all features in a guest; emulation takes 10 s, mostly to load modules.
PROBE_SECONDS = 180.0
_PROBE: dict[str, Any] = {"binds": [], "env": {}, "sysctls": {}, "exec": [], "exec_lines": []}
PROBE_TOPOLOGY = {"name": "probe", "file": "probe", "nodes": {"probe": _PROBE}, "links": []}

PACKAGE = Path(__file__).resolve().parents[3]


@dataclass
class Running:
    """A guest whose agent answers on `channel`; `facts` are what the agent cannot know."""

    qemu: Qemu
    channel: socket.socket
    facts: dict[str, Any]


def scratch_dir() -> Path:
    """The folder that guest and host share, at the same path in both."""
    return cache_dir() / "scratch"


def guest_files(name: str) -> dict[str, Path]:
    folder = registry.folder()
    kinds = {"channel": "channel", "console": "console.log", "qemu": "qemu.log", "image": "cpio"}
    return {kind: folder / f"{name}.{suffix}" for kind, suffix in kinds.items()}


def start_guest(
    name: str,
    progress: Progress,
    emulation: Emulation | None = None,
    machine: Machine | None = None,
    *,
    counted: bool = False,
    probe: bool = True,
) -> Running:
    """Boot a guest and wait for its agent.

    `emulation` None: KVM where it boots a guest, else software emulation.  `machine`: built to
    order, with its cards; None: as many CPUs as this process may use, on one socket.
    `counted`: one CPU, emulated, whose clock is its instructions.
    `probe`: try first what a kernel can do that was never tried.
    CannotHereError where QEMU or the kernel is missing; BackendError with the console's last
    lines where the guest does not come up.  Whatever is raised, nothing is left running.
    """
    version = qemu_version()
    kernel = guest_kernel(progress)
    why = "as asked for"
    if counted:
        assert machine is None, "one CPU has no sockets"
        emulation, why = "tcg", "it counts instructions"
    if emulation is None:
        answer = kvm_boots(kernel, progress)
        emulation, why = "kvm" if answer.boots else "tcg", answer.why
    files = guest_files(name)
    plugged = plug(machine) if machine else ()
    several = any(each.card.queues > 1 for each in plugged)
    if several and not (able := host_features()[QUEUES]).present:
        progress(f"cards have one queue here: {able.why}")
        plugged = vm_machine.with_one_queue(plugged)
    scratch_dir().mkdir(parents=True, exist_ok=True)
    cpus = 1 if counted else machine.all_cpus if machine else len(os.sched_getaffinity(0))
    guest = Guest(
        kernel=kernel,
        emulation=emulation,
        console=files["console"],
        log=files["qemu"],
        cpus=cpus,
        memory_mb=vm_machine.memory_mb(machine) if machine else MEMORY_MB,
        shares=(
            ("root", Path("/"), False),
            ("share", _share(), False),
            ("scratch", scratch_dir(), True),
        ),
        channel=files["channel"],
        machine=machine,
        plugged=plugged,
        counted=counted,
    )
    words = "KVM" if emulation == "kvm" else f"software emulation ({why})"
    progress(f"booting a guest with Linux {kernel.version} under {words}")
    try:
        image = initramfs(kernel, _settings(kernel), agent_command(), of_agent(PACKAGE))
        qemu, channel, booted = _boot(lambda: Qemu(guest, image, files["image"]), guest, progress)
    finally:
        files["image"].unlink(missing_ok=True)
    progress(f"the guest answers after {booted:.1f} s")
    probed = probe and guest_features(kernel) is None
    if probed:
        progress("trying what the guest's kernel can do (once)")
        with ExitStack() as ending:
            ending.callback(channel.close)
            ending.callback(qemu.kill)
            _probe(qemu, channel, kernel)
            ending.pop_all()
    if probed and counted:
        # The trials leave modules and their hooks behind: each packet took 55 instructions
        # more on its way through a wire.
        qemu.kill()
        channel.close()
        return start_guest(name, progress, emulation, counted=True, probe=False)
    facts = {
        "emulation": emulation,
        "emulation_reason": why,
        "qemu": version,
        "guest_cpus": guest.cpus,
        "guest_cpu_list": list(range(guest.cpus)),
        "guest_memory_mb": guest.memory_mb,
        "guest_kernel_package": kernel.package,
        "boot_seconds": round(booted, 2),
        "host_kernel": os.uname().release,
    }
    if counted:
        facts["instruction_ns"] = measures.INSTRUCTION_NS
    return Running(qemu, channel, facts)


def _boot(
    start: Callable[[], Qemu], guest: Guest, progress: Progress
) -> tuple[Qemu, socket.socket, float]:
    """QEMU, the agent's channel and the seconds until it answered, at the last of BOOTS tries."""
    assert guest.channel is not None
    for left in reversed(range(BOOTS)):
        with ExitStack() as ending:
            begun = time.monotonic()
            qemu = start()
            ending.callback(qemu.kill)
            channel = connect(qemu, guest.channel)
            ending.callback(channel.close)
            try:
                silent = SILENT_SECONDS[guest.emulation]
                ask(qemu, channel, BOOT_SECONDS[guest.emulation], "facts", silent=silent)
            except (GuestEndedError, GuestSilentError) as error:
                if not left:
                    raise
                progress(f"{error.what} while it booted: starting it once more")
                continue
            ending.pop_all()
            return qemu, channel, time.monotonic() - begun
    raise AssertionError("the last try returns or raises")


def _settings(kernel: GuestKernel) -> dict[str, str]:
    """Return the variables of `init.sh`, without links: the host's files are not its root yet."""
    folders = {
        "share": _share(),
        "prefix": Path(sys.prefix),
        "built": _built(),
        "scratch": scratch_dir(),
        "modules": kernel.modules,
    }
    return {"probe": ""} | {
        name: "" if folder is None else str(folder.resolve()) for name, folder in folders.items()
    }


def agent_command() -> list[str]:
    """The command that the guest runs; the channel's device is added as the last word."""
    return [sys.executable, "-m", "ppslab.testbed.backends.agent.agent", "--port"]


def _share() -> Path:
    try:
        return project_root()
    except PpslabError:  # installed from a package: the labs come from elsewhere
        return PACKAGE


def _built() -> Path | None:
    """The checkout's own programs; None where there are none."""
    try:
        folder = build_dir() / "bin"
    except PpslabError:
        return None
    return folder if folder.is_dir() else None


def _probe(qemu: Qemu, channel: socket.socket, kernel: GuestKernel) -> None:
    """Find out what the guest can do, by trying inside; remembered for this kernel."""
    ask(qemu, channel, PROBE_SECONDS, "deploy", run="probe", topology=PROBE_TOPOLOGY)
    done = ask(
        qemu,
        channel,
        PROBE_SECONDS + 10,
        "run",
        run="probe",
        node="probe",
        argv=prober_command(),
        env={"PPSLAB_GUEST": "1"},
        timeout=PROBE_SECONDS,
    )
    ask(qemu, channel, PROBE_SECONDS, "remove", run="probe")
    try:
        json.loads(done["stdout"])
    except ValueError as error:
        raise BackendError(
            f"the guest could not be probed (exit code {done['returncode']}):\n{done['stderr']}"
        ) from error
    remember_guest(kernel, done["stdout"])


#: How often the console is looked at while the agent is silent.
LISTEN_SECONDS = 1.0


class GuestEndedError(BackendError):
    """QEMU ended while somebody waited for the guest's agent; `what`: in which way it ended."""

    def __init__(self, qemu: Qemu) -> None:
        qemu.wait(2)
        self.what = f"the guest ended ({qemu.ending()})"
        super().__init__(f"{self.what}:\n{qemu.last_words()}")


class GuestSilentError(BackendError):
    """The guest's agent did not answer for `waited` seconds, and said nothing for `silent`."""

    def __init__(self, qemu: Qemu, waited: float, silent: float) -> None:
        self.what = f"the guest did not answer in {waited:.0f} s, and was silent for {silent:.0f}"
        super().__init__(f"{self.what}; its last words:\n{qemu.last_words()}")


def connect(qemu: Qemu, path: Path) -> socket.socket:
    """The agent's channel, which QEMU opens as it starts; BackendError where it does not."""
    deadline = time.monotonic() + 30
    while True:
        channel = socket.socket(socket.AF_UNIX)
        try:
            channel.connect(str(path))
            return channel
        except OSError as error:
            channel.close()
            if not qemu.alive() or time.monotonic() > deadline:
                raise BackendError(f"QEMU did not start:\n{qemu.last_words()}") from error
        time.sleep(0.02)


def ask(
    qemu: Qemu,
    channel: socket.socket,
    limit: float,
    op: str,
    *,
    silent: float = math.inf,
    **fields: Any,
) -> Any:
    """One request and its result, before a Client takes over the channel.

    The first is asked before anybody listens: QEMU holds it until the agent opens its port.
    GuestSilentError after `limit` seconds, or `silent` seconds without a new word on its console.
    """
    channel.settimeout(limit)
    begun = heard = time.monotonic()
    words = ""
    channel.sendall(json.dumps({**fields, "id": 0, "op": op}).encode() + b"\n")
    got = b""
    while not got.endswith(b"\n"):
        now = time.monotonic()
        if words != (words := qemu.last_words()):
            heard = now
        patience = min(begun + limit, heard + silent) - now
        if patience <= 0:
            raise GuestSilentError(qemu, now - begun, now - heard)
        channel.settimeout(min(LISTEN_SECONDS, patience))
        try:
            chunk = channel.recv(65536)
        except TimeoutError:
            continue
        except ConnectionError:  # QEMU ended before it read our request
            chunk = b""
        if not chunk:
            raise GuestEndedError(qemu)
        got += chunk
    channel.settimeout(None)
    answer = json.loads(got)
    if "error" in answer:
        raise BackendError(f"the agent in the guest: {answer['error'].get('message')}")
    return answer["result"]
