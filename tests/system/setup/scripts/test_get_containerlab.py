"""scripts/setup/get-containerlab: what is pinned is installed, anything else is not."""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.system.setup.conftest import Run

HERE = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}.get(platform.machine())
ARCHIVE = f"containerlab_0.79.0_{HERE}.tar.gz"

pytestmark = pytest.mark.skipif(HERE is None, reason="containerlab has no release for this machine")

PROGRAM = b"#!/bin/sh\necho '    version: 0.79.0'\n"
# A curl that takes the release from a file, and says what it was asked for.
CURL = """#!/bin/sh
for word; do last=$word; done
echo "$last" >>{0}/asked
while [ "$1" != --output ]; do shift; done
cp {0}/release "$2"
"""


@pytest.fixture
def get(tmp_path: Path, root: Path, run: Run) -> Callable[[bytes], Any]:
    """Pin PROGRAM's release, and install what curl brings into `bin with a space`."""
    scripts = tmp_path / "scripts/setup"
    scripts.mkdir(parents=True)
    shutil.copy(root / "scripts/setup/get-containerlab", scripts)
    curl = tmp_path / "fake/curl"
    curl.parent.mkdir()
    curl.write_text(CURL.format(tmp_path))
    curl.chmod(0o755)

    def release(program: bytes) -> str:
        with tarfile.open(tmp_path / "release", "w:gz") as archive:
            member = tarfile.TarInfo("containerlab")
            member.size, member.mode = len(program), 0o755
            archive.addfile(member, io.BytesIO(program))
        return hashlib.sha256((tmp_path / "release").read_bytes()).hexdigest()

    def get(brought: bytes) -> Any:
        pinned = f"# a comment\n0.79.0\n{release(PROGRAM)}  {ARCHIVE}\n"
        (scripts / "containerlab.txt").write_text(pinned)
        if brought != PROGRAM:
            release(brought)
        path = f"{tmp_path}/fake:/usr/bin:/bin"
        return run(scripts / "get-containerlab", tmp_path / "bin with a space", env={"PATH": path})

    return get


@pytest.mark.parametrize("before", [None, PROGRAM.replace(b"0.79.0", b"0.70.1")])
def test_the_pinned_release_is_installed_once(
    get: Callable[[bytes], Any], tmp_path: Path, before: bytes | None
) -> None:
    program = tmp_path / "bin with a space/containerlab"
    if before:
        program.parent.mkdir()
        program.write_bytes(before)
        program.chmod(0o755)
    done = get(PROGRAM)
    assert done.returncode == 0, done.stderr
    assert program.read_bytes() == PROGRAM and program.stat().st_mode & 0o777 == 0o755
    assert get(PROGRAM).returncode == 0
    (asked,) = (tmp_path / "asked").read_text().split()
    assert asked == (
        f"https://github.com/srl-labs/containerlab/releases/download/v0.79.0/{ARCHIVE}"
    )


def test_a_release_that_somebody_changed_is_not_installed(
    get: Callable[[bytes], Any], tmp_path: Path
) -> None:
    done = get(PROGRAM + b"# changed\n")
    assert done.returncode == 3
    assert "nothing was installed" in done.stderr
    assert not (tmp_path / "bin with a space").exists()
