"""Building an image, by a double of docker: what Docker is asked, and what is said of faults."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from ppslab.core.errors import PpslabError
from ppslab.testbed.backends.images import IMAGES, Docker, Wishes, build
from tests.system.setup.conftest import ROOT, silent

DOCKERFILES = sorted((ROOT / "images").glob("*/Dockerfile"))

#: A docker that keeps a log of how it was called, and answers as the real one does.
DOCKER = """#!/usr/bin/env bash
echo "$*" >>"$HERE/calls"
case "$1 $2" in
    "version --format") echo 20.10.24 ;;
    "image inspect")
        grep -qxF "$3" "$HERE/images" 2>/dev/null || exit 1
        echo '[{"Id": "sha256:abc", "Size": 105800000, "Os": "linux", "Architecture": "amd64"}]' ;;
    "pull --quiet") echo "lookup registry-1.docker.io: no such host" >&2; exit 1 ;;
    build*)
        [[ -z ${BUILD_FAILS:-} ]] || { echo "$BUILD_FAILS"; exit 1; }
        while [[ $# -gt 0 ]]; do
            [[ $1 != --tag ]] || echo "$2" >>"$HERE/images"
            shift
        done ;;
    run*) [[ -z ${UNHEALTHY:-} ]] || { echo "$UNHEALTHY" >&2; exit 1; } ;;
    *) echo "the double knows no: docker $*" >&2; exit 9 ;;
esac
"""


@pytest.fixture
def docker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Docker:
    """The double, as the only docker on the PATH; an image ppslab/base:bookworm is here."""
    program = tmp_path / "docker"
    program.write_text(DOCKER)
    program.chmod(0o755)
    (tmp_path / "images").write_text("ppslab/base:bookworm\n")
    monkeypatch.setenv("HERE", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return Docker()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "checkout"
    for path in DOCKERFILES:
        (root / path.parent.relative_to(ROOT)).mkdir(parents=True)
        shutil.copy(path, root / path.relative_to(ROOT))
    return root


@pytest.mark.parametrize(
    ("said", "helps"),
    [
        ("E: Failed to fetch http://snapshot.debian.org/archive/debian", "SNAPSHOT=none"),
        ("W: Temporary failure resolving 'deb.debian.org'", "NETWORK=host"),
        ("write /var/lib/docker/tmp/x: no space left on device", "docker image prune"),
    ],
)
def test_a_failed_build_says_what_helps(
    docker: Docker, checkout: Path, monkeypatch: pytest.MonkeyPatch, said: str, helps: str
) -> None:
    monkeypatch.setenv("BUILD_FAILS", said)
    with pytest.raises(PpslabError) as caught:
        build(IMAGES["generator"], checkout, Wishes("ppslab/base:bookworm"), docker, silent)
    assert said in str(caught.value) and helps in str(caught.value)
    assert "_build/images/generator.log" in str(caught.value)


def test_an_unhealthy_image_is_no_success(
    docker: Docker, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNHEALTHY", "iperf3: not found")
    with pytest.raises(PpslabError, match="iperf3"):
        build(IMAGES["generator"], checkout, Wishes("ppslab/base:bookworm"), docker, silent)


def test_a_build_takes_this_machines_way_to_registries_and_keeps_none_of_it(
    docker: Docker, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trusted = tmp_path / "trusted.pem"
    trusted.write_text("an authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_INDEX_URL", "")
    seen: list[str] = []
    copy = checkout / "_build/images/certificates.pem"
    wishes = Wishes(base="ppslab/base:bookworm")
    build(IMAGES["seat"], checkout, wishes, docker, lambda _: seen.append(copy.read_text()))
    assert set(seen) == {"an authority"} and not copy.exists()
    calls = (tmp_path / "calls").read_text()
    assert calls.count("--build-arg UV_DEFAULT_INDEX=https://mirror.example/simple") == 1
    assert "PIP_INDEX_URL" not in calls
    build(IMAGES["generator"], checkout, wishes, docker, silent)
    assert "UV_DEFAULT_INDEX" not in (tmp_path / "calls").read_text()[len(calls) :]
