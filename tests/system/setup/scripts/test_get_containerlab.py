"""scripts/setup/get-containerlab: what is pinned is installed, anything else is not."""

from __future__ import annotations

import hashlib
import io
import platform
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.system.setup.conftest import Run

NAMES = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}
HERE = NAMES.get(platform.machine())

pytestmark = pytest.mark.skipif(HERE is None, reason="containerlab has no release for this machine")

PROGRAM = "#!/bin/sh\necho '    version: 0.79.0'\n"
# A curl that takes the release from a file, and says what it was asked for.
CURL = """#!/bin/sh
for word; do last=$word; done
echo "$last" >>{log}
while [ "$1" != --output ]; do shift; done
cp {release} "$2"
"""


class Release:
    """A release on a disk, the script with its pins, and a curl that brings the release."""

    def __init__(self, folder: Path, root: Path, run: Run) -> None:
        self.archive = f"containerlab_0.79.0_{HERE}.tar.gz"
        self.into, self.log = folder / "bin with a space", folder / "asked"
        self._folder, self._run = folder, run
        (folder / "scripts/setup").mkdir(parents=True)
        shutil.copy(root / "scripts/setup/get-containerlab", folder / "scripts/setup")
        (folder / "fake").mkdir()
        curl = folder / "fake/curl"
        curl.write_text(CURL.format(log=self.log, release=folder / "release"))
        curl.chmod(0o755)

    def made_of(self, program: str) -> str:
        """Put a release there; its SHA-256."""
        with tarfile.open(self._folder / "release", "w:gz") as archive:
            member = tarfile.TarInfo("containerlab")
            member.size, member.mode = len(program), 0o755
            archive.addfile(member, io.BytesIO(program.encode()))
        return hashlib.sha256((self._folder / "release").read_bytes()).hexdigest()

    def pin(self, sha256: str) -> None:
        text = f"# a comment\n0.79.0\n{sha256}  {self.archive}\n"
        (self._folder / "scripts/setup/containerlab.txt").write_text(text)

    def get(self, *words: Any) -> Any:
        path = f"{self._folder / 'fake'}:/usr/bin:/bin"
        argv = words or (self.into,)
        return self._run(self._folder / "scripts/setup/get-containerlab", *argv, env={"PATH": path})


@pytest.fixture
def release(tmp_path: Path, root: Path, run: Run) -> Release:
    return Release(tmp_path, root, run)


def test_the_pinned_release_is_installed_once(release: Release) -> None:
    release.pin(release.made_of(PROGRAM))
    done = release.get()
    assert done.returncode == 0, done.stderr
    assert (release.into / "containerlab").stat().st_mode & 0o777 == 0o755
    assert release.get().returncode == 0
    (asked,) = release.log.read_text().split()
    assert asked == (
        f"https://github.com/srl-labs/containerlab/releases/download/v0.79.0/{release.archive}"
    )


def test_a_release_that_somebody_changed_is_not_installed(release: Release) -> None:
    pinned = release.made_of(PROGRAM)
    found = release.made_of(PROGRAM + "# changed\n")
    release.pin(pinned)
    done = release.get()
    assert done.returncode == 3
    assert f"{found}, not {pinned}" in done.stderr and "nothing was installed" in done.stderr
    assert not release.into.exists()
