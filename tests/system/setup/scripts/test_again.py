"""What fetches gets three tries, and what a killed set-up left half done is mended."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.system.setup.conftest import Run

FAST = {"PPSLAB_PAUSES": "0 0"}
FAILS = 'echo try >> "$0"; test "$(wc -l < "$0")" -gt {}'


@pytest.mark.parametrize(("failures", "tries", "code"), [(0, 1, 0), (2, 3, 0), (3, 3, 1)])
def test_three_tries(run: Run, tmp_path: Path, failures: int, tries: int, code: int) -> None:
    told = tmp_path / "tries"
    done = run("scripts/setup/again", "bash", "-c", FAILS.format(failures), told, env=FAST)
    assert done.returncode == code
    assert len(told.read_text().splitlines()) == tries
    assert done.stderr.count("trying again") == tries - 1


def test_ctrl_c_is_no_reason_to_try_again(run: Run) -> None:
    done = run("scripts/setup/again", "bash", "-c", "exit 130", env=FAST)
    assert (done.returncode, done.stderr) == (130, "")


def test_without_a_command_it_says_how(run: Run) -> None:
    done = run("scripts/setup/again")
    assert done.returncode == 2
    assert "usage:" in done.stderr


def test_the_pauses_grow(run: Run, tmp_path: Path) -> None:
    (tmp_path / "sleep").write_text('#!/bin/sh\necho "$1" >> "$(dirname "$0")/slept"\n')
    (tmp_path / "sleep").chmod(0o755)
    run("scripts/setup/again", "false", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    first, second = map(float, (tmp_path / "slept").read_text().split())
    assert 0 < first < second


def test_all_that_is_fetched_gets_them(run: Run) -> None:
    recipe = run("make", "--dry-run", "--always-make", "test").stdout.splitlines()
    linters = (".venv/bin/mypy ", ".venv/bin/ruff ")  # they read the scripts, and run none
    recipe = [line for line in recipe if not line.startswith(linters)]
    for fetched in ("setup/get-uv", "uv sync", "npm ci --prefix", "setup/guest-kernel"):
        lines = [line for line in recipe if fetched in line and not line.startswith("echo")]
        assert lines and all("scripts/setup/again" in line for line in lines), fetched


@pytest.mark.long
def test_an_environment_without_its_python_is_made_anew(
    run: Run, root: Path, tmp_path: Path
) -> None:
    """As a set-up that was killed leaves one, or Debian's next Python; uv refuses it."""
    for name in ("Makefile", "pyproject.toml", "uv.lock"):
        shutil.copy(root / name, tmp_path)
    (tmp_path / "scripts").symlink_to(root / "scripts")
    uv = tmp_path / "_build/uv/bin/uv"
    uv.parent.mkdir(parents=True)
    # It refuses as uv does, and makes what a test may ask for.
    uv.write_text("#!/bin/sh\ntest ! -e .venv || exit 2\nmkdir -p .venv/bin\n")
    uv.chmod(0o755)
    for stamp in ("system-python", "uv"):
        (tmp_path / "_build/stamps").mkdir(exist_ok=True)
        (tmp_path / "_build/stamps" / stamp).touch()
    (tmp_path / ".venv/bin").mkdir(parents=True)
    (tmp_path / ".venv/bin/python").symlink_to("/gone/python")
    done = run("make", ".venv/.synced", "--old-file=_build/stamps/uv", cwd=tmp_path, env=FAST)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (tmp_path / ".venv/bin/python").is_symlink()


def test_a_dpkg_that_was_killed_is_mended_first(run: Run, tmp_path: Path) -> None:
    """apt-get would refuse for ever: "dpkg was interrupted"."""
    if os.geteuid() != 0:
        pytest.skip("wants root, or a sudo without a password")
    told = tmp_path / "told"
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("dpkg", "apt-get"):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {told}\n')
        (programs / name).chmod(0o755)
    (tmp_path / "packages.txt").write_text("python pps-none pps-none nothing\n")
    env = {
        **FAST,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PPSLAB_SYSTEM_PACKAGES": str(tmp_path / "packages.txt"),
    }
    done = run("scripts/setup/system-packages", "python", env=env)
    assert done.returncode == 0, done.stderr
    first, *rest = told.read_text().splitlines()
    assert first == "dpkg --configure -a"
    assert [line.split()[0] for line in rest] == ["apt-get", "apt-get"]


def test_a_mirror_that_is_away_for_a_moment_is_asked_again(run: Run, tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("wants root, or a sudo without a password")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "dpkg").write_text("#!/bin/sh\n")
    (programs / "apt-get").write_text(
        f"#!/bin/sh\ncase $* in *install*) echo try >> {tmp_path}/tries;; esac\n"
        f'case $* in *install*) test "$(wc -l < {tmp_path}/tries)" -gt 2;; esac\n'
    )
    for path in programs.iterdir():
        path.chmod(0o755)
    (tmp_path / "packages.txt").write_text("python pps-none pps-none nothing\n")
    env = {
        **FAST,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PPSLAB_SYSTEM_PACKAGES": str(tmp_path / "packages.txt"),
    }
    done = run("scripts/setup/system-packages", "python", env=env)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tries").read_text().count("try") == 3
