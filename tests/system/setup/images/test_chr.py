"""CHR's image: its disk is vouched for by a hash, vrnetlab comes at its commit."""

from __future__ import annotations

import hashlib
import http.server
import os
import shutil
import subprocess
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ppslab.core.errors import CannotHereError, FileError, UsageError
from ppslab.testbed.backends.images import chr as chr_image
from ppslab.testbed.backends.images.chr import (
    FILES,
    as_vmdk,
    checked_version,
    fetched,
    kind_of,
    unpacked,
    verify,
    vrnetlab,
)
from tests.system.setup.conftest import silent

NAME = "chr-7.20.8.img.zip"


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    """What can be told of a raw disk from outside: the mark that ends its first sector."""
    path = tmp_path / "chr-7.20.8.img"
    path.write_bytes(bytes(510) + b"\x55\xaa" + bytes(65024))
    return path


@pytest.fixture
def zipped(tmp_path: Path, disk: Path) -> Path:
    path = tmp_path / NAME
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(disk, disk.name)
    return path


@pytest.fixture
def mirror(tmp_path: Path, zipped: Path) -> Iterator[str]:
    """A web server that has 7.20.8, and promises more of 7.22 than it sends."""
    site = tmp_path / "site"
    (site / "7.20.8").mkdir(parents=True)
    shutil.copy(zipped, site / "7.20.8")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *args: object) -> None:
            super().__init__(*args, directory=str(site))  # type: ignore[arg-type]

        def do_GET(self) -> None:
            if "7.22" not in self.path:
                super().do_GET()
                return
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            self.wfile.write(b"PK\x03\x04" + bytes(100))

        def log_message(self, *_args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_disk_is_fetched_once(mirror: str, tmp_path: Path, zipped: Path) -> None:
    said: list[str] = []
    there = fetched("7.20.8", tmp_path / "chr", said.append, mirror)
    assert there.read_bytes() == zipped.read_bytes()
    assert said == [f"downloading {mirror}/7.20.8/{NAME} ..."]
    assert fetched("7.20.8", tmp_path / "chr", said.append, "http://127.0.0.1:9") == there
    assert len(said) == 1


@pytest.mark.parametrize(("version", "error"), [("7.99.1", UsageError), ("7.22", CannotHereError)])
def test_what_is_not_there_or_is_cut_leaves_nothing(
    mirror: str, tmp_path: Path, version: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        fetched(version, tmp_path / "chr", silent, mirror)
    assert not list((tmp_path / "chr").iterdir())


@pytest.mark.parametrize("word", ["7", "6.49.10", "latest", "7.20.8/../..", "v7.20.8", ""])
def test_other_words_are_no_versions(word: str) -> None:
    with pytest.raises(UsageError):
        checked_version(word)


# --- the hash -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of_reader", "of_list", "error"),
    [
        ("{right}", "", None),
        (None, "# a comment\n\n{right}  {name}\n", None),
        ("{wrong}", "", FileError),
        ("abc", "", UsageError),
        (None, "{wrong}  {name}\n", FileError),
        (None, "", CannotHereError),
    ],
)
def test_a_disk_is_built_from_where_its_hash_is_the_reader_s_or_the_list_s(
    zipped: Path, tmp_path: Path, of_reader: str | None, of_list: str, error: type[Exception] | None
) -> None:
    right = hashlib.sha256(zipped.read_bytes()).hexdigest()
    known = tmp_path / "sha256.txt"
    words = {"right": right, "wrong": "0" * 64, "name": NAME}
    if of_list:
        known.write_text(of_list.format(**words))
    asked = of_reader and of_reader.format(**words)
    if error is None:
        assert verify(zipped, asked and asked.upper(), known, "") == right
        return
    with pytest.raises(error) as refused:
        verify(zipped, asked, known, "make chr CHR=7.20.8")
    if isinstance(refused.value, CannotHereError):
        assert f"make chr CHR=7.20.8 CHR_SHA256={right}" in refused.value.remedy


# --- the disk -------------------------------------------------------------------------------


def test_a_zip_gives_its_one_disk(zipped: Path, disk: Path, tmp_path: Path) -> None:
    there = unpacked(zipped, tmp_path / "out")
    assert there.name == "chr-7.20.8.img" and there.read_bytes() == disk.read_bytes()
    assert unpacked(disk, tmp_path / "out") == disk
    with zipfile.ZipFile(zipped, "w") as archive:
        archive.write(disk, "../../escaped.img")
    assert unpacked(zipped, tmp_path / "out") == tmp_path / "out/escaped.img"


@pytest.mark.parametrize("names", [[], ["readme.txt"], ["a.img", "b.vmdk"]])
def test_a_zip_without_one_disk(names: list[str], tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in [*names, "x"]:
            archive.writestr(name, "text")
    with pytest.raises(FileError):
        unpacked(path, tmp_path / "out")


@pytest.mark.parametrize("content", [b"<!DOCTYPE html><title>Log in", b"", b"ELF"])
def test_what_is_no_disk(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "chr.img"
    path.write_bytes(content)
    with pytest.raises(FileError):
        kind_of(path)


@pytest.mark.skipif(shutil.which("qemu-img") is None, reason="qemu-img is not here: qemu-utils")
@pytest.mark.parametrize("kind", ["raw", "qcow2", "vdi", "vhdx", "vmdk"])
def test_every_kind_becomes_the_vmdk_that_vrnetlab_looks_for(
    kind: str, disk: Path, tmp_path: Path
) -> None:
    given = tmp_path / f"given.{kind}"
    convert = ["qemu-img", "convert", "-q", "-f", "raw"]
    subprocess.run([*convert, "-O", kind, disk, given], check=True)
    assert kind_of(given) == kind
    made = as_vmdk(given, tmp_path / "there/chr-7.20.8.vmdk")
    assert kind_of(made) == "vmdk"
    assert given.exists()
    back = tmp_path / "back.img"
    subprocess.run(["qemu-img", "convert", "-q", "-O", "raw", made, back], check=True)
    assert back.read_bytes()[: disk.stat().st_size] == disk.read_bytes()


# --- vrnetlab -------------------------------------------------------------------------------


def git(folder: Path, *argv: str) -> str:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *argv], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_vrnetlab_comes_at_its_commit_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone, folder, said = tmp_path / "clone", tmp_path / "vrnetlab", list[str]()
    for each in (*FILES, "LICENSE"):
        (clone / each).parent.mkdir(parents=True, exist_ok=True)
        (clone / each).write_text(each)
    git(tmp_path, "init", "--quiet", str(clone))
    git(clone, "add", ".")
    git(clone, "commit", "--quiet", "-m", "x")
    monkeypatch.setattr(chr_image, "COMMIT", git(clone, "rev-parse", "HEAD"))
    for source in (str(clone), "nowhere"):
        there = vrnetlab(folder, said.append, source)
        assert (there / FILES[2]).read_text() == FILES[2]
    assert len(said) == 1
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "another")
    with pytest.raises(CannotHereError, match=r"cannot be downloaded from .*/nowhere"):
        vrnetlab(folder, silent, str(tmp_path / "nowhere"))
    assert not folder.exists()


@pytest.mark.parametrize(
    ("flags", "device", "env", "launched"),
    [
        ("vmx", True, {}, "|1024|True"),
        ("svm", True, {"QEMU_MEMORY": "512"}, "|512|True"),
        ("vmx", False, {}, "max|1024|False"),
        # A /dev/kvm on a CPU that cannot: QEMU would end at it, so it goes.
        ("sse2", True, {}, "max|1024|False"),
        ("sse2", False, {"QEMU_CPU": "qemu64"}, "qemu64|1024|False"),
    ],
)
def test_the_launcher_is_told_what_this_host_lacks(
    root: Path, tmp_path: Path, flags: str, device: bool, env: dict[str, str], launched: str
) -> None:
    kvm, cpu = tmp_path / "kvm", tmp_path / "cpuinfo"
    cpu.write_text(f"flags : fpu {flags}\n")
    if device:
        kvm.touch()
    script = (root / "images/chr/launch").read_text()
    assert 'exec python3 /launch.py "$@"' in script
    for real, here in {
        "/dev/kvm": str(kvm),
        "/proc/cpuinfo": str(cpu),
        "exec python3 /launch.py": "exec sh -c 'echo \"$QEMU_CPU|$QEMU_MEMORY\"'",
    }.items():
        script = script.replace(real, here)
    done = subprocess.run(
        ["sh", "-c", script],
        env={"PATH": os.environ["PATH"], **env},
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"{done.stdout.strip()}|{kvm.exists()}" == launched
