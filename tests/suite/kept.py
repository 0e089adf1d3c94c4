"""What is kept of a run of the tests, so that a red one can be read afterwards, whoever started it.

~/.cache/ppslab/tests/COMMIT/TIME/   log, report.txt, and of each part its outcomes and JUnit's
                                     file; trials/: the records that red tests left
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from ppslab.base.paths import cache_dir
from tests.suite.opinion import Test

RUNS = 10
KINDS = (".json", ".jsonl", ".log")
LARGEST = 5_000_000
FILES = 200


def commit(root: Path) -> str:
    """The checked out commit, and whether the files are still its own."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=root, capture_output=True, text=True, check=False
        )
        return done.stdout.strip()

    if shutil.which("git") is None or not (name := git("rev-parse", "--short=9", "HEAD")):
        return "no-commit"
    return f"{name}-changed" if git("status", "--porcelain") else name


def folder(root: Path) -> Path:
    """A new folder for this run; of the older ones all but the newest are removed."""
    runs = cache_dir() / "tests"
    made = _of_this_second(runs / commit(root))
    for old in sorted(runs.glob("*/*"), key=lambda path: path.name, reverse=True)[RUNS:]:
        shutil.rmtree(old, ignore_errors=True)
        with suppress(OSError):  # other runs of that commit are kept
            old.parent.rmdir()
    return made


def _of_this_second(folder: Path) -> Path:
    """A folder named by the time.  Two runs of a commit may begin at once: the other waits."""
    while True:
        made = folder / time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime())
        try:
            made.mkdir(parents=True)
        except FileExistsError:
            time.sleep(0.1)
        except FileNotFoundError:  # another run has just removed the commit's empty folder
            continue
        else:
            return made


def trials(where: Path, red: Iterable[Test]) -> int:
    """Copy the records that red tests left; how many files."""
    copied = 0
    for number, test in enumerate(red):
        for place, name in enumerate(test.folders):
            for path in sorted(Path(name).rglob("*")):
                if copied >= FILES:
                    return copied
                if _worth_keeping(path):
                    to = where / "trials" / f"{number}-{place}" / path.relative_to(name)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, to)
                    copied += 1
        if test.folders:
            (where / "trials").mkdir(exist_ok=True)
            (where / "trials" / f"{number}.txt").write_text(f"{test.id}\n{test.why}\n")
    return copied


def _worth_keeping(path: Path) -> bool:
    return (
        path.suffix in KINDS
        and path.is_file()
        and not path.is_symlink()
        and path.stat().st_size <= LARGEST
    )
