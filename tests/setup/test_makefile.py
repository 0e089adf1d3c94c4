"""The Makefile: it lists itself, and does nothing twice."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

from tests import conftest as parts
from tests.setup.conftest import Run

PROMISED = (
    "book test site serve lab notebook lint format clean doctor setup".split()  # the README's words
)


def targets(text: str) -> dict[str, str]:
    return dict(re.findall(r"^  make (\S+) +(\S.*)$", text, re.MULTILINE))


def test_make_alone_lists_every_target_in_one_line(run: Run, root: Path) -> None:
    listed = targets(run("make").stdout)
    assert set(PROMISED) <= set(listed)
    for target in listed:
        assert re.search(rf"^\.PHONY:.*\b{target}\b", (root / "Makefile").read_text(), re.MULTILINE)


def test_make_help_is_make_alone(run: Run) -> None:
    assert run("make", "help").stdout == run("make").stdout


def test_every_listed_target_exists(run: Run) -> None:
    for target in targets(run("make").stdout):
        done = run("make", "--dry-run", target)
        assert done.returncode == 0, f"make {target}: {done.stderr}"


def test_a_second_setup_does_nothing(run: Run) -> None:
    done = run("make", "--question", "setup")
    assert done.returncode == 0, f"make setup would do again:\n{run('make', '-n', 'setup').stdout}"


def test_a_changed_list_of_packages_is_seen(run: Run, root: Path) -> None:
    """The question above can be answered with yes."""
    done = run("make", "--question", "--what-if=scripts/system-packages.txt", "setup")
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


def test_every_test_is_in_one_of_the_two_parts(run: Run, root: Path) -> None:
    """And each file that tests/conftest.py names is there: an old name would hide nothing."""
    recipe = run("make", "--dry-run", "test").stdout
    assert re.findall(r"--part=(\w+)", recipe) == ["together", "alone"]
    for name in parts.ALONE:
        assert (root / "tests" / name).is_file(), name
    for path in sorted((root / "tests").rglob("test_*.py")):
        left_out = [parts.is_left_out(path, part) for part in ("together", "alone")]
        assert sorted(left_out) == [False, True], path
