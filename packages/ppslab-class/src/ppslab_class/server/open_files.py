"""How many files a server may have open: each connection is one, also one that says nothing."""

from __future__ import annotations

import resource
from typing import Final

MOST: Final = 65536
"""Not the millions that some machines allow: programs that close each number would take long."""


def open_more(pid: int = 0) -> None:
    """Let a process open as many files as it may, up to 65536; 0: this one.

    A shell's programs have 1024 of them on Debian, which one seat's silent connections take.
    """
    soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    most = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, hard))
