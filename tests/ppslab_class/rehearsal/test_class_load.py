"""The benchmark of a class at seats: Ctrl-C is one line, and what it started ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import PATIENCE, a_long_time, running, until

# A box in which a rehearsal takes a long time.
STANDS_IN = """
import sys
from contextlib import contextmanager
from tests.system.benchmarks import class_load

class Box:
    pid = 1
    groups = ()
    def weigh(self, shares):
        pass
    def command(self, *words):
        return ["sleep", "{seconds}"]

@contextmanager
def started(memory):
    try:
        yield Box()
    finally:
        print("the box is removed", flush=True)

class_load.box.started = started
class_load.site = lambda folder: folder
sys.exit(class_load.main())
"""


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_is_one_line_and_ends_what_was_started(
    tmp_path: Path, number: signal.Signals
) -> None:
    seconds = a_long_time()
    script = STANDS_IN.format(seconds=seconds)
    with subprocess.Popen(
        [sys.executable, "-c", script, "--proxy", "/bin/true", "--output", str(tmp_path / "none")],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        until(lambda: running("sleep", seconds), "the rehearsal")
        process.send_signal(number)
        out, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert out == "the box is removed\n"
    assert told.splitlines() == [
        "a box starts",
        "broken off: the box is gone, with its seats and its server",
    ]
    assert not running("sleep", seconds)
