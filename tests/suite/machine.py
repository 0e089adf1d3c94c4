"""What machine the tests run on, and how much of it they get."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("chromium-headless-shell", "chromium", "firefox-esr", "qemu-system-x86_64")
"""Debian moves them under the tests."""


@dataclass(frozen=True)
class Ticks:
    """CPU time of all CPUs since the machine started, in ticks, and what of it was stolen."""

    all: int
    stolen: int


def ticks() -> Ticks:
    """As /proc/stat has it (proc_stat(5)): user to steal, without what guests had of it."""
    words = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    numbers = [int(word) for word in words]
    return Ticks(sum(numbers), numbers[7] if len(numbers) > 7 else 0)


def stolen(before: Ticks, after: Ticks) -> float:
    """The share of all CPUs' time that the hypervisor took between the two."""
    spent = after.all - before.all
    return (after.stolen - before.stolen) / spent if spent else 0.0


def speed() -> float:
    """Millions of turns of an empty loop of Python a second, now: compared only in one run."""
    begun = time.perf_counter()
    for _ in range(200_000):
        pass
    return 0.2 / (time.perf_counter() - begun)


def versions() -> list[str]:
    """The kernel, Python and the programs whose release a test may meet."""
    found = [f"Linux {os.uname().release}", f"Python {platform.python_version()}"]
    for program in PROGRAMS:
        if shutil.which(program):
            done = subprocess.run(
                [program, "--version"], capture_output=True, text=True, timeout=60, check=False
            )
            found += [" ".join(line.split()[:6]) for line in done.stdout.splitlines()[:1]]
    return list(dict.fromkeys(found))


def memory_gib() -> float:
    """The machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
