"""Programs that backends need: QEMU, busybox, Docker, containerlab, a CHR image."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ppslab.backends.capabilities.guest_kernel import installed_kernel
from ppslab.base.errors import UsageError

QEMU = "qemu-system-x86_64"


@dataclass(frozen=True)
class Tool:
    """Something outside of the kernel: there (its version) or not (why, and what brings it)."""

    name: str
    present: bool
    detail: str
    remedy: str = ""


def vm_tools() -> list[Tool]:
    """What the vm backend needs.  The guest's kernel counts as present if it can be fetched."""
    return [qemu(), busybox(), _virtme(), guest_kernel_tool()]


@lru_cache(maxsize=1)
def qemu() -> Tool:
    """QEMU's system emulator for x86-64."""
    remedy = "sudo apt-get install qemu-system-x86"
    if platform.machine() != "x86_64":
        return Tool("QEMU", False, f"the vm backend wants x86-64, this is {platform.machine()}")
    if shutil.which("setpriv") is None:  # it ties QEMU's life to ours
        return Tool("QEMU", False, "setpriv is not installed", "sudo apt-get install util-linux")
    said = _says([QEMU, "--version"])
    found = re.search(r"version (\S+)", said)
    return Tool("QEMU", True, found.group(1)) if found else Tool("QEMU", False, "not here", remedy)


def busybox() -> Tool:
    """The guest's first program; it must need no library, as there is none yet."""
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
        return Tool(name, True, "not fetched yet: the first use of the vm backend does")
    return Tool(
        name, False, "apt-get is not here", "put a bzImage's path in the variable PPSLAB_KERNEL"
    )


def _virtme() -> Tool:
    try:
        return Tool("virtme-ng", True, importlib.metadata.version("virtme-ng"))
    except importlib.metadata.PackageNotFoundError:
        return Tool("virtme-ng", False, "not in this Python environment", "make setup")


@lru_cache(maxsize=1)
def containerlab_tools() -> list[Tool]:
    """What the containerlab backend needs."""
    docker = _says(["docker", "version", "--format", "{{.Server.Version}}"]).strip()
    lab = re.search(r"version:\s*(\S+)", _says(["containerlab", "version"]))
    images = ""
    if docker:
        images = _says(["docker", "images", "--format", "{{.Repository}}:{{.Tag}}"])
    chr_image = re.search(r"^\S*(?:mikrotik/chr|mikrotik_routeros|/chr|^chr):\S+", images, re.M)
    return [
        Tool(
            "Docker engine",
            bool(docker),
            docker or ("does not answer" if shutil.which("docker") else "not here"),
            "" if docker else "sudo apt-get install docker.io, then sudo systemctl start docker",
        ),
        Tool(
            "containerlab",
            bool(lab),
            lab.group(1) if lab else "not here",
            "" if lab else "sudo scripts/get-containerlab /usr/local/bin",
        ),
        Tool(
            "CHR image",
            bool(chr_image),
            chr_image.group(0) if chr_image else "not here",
            "" if chr_image else "make chr CHR=7.20.8",
        ),
    ]


def containerlab_missing() -> list[Tool]:
    """What the containerlab backend needs and this machine lacks."""
    engine, lab, _ = containerlab_tools()
    return [tool for tool in (engine, lab) if not tool.present]


def _says(argv: Sequence[str]) -> str:
    """A program's output; empty if it is missing, fails, or does not answer in 5 s."""
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
