"""`make test` on a small project whose tests are red, disturbed, unsteady, or never end."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from tests.suite import opinion, parts
from tests.support.waiting import PATIENCE, until

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare is not installed"),
]

ROOT = Path(__file__).resolve().parents[4]

PURE = """
def test_pure():
    assert {pure}
"""
ALONE = """
import os
import pytest
pytestmark = [pytest.mark.live, pytest.mark.alone]

def test_alone():
    assert "NO_COLOR" not in os.environ
"""
LIVE = """
from pathlib import Path
import pytest
pytestmark = pytest.mark.live

def test_whole():
    assert {whole}

def test_disturbed():
    seen = Path("seen")
    known, _ = seen.exists(), seen.touch()
    assert known, "disturbed the first time"

@pytest.mark.unsteady("a sample", since="2026-11-23")
def test_unsteady(tmp_path):
    assert 1 == 2
"""


HANGS = """
import threading
import pytest
pytestmark = pytest.mark.live

def test_hangs():
    threading.Event().wait()
"""


@dataclass
class Project:
    """A folder with the suite, a few tests and a notebook; where its runs are kept."""

    folder: Path
    cache: Path

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Begin `python -m tests.suite` there."""
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("PPSLAB_", "MAKE", "MF", "PYTEST_"))}  # fmt: skip
        return subprocess.Popen(
            [sys.executable, "-m", "tests.suite", *words],
            cwd=self.folder, text=True,
            env={**clean, "PPSLAB_CACHE": str(self.cache), "NO_COLOR": "1",
                 "PPSLAB_TESTS_TURN": str(self.cache.with_name("turn"))},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            start_new_session=True,
        )  # fmt: skip

    def run(self, *words: str) -> tuple[int, list[str]]:
        """Its exit code, and its report."""
        started = self.start(*words)
        said, _ = started.communicate(timeout=10 * PATIENCE)
        (report,) = self.cache.glob("tests/no-commit/*/report.txt")
        lines = report.read_text().splitlines()
        assert said.splitlines()[-len(lines) :] == lines
        return started.returncode, lines

    def test(self, name: str, text: str) -> None:
        (self.folder / "tests" / name).write_text(text)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    folder = tmp_path / "project"
    shutil.copytree(ROOT / "tests/suite", folder / "tests/suite")
    for name in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "Makefile").write_text("site lint:\n\t@echo made: $@\n")
    made = Project(folder, tmp_path / "cache")
    made.test("test_pure.py", PURE.format(pure=True))
    made.test("test_live.py", LIVE.format(whole=True))
    made.test("test_alone.py", ALONE)
    made.test("test_long.py", ALONE.replace("alone", "long").replace("mark.live", "mark.long"))
    _notebook(folder, "2")
    return made


def _notebook(folder: Path, stored: str) -> None:
    cell = nbformat.v4.new_code_cell("1 + 1", execution_count=1)
    output = {"text/plain": stored}
    cell.outputs = [nbformat.v4.new_output("execute_result", output, execution_count=1)]
    notebook = nbformat.v4.new_notebook(cells=[cell])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    (folder / "notebooks").mkdir(exist_ok=True)
    nbformat.write(notebook, folder / "notebooks/sum.ipynb")


def red(lines: list[str]) -> set[str]:
    """What the report names as red."""
    words = [line.split() for line in lines if line.startswith("FAILED ")]
    return {" ".join(each[1 : each.index("-")]) for each in words}


def test_what_is_green_the_second_time_is_green_and_told(project: Project) -> None:
    code, lines = project.run()
    assert code == 0, lines
    assert red(lines) == set()
    for told in ("tests/test_live.py::test_disturbed", "tests/test_live.py::test_unsteady"):
        assert any(told in line for line in lines)
    assert lines[-1] == "6 passed, 0 failed, 0 skipped"
    kept = {path.name for path in next(iter(project.cache.glob("tests/no-commit/*"))).iterdir()}
    assert {"log", "report.txt", "together.jsonl", "together.xml", "notebooks.xml"} <= kept


def test_a_defect_is_red_in_both_tries_wherever_it_is(project: Project) -> None:
    """In what needs a kernel, in a notebook's stored figure, in what a marked file imports."""
    project.test("test_live.py", LIVE.format(whole="2 == 3"))
    project.test("test_broken.py", f"{ALONE}\nimport nothing_of_this_name\n")
    _notebook(project.folder, "3")
    code, lines = project.run()
    assert code == 1
    assert red(lines) == {
        "notebooks/sum.ipynb::Cell 0", "tests/test_live.py::test_whole", "tests/test_broken.py",
    }  # fmt: skip
    assert lines[-1] == "4 passed, 3 failed, 0 skipped"


def test_red_in_what_needs_only_python_ends_the_run(project: Project) -> None:
    """It has no second try, and what comes after it would say the same."""
    project.test("test_pure.py", PURE.format(pure="1 == 2"))
    code, lines = project.run()
    assert code == 1
    assert red(lines) == {"tests/test_pure.py::test_pure"}
    assert not [line for line in lines if line.startswith("together")]


@pytest.mark.parametrize(("target", "others"), [("lint", 0), ("site", 6)])
def test_a_target_that_fails_is_one_red_line(project: Project, target: str, others: int) -> None:
    """A linter ends the run; a site that is not built leaves only its pages' tests out."""
    other = {"lint": "site", "site": "lint"}[target]
    (project.folder / "Makefile").write_text(
        f"{other}:\n\n{target}:\n\t@echo 'x:3: error'; false\n"
    )
    page = "import pytest\npytestmark = pytest.mark.browser\n\ndef test_page():\n    assert False\n"
    project.test("test_page.py", page)
    code, lines = project.run()
    assert code == 1
    assert red(lines) == {f"make {target}"}
    assert lines[-1] == f"{others} passed, 1 failed, 0 skipped"


def test_a_test_that_never_ends_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "GRACE", 5.0)
    told = tmp_path / "hanging.jsonl"
    slow = tmp_path / "test_slow.py"
    slow.write_text("import threading\n\ndef test_hangs():\n    threading.Event().wait()\n")
    part = parts.Part("hanging", ("-c", str(ROOT / "pyproject.toml"), "-p", "no:nbval"))
    silent = threading.Thread(target=_silent_for_long, args=[told])
    silent.start()
    with (tmp_path / "log").open("wb", buffering=0) as log:
        ended = parts.run(
            part, tmp_path / "hanging", log, files=[str(slow)],
            ends_at=time.monotonic() + 2 * PATIENCE,
        )  # fmt: skip
        silent.join(PATIENCE)
        assert ended.why
        over = parts.run(part, tmp_path / "over", log, files=[str(slow)], ends_at=time.monotonic())
    assert over.why
    _, running = opinion.read(told)
    assert [name.split("::")[1] for name in running] == ["test_hangs"]


def _silent_for_long(told: Path) -> None:
    """Once the test has begun: how long pytest takes to begin says what else the machine does."""
    until(lambda: told.is_file() and "test_hangs" in told.read_text(), "the test that hangs")
    long_ago = time.time() - parts.SILENCE - 5 * 60
    os.utime(told, (long_ago, long_ago))


def test_ctrl_c_ends_all_and_still_reports(project: Project) -> None:
    project.test("test_slow.py", HANGS)
    started = project.start()

    def hangs() -> bool:
        told = project.cache.rglob("together.jsonl")
        return any("test_hangs" in path.read_text() for path in told)

    until(hangs, "the test that hangs")
    os.killpg(started.pid, signal.SIGINT)
    said, _ = started.communicate(timeout=PATIENCE)
    assert started.returncode == 130
    assert {"make test", "tests/test_live.py::test_disturbed"} <= red(said.splitlines())
    assert "Traceback" not in said


def test_who_counts_frames_waits_for_who_measures_and_not_for_who_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A load of one suite fills the backlog, in which the other's single frame is dropped."""
    monkeypatch.setattr(parts, "TURN", tmp_path / "turn")
    said: list[str] = []

    def takes(held: int, asked: int) -> bool:
        """Whether a turn is had at once while another is held."""
        said.clear()
        with parts.own_turn(said.append, held), parts.own_turn(said.append, asked, longest=0.1):
            return not said

    assert takes(fcntl.LOCK_SH, fcntl.LOCK_SH)
    assert not takes(fcntl.LOCK_SH, fcntl.LOCK_EX)
    assert not takes(fcntl.LOCK_EX, fcntl.LOCK_SH)
