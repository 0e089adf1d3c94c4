"""`make test`'s runner on a small project, and the private world in which it runs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from tests.suite import __main__ as suite
from tests.suite import marks
from tests.support.waiting import PATIENCE, a_long_time, running, until

ROOT = Path(__file__).resolve().parents[3]

PURE = "def test_pure():\n    assert {}\n"
LIVE = """
import pathlib, pytest
pytestmark = pytest.mark.live

def test_disturbed():
    seen = pathlib.Path(__file__).with_suffix(".seen")
    if not seen.exists():
        seen.touch()
        assert not "disturbed"

def test_whole(tmp_path):
    (tmp_path / "record.json").touch()
    assert {}
"""
HANGS = """
import subprocess, pytest
pytestmark = pytest.mark.live

{mark}
def test_hangs():
    subprocess.run(["setsid", "sleep", "{seconds}"])
"""
OTHER = "import pytest\npytestmark = pytest.mark.{}\n\ndef test_{}():\n    pass\n"


class Project:
    """A folder with the runner and few tests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "tests/suite", folder / "tests/suite")
        for name in ("pyproject.toml", "tests/conftest.py"):
            shutil.copy(ROOT / name, folder / name)
        (folder / "notebooks").mkdir()
        self.test("pure", PURE.format(True))
        self.test("live", LIVE.format(True))
        for mark in ("alone", "long", "weekly"):
            self.test(mark, OTHER.format(mark, mark))

    def test(self, name: str, text: str) -> None:
        (self.folder / f"tests/test_{name}.py").write_text(text)

    def start(self, *words: str) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith(("PYTEST_", "PPSLAB_TESTS_"))}  # fmt: skip
        return subprocess.Popen(
            ["tests/suite/world", sys.executable, "-m", "tests.suite", *words],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, start_new_session=True,
            env={**environment, "PPSLAB_TESTS_TURN": str(self.folder / "turn")},
        )  # fmt: skip

    def run(self, *words: str) -> tuple[int, list[str]]:
        """The exit code and the report."""
        started = self.start(*words)
        started.communicate(timeout=PATIENCE)
        return started.returncode, self.report()

    def report(self) -> list[str]:
        return (self.folder / "_build/tests/report.txt").read_text().splitlines()


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "a project")


def red(lines: list[str]) -> set[str]:
    return {line.split(" - ")[0].removeprefix("FAILED ") for line in lines if "FAILED " in line}


@pytest.mark.live
def test_a_defect_is_red_in_both_tries_and_what_was_disturbed_is_told(project: Project) -> None:
    """In what needs a kernel, and in what a marked file imports."""
    project.test("live", LIVE.format("2 == 3"))
    project.test("alone", "import nothing_of_this_name\n" + OTHER.format("alone", "alone"))
    code, lines = project.run()
    assert code == 1
    assert red(lines) == {"tests/test_live.py::test_whole", "tests/test_alone.py"}
    assert any("  tests/test_live.py::test_disturbed" in line for line in lines)
    assert list(project.folder.glob("_build/tests/red/**/record.json"))
    assert lines[-1] == "3 passed, 2 failed, 0 skipped"


@pytest.mark.live
def test_ctrl_c_ends_all_and_still_reports(project: Project) -> None:
    seconds = a_long_time()
    project.test("hangs", HANGS.format(mark="", seconds=seconds))
    started = project.start("--only", "live")
    until(lambda: running("sleep", seconds), "the test that hangs")
    os.killpg(started.pid, signal.SIGINT)
    printed, _ = started.communicate(timeout=PATIENCE)
    assert started.returncode == 130, printed
    assert "make test" in red(project.report())
    assert "Traceback" not in printed
    until(lambda: not running("sleep", seconds), "the end of what a test started")


def test_every_test_is_in_one_part_and_a_suite_runs_each() -> None:
    for size in range(len(marks.KNOWN) + 1):
        for some in combinations(sorted(marks.KNOWN), size):
            assert sum(marks.is_in(name, frozenset(some)) for name in marks.PARTS) == 1, some
    options = [word for part in (*suite.GATE, *suite.WEEKLY) for word in part.options]
    assert {f"--part={name}" for name in marks.PARTS} <= set(options)


def test_each_file_of_tests_is_in_one_half_and_its_folders_are_looked_into() -> None:
    halves: dict[int, int] = {1: 0, 2: 0}
    for file in ROOT.glob("tests/**/test_*.py"):
        path = file.relative_to(ROOT)
        (half,) = (half for half in halves if marks.in_half(half, path.as_posix()))
        halves[half] += 1
        for folder in path.parents[:-1]:
            assert marks.in_half(half, folder.as_posix()), (half, folder)
    assert all(halves.values())


# --- the private world ---------------------------------------------------------------------------

WORLD = ROOT / "tests/suite/world"
OUTSIDE = {name: value for name, value in os.environ.items() if name != "PPSLAB_TESTS_WORLD"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="this wants root")


def world(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a shell's script in a world of its own."""
    return subprocess.run(
        [WORLD, "sh", "-c", script], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, env={**OUTSIDE, **environment},
    )  # fmt: skip


@pytest.fixture(scope="module")
def possible() -> None:
    why = world("true").stderr
    if why:
        pytest.skip(why)


@as_root
@pytest.mark.live
@pytest.mark.usefixtures("possible")
def test_what_an_earlier_run_left_is_not_seen_nor_what_this_one_makes() -> None:
    seconds = a_long_time()
    name, made = f"ppslab-t-{seconds}", f"ppslab-u-{seconds}"
    subprocess.run(["ip", "netns", "add", name], check=True)
    try:
        with subprocess.Popen(["sleep", seconds]) as left:
            done = world(
                f"ip netns list; ps -eo args=; ls -A /run/ppslab /run/netns; ip netns add {made}"
            )
            left.kill()
        listed = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True)
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)
    assert done.returncode == 0, done.stderr
    assert name not in done.stdout and f"sleep {seconds}" not in done.stdout
    assert made not in listed.stdout


@pytest.mark.live
@pytest.mark.usefixtures("possible")
def test_the_whole_is_killed_with_whoever_started_it() -> None:
    """Though it is in a session of its own and nobody told it."""
    seconds = a_long_time()
    command = [str(WORLD), "sh", "-c", f"setsid sleep {seconds} & sleep {seconds}"]
    starter = [sys.executable, "-c", "import subprocess, sys; subprocess.run(sys.argv[1:])"]
    with subprocess.Popen([*starter, *command], env=OUTSIDE) as started:
        until(lambda: len(running("sleep", seconds)) == 2, "two sleeping processes")
        started.send_signal(signal.SIGKILL)
    until(lambda: not running("sleep", seconds), "the end of what was started")
