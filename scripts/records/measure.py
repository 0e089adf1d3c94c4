#!/usr/bin/env python3
"""Make the measurements that runs-to-make names, all of them, whatever becomes of one.

    .venv/bin/python scripts/records/measure.py [--book] [--profile NAME] [--until-decided SECONDS]
                                             [--ppslab PROGRAM] [--root FOLDER]
    .venv/bin/python scripts/records/measure.py --failed

What counts instructions goes side by side, on as many CPUs as there are; what takes time goes
alone, afterwards.  --book: only what `ppslab run` measures, not the suites that take longer.
--until-decided: so many seconds more for each lab whose claims more rounds would decide (60; 0
for none); what stays open is listed at the end, with what it would take.
What fails is kept in results/local/failed-COMMAND-LAB[-MEASURE].json, where the site finds it, and
is listed at the end with its reason and with what to do.  Since it has no new record, the same
command again makes it again, and nothing that was made.  --failed measures nothing and lists what
failed.
A lab of which a file is wrong is left out, and listed too.
Ctrl-C stops the measurement that runs, waits until it has tidied up, and begins no other.
Exit codes: 0 all made; 10 some failed; 130 stopped.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import runs_to_make
from runs_to_make import Wanted

from ppslab.core.errors import FileError, PpslabError
from ppslab.core.text.numbers import plural
from ppslab.judge import claims, outcome
from ppslab.model.lab import lab
from ppslab.model.results import failures
from ppslab.model.results.kinds import Failure

ROOT = Path(__file__).resolve().parents[2]
STOPPED = 130
SOME_FAILED = 10
"""No 1, with which Python ends where this script itself is at fault."""
UNTIL_DECIDED = 60
"""Seconds more for a lab whose claims a run leaves open; all labs together have two CPUs."""
LINES = 12
"""Of what ppslab said last, as much is the reason."""

_RAW = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f]")


def argv(wanted: Wanted, program: Path, profile: str, until_decided: int) -> list[str]:
    """Return the command line of a measurement."""
    if wanted.command == "calibrate":
        return [str(program), wanted.command]
    words = [str(program), wanted.command, wanted.lab]
    if wanted.command == "break":
        return words
    words += ["--profile", profile]
    if wanted.command == "run" and until_decided:
        words += ["--until-decided", str(until_decided)]
    # Counted is a lab's own measure where this machine can count; nobody insists on it.
    return [*words, "--measure", "timed"] if wanted.measure == "timed" else words


@dataclass(frozen=True)
class How:
    """The means of every measurement: ppslab, a profile, and seconds for open claims."""

    program: Path
    profile: str
    until_decided: int


class Stopped(Exception):  # noqa: N818  (no error: somebody wanted it)
    """Ctrl-C, or a measurement that it stopped."""


def main() -> int:
    """Measure, or list what could not be measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--ppslab", type=Path, help="default: the one beside this Python")
    parser.add_argument("--profile", default="quick")
    parser.add_argument("--until-decided", type=int, default=UNTIL_DECIDED, metavar="SECONDS")
    parser.add_argument("--book", action="store_true", help="only what `ppslab run` measures")
    parser.add_argument("--failed", action="store_true", help="list what failed, measure nothing")
    options = parser.parse_args()
    os.environ.setdefault("PPSLAB_ROOT", str(options.root))
    if options.failed:
        return told(failures.current()) or nothing_kept()
    named = runs_to_make.wanted(options.root, book=options.book)
    for each in named:
        print(f"{each}: {each.why}", file=sys.stderr)
    wanted = {each.key for each in named}
    unreadable = lab.tried().unreadable
    for old in failures.kept():
        asked = (old.command == "run" or not options.book) and old.lab not in unreadable
        if asked and (old.command, old.lab, old.measure) not in wanted:
            failures.forget(old.command, old.lab, old.measure)
    program = options.ppslab or Path(sys.executable).with_name("ppslab")
    try:
        unkept = make_all(named, program, options.profile, options.until_decided)
    except Stopped:
        return STOPPED
    if any(each.command == "run" for each in named):
        tell_open(dict.fromkeys(each.lab for each in named if each.command == "run"))
    return told([*failures.current(), *unkept])


def make_all(
    named: Sequence[Wanted], program: Path, profile: str, until_decided: int
) -> Sequence[Failure]:
    """Make them: what counts side by side, then the rest one after the other.

    The failures that could not be kept.
    """
    how = How(program, profile, until_decided)
    running = Running()
    beside = [each for each in named if each.measure == "counted"]
    with ThreadPoolExecutor(max_workers=max(1, len(os.sched_getaffinity(0)))) as pool:
        made = [pool.submit(make, each, how, running, beside=True) for each in beside]
        running.await_all(made)
    for each in named:
        if each not in beside:  # it takes time: nothing may run meanwhile
            with ThreadPoolExecutor(max_workers=1) as pool:
                running.await_all([pool.submit(make, each, how, running)])
    return running.unkept


class Running:
    """The programs that run now; Ctrl-C stops them all and begins no other."""

    def __init__(self) -> None:
        self._programs: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self.stopped = False
        self.unkept: list[Failure] = []
        """Failures of which the results folder takes no record."""

    def begin(self, words: Sequence[str]) -> subprocess.Popen[str]:
        """Start one; Stopped where all was stopped."""
        with self._lock:
            if self.stopped:
                raise Stopped
            # In a group of its own: a terminal's Ctrl-C reaches it once, from here.
            begun = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
                process_group=0,
            )
            self._programs.add(begun)
            return begun

    def ended(self, program: subprocess.Popen[str]) -> None:
        """One is over."""
        with self._lock:
            self._programs.discard(program)

    def stop(self) -> None:
        """Tell all that run to stop; each tidies up."""
        with self._lock:
            if not self.stopped:
                for program in self._programs:
                    program.send_signal(signal.SIGINT)
            self.stopped = True

    def await_all(self, made: Sequence[Future[None]]) -> None:
        """Wait for them; Stopped, once each has tidied up, where one was stopped."""
        while not all(each.done() for each in made):
            try:
                wait(made)
            except KeyboardInterrupt:
                self.stop()
        for each in made:
            each.result()


def make(wanted: Wanted, how: How, running: Running, *, beside: bool = False) -> None:
    """Make one measurement, and keep its failure where it is one; Stopped where it was stopped."""
    words = argv(wanted, how.program, how.profile, how.until_decided)
    code, said = measured(words, wanted, running, f"{wanted.lab}: " if beside else "")
    if code == STOPPED:
        running.stop()
        raise Stopped
    if code == 0:
        failures.forget(*wanted.key)
    else:
        _keep(failure(wanted, code, said, how.profile), running)


def _keep(failed: Failure, running: Running) -> None:
    try:
        failures.keep(failed)
    except FileError as error:
        print(f"this failure is kept nowhere: {error}", file=sys.stderr)
        running.unkept.append(failed)


def measured(
    words: Sequence[str], wanted: Wanted, running: Running, called: str
) -> tuple[int, str]:
    """Make one measurement; its exit code, and what it said last on stderr.

    `called`: stands in front of each line that it says.
    `ppslab break` ends with 1 where a fault went unnoticed: a result, which its page shows.  It is
    one when there is a new record.
    """
    before = failures.newest_of_command(*wanted.key)
    last: deque[str] = deque(maxlen=LINES)
    begun = running.begin(words)
    with begun:
        telling = threading.Thread(target=tell, args=(begun, last, called), daemon=True)
        telling.start()
        code = begun.wait()
        telling.join(timeout=5)
    running.ended(begun)
    if running.stopped or code in (STOPPED, -signal.SIGINT):
        return STOPPED, ""
    if code == 1 and wanted.command == "break":
        code = int(failures.newest_of_command(*wanted.key) == before)
    return code, "".join(last)


def tell(running: subprocess.Popen[str], last: deque[str], called: str) -> None:
    """Pass on what it says, and keep the end of it."""
    assert running.stderr is not None
    for line in running.stderr:
        sys.stderr.write(f"{called}{line}")
        sys.stderr.flush()
        last.append(_RAW.sub("", line))


def failure(wanted: Wanted, code: int, said: str, profile: str) -> Failure:
    """Return the record of a measurement that failed."""
    reason = said.strip().removeprefix("ppslab: ")
    if code < 0:
        reason = f"it was ended by {signal.Signals(-code).name}. {reason}".strip()
    words = " ".join(argv(wanted, Path("ppslab"), profile, until_decided=0))
    return Failure(
        schema="ppslab/failure/1",
        command=wanted.command,
        lab=wanted.lab,
        measure=wanted.measure,
        when=datetime.now(UTC),
        exit_code=code,
        reason=(reason or f"it ended with {code} and said nothing")[-2000:],
        to_do=f"make book tries it again, and nothing that is measured; alone: {words}",
    )


def tell_open(labs: Iterable[str]) -> None:
    """List the claims of these labs that their runs leave open, and what would decide them."""
    left: list[str] = []
    for name in labs:
        try:
            judged = outcome.of(lab.find(name))
        except PpslabError:
            continue  # What is wrong with its lab.yml the measurement has said.
        if judged.fault:
            print(f"\n{judged.sentence}", file=sys.stderr)
        mine = [each for each in judged.judged if each.verdict == claims.CANNOT_TELL]
        left += [f"  {name} {each.id}: {each.reason}" for each in mine]
    if left:
        many = "1 claim is open" if len(left) == 1 else f"{len(left)} claims are open"
        print(f"\n{many}; more rounds: ppslab run LAB --until-decided 600", file=sys.stderr)
        print("\n".join(left), file=sys.stderr)


def nothing_kept() -> int:
    """Return a code: 0 where failures are kept, else the one that says that none is listed."""
    if (why := failures.refused()) is None:
        return 0
    print(f"\nwhat failed is not listed here, for nothing can be kept: {why}", file=sys.stderr)
    return SOME_FAILED


def told(failed: Sequence[Failure]) -> int:
    """List the labs of which a file is wrong, and what failed; the exit code."""
    wrong = outcome.wrong_files()
    if wrong:
        print(f"\nA file is wrong of {plural(len(wrong), 'lab')}:", file=sys.stderr)
    for name, fault in wrong.items():
        print(f"  {name}:", file=sys.stderr)
        for line in str(fault).splitlines():
            print(f"    {line}", file=sys.stderr)
        print(f"    all that is wrong: ppslab validate labs/{name}", file=sys.stderr)
        print("    then make book measures it, and nothing that is measured", file=sys.stderr)
    if failed:
        print(f"\n{plural(len(failed), 'measurement')} failed:", file=sys.stderr)
    for each in failed:
        when = each.when.astimezone(UTC)
        print(f"  {each.measurement}, {when:%Y-%m-%d %H:%M} UTC:", file=sys.stderr)
        for line in each.reason.splitlines():
            print(f"    {line}", file=sys.stderr)
        print(f"    {each.to_do}", file=sys.stderr)
    return SOME_FAILED if wrong or failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(STOPPED)
