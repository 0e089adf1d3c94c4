"""Which process is which: over its number that is given again, and over a reboot.

A process is known by its number and its start time (proc(5), stat field 22), for numbers are
given again; and by the boot, for a runtime folder may outlive it.
"""

from __future__ import annotations

from pathlib import Path


def boot_id() -> str:
    """Another one after every boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def start_time(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; None when there is none (or a zombie)."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    # The name, in parentheses, may itself hold blanks and parentheses.
    values = stat[stat.rindex(")") + 2 :].split()
    return None if values[0] in "ZX" else int(values[19])


def is_running(pid: int, started: int) -> bool:
    """Whether the process of that number is still the one that started then."""
    return start_time(pid) == started
