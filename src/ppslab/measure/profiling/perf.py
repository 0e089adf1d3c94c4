"""Sampling with perf(1): what to put in front of a command, and what `perf script` then says.

The event is cpu-clock, a timer: few virtual machines pass the CPU's own cycle counter on.
The timer cannot fire where interrupts are off; what was spent there is counted at the place that
turns them on again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ppslab.testbed.testers.ppstraffic import Runner

EVENT = "cpu-clock"

DATA = "/run/ppslab-perf.data"
TEXT = "/run/ppslab-perf.txt"
"""In the node's own /run, which no other run sees."""

_FIELDS = "comm,tid,cpu,time,event,ip,sym,dso"

_SCRIPT_SECONDS = 300.0

# Copies of a function that the compiler made (GCC's names), and offsets into one.
_SUFFIX = re.compile(r"(\.(isra|part|constprop|cold|llvm)\b[.0-9]*|\+0x[0-9a-f]+)+$")

# perf-script(1): the command's name may have blanks, the number of its thread stands before [CPU].
_HEAD = re.compile(r"^(?P<comm>.+?)\s+(?P<tid>\d+)\s+\[(?P<cpu>\d+)\]\s")
_FRAME = re.compile(r"^\s+[0-9a-f]+\s+(?P<symbol>.*?)(\s+\((?P<dso>.*)\))?$")


@dataclass(frozen=True)
class Sample:
    """One thread at one moment; `stack` names functions, the innermost first."""

    comm: str
    thread: int
    cpu: int
    stack: tuple[str, ...]


def why_not(node: Runner) -> str | None:
    """Try perf on a node; returns why it cannot sample the kernel, None where it can."""
    if node.run(["perf", "--version"], check=False).returncode != 0:
        return "perf is not installed (sudo apt-get install linux-perf)"
    tried = ["perf", "record", "--quiet", "--event", f"{EVENT}:k", "--output", DATA, "true"]
    done = node.run(tried, check=False)
    node.run(["rm", "-f", DATA])
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        return f"perf may not look into this kernel: {lines[0] if lines else 'it says no reason'}"
    first = node.run(["head", "-n", "1", "/proc/kallsyms"], check=False).stdout.split()
    if not first or not first[0].strip("0"):
        # The first symbol of some kernels is at 0 for everyone: the second decides.
        some = node.run(["sed", "-n", "2,50p", "/proc/kallsyms"], check=False).stdout
        if not any(line.split()[0].strip("0") for line in some.splitlines() if line):
            return "the kernel hides the addresses of its functions (kernel.kptr_restrict)"
    return None


def version(node: Runner) -> str:
    """Perf's own version, such as `6.1.192`."""
    return node.run(["perf", "--version"]).stdout.split()[-1]


def in_front(frequency: int) -> tuple[str, ...]:
    """The words in front of a command that is to be sampled so many times a second.

    Without build ids: to collect them after a trial took an emulated guest longer than the trial.
    """
    return (
        "perf", "record", "--quiet", "--event", EVENT, "--freq", str(frequency),
        "--call-graph", "fp", "--sample-cpu", "--no-buildid", "--no-buildid-cache",
        "--output", DATA, "--",
    )  # fmt: skip


def samples_of(node: Runner) -> list[Sample]:
    """The samples of the command that ended last on a node; its files go."""
    script = f"perf script --input {DATA} --fields {_FIELDS} >{TEXT}"
    node.run(["sh", "-c", script], timeout=_SCRIPT_SECONDS)
    text = node.read(TEXT).decode(errors="replace")
    node.run(["rm", "-f", DATA, TEXT])
    return list(parse(text.splitlines()))


def parse(lines: Iterable[str]) -> Iterator[Sample]:
    """Samples as `perf script` prints them: a head, its functions a line each, a blank line.

    Functions without a name are left out; a sample without any is one of an empty stack.
    """
    head: re.Match[str] | None = None
    stack: list[str] = []
    for line in (*lines, ""):
        if not line.strip():
            if head:
                yield Sample(head["comm"].strip(), int(head["tid"]), int(head["cpu"]), (*stack,))
            head, stack = None, []
        elif head is None:
            head = _HEAD.match(line)
        elif frame := _FRAME.match(line):
            name = _SUFFIX.sub("", frame["symbol"])
            if name and name != "[unknown]":
                stack.append(_file(frame["dso"] or "") + name)


def _file(dso: str) -> str:
    """The file in front of a function's name; empty for the kernel, its modules, BPF programs."""
    if dso == "[vdso]":
        return "vdso:"
    if not dso or dso.startswith(("[", "bpf_prog_")):
        return ""
    return f"{dso.rpartition('/')[2]}:"


def of_the_sender(samples: Iterable[Sample]) -> list[Sample]:
    """The samples of the thread that sends: the one most often seen in a system call that does.

    In a coupled trial it does the router's work too, inside of that call.
    """
    every = list(samples)
    sending: dict[int, int] = {}
    for sample in every:
        if any("sys_send" in name for name in sample.stack):
            sending[sample.thread] = sending.get(sample.thread, 0) + 1
    if not sending:
        return []
    thread = max(sending, key=lambda number: sending[number])
    return [sample for sample in every if sample.thread == thread]
