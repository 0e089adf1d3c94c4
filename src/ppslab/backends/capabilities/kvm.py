"""What is known about KVM here: whether a guest booted under it, remembered until the next boot.

Only the vm backend can find out (it boots one); this module keeps the answer.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path

from ppslab.backends.capabilities.guest_kernel import GuestKernel, installed_kernel
from ppslab.base import documents
from ppslab.base.documents import half_written
from ppslab.base.errors import UsageError
from ppslab.base.paths import cache_dir


@dataclass(frozen=True)
class KvmAnswer:
    """Whether a kernel boots under KVM here, and the evidence."""

    boots: bool
    why: str


def kvm_openable() -> KvmAnswer:
    """Whether /dev/kvm can be opened at all.  True proves nothing: the kernel may still hang."""
    if not Path("/dev/kvm").exists():
        return KvmAnswer(False, "no /dev/kvm")
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        return KvmAnswer(
            False, "no permission for /dev/kvm: sudo adduser $USER kvm, then log in again"
        )
    return KvmAnswer(True, "/dev/kvm opens")


def known() -> KvmAnswer | None:
    """What is known without booting anything; None: /dev/kvm opens, which proves nothing."""
    openable = kvm_openable()
    if not openable.boots:
        return openable
    try:
        kernel = installed_kernel()
    except UsageError:
        return None
    return recall(kernel) if kernel else None


def recall(kernel: GuestKernel) -> KvmAnswer | None:
    """What a boot of this kernel under KVM showed since the host started; None if not tried."""
    try:
        found = json.loads(_file(kernel).read_text())
        return KvmAnswer(bool(found["boots"]), str(found["why"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def remember(kernel: GuestKernel, answer: KvmAnswer) -> None:
    """Keep the answer: it holds for this boot of this host kernel, and for this guest kernel."""
    path = _file(kernel)
    half_written.sweep(path.parent)
    for older in path.parent.glob(f"*-{kernel.version}.json"):
        older.unlink(missing_ok=True)
    documents.write_json(path, asdict(answer))


def _file(kernel: GuestKernel) -> Path:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        boot = "unknown"
    return cache_dir() / "kvm" / f"{platform.release()}-{boot}-{kernel.version}.json"
