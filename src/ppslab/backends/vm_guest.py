"""A guest from its start until its agent answers."""

from __future__ import annotations

import compileall
import json
import os
import socket
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ppslab
from ppslab.backends import registry, vm_machine
from ppslab.backends.vm_initramfs import initramfs
from ppslab.backends.vm_qemu import Emulation, Guest, Qemu, kvm_boots, qemu_version
from ppslab.capabilities.features import guest_features, prober_command, remember_guest
from ppslab.capabilities.guest_kernel import GuestKernel, Progress, guest_kernel
from ppslab.errors import BackendError, PpslabError
from ppslab.machine import Machine, Plugged
from ppslab.paths import cache_dir, project_root

#: Until the agent answers: emulation takes 4 s on an idle CPU of 2023, and CI's are never idle.
BOOT_SECONDS = {"tcg": 180.0, "kvm": 60.0}
MEMORY_MB = 2048
#: For trying all features in a guest; emulation takes 10 s, most of it in loading modules.
PROBE_SECONDS = 180.0
PROBE_TOPOLOGY = {"name": "probe", "nodes": {"probe": {}}, "links": []}


@dataclass
class Running:
    """A guest whose agent answers on `channel`; `facts` are what the agent cannot know."""

    qemu: Qemu
    channel: socket.socket
    facts: dict[str, Any]


def scratch_dir() -> Path:
    """The one folder that guest and host both see and write, at the same path in both."""
    return cache_dir() / "scratch"


def guest_files(name: str) -> dict[str, Path]:
    """The files of the guest `name` in the runtime folder."""
    folder = registry.folder()
    kinds = {"channel": "channel", "console": "console.log", "qemu": "qemu.log", "image": "cpio"}
    return {kind: folder / f"{name}.{suffix}" for kind, suffix in kinds.items()}


def start_guest(
    name: str,
    progress: Progress,
    emulation: Emulation | None = None,
    machine: Machine | None = None,
    plugged: tuple[Plugged, ...] = (),
) -> Running:
    """Boot a guest and wait for its agent.

    `emulation` None: KVM where it boots a guest, else software emulation.  `machine`, `plugged`:
    built to order, with these cards; None: as many CPUs as this process may use, on one socket.
    CannotHereError where QEMU or the kernel is missing; BackendError with the console's last
    lines where the guest does not come up.  Whatever is raised, nothing is left running.
    """
    version = qemu_version()
    kernel = guest_kernel(progress)
    why = "as asked for"
    if emulation is None:
        answer = kvm_boots(kernel, progress)
        emulation, why = "kvm" if answer.boots else "tcg", answer.why
    files = guest_files(name)
    guest = Guest(
        kernel=kernel,
        emulation=emulation,
        console=files["console"],
        log=files["qemu"],
        cpus=machine.all_cpus if machine else len(os.sched_getaffinity(0)),
        memory_mb=vm_machine.memory_mb(machine) if machine else MEMORY_MB,
        shares=(("root", Path("/"), False), ("share", _share(), False), _scratch()),
        channel=files["channel"],
        machine=machine,
        plugged=plugged,
    )
    _compile()
    words = "KVM" if emulation == "kvm" else f"software emulation ({why})"
    progress(f"booting a guest with Linux {kernel.version} under {words}")
    start = time.monotonic()
    qemu = Qemu(guest, _image(kernel), files["image"])
    channel = None
    try:
        channel = _connect(qemu, files["channel"])
        _ask(qemu, channel, BOOT_SECONDS[emulation], "facts")
        booted = time.monotonic() - start
        progress(f"the guest answers after {booted:.1f} s")
        if guest_features(kernel) is None:
            progress("trying what the guest's kernel can do (once)")
            _probe(qemu, channel, kernel)
    except BaseException:
        qemu.kill()
        if channel is not None:
            channel.close()
        raise
    finally:
        files["image"].unlink(missing_ok=True)
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
    return Running(qemu, channel, facts)


def _image(kernel: GuestKernel) -> bytes:
    settings = {
        "probe": "",
        "share": str(_share()),
        "prefix": str(Path(sys.prefix).absolute()),
        "scratch": str(scratch_dir()),
        "modules": str(kernel.modules or ""),
    }
    return initramfs(kernel, settings, agent_command())


def agent_command() -> list[str]:
    """What the guest runs; the channel's device is added as the last word."""
    return [sys.executable, "-m", "ppslab.backends.agent", "--port"]


def _share() -> Path:
    try:
        return project_root()
    except PpslabError:  # installed from a package: the labs come from elsewhere
        return Path(ppslab.__file__).resolve().parent


def _scratch() -> tuple[str, Path, bool]:
    scratch_dir().mkdir(parents=True, exist_ok=True)
    return ("scratch", scratch_dir(), True)


def _compile() -> None:
    """Byte code for what the guest imports: compiling there is ten times slower, and not kept."""
    for folder in ("", "backends", "capabilities"):
        place = Path(ppslab.__file__).resolve().parent / folder
        compileall.compile_dir(place, maxlevels=0, quiet=2)


def _connect(qemu: Qemu, path: Path) -> socket.socket:
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


def _ask(qemu: Qemu, channel: socket.socket, limit: float, op: str, **fields: Any) -> Any:
    """One request and its result, before a Client takes the channel over.

    The first is asked before anybody listens: QEMU holds it until the agent opens its port.
    """
    channel.settimeout(limit)
    deadline = time.monotonic() + limit
    channel.sendall(json.dumps({**fields, "id": 0, "op": op}).encode() + b"\n")
    got = b""
    while not got.endswith(b"\n"):
        channel.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            chunk = channel.recv(65536)
        except TimeoutError:
            raise BackendError(
                f"the guest did not answer within {limit:.0f} s; its last words:\n"
                f"{qemu.last_words()}"
            ) from None
        except ConnectionError:  # QEMU ended with our question unread
            chunk = b""
        if not chunk:
            qemu.wait(2)
            raise BackendError(f"the guest ended:\n{qemu.last_words()}")
        got += chunk
    channel.settimeout(None)
    answer = json.loads(got)
    if "error" in answer:
        raise BackendError(f"the agent in the guest: {answer['error'].get('message')}")
    return answer["result"]


def _probe(qemu: Qemu, channel: socket.socket, kernel: GuestKernel) -> None:
    """Find out what the guest can do, by trying it inside; remembered for this kernel."""
    _ask(qemu, channel, PROBE_SECONDS, "deploy", run="probe", topology=PROBE_TOPOLOGY)
    done = _ask(
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
    _ask(qemu, channel, PROBE_SECONDS, "remove", run="probe")
    try:
        json.loads(done["stdout"])
    except ValueError as error:
        raise BackendError(
            f"the guest could not be probed (exit code {done['returncode']}):\n{done['stderr']}"
        ) from error
    remember_guest(kernel, done["stdout"])
