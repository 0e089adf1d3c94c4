"""Run the tests: `make test` and `make test-timed` do, once everything is fetched and built.

    python -m tests.suite [--timed] [--only MARK]

Exit codes: 0 green, 1 red, 2 wrong words, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from tests.suite import kept, machine, marks, opinion, parts, world
from tests.suite.ending import Ending, Row, clock
from tests.suite.opinion import Judgement, Test
from tests.suite.parts import Ended, Part, Suite

ROOT = Path(__file__).resolve().parents[2]
BEGAN = "PPSLAB_TESTS_BEGAN"
"""Seconds since 1970 at which `make` began: what was fetched and built before counts too."""
BEFORE = "PPSLAB_TESTS_BEFORE"
"""What is told to the world: where the run is kept, and how the steps before it ended."""
OF_MAKE = ("MAKE", "MF")


class Run:
    """One run of the tests, and what is known of it so far."""

    def __init__(self, suite: Suite, where: Path, log: BinaryIO, only: str) -> None:
        self.suite, self.where, self.log, self.only = suite, where, log, only
        before = max(0.0, time.time() - float(os.environ.get(BEGAN, time.time())))
        self.began = time.monotonic() - before
        self.rows: list[Row] = []
        self.tries: list[list[Test]] = [[]]
        self.broken: list[str] = []

    @property
    def seconds(self) -> float:
        """Since `make` began."""
        return time.monotonic() - self.began

    def say(self, text: str) -> None:
        """Print a line, into the log too."""
        print(text, flush=True)
        self.log.write(f"{text}\n".encode())

    def all(self, failed: Sequence[str]) -> None:
        """Every part, and the second look; a part that was stopped is the last.

        `failed`: what was done before and is red.  Without linters' consent nothing is run.
        """
        site = "site" not in failed
        if "lint" in failed or (not site and self.only == "browser"):
            return
        only = self.only if site else "not browser"  # each of its tests would say the same
        for part in self.suite.parts:
            if part == parts.NOTEBOOKS and self.only not in ("", "notebook"):
                continue
            if not self.part(part, only):
                return
            if part.first and any(test.outcome == "failed" for test in self.rows[-1].tests):
                self.say(f"red in {part.name}: nothing else is run")
                return
        self.look_again(only)

    def part(self, part: Part, only: str, files: Sequence[str] = ()) -> bool:
        """Run a part, or these files of it once more; whether it came to its end."""
        name = f"{part.name}, try {len(self.tries)}" if files else part.name
        left = parts.LIMIT - self.seconds
        self.say(f"== {name}: {clock(self.seconds)} gone, {clock(max(left, 0))} left")
        path = self.where / name.replace(", ", "-").replace(" ", "-")
        begun = time.monotonic()
        try:
            with parts.own_turn(self.say, part.turn) if part.turn else nullcontext():
                ended = parts.run(
                    part, path, self.log, only=only, files=files, ends_at=self.began + parts.LIMIT
                )
        except KeyboardInterrupt:
            self._add(Ended(name, time.monotonic() - begun, 0.0), path)
            raise
        self._add(replace(ended, name=name), path)
        return not ended.why

    def _add(self, ended: Ended, path: Path) -> None:
        """What is known of a part, whether it came to its end or not."""
        tests, running = opinion.read(path.with_suffix(".jsonl"))
        self.tries[-1] += tests
        self.rows.append(Row(ended, tests))
        if ended.why:
            names = f"; it ran {', '.join(running[:3])}" if running else ""
            self.broken.append(f"part {ended.name} - {ended.why}{names}")

    def look_again(self, only: str) -> None:
        """After all parts: what other work may have disturbed, alone, as often as is allowed."""
        while len(self.tries) < self.suite.tries:
            files = opinion.files_again(opinion.judge(self.tries).of("failed"))
            why = opinion.too_many(files, self.seconds)
            if why:
                self.say(f"no second look: {why}")
            if why or not files:
                return
            self.tries.append([])
            for suffix, part in self.suite.again.items():
                chosen = [file for file in files if file.endswith(suffix)]
                if chosen and not self.part(part, only, chosen):
                    return


@dataclass(frozen=True)
class Step:
    """A target of make, before the private world: in there is no network.  `why`: it is red."""

    name: str
    seconds: float
    stolen: float
    why: str = ""


LINT = ("lint", "--jobs=2", "--output-sync", "--keep-going")
SITE = ("site",)
STEPS = {"": (LINT, SITE), "browser": (SITE,)}
"""By the mark that is asked for: targets, with make's options."""


def step(words: Sequence[str], where: Path, tries: int = 1) -> Step:
    """Make a target; what it says is kept."""
    told = {name: value for name, value in os.environ.items() if not name.startswith(OF_MAKE)}
    begun, before = time.monotonic(), machine.ticks()
    for _ in range(tries):
        done = subprocess.run(
            ["make", "--no-print-directory", *words], cwd=ROOT, env=told,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", check=False,
        )  # fmt: skip
        with (where / "log").open("a", encoding="utf-8") as log:
            log.write(done.stdout)
        print(done.stdout, end="", flush=True)
        if done.returncode == 0:
            break
    why = "" if done.returncode == 0 else _last_words(done.stdout)
    return Step(words[0], time.monotonic() - begun, machine.stolen(before, machine.ticks()), why)


def _last_words(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [line for line in lines if "WARNING" in line or "ERROR" in line or "error" in line]
    return " | ".join(told[-3:] or lines[-1:])[:400]


def report(run: Run, judged: Judgement) -> Ending:
    """The end of it, printed and kept."""
    words = f"{os.cpu_count()} CPUs, {machine.memory_gib():.0f} GiB"
    words = "; ".join([words, *machine.versions()])
    ending = Ending(
        run.rows,
        judged,
        len(run.tries),
        run.broken,
        words,
        run.where,
        run.seconds,
        run.suite.budget,
    )
    whole = "\n".join(ending.lines(named=len(judged.tests)))
    (run.where / "report.txt").write_text(f"{whole}\n", encoding="utf-8")
    run.say("\n".join(["", f"== {'green' if ending.green else 'red'}", *ending.lines()]))
    return ending


def main() -> int:
    """Run what was asked for, in a private world where one can be made."""
    reader = argparse.ArgumentParser(prog="python -m tests.suite", description="Run the tests.")
    reader.add_argument("--timed", action="store_true", help="only what asserts a time or a rate")
    reader.add_argument("--only", default="", metavar="MARK", choices=["", *sorted(marks.KNOWN)],
                        help="only the tests with this mark")  # fmt: skip
    asked = reader.parse_args()
    suite = parts.ONLY_TIMED if asked.timed else parts.GATE
    if world.INSIDE not in os.environ:
        where = kept.folder(ROOT)
        wanted = () if asked.timed else STEPS.get(asked.only, ())
        # The site twice: what it fetches may be away for a moment.
        steps = [vars(step(each, where, tries=2 if each == SITE else 1)) for each in wanted]
        os.environ[BEFORE] = json.dumps([str(where), steps])
        why = world.enter([sys.executable, "-m", "tests.suite", *sys.argv[1:]])
        print(f"no private world for the tests here: {why}")
    folder, before = json.loads(os.environ.pop(BEFORE))
    return _run(suite, Path(folder), asked.only, [Step(**each) for each in before])


def _run(suite: Suite, where: Path, only: str, before: Sequence[Step]) -> int:
    """Run the parts and report; the exit code."""
    stopped = False
    with (where / "log").open("ab", buffering=0) as log:
        run = Run(suite, where, log, only)
        spent = sum(each.seconds for each in before)
        run.rows.append(Row(Ended("set-up", run.seconds - spent, 0.0)))
        run.rows += [Row(Ended(each.name, each.seconds, each.stolen)) for each in before]
        failed = {each.name: each.why for each in before if each.why}
        run.broken += [f"make {name} - {why}" for name, why in failed.items()]
        try:
            run.all(list(failed))
        except KeyboardInterrupt:
            stopped = True
            run.broken.append("make test - stopped by Ctrl-C")
        judged = opinion.judge(run.tries)
        kept.trials(where, [*judged.of("failed"), *judged.again])
        green = report(run, judged).green
    return 130 if stopped else int(not green)


if __name__ == "__main__":
    sys.exit(main())
