"""`make test`'s runner on a small project, and the private world in which it runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from tests.suite import __main__ as suite
from tests.suite import marks
from tests.support.waiting import PATIENCE, a_long_time

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
OTHER = "import pytest\npytestmark = pytest.mark.{}\n\ndef test_{}():\n    pass\n"


@pytest.mark.live
def test_a_defect_is_red_in_both_tries_and_what_was_disturbed_is_told(tmp_path: Path) -> None:
    """In what needs a kernel, in what a marked file imports, and in what needs only Python."""
    project = tmp_path / "a project"
    shutil.copytree(ROOT / "tests/suite", project / "tests/suite")
    for name in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / name, project / name)
    (project / "notebooks").mkdir()

    def write(name: str, text: str) -> None:
        (project / f"tests/test_{name}.py").write_text(text)

    def run() -> tuple[int, list[str], set[str]]:
        """The exit code, the report, and the tests that it calls red."""
        kept = {name: value for name, value in os.environ.items()
                if not name.startswith(("PYTEST_", "PPSLAB_TESTS_"))}  # fmt: skip
        done = subprocess.run(
            ["tests/suite/world", sys.executable, "-m", "tests.suite"], cwd=project,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=False,
            env={**kept, "PPSLAB_TESTS_TURN": str(project / "turn")},
        )  # fmt: skip
        lines = (project / "_build/tests/report.txt").read_text().splitlines()
        red = [line.split(" - ")[0].partition("FAILED ")[2] for line in lines if "FAILED " in line]
        return done.returncode, lines, set(red)

    write("pure", PURE.format(True))
    write("live", LIVE.format("2 == 3"))
    write("alone", "import nothing_of_this_name\n" + OTHER.format("alone", "alone"))
    for mark in ("long", "weekly"):
        write(mark, OTHER.format(mark, mark))
    code, lines, red = run()
    assert code == 1
    assert red == {"tests/test_live.py::test_whole", "tests/test_alone.py"}
    assert any("  tests/test_live.py::test_disturbed" in line for line in lines)
    assert list(project.glob("_build/tests/red/**/record.json"))
    assert lines[-1] == "3 passed, 2 failed, 0 skipped"

    write("pure", PURE.format("1 == 2"))
    assert run()[::2] == (1, {"tests/test_pure.py::test_pure"}), "it ends at once"


def test_every_test_is_in_one_part_and_a_suite_runs_each() -> None:
    for size in range(len(marks.KNOWN) + 1):
        for some in combinations(sorted(marks.KNOWN), size):
            assert sum(marks.is_in(name, frozenset(some)) for name in marks.PARTS) == 1, some
    options = [word for part in (*suite.GATE, *suite.WEEKLY) for word in part.options]
    assert {f"--part={name}" for name in marks.PARTS} <= set(options)


@pytest.mark.skipif(os.geteuid() != 0, reason="this wants root")
@pytest.mark.live
def test_what_an_earlier_run_left_is_not_seen_nor_what_this_one_makes() -> None:
    def world(script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ROOT / "tests/suite/world", "sh", "-c", script], check=False, text=True,
            capture_output=True, stdin=subprocess.DEVNULL, env=outside,
        )  # fmt: skip

    outside = {name: value for name, value in os.environ.items() if name != "PPSLAB_TESTS_WORLD"}
    if why := world("true").stderr:
        pytest.skip(why)
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
