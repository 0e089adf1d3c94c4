"""The Makefile: it lists itself, and does nothing twice."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests.suite import marks
from tests.suite import parts as suite_parts
from tests.system.setup.conftest import Run

# The README's words.
PROMISED = "book check test site serve lab notebook lint format clean doctor setup".split()


def targets(text: str) -> dict[str, str]:
    return dict(re.findall(r"^  make (\S+) +(\S.*)$", text, re.MULTILINE))


def test_make_alone_lists_every_target_in_one_line(run: Run, root: Path) -> None:
    listed = targets(run("make").stdout)
    assert set(PROMISED) <= set(listed)
    for target in listed:
        assert re.search(rf"^\.PHONY:.*\b{target}\b", (root / "Makefile").read_text(), re.MULTILINE)


def test_make_help_is_make_alone(run: Run) -> None:
    assert run("make", "help").stdout == run("make").stdout


@pytest.mark.long
def test_every_listed_target_exists(run: Run) -> None:
    for target in targets(run("make").stdout):
        done = run("make", "--dry-run", target)
        assert done.returncode == 0, f"make {target}: {done.stderr}"


def test_a_second_setup_does_nothing(run: Run) -> None:
    done = run("make", "--question", "setup")
    assert done.returncode == 0, f"make setup would do again:\n{run('make', '-n', 'setup').stdout}"


def test_a_changed_list_of_packages_is_seen(run: Run, root: Path) -> None:
    """The question above can be answered with yes."""
    done = run("make", "--question", "--what-if=scripts/setup/system-packages.txt", "setup")
    assert done.returncode == 1


@pytest.mark.parametrize(
    "changed", ["uv.lock", "traffic/Makefile", "images/linux-router/bpf/fib_forward.bpf.c"]
)
def test_what_changed_is_made_again(run: Run, changed: str) -> None:
    assert run("make", "--question", f"--what-if={changed}", "setup").returncode == 1


def test_elsewhere_than_linux_it_says_what_to_do(run: Run, tmp_path: Path) -> None:
    uname = tmp_path / "uname"
    uname.write_text("#!/bin/sh\necho Darwin\n")
    uname.chmod(0o755)
    env = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert "WSL2 or a Linux VM" in run("make", env=env).stdout
    refused = run("make", "setup", env=env)
    assert refused.returncode != 0
    assert "This needs Linux: use WSL2 or a Linux VM" in refused.stderr
    # The site needs only Python: no package but Python's is asked for.
    asked = run("make", "--dry-run", "--always-make", "site", env=env).stdout
    assert re.findall(r"system-packages (\w+)", asked) == ["python"]


@pytest.mark.long
def test_it_works_in_a_folder_with_spaces(run: Run, root: Path, tmp_path: Path) -> None:
    there = tmp_path / "a lab of my own"
    (there / "images/linux-router/bpf").mkdir(parents=True)
    for name in ("Makefile", "scripts"):
        source = root / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, there / name)
    for source in (root / "images/linux-router/bpf").iterdir():
        shutil.copy(source, there / "images/linux-router/bpf")
    done = run("make", "bpf", cwd=there)
    assert done.returncode == 0, done.stderr
    assert (there / "_build/bpf/fib_forward.o").stat().st_size > 0
    again = run("make", "bpf", cwd=there)
    assert "Nothing to be done" in again.stdout


def test_a_failing_command_in_a_pipe_fails_the_recipe(run: Run, root: Path, tmp_path: Path) -> None:
    head = (root / "Makefile").read_text().split("LAB ?=")[0]
    (tmp_path / "Makefile").write_text(head + "help:\n\t@false | cat\n")
    assert run("make", cwd=tmp_path).returncode != 0


def test_every_test_is_in_one_of_the_parts(run: Run, root: Path) -> None:
    """And `make test` and `make test-timed` are all of them."""
    suites = (suite_parts.GATE, suite_parts.ONLY_TIMED)
    options = [word for suite in suites for part in suite.parts for word in part.options]
    named = [word.removeprefix("--part=") for word in options if word.startswith("--part=")]
    assert named == list(marks.PARTS)
    assert "--part=check" in run("make", "--dry-run", "check").stdout
    files = [*sorted((root / "tests").rglob("test_*.py")), *(root / "notebooks").glob("*.ipynb")]
    parts = {
        path: [p for p in marks.PARTS if marks.is_in(p, marks.of_file(path))] for path in files
    }
    assert {tuple(found) for found in parts.values()} == {
        ("check",), ("together",), ("quiet",), ("alone",), ("timed",),
    }  # fmt: skip


def test_the_tests_run_once_everything_is_fetched(run: Run) -> None:
    """In a world without a network; ONLY takes the tests of one mark."""
    for target, words, told in (
        ("test", (), "-m tests.suite "),
        ("test", ("ONLY=guest",), "-m tests.suite --only 'guest'"),
        ("test-timed", (), "-m tests.suite --timed "),
    ):
        recipe = run("make", "--dry-run", "--always-make", target, *words).stdout
        *before, last = recipe.splitlines()
        assert last.endswith(told)
        for fetched in ("npm ci --prefix tests/system/browser", "setup/guest-kernel", "uv sync"):
            assert fetched in "\n".join(before)


@pytest.mark.long
def test_only_changed_pages_are_read_again_for_their_routeros(run: Run) -> None:
    """After the first time; but a changed file of a lab is a reason to read every page again."""
    done = run("make", "lint-routeros")
    assert done.returncode == 0, done.stdout + done.stderr
    for changed, pages in (("book/method.md", 1), ("labs/fastpath/lab.yml", 40)):
        recipe = run("make", "--dry-run", f"--what-if={changed}", "lint-routeros").stdout
        (line,) = [
            line for line in recipe.splitlines() if "rsc lint" in line and "echo" not in line
        ]
        assert len(re.findall(r"\S+\.(?:md|rsc|ipynb)\b", line)) >= pages
        assert (len(line.split()) == 4) == (pages == 1), line
