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
