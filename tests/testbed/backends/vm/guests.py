"""What tests of a guest begin, and what they look for on the host."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

from ppslab.core import processes
from ppslab.testbed.backends import registry

PAIR = """\
name: pair
topology:
  nodes:
    a: {kind: linux, image: x, exec: [ip address add 198.18.1.1/24 dev eth1]}
    b: {kind: linux, image: x, exec: [ip address add 198.18.1.2/24 dev eth1]}
  links:
    - endpoints: ["a:eth1", "b:eth1"]
"""

OWNER = """\
import sys, time
from ppslab.testbed.backends.vm.backend import open_vm
open_vm(progress=lambda words: print(words, flush=True))
print("up", flush=True)
time.sleep(600)
"""


def host() -> set[str]:
    """The host's interfaces, and its named namespaces."""
    argv = ["ip", "netns", "list"]
    named = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    namespaces = {f"namespace {line.split()[0]}" for line in named.splitlines()}
    return namespaces | {path.name for path in Path("/sys/class/net").iterdir()}


def alive(pid: int) -> bool:
    """Whether a process runs (a zombie does not)."""
    return processes.start_time(pid) is not None


def children(pid: int) -> list[int]:
    """The QEMU processes that a process has started."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        words: list[str] = []
        with suppress(OSError):  # the thread has ended
            words = (task / "children").read_text().split()
        for child in words:
            with suppress(OSError):  # the child has
                if "qemu" in Path(f"/proc/{child}/comm").read_text():
                    found.append(int(child))
    return found


def mine(runtime: Path) -> set[str]:
    """The files of the guests that live on purpose."""
    names = {entry.name for entry in registry.live()}
    return {path.name for path in runtime.iterdir() if path.name.split(".")[0] in names}
