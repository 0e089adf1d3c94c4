"""The images: what their Dockerfiles promise, and what is said when they cannot be built."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ppslab.backends.images import IMAGES, Docker, Wishes, build
from ppslab.backends.images.building import BPF_PROGRAMS, default_argument, origin_of
from ppslab.backends.images.docker import complaint
from ppslab.backends.images.sbom import bill, installed
from ppslab.base.errors import CannotHereError, FileError, PpslabError
from tests.support.waiting import PATIENCE
from tests.system.setup.conftest import Run

ROOT = Path(__file__).resolve().parents[3]
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


def silent(_text: str) -> None:
    pass


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
def test_the_container_goes_also_when_the_image_lacks_our_program(
    docker: Docker, checkout: Path, tmp_path: Path
) -> None:
    files = {name: text for name, text in ROOT_FILES.items() if "ppstraffic" not in name}
    archive(tmp_path / "root.tar", files)
    with pytest.raises(PpslabError, match=r"/usr/local/bin/ppstraffic is not in the image"):
        build(IMAGES["generator"], checkout, Wishes("ppslab/base:bookworm"), docker, silent)
    assert "rm --force container-1" in (tmp_path / "calls").read_text()


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


def test_without_a_base_it_says_how_to_make_one(docker: Docker, checkout: Path) -> None:
    with pytest.raises(CannotHereError) as caught:
        build(IMAGES["generator"], checkout, Wishes(), docker, silent)
    assert "no such host" in caught.value.reason
    assert "make image-base" in caught.value.remedy


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


def test_a_failure_that_nobody_knows_gets_no_advice(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("gcc: error: frame.c: unheard of\n")
    assert complaint("docker build", log).splitlines() == [
        "docker build failed:",
        "  gcc: error: frame.c: unheard of",
        f"The whole log: {log}",
    ]


@pytest.mark.long
def test_an_unhealthy_image_is_no_success(
    docker: Docker, checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(tmp_path / "root.tar", ROOT_FILES)
    monkeypatch.setenv("UNHEALTHY", "iperf3: not found")
    with pytest.raises(PpslabError, match=r"not healthy: iperf3: not found"):
        build(IMAGES["generator"], checkout, Wishes("ppslab/base:bookworm"), docker, silent)


def test_no_docker_and_a_docker_that_sleeps(tmp_path: Path) -> None:
    with pytest.raises(CannotHereError, match=r"apt-get install docker\.io"):
        Docker(str(tmp_path / "docker"))
    asleep = tmp_path / "docker"
    asleep.write_text("#!/bin/sh\necho 'Cannot connect to the Docker daemon' >&2\nexit 1\n")
    asleep.chmod(0o755)
    with pytest.raises(CannotHereError) as caught:
        Docker(str(asleep))
    assert "Cannot connect" in caught.value.reason and "systemctl start" in caught.value.remedy


def test_the_script_answers_wrong_words_with_two(run: Run, root: Path, docker: Docker) -> None:
    done = run(root / ".venv/bin/python", "scripts/images", "router")
    assert done.returncode == 2
    assert "there is no image router" in done.stderr and "generator" in done.stderr


def test_a_dockerfile_without_a_default_is_named(tmp_path: Path) -> None:
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    with pytest.raises(FileError, match=r"has no default for BASE"):
        default_argument(tmp_path / "Dockerfile", "BASE")


def test_what_differs_from_its_commit_says_so(tmp_path: Path) -> None:
    def git(*argv: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        subprocess.run(["git", "-C", str(tmp_path), *who, *argv], check=True, capture_output=True)

    git("init")
    (tmp_path / "images").mkdir()
    (tmp_path / "images/a").write_text("1")
    git("add", ".")
    git("commit", "-m", "x")
    revision = origin_of(tmp_path, ("images",)).revision
    assert re.fullmatch(r"[0-9a-f]{40}", revision)
    (tmp_path / "images/a").write_text("2")
    assert origin_of(tmp_path, ("images",)).revision == f"{revision}-changed"


# --- the Dockerfiles ------------------------------------------------------------------------


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


@pytest.mark.parametrize("path", ["images/install", "images/node", "scripts/image-base"])
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
    script = (root / "scripts/image-base").read_text()
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


# --- with a real Docker ---------------------------------------------------------------------


def real(argv: list[str], **words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        **words,  # type: ignore[call-overload]
    )


@pytest.fixture(scope="module")
def images_here() -> Callable[..., subprocess.CompletedProcess[str]]:
    if shutil.which("docker") is None or real(["docker", "version"]).returncode:
        pytest.skip("no Docker answers here: sudo apt-get install docker.io")
    for name in IMAGES:
        if real(["docker", "image", "inspect", f"ppslab/{name}:latest"]).returncode:
            pytest.skip(f"ppslab/{name}:latest is not here: make images")

    def run(image: str, *argv: str, more: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        where = ("--rm", "--network", "none", *more, f"ppslab/{image}:latest")
        return real(["docker", "run", *where, *argv])

    return run


def test_the_images_hold_what_the_labs_call(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    for image, programs in {
        "generator": "ppstraffic iperf3 tcpdump ethtool nft ip tc ping sysctl",
        "linux-router": "bpftool conntrack ethtool modprobe nft ip tc pppd pppoe-server ping "
        "sysctl tcpdump",
    }.items():
        done = images_here(image, "sh", "-ec", f"for p in {programs}; do command -v $p; done")
        assert done.returncode == 0, f"{image}: {done.stdout}"


def test_a_node_waits_as_nobody_special_and_stops_at_once(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    argv = ["docker", "run", "--detach", "--network", "none", "ppslab/generator:latest"]
    container = real(argv).stdout.strip()
    try:
        command = ["docker", "exec", container, "stat", "--format", "%U", "/proc/1"]
        assert real(command).stdout.strip() == "ppslab"
        done = real(["docker", "stop", "--time", "20", container])
        assert done.returncode == 0
        state = real(["docker", "inspect", "--format", "{{.State.ExitCode}}", container])
        # 143 is SIGTERM's: it did not have to be killed.
        assert state.stdout.strip() == "143"
    finally:
        real(["docker", "rm", "--force", container])


def test_the_tester_needs_no_root(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    user = ("--user", "ppslab")
    assert images_here("generator", "/usr/lib/ppslab/health", more=user).returncode == 0
    done = images_here("generator", "/usr/lib/ppslab/health", more=(*user, "--cap-drop", "ALL"))
    assert done.returncode == 1 and "CAP_NET_RAW" in done.stderr


def test_the_bill_is_in_the_image(
    images_here: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    for image in IMAGES:
        done = images_here(image, "cat", f"/usr/share/doc/ppslab/{image}.cdx.json")
        names = {each["name"] for each in json.loads(done.stdout)["components"]}
        assert "iproute2" in names
        listed = images_here(image, "dpkg-query", "-W", "-f", "${Package}\n").stdout.split()
        assert set(listed) <= names
