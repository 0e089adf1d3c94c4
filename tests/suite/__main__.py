"""Run the tests in their parts, and end with one report: `make test` and `make test-weekly` do.

    tests/suite/world python -m tests.suite [--weekly] [--only MARK]

_build/tests/ keeps the report, each test's outcome (pytest-reportlog) and red tests' records; make
writes the whole log there.
Exit codes: 0 green, 1 red, 2 wrong words, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tests.suite import marks

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "_build/tests"
BEGAN = "PPSLAB_TESTS_BEGAN"
"""Seconds since 1970 at which `make` began: what was fetched and built before counts too."""
LIMIT = 80 * 60
"""Seconds since `make` began, after which a run ends: CI ends it at 90 minutes, and without a word.
A single test has the time-out of pyproject.toml."""
GRACE = 60
"""Seconds in which pytest may remove what its tests stood up."""
TURN = Path(os.environ.get("PPSLAB_TESTS_TURN", "/run/lock/ppslab-tests"))
"""Locked by the suite that measures, whoever's it is, and shared by those that count single frames:
another's load would push these out of the backlog that all namespaces share."""
NOTHING_SELECTED = 5
AGAIN = 30
"""More red files than these were not disturbed: something is broken."""

NO_NOTEBOOKS = ("-p", "no:nbval")
# Where no test's folder is named, pytest would not load it by itself.
NOTEBOOKS = ("-p", "tests.conftest", "notebooks")
BY_INTERVAL = ("--nbval", "--nbval-current-env")
BY_LETTER = (*BY_INTERVAL, "-p", "no:ppslab.course.notebook.nbval_intervals")


@dataclass(frozen=True)
class Part:
    """Tests that run side by side: pytest's options, how many at a time, whom they wait for."""

    name: str
    options: tuple[str, ...]
    workers: int = 0
    turn: int = 0
    """LOCK_EX: it measures; LOCK_SH: it counts single frames"""
    environment: dict[str, str] = field(default_factory=dict)
    runs: tuple[tuple[str, ...], ...] = ((),)
    """more options, of each of the runs of pytest that share the part"""


def _tests(name: str, workers: int = 0, turn: int = 0) -> Part:
    return Part(name, (f"--part={name}", *NO_NOTEBOOKS, "tests"), workers, turn)


def _check() -> Part:
    packages = [str(path.relative_to(ROOT)) for path in ROOT.glob("packages/*/tests")]
    runs = (("--half=1", *packages), ("--half=2",))
    return Part("check", ("--part=check", *NO_NOTEBOOKS, "tests"), runs=runs)


# Of two CPUs: Python alone keeps one busy; a lab, a page or a guest's boot half of one, and for the
# rest of its time it waits.
GATE = (
    Part("notebooks", (*BY_LETTER, *NOTEBOOKS), 2, environment={"PPSLAB_BACKEND": "recorded"}),
    _check(),
    _tests("together", 3),
    _tests("quiet", 3, fcntl.LOCK_SH),
    _tests("alone", 0, fcntl.LOCK_EX),
)
WEEKLY = (
    _tests("weekly", 2),
    Part("timed", ("--part=timed", *BY_INTERVAL, "tests", "notebooks"), 0, fcntl.LOCK_EX),
)


@dataclass
class Test:
    """What became of a test: the worst of its set-up, its call and its end."""

    __test__ = False  # pytest: this is none

    id: str
    outcome: str = "passed"
    why: str = ""
    marks: frozenset[str] = frozenset()

    @property
    def disturbed(self) -> bool:
        """Whether other work on the machine can make it red: it needs more than Python."""
        path = ROOT / self.file
        of_file = marks.of_file(path) if path.is_file() else frozenset()
        return bool((self.marks | of_file) & set(marks.NEEDS))

    @property
    def file(self) -> str:
        """Its file, from the project's root."""
        return self.id.split("::")[0]


def outcomes(log: Path) -> dict[str, Test]:
    """The tests of a report log, by id; up to the line at which pytest was killed."""
    tests: dict[str, Test] = {}
    worse = ("passed", "skipped", "failed")
    for line in log.read_text(encoding="utf-8").splitlines() if log.is_file() else ():
        with suppress(ValueError):
            report = json.loads(line)
            outcome, kind = report.get("outcome"), report["$report_type"]
            if outcome not in worse or (kind == "CollectReport" and outcome != "failed"):
                continue
            test = tests.setdefault(report["nodeid"], Test(report["nodeid"]))
            test.marks |= marks.KNOWN & set(report.get("keywords", ()))
            if worse.index(outcome) > worse.index(test.outcome):
                test.outcome, test.why = outcome, _why(report["longrepr"])
    return tests


def _why(longrepr: Any) -> str:
    """A failure in a line."""
    if isinstance(longrepr, dict):
        longrepr = str((longrepr.get("reprcrash") or {}).get("message") or "").partition("\n")[0]
    lines = [line.strip() for line in str(longrepr).splitlines() if line.strip()]
    return lines[-1][:200] if lines else ""


class Run:
    """One run of the tests, and what is known of it so far."""

    def __init__(self) -> None:
        self.began = float(os.environ.get(BEGAN, time.time()))
        self.rows: list[tuple[str, float, list[Test]]] = [("make", time.time() - self.began, [])]
        self.tests: dict[str, Test] = {}
        self.again: dict[str, Test] = {}
        """as they were when they were red; each was green another time"""
        self.broken: list[str] = []

    @property
    def red(self) -> list[Test]:
        """The tests that are red in the end."""
        return [test for test in self.tests.values() if test.outcome == "failed"]

    def all(self, parts: Sequence[Part], only: str) -> None:
        """Run every part; a part that did not come to its end is the last."""
        for part in parts:
            if part.name != "notebooks":
                self.part(part, *(("-m", only) if only else ()))
            elif only in ("", "notebook"):
                self.part(part)
            if self.broken:
                return
            if part.name == "check" and self.red:
                print("red in check: the rest would say the same, later", flush=True)
                return

    def look_again(self, name: str, *options: str) -> None:
        """Run whole files again, alone, whose red tests other work may have disturbed."""
        files = sorted({test.file for test in self.red if test.disturbed})
        if NO_NOTEBOOKS[1] in options:  # run on records, to the letter: nothing disturbs them
            files = [file for file in files if not file.endswith(".ipynb")]
        if files and len(files) <= AGAIN and not self.broken:
            self.part(Part(name, (*options, *files), turn=fcntl.LOCK_EX))

    def part(self, part: Part, *options: str) -> None:
        """Run a part, and take its tests up, whether it comes to its end or not."""
        print(f"== {part.name}: {clock(time.time() - self.began)} gone", flush=True)
        name, begun = part.name.replace(" ", "-"), time.time()
        logs = [KEPT / f"{name}{number or ''}.jsonl" for number in range(len(part.runs))]
        try:
            with _own_turn(part.turn):
                self._pytest(part, logs, options)
        finally:
            tests = {name: test for log in logs for name, test in outcomes(log).items()}
            self.rows.append((part.name, time.time() - begun, list(tests.values())))
            for name, test in tests.items():
                before = self.tests.setdefault(name, test)
                if (before.outcome, test.outcome) == ("failed", "passed"):
                    self.tests[name], self.again[name] = test, before
                elif (before.outcome, test.outcome) == ("passed", "failed"):  # its file was red
                    self.again[name] = test

    def _pytest(self, part: Part, logs: Sequence[Path], options: Sequence[str]) -> None:
        """Run pytest, once for each log; what all but the first print follows at their end."""
        with ExitStack() as stack:
            outputs = [stack.enter_context(tempfile.TemporaryFile()) for _ in logs[1:]]
            started = [
                self._started(part, log, (*options, *more), output)
                for log, more, output in zip(logs, part.runs, (None, *outputs), strict=True)
            ]
            try:
                codes = [each.wait(max(self.began + LIMIT - time.time(), 1)) for each in started]
            except subprocess.TimeoutExpired:
                self.broken.append(f"part {part.name} - {LIMIT // 60} minutes were over")
            else:
                for code in codes:
                    if code not in (0, 1, NOTHING_SELECTED):
                        self.broken.append(f"part {part.name} - pytest ended with exit code {code}")
            finally:
                _end(started)
                for output in outputs:
                    output.seek(0)
                    print(output.read().decode(errors="replace"), end="", flush=True)

    def _started(
        self, part: Part, log: Path, options: Sequence[str], output: IO[bytes] | None
    ) -> subprocess.Popen[bytes]:
        workers = ("--dist=loadfile", "--no-loadscope-reorder", f"--numprocesses={part.workers}")
        return subprocess.Popen(
            [
                *(sys.executable, "-m", "pytest", "--tb=short", "-rs", "--durations=25"),
                *("--continue-on-collection-errors", "-o", "tmp_path_retention_policy=failed"),
                *(f"--report-log={log}", *(workers if part.workers else ()), *options),
                *part.options,
            ],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if output else None,
            env={**os.environ, **part.environment},
            # Ctrl-C is this process's, which then ends pytest and all that pytest started.
            start_new_session=True,
        )

    def report(self) -> list[str]:
        """The last lines of a run: all that somebody who sees only them must know."""
        kinds = ("passed", "failed", "skipped")
        lines = [f"{'part':<16}{''.join(f'{kind:>9}' for kind in kinds)}{'min':>9}"]
        for name, seconds, tests in self.rows:
            counts = [sum(test.outcome == kind for test in tests) for kind in kinds]
            shown = "".join(f"{count:>9}" if tests else " " * 9 for count in counts)
            lines.append(f"{name:<16}{shown}{clock(seconds):>9}")
        lines.append(f"in all: {clock(time.time() - self.began)}")
        lines += [f"FAILED {why}" for why in self.broken]
        lines += [f"FAILED {test.id} - {test.why}" for test in self.red]
        if self.again:
            lines.append(f"{len(self.again)} needed another try:")
            lines += [f"  {test.id} - {test.why}" for test in self.again.values()]
        passed, skipped = (
            sum(test.outcome == kind for test in self.tests.values()) for kind in kinds[::2]
        )
        failed = len(self.red) + len(self.broken)
        return [*lines, f"kept: {KEPT}", f"{passed} passed, {failed} failed, {skipped} skipped"]


def _end(started: Sequence[subprocess.Popen[bytes]]) -> None:
    """End what still runs; pytest may remove what its tests stood up."""
    alive = [each for each in started if each.poll() is None]
    for each in alive:
        each.send_signal(signal.SIGINT)
    for each in alive:
        try:
            each.wait(GRACE)
        except subprocess.TimeoutExpired:
            os.killpg(each.pid, signal.SIGKILL)
            each.wait()


def clock(seconds: float) -> str:
    """Minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


@contextmanager
def _own_turn(how: int) -> Iterator[None]:
    """Wait until no other suite on this machine measures, and keep others waiting meanwhile."""
    with ExitStack() as stack:
        if how:
            with suppress(OSError):  # another user's, or no such folder: nobody to wait for
                fcntl.flock(stack.enter_context(TURN.open("a")), how)
        yield


def _keep_records() -> None:
    """Copy what red tests left: pytest has removed the folders of the green ones."""
    for path in Path(tempfile.gettempdir()).glob("pytest-of-*/**/*"):
        kind = path.suffix in (".json", ".jsonl", ".log")
        if kind and path.is_file() and not path.is_symlink() and path.stat().st_size < 5_000_000:
            to = KEPT / "red" / path.relative_to(tempfile.gettempdir())
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to)


def main() -> int:
    """Run what was asked for; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite", description="Run the tests.")
    parser.add_argument("--weekly", action="store_true", help="only what `make test` leaves out")
    parser.add_argument("--only", default="", metavar="MARK", choices=["", *sorted(marks.KNOWN)],
                        help="only the tests with this mark")  # fmt: skip
    asked = parser.parse_args()
    for kept in KEPT.glob("*.*"):  # not `log`, into which make writes this very run
        kept.unlink()
    shutil.rmtree(KEPT / "red", ignore_errors=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    run, stopped = Run(), False
    try:
        if asked.weekly:
            run.all(WEEKLY, asked.only)
            for attempt in ("second look", "third look"):  # a defect is red three times
                run.look_again(attempt, "-m", "weekly or timed", *BY_INTERVAL)
        else:
            run.all(GATE, asked.only)
            run.look_again("second look", "-m", "not weekly and not timed", *NO_NOTEBOOKS)
    except KeyboardInterrupt:
        stopped = True
        run.broken.append("make test - stopped by Ctrl-C")
    if "PPSLAB_TESTS_WORLD" in os.environ:
        _keep_records()
    report = run.report()
    (KEPT / "report.txt").write_text("\n".join([*report, ""]), encoding="utf-8")
    red = bool(run.red or run.broken)
    print("\n".join(["", f"== {'red' if red else 'green'}", *report]), flush=True)
    return 130 if stopped else int(red)


if __name__ == "__main__":
    sys.exit(main())
