"""Programs that backends need: QEMU, busybox, Docker, containerlab, a CHR image."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from ppslab.core import documents
from ppslab.core.documents import disk
from ppslab.core.errors import UsageError
from ppslab.core.paths import cache_dir
from ppslab.core.processes import boot_id
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel, installed_kernel

QEMU = "qemu-system-x86_64"

SECONDS = 60.0
"""For a program to say its version, which takes a moment."""
LATE = f"did not answer in {SECONDS:.0f} s"
"""Says nothing of the machine but that it has other work."""


@dataclass(frozen=True)
class Tool:
    """Something outside of the kernel: there (its version) or not (why, and what brings it)."""

    name: str
    present: bool
    detail: str
    remedy: str = ""


def vm_tools() -> list[Tool]:
    """List the vm backend's tools.  The guest's kernel counts as present if it can be fetched."""
    return [qemu(), busybox(), guest_kernel_tool()]


def qemu() -> Tool:
    if platform.machine() != "x86_64":
        return Tool("QEMU", False, f"the vm backend wants x86-64, this is {platform.machine()}")
    if shutil.which("setpriv") is None:  # it ties QEMU's life to ours
        return Tool("QEMU", False, "setpriv is not installed", "sudo apt-get install util-linux")
    remedy = "sudo apt-get install qemu-system-x86"
    return _asked("QEMU", (QEMU, "--version"), r"version (\S+)", remedy)


def busybox() -> Tool:
    """Find static busybox, the guest's first program: there is no library yet."""
    remedy = "sudo apt-get install busybox-static"
    found = static_busybox()
    if found:
        return Tool("static busybox", True, str(found))
    return Tool("static busybox", False, "not here, or not static", remedy)


def static_busybox() -> Path | None:
    """A busybox without a dynamic loader (Debian's package `busybox` has one)."""
    names = ("busybox-static", "busybox.static", "busybox", "/bin/busybox", "/usr/bin/busybox")
    for name in names:
        path = shutil.which(name)
        if path is not None and b"/ld-linux" not in Path(path).read_bytes():
            return Path(path)
    return None


def guest_kernel_tool() -> Tool:
    """The guest's kernel: fetched, or how it would be."""
    name = "guest kernel"
    try:
        kernel = installed_kernel()
    except UsageError as error:
        return Tool(name, False, str(error).splitlines()[0], "unset PPSLAB_KERNEL")
    if kernel is not None:
        return Tool(name, True, f"{kernel.version} ({kernel.package})")
    if shutil.which("apt-get") and shutil.which("dpkg-deb"):
        return Tool(name, True, "not downloaded yet: the first use of the vm backend downloads it")
    return Tool(
        name, False, "apt-get is not here", "put a bzImage's path in the variable PPSLAB_KERNEL"
    )


def containerlab_tools() -> list[Tool]:
    """List the containerlab backend's tools, Docker and containerlab, and CHR's image."""
    docker = _asked(
        "Docker engine",
        ("docker", "version", "--format", "{{.Server.Version}}"),
        r"(\S+)",
        "sudo apt-get install docker.io, then sudo systemctl start docker",
        absent="does not answer" if shutil.which("docker") else "not here",
    )
    lab = _asked(
        "containerlab",
        ("containerlab", "version"),
        r"version:\s*(\S+)",
        "sudo scripts/setup/get-containerlab /usr/local/bin",
    )
    image = Tool("CHR image", False, "not here", "make chr CHR=7.20.8")
    if docker.present:
        image = _asked(
            image.name,
            ("docker", "images", "--format", "{{.Repository}}:{{.Tag}}"),
            r"(?m)^(\S*(?:mikrotik/chr|mikrotik_routeros|/chr|^chr):\S+)",
            image.remedy,
        )
    return [docker, lab, image]


def _asked(
    name: str, argv: tuple[str, ...], pattern: str, remedy: str, *, absent: str = "not here"
) -> Tool:
    """Ask a program for a tool's version; `pattern` finds it in the output."""
    try:
        found = re.search(pattern, _says(argv))
    except subprocess.TimeoutExpired:
        return Tool(name, False, LATE)
    return Tool(name, True, found.group(1)) if found else Tool(name, False, absent, remedy)


@cache
def _says(argv: tuple[str, ...]) -> str:
    """A program's output, asked for once; empty if it is missing or fails.

    TimeoutExpired where it is late: then it is asked again the next time.
    """
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


@dataclass(frozen=True)
class KvmAnswer:
    """True where a kernel boots under KVM here, and the evidence; None: nobody has tried."""

    boots: bool | None
    why: str


def kvm_openable() -> KvmAnswer:
    """Return whether /dev/kvm opens at all.  True proves nothing: the kernel may still hang."""
    if not Path("/dev/kvm").exists():
        return KvmAnswer(False, "no /dev/kvm")
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return KvmAnswer(
            False, "no permission for /dev/kvm: type sudo adduser $USER kvm, then log in again"
        )
    return KvmAnswer(True, "/dev/kvm opens")


def known() -> KvmAnswer | None:
    """Answer without booting anything; None: /dev/kvm opens, which proves nothing."""
    openable = kvm_openable()
    if not openable.boots:
        return openable
    try:
        kernel = installed_kernel()
    except UsageError:
        return None
    return recall(kernel) if kernel else None


def recall(kernel: GuestKernel) -> KvmAnswer | None:
    """Return the answer of a boot of this kernel since the host started; None if not tried."""
    try:
        found = json.loads(_file(kernel).read_text())
        return KvmAnswer(bool(found["boots"]), str(found["why"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(kernel: GuestKernel, answer: KvmAnswer) -> None:
    """Keep the answer: it holds for this boot of this host kernel, and for this guest kernel."""
    path = _file(kernel)
    disk.sweep(path.parent)
    for older in path.parent.glob(f"*-{kernel.version}.json"):
        older.unlink(missing_ok=True)
    documents.write_json(path, asdict(answer))


def _file(kernel: GuestKernel) -> Path:
    return cache_dir() / "kvm" / f"{platform.release()}-{boot_id()}-{kernel.version}.json"
