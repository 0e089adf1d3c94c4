#!/usr/bin/env python3
"""Bring the kernel that guests boot into the cache, and print where it is.

    .venv/bin/python scripts/setup/guest_kernel.py
    PPSLAB_KERNEL=trixie .venv/bin/python scripts/setup/guest_kernel.py  # another Debian's

Only `make test` asks for it ahead; `ppslab run` fetches it when a lab needs a guest.
Exit codes: 0 here, or not for this processor (then it says so); 3 it cannot be had.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

from ppslab.core.errors import CannotHereError, PpslabError
from ppslab.testbed.backends.capabilities.guest_kernel import GuestKernel, guest_kernel

REFRESH = Path(__file__).with_name("system-packages")


def main() -> int:
    """Fetch it, unless it is here already."""
    if platform.machine() != "x86_64":
        print(f"no guest kernel: guests are x86-64 only, and this is {platform.machine()}")
        return 0
    try:
        kernel = fetch()
    except PpslabError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"guest kernel: {kernel.image} ({kernel.package})")
    return 0


def fetch() -> GuestKernel:
    """The kernel; apt's lists are refreshed where they are missing, or name a version gone by."""
    try:
        return guest_kernel(print)
    except CannotHereError:
        if subprocess.run([REFRESH, "--refresh"], check=False).returncode:
            raise
        return guest_kernel(print)


if __name__ == "__main__":
    sys.exit(main())
