"""Building an image, by a double of docker: the bill of materials, and what is said of faults."""

from __future__ import annotations

import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from ppslab.core.errors import PpslabError
from ppslab.testbed.backends.images import IMAGES, Docker, Wishes, build
from ppslab.testbed.backends.images.building import BPF_PROGRAMS
from ppslab.testbed.backends.images.sbom import bill, installed
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
            [[ $1 != --iidfile ]] || echo sha256:node | tee "$2" >>"$HERE/images"
            [[ $1 != --tag ]] || echo "$2" >>"$HERE/images"
            shift
        done ;;
    create*) echo container-1 ;;
    export*) cat "$HERE/root.tar" ;;
    "rm --force") ;;
    run*) [[ -z ${UNHEALTHY:-} ]] || { echo "$UNHEALTHY" >&2; exit 1; } ;;
    *) echo "the double knows no: docker $*" >&2; exit 9 ;;
esac
"""

STATUS = """Package: iperf3
Status: install ok installed
Maintainer: Roberto Lumbreras <rover@debian.org>
Architecture: amd64
Version: 3.12-1+deb12u1
Description: Internet Protocol bandwidth measuring tool

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


def archive(path: Path, files: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as out:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            out.addfile(entry, io.BytesIO(content))
    return path


ROOT_FILES = {
    "var/lib/dpkg/status": STATUS.encode(),
    "etc/os-release": b"ID=debian\nVERSION_CODENAME=bookworm\n",
    "usr/local/bin/ppstraffic": b"a program",
}

WHEEL = {
    "opt/ppslab/.venv/lib/python3.11/site-packages/x.dist-info/METADATA": b"Metadata-Version: 2.1\n"
    b"Name: HDR_histogram\nVersion: 0.10.3\n\nIts words.\n",
    "usr/lib/python3/dist-packages/y.dist-info/METADATA": b"Name: debians\nVersion: 1\n\n",
}

WORDS = {"name": "x", "version": "1", "created": "2026-11-20T00:00:00+00:00", "arch": "amd64"}


@pytest.mark.long
def test_a_build_makes_the_bill_before_it_makes_the_image(
    docker: Docker, checkout: Path, tmp_path: Path
) -> None:
    archive(tmp_path / "root.tar", ROOT_FILES)
    wishes = Wishes(base="ppslab/base:bookworm", snapshot="none", network="host")
    built = build(IMAGES["generator"], checkout, wishes, docker, silent)
    assert (built.tag, built.size, built.packages) == ("ppslab/generator:latest", 105_800_000, 1)
    assert built.tried
    content = json.loads(built.sbom.read_text())
    assert [each["name"] for each in installed(content)] == ["iperf3"]
    assert content["components"][-1]["name"] == "ppstraffic"
    calls = (tmp_path / "calls").read_text()
    node, final = (line for line in calls.splitlines() if line.startswith("build"))
    for line in (node, final):
        assert "--build-arg BASE=ppslab/base:bookworm --build-arg SNAPSHOT=none" in line
        assert "--network host" in line
    assert "--target node" in node and "--tag ppslab/generator:latest" in final
    assert calls.index("export container-1") < calls.index(final)
    # Nothing of it stays with Docker or on the disk.
    assert "rm --force container-1" in calls
    assert not list((checkout / "_build/images").glob("*.tar"))


@pytest.mark.long
def test_a_bill_is_the_same_for_the_same_content(tmp_path: Path) -> None:
    root = archive(tmp_path / "root.tar", ROOT_FILES)
    ours = {"usr/local/bin/ppstraffic": "Apache-2.0"}
    first, second = (bill(root, **WORDS, ours=ours) for _ in range(2))
    assert first["serialNumber"] == second["serialNumber"]
    other = archive(tmp_path / "o.tar", ROOT_FILES | {"usr/local/bin/ppstraffic": b"another"})
    assert bill(other, **WORDS, ours=ours)["serialNumber"] != first["serialNumber"]


@pytest.mark.long
def test_a_bill_is_valid_cyclonedx(tmp_path: Path) -> None:
    validation = pytest.importorskip("cyclonedx.validation.json")
    schema = pytest.importorskip("cyclonedx.schema")
    root = archive(tmp_path / "root.tar", ROOT_FILES)
    ours = {"usr/local/bin/ppstraffic": "MikroTik EULA"}
    made = bill(root, **WORDS, ours=ours)
    validator = validation.JsonStrictValidator(schema.SchemaVersion.V1_6)
    assert validator.validate_str(json.dumps(made)) is None
    del made["components"][0]["name"]
    assert validator.validate_str(json.dumps(made)) is not None


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


@pytest.mark.long
def test_an_unhealthy_image_is_no_success(
    docker: Docker, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(tmp_path / "root.tar", ROOT_FILES)
    monkeypatch.setenv("UNHEALTHY", "iperf3: not found")
    with pytest.raises(PpslabError, match="iperf3"):
        build(IMAGES["generator"], checkout, Wishes("ppslab/base:bookworm"), docker, silent)


@pytest.mark.long
def test_a_build_takes_this_machines_way_to_registries_and_keeps_none_of_it(
    docker: Docker, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = IMAGES["seat"].ours
    archive(tmp_path / "root.tar", ROOT_FILES | dict.fromkeys(ours, b"a program") | WHEEL)
    trusted = tmp_path / "trusted.pem"
    trusted.write_text("an authority")
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mirror.example/simple")
    monkeypatch.setenv("PIP_INDEX_URL", "")
    seen: list[str] = []
    copy = checkout / "_build/images/certificates.pem"
    wishes = Wishes(base="ppslab/base:bookworm")
    built = build(IMAGES["seat"], checkout, wishes, docker, lambda _: seen.append(copy.read_text()))
    assert set(seen) == {"an authority"} and not copy.exists()
    names = {each["name"] for each in installed(json.loads(built.sbom.read_text()))}
    assert names == {"iperf3", "hdr-histogram"}
    calls = (tmp_path / "calls").read_text()
    assert calls.count("--build-arg UV_DEFAULT_INDEX=https://mirror.example/simple") == 2
    assert "PIP_INDEX_URL" not in calls
    archive(tmp_path / "root.tar", ROOT_FILES)
    build(IMAGES["generator"], checkout, wishes, docker, silent)
    assert "UV_DEFAULT_INDEX" not in (tmp_path / "calls").read_text()[len(calls) :]


def test_every_bpf_program_is_in_the_image() -> None:
    sources = {path.name.removesuffix(".bpf.c") for path in (ROOT / "images").rglob("*.bpf.c")}
    assert sources == set(BPF_PROGRAMS)
