"""The parts that the tests are run in, and running one of them while watching that it goes on."""

from __future__ import annotations

import fcntl
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from tests.suite import machine, outcomes, world

SILENCE = 15 * 60
"""Seconds without a test that ended, after which something hangs.  No limit is a sum: how long all
take says what else the machine does."""
LIMIT = 80 * 60
"""Seconds since `make test` began, after which a run ends: CI ends it at 90 minutes, and without a
word."""
GRACE = 60.0
"""Seconds in which pytest may remove what its tests stood up."""
TURN = Path(os.environ.get("PPSLAB_TESTS_TURN", "/run/lock/ppslab-tests"))
"""Held by the suite that measures, whoever's it is, and shared by those that count single frames;
outside of the worlds.  A suite that a test starts has its own: the machine's may be held by the
suite that runs this test."""
LONGEST_TURN = 25 * 60
"""Seconds after which a suite that waits for its turn goes on all the same."""
NOTHING_SELECTED = 5
"""pytest's exit code where a part has no test with the mark that was asked for."""

BY_INTERVAL = ("--nbval", "--nbval-current-env")
LETTER_BY_LETTER = (*BY_INTERVAL, "-p", "no:ppslab.course.notebook.nbval_intervals")
NO_NOTEBOOKS = ("-p", "no:nbval")


@dataclass(frozen=True)
class Part:
    """Some of the tests: what pytest is told, where they lie, how many of them run at a time."""

    name: str
    options: tuple[str, ...]
    folders: tuple[str, ...] = ("tests",)
    workers: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    first: bool = False
    """where it is red, no other part begins: it is quick, and says what they would say again"""
    turn: int = 0
    """LOCK_EX: it measures, and no other suite on the machine measures or counts at once; LOCK_SH:
    it counts single frames, which another's load would push out of the backlog that all share"""


NOTEBOOKS = Part("notebooks", LETTER_BY_LETTER, ("notebooks",), 2, {"PPSLAB_BACKEND": "recorded"})
TIMED = Part("timed", ("--part=timed", *BY_INTERVAL), ("tests", "notebooks"), turn=fcntl.LOCK_EX)


@dataclass(frozen=True)
class Suite:
    """Parts in their order, and how a red file is looked at again: by its suffix."""

    parts: tuple[Part, ...]
    again: Mapping[str, Part]
    tries: int
    budget: float = math.inf
    """seconds with the set-up on two quiet CPUs; more is told, and is not red"""


# Of two CPUs: Python alone keeps one busy; a lab, a page or a guest's boot half of one, and for the
# rest of its time it waits.
GATE = Suite(
    parts=(
        NOTEBOOKS,
        Part("check", ("--part=check", *NO_NOTEBOOKS), workers=2, first=True),
        Part("together", ("--part=together", *NO_NOTEBOOKS), workers=3),
        Part("quiet", ("--part=quiet", *NO_NOTEBOOKS), workers=3, turn=fcntl.LOCK_SH),
        Part("alone", ("--part=alone", *NO_NOTEBOOKS), turn=fcntl.LOCK_EX),
    ),
    # The whole file, whatever its tests' marks: one test may be what makes the other red.
    again={".ipynb": NOTEBOOKS, ".py": Part("tests", NO_NOTEBOOKS, turn=fcntl.LOCK_EX)},
    tries=2,
    budget=25 * 60,
)
ONLY_TIMED = Suite(parts=(TIMED,), again={".ipynb": TIMED, ".py": TIMED}, tries=3)
"""What asserts a time or a rate, live notebooks among it: a defect is red three times."""


@dataclass(frozen=True)
class Ended:
    """How a part ended: `why` is empty where pytest itself came to its end."""

    name: str
    seconds: float
    stolen: float
    why: str = ""


def command(part: Part, only: str, kept: Path, files: Sequence[str] = ()) -> list[str]:
    """pytest's words for a part; with `files`, for the second look at these alone."""
    chosen = " and ".join(filter(None, (only, "" if part == TIMED else "not timed")))
    workers = 0 if files else part.workers
    return [
        sys.executable, "-m", "pytest", "-p", "tests.suite.outcomes", "--tb=short", "-rs",
        "--continue-on-collection-errors",
        *part.options,
        # Side by side a file stays whole, in the order in which conftest.py put the tests.
        *(("--dist=loadfile", "--no-loadscope-reorder", f"--numprocesses={workers}") if workers
          else ()),
        *(() if files else ("--durations=25",)),
        *(("-m", chosen) if chosen and part != NOTEBOOKS else ()),
        f"--junitxml={kept}.xml",
        *(files or part.folders),
    ]  # fmt: skip


def run(
    part: Part,
    kept: Path,
    log: BinaryIO,
    *,
    only: str = "",
    files: Sequence[str] = (),
    ends_at: float,
    silence: float = SILENCE,
) -> Ended:
    """Run a part; its outcomes are then in `kept`.jsonl.  `ends_at`: of the monotonic clock.

    KeyboardInterrupt after pytest has removed what it stood up.
    """
    told = Path(f"{kept}.jsonl")
    told.touch()
    begun, before = time.monotonic(), machine.ticks()
    started = subprocess.Popen(
        [*world.ENDS_WITH_PARENT, *command(part, only, kept, files)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, **part.environment, outcomes.FILE: str(told)},
        # Ctrl-C is this process's, which then ends pytest and all that pytest started.
        start_new_session=True,
    )
    copied = threading.Thread(target=_copy, args=(started, log), daemon=True)
    copied.start()
    try:
        why = _watch(started, told, ends_at, silence)
    finally:
        _end(started)
    copied.join(5)
    if not why and started.returncode not in (0, 1):
        nothing = started.returncode == NOTHING_SELECTED and (only or files)
        why = "" if nothing else f"pytest ended with exit code {started.returncode}"
    seconds = time.monotonic() - begun
    return Ended(part.name, seconds, machine.stolen(before, machine.ticks()), why)


@contextmanager
def own_turn(
    say: Callable[[str], None], how: int = fcntl.LOCK_EX, longest: float = LONGEST_TURN
) -> Iterator[None]:
    """Wait until no other suite on this machine measures, and keep others waiting meanwhile.

    `how`: LOCK_SH beside others that have their turn like this, as Part.turn says.
    """
    try:
        held = os.open(TURN, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError:  # another user's, or no such folder: nobody to wait for
        yield
        return
    try:
        until, told = time.monotonic() + longest, False
        while not _locked(held, how) and time.monotonic() < until:
            if not told:
                say(f"another suite measures here: waiting, {longest / 60:.0f} minutes at most")
            told = True
            time.sleep(1)
        yield
    finally:
        os.close(held)


def _locked(held: int, how: int) -> bool:
    try:
        fcntl.flock(held, how | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _watch(started: subprocess.Popen[bytes], told: Path, ends_at: float, silence: float) -> str:
    """Wait for the end; why it was not awaited, or empty."""
    while True:
        try:
            started.wait(1)
        except subprocess.TimeoutExpired:
            quiet = time.time() - told.stat().st_mtime
            if quiet > silence:
                return f"no test ended for {quiet / 60:.0f} minutes"
            if time.monotonic() > ends_at:
                return f"{LIMIT // 60} minutes were over"
        else:
            return ""


def _end(started: subprocess.Popen[bytes]) -> None:
    """Ask pytest to end, then kill its session's first group."""
    if started.poll() is None:
        started.send_signal(signal.SIGINT)
        try:
            started.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()


def _copy(started: subprocess.Popen[bytes], log: BinaryIO) -> None:
    """What pytest prints: to the terminal at once, and into the kept log."""
    assert started.stdout is not None
    while chunk := os.read(started.stdout.fileno(), 65536):
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        log.write(chunk)
