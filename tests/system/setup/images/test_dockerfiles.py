"""What the Dockerfiles promise: one base, one day, the same compiler's words, nothing besides."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from ppslab.backends.images.building import BPF_PROGRAMS, default_argument
from ppslab.base.errors import FileError
from tests.system.setup.images.dockerfiles import DOCKERFILES, ROOT


def test_a_dockerfile_without_a_default_is_named(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    with pytest.raises(FileError, match=r"has no default for BASE"):
        default_argument(tmp_path / "Dockerfile", "BASE")


def test_all_stand_on_one_base_by_its_digest_and_on_one_day() -> None:
    assert len(DOCKERFILES) == 4
    (base,) = {default_argument(path, "BASE") for path in DOCKERFILES}
    assert re.fullmatch(r"debian:bookworm-slim@sha256:[0-9a-f]{64}", base)
    days = {
        day
        for path in DOCKERFILES
        for day in re.findall(r"^ARG SNAPSHOT=(\S+)", path.read_text(), re.M)
    }
    (day,) = days
    assert re.fullmatch(r"20\d{6}T000000Z", day)


@pytest.mark.parametrize("path", DOCKERFILES, ids=lambda path: path.parent.name)
def test_a_dockerfile_needs_no_new_docker(path: Path) -> None:
    """Debian 12's builder is the one before BuildKit: no heredoc, mount, link or chmod."""
    text = path.read_text()
    assert not re.search(r"<<|--mount|--link|--chmod|# syntax|TARGETARCH", text)
    assert "HEALTHCHECK" in text and "org.opencontainers.image.title" in text
    # Every package comes by the script that pins them.
    assert "apt-get" not in re.sub(r"^#.*", "", text, flags=re.M)
    for source in re.findall(r"^COPY (?!--from)(.*) \S+$", text, re.M):
        for each in source.split():
            if "*" not in each and "[" not in each and path.parent.name != "chr":
                assert (ROOT / each).exists(), each


def test_bpf_is_compiled_in_the_image_as_on_this_machine() -> None:
    flags = r"clang (-O2 .*?-target bpf) "
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", "")
    (here,) = re.findall(flags, makefile)
    for name in ("linux-router", "seat"):
        dockerfile = (ROOT / f"images/{name}/Dockerfile").read_text().replace("\\\n", "")
        assert re.findall(flags, dockerfile) == [here], name
    sources = {path.name.removesuffix(".bpf.c") for path in (ROOT / "images").rglob("*.bpf.c")}
    assert sources == set(BPF_PROGRAMS)
    assert set(re.search(r"for object in (.*);", health("linux-router"))[1].split()) == sources  # type: ignore[index]


def health(name: str) -> str:
    return (ROOT / f"images/{name}/health").read_text()


def test_docker_is_sent_the_sources_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    rules = [line for line in lines if not line.startswith("#")]
    assert rules[0] == "*"
    sent = {rule.removeprefix("!") for rule in rules if rule.startswith("!")}
    copied = {
        source.split("/")[0]
        for path in DOCKERFILES
        if path.parent.name != "chr"
        for line in re.findall(r"^COPY (?!--from)(.*) \S+$", path.read_text(), re.M)
        for source in line.split()
    }
    made = {each for each in sent if each.startswith("_build/")}
    assert made == {"_build/images/*.cdx.json", "_build/images/certificates.pem"}
    assert sent - made == copied - {"_build"}
    assert {rule for rule in rules[1:] if not rule.startswith("!")} == {
        "results/local", "**/__pycache__", "**/.ipynb_checkpoints",
    }  # fmt: skip


@pytest.mark.parametrize("path", ["images/install", "images/node", "scripts/containers/image-base"])
def test_scripts_are_scripts(path: str) -> None:
    assert os.access(ROOT / path, os.X_OK)


def test_a_snapshot_is_debians_only(tmp_path: Path) -> None:
    """images/install, with an os-release of another system."""
    script = (ROOT / "images/install").read_text().replace("/etc/os-release", str(tmp_path / "os"))
    (tmp_path / "os").write_text("ID=ubuntu\nPRETTY_NAME='Ubuntu 24.04'\n")
    done = subprocess.run(
        ["sh", "-c", script, "install", "iperf3"],
        env={"SNAPSHOT": "20261120T000000Z", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and "SNAPSHOT=none" in done.stderr


@pytest.mark.parametrize(
    ("missing", "helps"),
    [("debootstrap", "apt-get install debootstrap"), ("docker", "apt-get install docker.io")],
)
def test_image_base_says_what_is_missing(
    tmp_path: Path, root: Path, missing: str, helps: str
) -> None:
    script = (root / "scripts/containers/image-base").read_text()
    # Its own PATH=... line would bring this machine's programs back in.
    script = re.sub(r"^PATH=.*\n", "", script, flags=re.M)
    for each in {"debootstrap", "docker"} - {missing}:
        (tmp_path / each).write_text("#!/bin/sh\n")
        (tmp_path / each).chmod(0o755)
    done = subprocess.run(
        ["/bin/bash", "-c", script],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3 and helps in done.stderr
